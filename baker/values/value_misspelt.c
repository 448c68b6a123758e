/* Fields that are missing because their keys are misspelt: what is said of the key says it all. */
#include "value_baker.h"

#include "bake_memory.h"
#include "similar.h"

#include <string.h>

/* A guess is worth no look at many names, since each field that is missing takes one. */
enum { KEYS_MAX = 32, NAMES_MAX = 64 };

/* Whether the key is none that the asset or what lies around the mapping has, nor a field. */
static bool is_unknown(const bake_values *b, bake_node_id node, uint32_t type, const char *text,
                       size_t length, const value_step *step)
{
    const bake_layer_asset *asset = b->asset && !step ? b->asset->layers[0]->asset : NULL;
    bool was;
    if (bake_schema_member(b->schema, type, text, length, &was) ||
        bake_value_key_is_taken(b, node, text, length))
        return false;
    if (asset)
        return !bake_schema_is_asset_key(b->schema, asset->rule, asset->type, text, length);
    return step || b->root_type == KILN_TYPE_NONE ||
           !bake_schema_is_asset_key(b->schema, b->root_rule, b->root_type, text, length);
}

bool bake_value_is_misspelt(const bake_values *b, bake_node_id node, uint32_t type,
                            const kiln_member *field, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    size_t count = 0;
    bool found = false;
    /* The key has been told, or else nothing is. */
    if (b->error_count == 0 || !bake_hints_wanted(b->diagnostics) || of->member_count > NAMES_MAX ||
        b->schema->info[type].rest != KILN_TYPE_NONE ||
        bake_node_kind_of(b->tree, node) != BAKE_NODE_MAPPING ||
        bake_node_count(b->tree, node) > KEYS_MAX)
        return false;
    const char **names = bake_alloc_array(of->member_count, sizeof *names);
    if (!names)
        return false;
    for (uint32_t i = 0; i < of->member_count; i++)
        names[count++] = of->members[i].name;
    for (bake_walk walk = bake_walk_begin(b->tree, node); !found && bake_walk_next(&walk);) {
        uint32_t length;
        const char *text = bake_scalar_text(b->tree, walk.key, &length);
        found = is_unknown(b, node, type, text, length, step) &&
                bake_most_similar(text, length, &field->name, 1) &&
                bake_most_similar(text, length, names, count) == field->name;
    }
    bake_free(names);
    return found;
}
