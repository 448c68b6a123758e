/* Searches an asset for a reference, depth first. Values may be shared and deeply nested, so depth
 * and steps are limited. A search may therefore fail, which is acceptable because its result is
 * only shown in messages. */
#include "collect_field.h"

#include "asset_layers.h"
#include "asset_types.h"

#include <kiln/blob_header.h>
#include <kiln/value.h>
#include <string.h>

enum { DEPTH_MOST = 48, STEPS_MOST = 1000000 };

typedef struct search {
    const kiln_assets *assets;
    kiln_id id;
    uint32_t steps;
    kiln_path path;
} search;

static void add_step(kiln_path *path, const kiln_value *parent, uint32_t i)
{
    switch (parent->of->kind) {
    case KILN_KIND_STRUCT:
        if (!(parent->of->flags & KILN_TYPE_TRANSPARENT))
            kiln_path_add_name(path, parent->of->members[i].name,
                               strlen(parent->of->members[i].name));
        break;
    case KILN_KIND_UNION: {
        const kiln_member *member = kiln_value_member(parent);
        if (member)
            kiln_path_add_name(path, member->name, strlen(member->name));
        break;
    }
    case KILN_KIND_MAP: {
        kiln_value key;
        if (kiln_value_key(parent, i, &key) == KILN_OK)
            kiln_path_add_key(path, &key);
        break;
    }
    case KILN_KIND_ARRAY:
    case KILN_KIND_FIXED:
        kiln_path_add_number(path, i);
        break;
    default:
        break;
    }
}

/* Whether a reference leads to the asset, directly or through redirects. */
static bool leads_to(const search *s, kiln_id id)
{
    return id == s->id ||
           (asset_redirect_of(s->assets->redirects, id) &&
            kiln_asset_ids_target(s->assets, id) == kiln_asset_ids_target(s->assets, s->id));
}

static bool find(search *s, const kiln_value *value, uint32_t depth)
{
    if (value->of->kind == KILN_KIND_REF)
        return leads_to(s, kiln_value_uint(value));
    uint32_t count = depth < DEPTH_MOST ? kiln_value_count(value) : 0;
    for (uint32_t i = 0; i < count && s->steps < STEPS_MOST; i++) {
        kiln_value child;
        kiln_path before = s->path;
        s->steps++;
        if (kiln_value_at(value, i, &child) != KILN_OK)
            continue;
        add_step(&s->path, value, i);
        if (find(s, &child, depth + 1))
            return true;
        s->path = before;
    }
    return false;
}

void kiln_collect_field(kiln_assets *assets, const asset_blob *blob, kiln_id id,
                        kiln_path *ret_path)
{
    search s = {.assets = assets, .id = id};
    kiln_value root;
    uint32_t type = kiln_asset_program_type(assets, blob->type);
    memset(ret_path, 0, sizeof *ret_path);
    if (type == KILN_TYPE_NONE || kiln_types_get(assets->types, type)->layout != blob->layout)
        return;
    size_t at = (size_t)((const unsigned char *)blob->root - blob->bytes);
    if (kiln_value_root(assets->types, type, blob->root, blob->size - at, &root) == KILN_OK &&
        find(&s, &root, 0))
        *ret_path = s.path;
}
