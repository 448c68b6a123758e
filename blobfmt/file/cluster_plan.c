/* Finds, checks and reads a cluster plan: rules K1 to K6.
 *
 * The plan's blob is valid, so its arrays can be read. The lengths are checked first (K2), because
 * all other checks use them. One bit for each asset records whether a cluster owns it. Members and
 * mutables of a cluster are ascending, so one pass over both lists compares them, and the work is
 * linear in the plan. */
#include <kiln/cluster_plan.h>

#include "arena.h"
#include "cluster_types.h"

#include <kiln/blob_header.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

typedef struct plan_checker {
    const kiln_cluster_plan *plan;
    uint32_t assets;
    uint64_t nodes;       /* assets and imports */
    unsigned char *owned; /* one bit for each asset: a cluster has it as root or member */
    kiln_error *reterr;
} plan_checker;

static const uint32_t *elements(const kiln_array *array)
{
    return kiln_relative_get(array, array->offset);
}

static kiln_status fail(const plan_checker *c, kiln_status status, const void *at, const char *list,
                        uint32_t number)
{
    char path[48];
    (void)snprintf(path, sizeof path, "%s[%u]", list, (unsigned)number);
    uint64_t offset = (uint64_t)((const unsigned char *)at - (const unsigned char *)c->plan);
    return kiln_fail(c->reterr, status, offset, path);
}

/* Checks K2 for one list. */
static kiln_status check_starts(const plan_checker *c, const kiln_array *starts,
                                const kiln_array *list, const char *name)
{
    const uint32_t *start = elements(starts);
    uint32_t count = starts->count;
    if (count != (uint64_t)c->plan->roots.count + 1) {
        uint64_t offset =
            (uint64_t)((const unsigned char *)starts - (const unsigned char *)c->plan);
        return kiln_fail(c->reterr, KILN_K_LISTS, offset, name);
    }
    for (uint32_t i = 0; i < count; i++)
        if ((i == 0 && start[i] != 0) || (i > 0 && start[i] < start[i - 1]) ||
            (i + 1 == count && start[i] != list->count))
            return fail(c, KILN_K_LISTS, &start[i], name, i);
    return KILN_OK;
}

static kiln_status check_all_starts(const plan_checker *c)
{
    const kiln_cluster_plan *plan = c->plan;
    kiln_status status = check_starts(c, &plan->member_starts, &plan->members, "member_starts");
    if (!status)
        status = check_starts(c, &plan->mutable_starts, &plan->mutables, "mutable_starts");
    if (!status)
        status = check_starts(c, &plan->reference_starts, &plan->references, "reference_starts");
    return status;
}

/* Records that `asset`, which must exist, has an owner. Returns false if it already had one. */
static bool take(const plan_checker *c, uint32_t asset)
{
    assert(asset < c->assets);
    unsigned char bit = (unsigned char)(1u << asset % 8);
    bool is_free = !(c->owned[asset / 8] & bit);
    c->owned[asset / 8] |= bit;
    return is_free;
}

/* Checks K3. */
static kiln_status check_roots(const plan_checker *c)
{
    const uint32_t *roots = elements(&c->plan->roots);
    for (uint32_t i = 0; i < c->plan->roots.count; i++)
        if (roots[i] >= c->assets || (i > 0 && roots[i] <= roots[i - 1]) || !take(c, roots[i]))
            return fail(c, KILN_K_ROOT, &roots[i], "roots", i);
    return KILN_OK;
}

/* Checks K4. */
static kiln_status check_members(const plan_checker *c, uint32_t cluster)
{
    const uint32_t *all = elements(&c->plan->members);
    const uint32_t *starts = elements(&c->plan->member_starts);
    for (uint32_t i = starts[cluster]; i < starts[cluster + 1]; i++)
        if (all[i] >= c->assets || (i > starts[cluster] && all[i] <= all[i - 1]) ||
            !take(c, all[i]))
            return fail(c, KILN_K_MEMBER, &all[i], "members", i);
    return KILN_OK;
}

/* Checks K5. The caller has checked the cluster's members. */
static kiln_status check_mutables(const plan_checker *c, uint32_t cluster)
{
    const uint32_t *all = elements(&c->plan->mutables);
    const uint32_t *starts = elements(&c->plan->mutable_starts);
    kiln_cluster_numbers members = kiln_cluster_plan_members(c->plan, cluster);
    uint32_t root = kiln_cluster_plan_root(c->plan, cluster), m = 0;
    for (uint32_t i = starts[cluster]; i < starts[cluster + 1]; i++) {
        while (m < members.count && members.numbers[m] < all[i])
            m++;
        if (all[i] >= c->nodes || (i > starts[cluster] && all[i] <= all[i - 1]) || all[i] == root ||
            (m < members.count && members.numbers[m] == all[i]))
            return fail(c, KILN_K_MUTABLE, &all[i], "mutables", i);
    }
    return KILN_OK;
}

