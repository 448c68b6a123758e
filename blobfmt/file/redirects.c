/* Lists of redirects: their types, their rules, and writing them.
 *
 * No entry of a list leads to another entry (R3), so the rules need no search for cycles, and
 * following the redirects of one file takes one step. */
#include "arena.h"
#include "lower_bound.h"
#include "type_join.h"

#include <kiln/redirects.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

/* Indices in `descriptions`. */
enum {
    REDIRECT_U64,
    REDIRECT_STRING,
    REDIRECT_ENTRY,
    REDIRECT_ENTRY_ARRAY,
    REDIRECT_ROOT,
    REDIRECT_TYPE_COUNT
};

static const kiln_member entry_fields[] = {
    {.name = "id", .type = REDIRECT_U64, .doc = "XXH3-64 of the name."},
    {.name = "name", .type = REDIRECT_STRING, .doc = "The earlier name, Kind/id."},
    {.name = "target",
     .type = REDIRECT_STRING,
     .doc = "The current name; empty if the asset was deleted."},
};
static const kiln_member root_fields[] = {
    {.name = "entries", .type = REDIRECT_ENTRY_ARRAY, .doc = "Ascending by id."},
};

static const kiln_type descriptions[REDIRECT_TYPE_COUNT] = {
    [REDIRECT_U64] = {.kind = KILN_KIND_U64},
    [REDIRECT_STRING] = {.kind = KILN_KIND_STRING},
    [REDIRECT_ENTRY] = {.kind = KILN_KIND_STRUCT,
                        .name = "kiln.Redirect",
                        .members = entry_fields,
                        .member_count = sizeof entry_fields / sizeof *entry_fields},
    [REDIRECT_ENTRY_ARRAY] = {.kind = KILN_KIND_ARRAY, .element = REDIRECT_ENTRY},
    [REDIRECT_ROOT] = {.kind = KILN_KIND_STRUCT,
                       .name = KILN_REDIRECTS_TYPE_NAME,
                       .members = root_fields,
                       .member_count = sizeof root_fields / sizeof *root_fields,
                       .flags = KILN_TYPE_ASSET},
};

kiln_status kiln_types_with_redirects(const kiln_types *types, const kiln_allocator *allocator,
                                      kiln_types **ret_types, kiln_error *reterr)
{
    static const type_addition addition = {
        .types = descriptions,
        .count = REDIRECT_TYPE_COUNT,
        .root = REDIRECT_ROOT,
        .layout = KILN_REDIRECTS_LAYOUT,
    };
    return kiln_types_join(types, &addition, allocator, ret_types, reterr);
}

/* ---- reading ---- */

static bool is_below(const void *list, size_t at, const void *key)
{
    return ((const kiln_redirect *)list)[at].id < *(const kiln_id *)key;
}

const kiln_redirect *kiln_redirects_find(const kiln_redirects *redirects, kiln_id id)
{
    const uint32_t count = redirects->entries.count;
    const kiln_redirect *first = kiln_relative_get(&redirects->entries, redirects->entries.offset);
    size_t at = lower_bound(first, 0, count, is_below, &id);
    return at < count && first[at].id == id ? &first[at] : NULL;
}

/* The length of the kind, including the slash. The name must be valid. */
static size_t kind_length(const char *name, size_t length)
{
    const char *slash = memchr(name, '/', length);
    return slash ? (size_t)(slash - name) + 1 : length;
}

/* R2 for a target: it is empty, or a valid name of the same kind. */
static bool target_is_valid(const char *name, size_t length, const char *target,
                            size_t target_length)
{
    return target_length == 0 || (kiln_asset_name_is_valid(target, target_length) &&
                                  strncmp(name, target, kind_length(name, length)) == 0);
}

static kiln_status fail_entry(kiln_status status, uint32_t i, const char *field, kiln_error *reterr)
{
    char path[64];
    (void)snprintf(path, sizeof path, "entries[%u].%s", (unsigned)i, field);
    return kiln_fail(reterr, status, 0, path);
}

/* R1 and R2, on which the search for R3 relies. */
static kiln_status check_names(const kiln_redirects *redirects, kiln_error *reterr)
{
    for (uint32_t i = 0; i < redirects->entries.count; i++) {
        const kiln_redirect *entry = kiln_redirects_at(redirects, i);
        const char *name = kiln_string_get(&entry->name);
        size_t length = entry->name.length;
        if (i > 0 && kiln_redirects_at(redirects, i - 1)->id >= entry->id)
            return fail_entry(KILN_R_ORDER, i, "id", reterr);
        if (!kiln_asset_name_is_valid(name, length) || entry->id == 0 ||
            kiln_asset_id(name, length) != entry->id)
            return fail_entry(KILN_R_NAME, i, "name", reterr);
        if (!target_is_valid(name, length, kiln_string_get(&entry->target), entry->target.length))
            return fail_entry(KILN_R_NAME, i, "target", reterr);
    }
    return KILN_OK;
}

static kiln_status check_targets(const kiln_redirects *redirects, const kiln_index *index,
                                 kiln_error *reterr)
{
    for (uint32_t i = 0; i < redirects->entries.count; i++) {
        const kiln_redirect *entry = kiln_redirects_at(redirects, i);
        const char *target = kiln_string_get(&entry->target);
        if (entry->target.length > 0 &&
            kiln_redirects_find(redirects, kiln_asset_id(target, entry->target.length)))
            return fail_entry(KILN_R_CHAIN, i, "target", reterr);
        if (index && kiln_index_find(index, entry->id) != KILN_ASSET_NONE)
            return fail_entry(KILN_R_ASSET, i, "id", reterr);
    }
    return KILN_OK;
}

