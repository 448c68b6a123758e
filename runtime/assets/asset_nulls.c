/* Reads the references of a blob together with their types, which the edges of the index lack. This
 * happens only for assets that refer to deleted ones.
 *
 * Shared objects are visited once for each field that refers to them, so the number of visits is
 * limited. The bytes may be unverified, so the depth is limited, too. Beyond the limits a reference
 * counts as one that cannot be null. */
#include "asset_nulls.h"

#include "asset_types.h"
#include "file_table.h"

#include <kiln/limits.h>
#include <kiln/scene.h>
#include <kiln/value.h>
#include <string.h>

typedef struct null_search {
    const kiln_key_table *deleted;
    kiln_id found; /* the id in `deleted` of a reference that cannot be null */
    uint64_t visits_left;
    bool has_failed; /* a limit was reached, or the bytes are not valid */
} null_search;

enum { DEPTH_MAX = KILN_DEPTH_MAX * KILN_INLINE_DEPTH_MAX };

static bool is_over(const null_search *s)
{
    return s->found || s->has_failed;
}

/* Whether a value of this kind can contain references. */
static bool has_parts(kiln_kind kind)
{
    return kind == KILN_KIND_STRUCT || kind == KILN_KIND_UNION || kind == KILN_KIND_ARRAY ||
           kind == KILN_KIND_MAP || kind == KILN_KIND_OPTIONAL || kind == KILN_KIND_FIXED;
}

static bool can_refer(const kiln_types *types, uint32_t type)
{
    const kiln_type *of = kiln_types_get(types, type);
    return of && (of->kind == KILN_KIND_REF || has_parts(of->kind));
}

/* Whether the parts of the value need not be visited, because they contain no references, or are
 * references that may be null. */
static bool is_skipped(const kiln_value *value)
{
    const kiln_type *of = value->of;
    if (of->kind == KILN_KIND_OPTIONAL)
        return kiln_types_get(value->types, of->element)->kind == KILN_KIND_REF ||
               !can_refer(value->types, of->element);
    if (of->kind == KILN_KIND_ARRAY || of->kind == KILN_KIND_FIXED)
        return !can_refer(value->types, of->element);
    return of->kind == KILN_KIND_MAP && !can_refer(value->types, of->element) &&
           !can_refer(value->types, of->key);
}

static void visit_ref(null_search *s, const kiln_value *value)
{
    kiln_id id = kiln_value_uint(value);
    if (id && kiln_key_table_get(s->deleted, id))
        s->found = id;
}

static void visit(null_search *s, const kiln_value *value, uint32_t depth)
{
    if (value->of->kind == KILN_KIND_REF)
        visit_ref(s, value);
    if (!has_parts(value->of->kind) || is_skipped(value))
        return;
    const uint32_t count = kiln_value_count(value);
    for (uint32_t i = 0; i < count && !is_over(s); i++) {
        kiln_value part;
        if (s->visits_left-- == 0 || depth == DEPTH_MAX ||
            kiln_value_at(value, i, &part) != KILN_OK) {
            s->has_failed = true;
            return;
        }
        visit(s, &part, depth + 1);
        if (value->of->kind == KILN_KIND_MAP && kiln_value_key(value, i, &part) == KILN_OK &&
            part.of->kind == KILN_KIND_REF)
            visit_ref(s, &part);
    }
}

/* The types that describe the bytes: the program's, or those of the file. */
static const kiln_types *types_of(const kiln_assets *assets, const asset_blob *blob,
                                  uint32_t *ret_type)
{
    const kiln_types *types = assets->types;
    uint32_t type = kiln_asset_program_type(assets, blob->type);
    if (type == KILN_TYPE_NONE || kiln_types_get(types, type)->layout != blob->layout) {
        if (!blob->mount->file->index->type_table ||
            kiln_file_table(blob->mount->file, &types, NULL) != KILN_OK)
            return NULL;
        type = kiln_types_find(types, blob->type);
    }
    const kiln_type *of = kiln_types_get(types, type);
    *ret_type = type;
    return of && of->layout == blob->layout ? types : NULL;
}

bool kiln_asset_nulls_allow(const kiln_assets *assets, const asset_blob *blob,
                            const kiln_key_table *deleted, kiln_id *ret_id)
{
    uint32_t type;
    kiln_value root;
    *ret_id = 0;
    if (strcmp(blob->type, KILN_SCENE_TYPE_NAME) == 0)
        return true;
    const kiln_types *types = types_of(assets, blob, &type);
    size_t header = (size_t)((const unsigned char *)blob->root - blob->bytes);
    if (!types || kiln_value_root(types, type, blob->root, blob->size - header, &root) != KILN_OK)
        return false;
    null_search s = {.deleted = deleted, .visits_left = UINT64_C(1024) + 2 * (uint64_t)blob->size};
    visit(&s, &root, 0);
    *ret_id = s.found;
    return !is_over(&s);
}
