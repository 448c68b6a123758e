/* Checks every rule of a file at once, for kiln_file_verify.
 *
 * The index and the gaps come first, then members without assets, then members with assets, then
 * payloads, the cluster plan and the redirects. References are compared with the edges of the index
 * in both directions: I15, each reference has an edge; I21, each edge has a reference. The work is
 * linear in the size of the file, except for one binary search per id. */
#define _POSIX_C_SOURCE 200809L

#include "file_header.h"
#include "file_member.h"
#include "file_payload.h"
#include "file_plan.h"
#include "file_redirects.h"
#include "file_table.h"
#include "file_unpack.h"
#include "lower_bound.h"

#include <assert.h>
#include <kiln/cluster_plan.h>
#include <stdio.h>
#include <string.h>

#define NO_ASSET UINT32_MAX

/* A chain of the assets of each member, and one bit for each edge. A chain begins with the asset
 * that has the fewest edges. Comparing the first asset with another takes at most one step for each
 * edge of the other, so all comparisons together are linear in the index. */
typedef struct survey {
    kiln_file *file;
    uint32_t *first;     /* a member's first asset */
    uint32_t *next;      /* the asset after it in the chain of its member */
    unsigned char *used; /* bits: edges of a member's first asset that a reference needs */
    size_t bytes;        /* of the three arrays: one allocation, which begins at `first` */
} survey;

/* The level at which the member of an asset is checked. file_plan.c and file_payload.c check the
 * values of a plan and of payload assets, because neither the program nor the file needs to
 * describe their types. */
static kiln_file_level deep_level(const kiln_file *file, uint32_t number)
{
    return number == kiln_cluster_plan_find(file->index) || kiln_file_is_payload(file, number)
               ? LEVEL_HASH
               : kiln_file_deep_level(file, number);
}

static uint32_t edge_count(const kiln_index *index, uint32_t asset)
{
    uint32_t count = 0;
    kiln_index_edges(index, asset, &count);
    return count;
}

static void add_to_chain(survey *s, uint32_t asset)
{
    const kiln_index *index = s->file->index;
    uint32_t member = kiln_index_asset_at(index, asset)->member;
    assert(member < index->members.count); /* I5 was checked before */
    uint32_t *first = &s->first[member];
    if (*first == NO_ASSET || edge_count(index, asset) < edge_count(index, *first)) {
        s->next[asset] = *first;
        *first = asset;
    } else {
        s->next[asset] = s->next[*first];
        s->next[*first] = asset;
    }
}

static kiln_status survey_init(survey *s, kiln_file *file)
{
    const kiln_index *index = file->index;
    uint32_t members = index->members.count, assets = kiln_index_asset_count(index);
    size_t numbers = (size_t)members + assets;
    s->file = file;
    s->bytes = numbers * sizeof(uint32_t) + index->edges.count / 8 + 1;
    s->first = file->allocator.alloc(file->allocator.ctx, s->bytes, _Alignof(uint32_t));
    if (!s->first)
        return KILN_NO_MEMORY;
    s->next = s->first + members;
    s->used = (unsigned char *)(s->first + numbers);
    memset(s->used, 0, index->edges.count / 8 + 1);
    for (uint32_t i = 0; i < members; i++)
        s->first[i] = NO_ASSET;
    for (uint32_t i = 0; i < assets; i++)
        add_to_chain(s, i);
    return KILN_OK;
}

static void survey_fini(survey *s)
{
    s->file->allocator.free(s->file->allocator.ctx, s->first, s->bytes);
}

typedef struct ref_check {
    const kiln_index *index;
    const uint32_t *edges; /* of the asset whose type and edges are used to check the member */
    uint32_t count;
    uint32_t base; /* position of edges[0] among all edges */
    unsigned char *used;
    bool missing;
    uint64_t missing_at;
} ref_check;