/* Checks K6. */
static kiln_status check_references(const plan_checker *c, uint32_t cluster)
{
    const uint32_t *all = elements(&c->plan->references);
    const uint32_t *starts = elements(&c->plan->reference_starts);
    for (uint32_t i = starts[cluster]; i < starts[cluster + 1]; i++)
        if (all[i] >= c->plan->roots.count || (i > starts[cluster] && all[i] <= all[i - 1]) ||
            all[i] == cluster)
            return fail(c, KILN_K_REFERENCE, &all[i], "references", i);
    return KILN_OK;
}

static kiln_status check_all(const plan_checker *c)
{
    kiln_status status = check_roots(c);
    uint32_t count = c->plan->roots.count;
    for (uint32_t i = 0; i < count && !status; i++)
        status = check_members(c, i);
    for (uint32_t i = 0; i < count && !status; i++)
        status = check_mutables(c, i);
    for (uint32_t i = 0; i < count && !status; i++)
        status = check_references(c, i);
    return status;
}

kiln_status kiln_cluster_plan_check(const kiln_cluster_plan *plan, const kiln_index *index,
                                    const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_allocator a = allocator_or_default(allocator);
    plan_checker c = {.plan = plan, .assets = index->assets.count, .reterr = reterr};
    size_t size = (size_t)c.assets / 8 + 1;
    c.nodes = (uint64_t)c.assets + index->imports.count;
    kiln_status status = check_all_starts(&c);
    if (status)
        return status;
    c.owned = a.alloc(a.ctx, size, 1);
    if (!c.owned)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(c.owned, 0, size);
    status = check_all(&c);
    a.free(a.ctx, c.owned, size);
    return status;
}

static bool is_plan_type(const kiln_index *index, uint32_t type)
{
    const kiln_string *name = &kiln_index_type_at(index, type)->name;
    return strcmp(kiln_string_get(name), KILN_CLUSTERS_TYPE_NAME) == 0;
}

uint32_t kiln_cluster_plan_find(const kiln_index *index)
{
    uint32_t number =
        kiln_index_find_name(index, KILN_CLUSTERS_ASSET_NAME, strlen(KILN_CLUSTERS_ASSET_NAME));
    if (number == KILN_ASSET_NONE || !kiln_index_asset_is_valid(index, number) ||
        !is_plan_type(index, kiln_index_asset_at(index, number)->type))
        return KILN_ASSET_NONE;
    return number;
}

kiln_status kiln_cluster_plan_check_names(const kiln_index *index, const void *file,
                                          kiln_error *reterr)
{
    uint32_t type = 0;
    while (type < index->types.count && !is_plan_type(index, type))
        type++;
    for (uint32_t i = 0; type < index->types.count && i < kiln_index_asset_count(index); i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        const char *name = kiln_string_get(&asset->name);
        if (asset->type != type || strcmp(name, KILN_CLUSTERS_ASSET_NAME) == 0)
            continue;
        char path[32];
        (void)snprintf(path, sizeof path, "assets[%u].name", (unsigned)i);
        const unsigned char *at = (const unsigned char *)&asset->name;
        return kiln_fail(reterr, KILN_K_NAME, (uint64_t)(at - (const unsigned char *)file), path);
    }
    return KILN_OK;
}

kiln_status kiln_cluster_plan_read(const kiln_index *index, kiln_span blob,
                                   const kiln_allocator *allocator,
                                   const kiln_cluster_plan **ret_plan, kiln_error *reterr)
{
    kiln_types *types = NULL;
    kiln_status status = kiln_cluster_types_create(allocator, &types, reterr);
    if (status)
        return status;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = kiln_types_find(types, KILN_CLUSTERS_TYPE_NAME);
    def.allocator = allocator;
    def.check_canonical = false;
    def.skip_hash = true;
    status = kiln_verify(&def, blob.data, blob.size, reterr);
    kiln_types_destroy(types);
    if (status)
        return status;
    kiln_blob_header header;
    memcpy(&header, blob.data, sizeof header);
    uint32_t at = kiln_header_payload_at(&header);
    const kiln_cluster_plan *plan = (const void *)((const unsigned char *)blob.data + at);
    status = kiln_cluster_plan_check(plan, index, allocator, reterr);
    if (!status)
        *ret_plan = plan;
    else if (reterr && status != KILN_NO_MEMORY)
        reterr->offset += at;
    return status;
}