static kiln_status check_values(kiln_span blob, const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *types = NULL;
    kiln_status status = kiln_types_with_redirects(NULL, allocator, &types, reterr);
    if (status)
        return status;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = kiln_types_find(types, KILN_REDIRECTS_TYPE_NAME);
    def.allocator = allocator;
    def.check_canonical = false; /* not needed for safety */
    status = kiln_verify(&def, blob.data, blob.size, reterr);
    kiln_types_destroy(types);
    return status;
}

kiln_status kiln_redirects_read(kiln_span blob, const kiln_index *index,
                                const kiln_allocator *allocator,
                                const kiln_redirects **ret_redirects, kiln_error *reterr)
{
    kiln_status status = check_values(blob, allocator, reterr);
    if (status)
        return status;
    const kiln_redirects *redirects =
        (const void *)((const unsigned char *)blob.data + kiln_header_payload_at(blob.data));
    status = check_names(redirects, reterr);
    if (!status)
        status = check_targets(redirects, index, reterr);
    if (!status)
        *ret_redirects = redirects;
    return status;
}

/* ---- writing ---- */

typedef struct sorted_rename {
    kiln_id id;
    size_t length, target_length;
    const kiln_rename *rename;
} sorted_rename;

static int compare_renames(const void *a, const void *b)
{
    const sorted_rename *left = a, *right = b;
    return (left->id > right->id) - (left->id < right->id);
}

static bool sorted_is_below(const void *list, size_t at, const void *key)
{
    return ((const sorted_rename *)list)[at].id < *(const kiln_id *)key;
}

/* Whether the target of an entry is itself an earlier name. */
static bool leads_to_entry(const sorted_rename *all, uint32_t count, const sorted_rename *entry)
{
    if (entry->target_length == 0)
        return false;
    kiln_id id = kiln_asset_id(entry->rename->target, entry->target_length);
    size_t at = lower_bound(all, 0, count, sorted_is_below, &id);
    return at < count && all[at].id == id;
}

static kiln_status sort_renames(const kiln_redirects_finish_args *args, sorted_rename *all,
                                kiln_error *reterr)
{
    for (uint32_t i = 0; i < args->count; i++) {
        const kiln_rename *rename = &args->renames[i];
        const char *target = rename->target ? rename->target : "";
        size_t length = strlen(rename->name);
        all[i] =
            (sorted_rename){kiln_asset_id(rename->name, length), length, strlen(target), rename};
        if (!kiln_asset_name_is_valid(rename->name, length) || all[i].id == 0 ||
            !target_is_valid(rename->name, length, target, all[i].target_length))
            return kiln_fail(reterr, KILN_R_NAME, 0, rename->name);
    }
    if (args->count > 1)
        qsort(all, args->count, sizeof *all, compare_renames);
    for (uint32_t i = 0; i < args->count; i++) {
        if (i > 0 && all[i - 1].id == all[i].id)
            return kiln_fail(reterr, KILN_DUPLICATE, 0, all[i].rename->name);
        if (leads_to_entry(all, args->count, &all[i]))
            return kiln_fail(reterr, KILN_R_CHAIN, 0, all[i].rename->name);
    }
    return KILN_OK;
}

/* A builder that has failed remembers it, so only the last call is checked, by its caller. */
static void fill(kiln_builder *builder, const sorted_rename *all, uint32_t count)
{
    kiln_redirects *root = kiln_builder_root(builder, sizeof *root, _Alignof(kiln_redirects));
    kiln_redirect *entries = root ? kiln_builder_array(builder, &root->entries, count,
                                                       sizeof *entries, _Alignof(kiln_redirect))
                                  : NULL;
    for (uint32_t i = 0; entries && i < count; i++) {
        const kiln_rename *rename = all[i].rename;
        entries[i].id = all[i].id;
        kiln_builder_string(builder, &entries[i].name, rename->name, all[i].length);
        if (all[i].target_length > 0)
            kiln_builder_string(builder, &entries[i].target, rename->target, all[i].target_length);
    }
}

static kiln_status build(const kiln_redirects_finish_args *args, uint32_t type,
                         const sorted_rename *all, kiln_error *reterr)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = args->types;
    def.allocator = args->allocator;
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    fill(builder, all, args->count);
    status = kiln_file_writer_build(args->file, KILN_REDIRECTS_NAME, type, builder, reterr);
    kiln_builder_destroy(builder);
    return status;
}

kiln_status kiln_redirects_finish(const kiln_redirects_finish_args *args, kiln_error *reterr)
{
    const kiln_allocator allocator = allocator_or_default(args->allocator);
    uint32_t type = kiln_types_find(args->types, KILN_REDIRECTS_TYPE_NAME);
    const kiln_type *of = kiln_types_get(args->types, type);
    if (!of || of->layout != KILN_REDIRECTS_LAYOUT)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    size_t size = ((size_t)args->count + 1) * sizeof(sorted_rename);
    sorted_rename *all = allocator.alloc(allocator.ctx, size, _Alignof(sorted_rename));
    if (!all)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_status status = sort_renames(args, all, reterr);
    if (!status)
        status = build(args, type, all, reterr);
    allocator.free(allocator.ctx, all, size);
    return status;
}