static void check_ref(void *ctx, kiln_id id, uint64_t offset)
{
    ref_check *check = ctx;
    size_t at;
    /* No edge is KILN_ASSET_NONE. */
    if (find_u32(check->edges, check->count, kiln_index_edge_of(check->index, id), &at)) {
        check->used[(check->base + at) / 8] |= (unsigned char)(1u << (check->base + at) % 8);
    } else if (!check->missing || offset < check->missing_at) {
        check->missing = true;
        check->missing_at = offset;
    }
}

/* Verifies the member of asset `number` and looks up each of its references among the asset's
 * edges. */
static kiln_status check_edges(const survey *s, uint32_t number, ref_check *ret_check,
                               kiln_error *reterr)
{
    const kiln_index *index = s->file->index;
    const kiln_index_asset *asset = kiln_index_asset_at(index, number);
    ref_check check = {.index = index, .used = s->used};
    check.edges = kiln_index_edges(index, number, &check.count);
    if (check.count > 0) {
        const uint32_t *all = kiln_relative_get(&index->edges, index->edges.offset);
        check.base = (uint32_t)(check.edges - all);
    }
    kiln_file_refs refs = {check_ref, &check};
    kiln_status status =
        kiln_file_check_asset(s->file, number, deep_level(s->file, number), &refs, reterr);
    if (status == KILN_OK && check.missing)
        status = kiln_fail(reterr, KILN_I_REFS,
                           kiln_index_member_at(index, asset->member)->place + check.missing_at,
                           kiln_string_get(&asset->name));
    *ret_check = check;
    return status;
}

static bool is_used(const survey *s, uint32_t edge)
{
    return s->used[edge / 8] >> edge % 8 & 1;
}

/* Reports I21: the member does not refer to the target of edge number `edge`. */
static kiln_status fail_edge(const survey *s, uint32_t edge, kiln_error *reterr)
{
    const kiln_index *index = s->file->index;
    const uint32_t *all = kiln_relative_get(&index->edges, index->edges.offset);
    const unsigned char *at = (const void *)&all[edge];
    char path[32];
    (void)snprintf(path, sizeof path, "edges[%u]", (unsigned)edge);
    return kiln_fail(reterr, KILN_I_EDGE_UNUSED, (uint64_t)(at - s->file->source.data), path);
}

/* Checks I21 for the asset as which the member was checked: each of its edges must have a
 * reference. */
static kiln_status check_all_used(const survey *s, const ref_check *check, kiln_error *reterr)
{
    for (uint32_t i = 0; i < check->count; i++)
        if (!is_used(s, check->base + i))
            return fail_edge(s, check->base + i, reterr);
    return KILN_OK;
}

/* Checks I21 for another asset of the member. Its list contains every edge of `check`, and must
 * contain no other edges. */
static kiln_status check_no_others(const survey *s, const ref_check *check, uint32_t other,
                                   kiln_error *reterr)
{
    const kiln_index *index = s->file->index;
    uint32_t count = 0, same = 0;
    const uint32_t *edges = kiln_index_edges(index, other, &count);
    while (same < check->count && edges[same] == check->edges[same])
        same++;
    if (same == count)
        return KILN_OK;
    const uint32_t *all = kiln_relative_get(&index->edges, index->edges.offset);
    return fail_edge(s, (uint32_t)(edges + same - all), reterr);
}

/* Whether the list of asset `other` contains every edge of `check`. */
static bool lists_all(const survey *s, const ref_check *check, uint32_t other)
{
    uint32_t count = 0;
    size_t at;
    const uint32_t *edges = kiln_index_edges(s->file->index, other, &count);
    for (uint32_t i = 0; i < check->count; i++)
        if (!find_u32(edges, count, check->edges[i], &at))
            return false;
    return true;
}

/* All assets of a member have the same references, so each list must equal the first one. The
 * member is verified again only to find the reference that a list lacks. */
static kiln_status check_refs(const survey *s, uint32_t first, kiln_error *reterr)
{
    ref_check check, again;
    kiln_status status = check_edges(s, first, &check, reterr);
    if (status == KILN_OK)
        status = check_all_used(s, &check, reterr);
    uint32_t other = s->next[first];
    while (status == KILN_OK && other != NO_ASSET) {
        if (!lists_all(s, &check, other))
            status = check_edges(s, other, &again, reterr);
        if (status == KILN_OK)
            status = check_no_others(s, &check, other, reterr);
        other = s->next[other];
    }
    return status;
}

/* Checks R1 to R4. */
static kiln_status check_redirects(kiln_file *file, kiln_error *reterr)
{
    kiln_file_redirects redirects;
    kiln_status status = kiln_file_redirects_read(file, &file->allocator, &redirects, reterr);
    if (status == KILN_OK)
        kiln_file_redirects_fini(&redirects, &file->allocator);
    return status;
}

static kiln_status check_deep(kiln_file *file, kiln_error *reterr)
{
    const kiln_index *index = file->index;
    const kiln_types *table;
    kiln_status status = KILN_OK;
    if (index->type_table)
        status = kiln_file_table(file, &table, reterr);
    for (uint32_t i = 0; i < index->dictionaries.count && status == KILN_OK; i++)
        status = kiln_file_check_dictionary(file, i, reterr);
    survey s;
    if (status == KILN_OK && (status = survey_init(&s, file)) != KILN_OK)
        kiln_fail(reterr, status, 0, NULL);
    if (status != KILN_OK)
        return status;
    for (uint32_t i = 0; i < index->members.count && status == KILN_OK; i++) {
        if (s.first[i] != NO_ASSET)
            status = check_refs(&s, s.first[i], reterr);
        /* check_refs has already checked the content hash of a compressed member (I12). The data
         * of payload members are checked with their assets. */
        if (status == KILN_OK && !kiln_file_is_packed(file, i) &&
            !kiln_index_member_is_payload(kiln_index_member_at(index, i)))
            status = kiln_index_check_member(index, i, file->source.data, true, reterr);
    }
    survey_fini(&s);
    if (status == KILN_OK)
        status = kiln_file_check_payloads(file, true, reterr);
    if (status == KILN_OK)
        status = kiln_file_check_plan(file, reterr);
    return status == KILN_OK ? check_redirects(file, reterr) : status;
}

/* Members that belong to no asset. */
static kiln_status check_others(kiln_file *file, bool check_hash, kiln_error *reterr)
{
    const kiln_index *index = file->index;
    kiln_status status = KILN_OK;
    if (index->type_table)
        status = kiln_file_check_header(file, index->type_table - 1, KILN_BLOB_TYPE_TABLE,
                                        check_hash, reterr);
    const uint32_t *dictionaries =
        kiln_relative_get(&index->dictionaries, index->dictionaries.offset);
    for (uint32_t i = 0; i < index->dictionaries.count && status == KILN_OK; i++)
        status =
            kiln_file_check_header(file, dictionaries[i], KILN_BLOB_DICTIONARY, check_hash, reterr);
    return status;
}

kiln_status kiln_file_verify(kiln_file *file, kiln_verify_level level, kiln_error *reterr)
{
    if ((unsigned)level > KILN_VERIFY_DEEP)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    if (level < file->level)
        level = file->level;
    const kiln_index *index = file->index;
    kiln_status status = kiln_file_check_index(file, reterr);
    if (status == KILN_OK)
        status = kiln_index_check_gaps(index, file->source.data, reterr);
    if (status == KILN_OK)
        status = check_others(file, level >= KILN_VERIFY_HASH, reterr);
    if (status == KILN_OK && level == KILN_VERIFY_DEEP)
        status = check_deep(file, reterr);
    else if (status == KILN_OK)
        status = kiln_file_check_payloads(file, level == KILN_VERIFY_HASH, reterr);
    for (uint32_t i = 0; i < kiln_index_asset_count(index) && status == KILN_OK; i++) {
        kiln_file_level required = level == KILN_VERIFY_NONE   ? LEVEL_HEADER
                                   : level == KILN_VERIFY_HASH ? LEVEL_HASH
                                                               : deep_level(file, i);
        status = kiln_file_check_asset(file, i, required, NULL, reterr);
    }
    return status;
}
