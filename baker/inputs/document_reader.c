/* Functions for all shapes of documents: adding assets, looking up kinds, making ids from paths. */
#include "document_reader.h"

#include "bake_memory.h"
#include "node_words.h"
#include "similar.h"

#include <kiln/index.h>
#include <string.h>

/* Appends an asset, or a patch if the rule has `patches`. Patches are applied when all assets are
 * known. Returns NULL if memory runs out. */
static bake_asset *make_asset(document_reader *d)
{
    bake_inputs *inputs = d->inputs;
    if (d->rule && d->rule->patches) {
        bake_patch *patches = bake_grow(inputs->patches, &inputs->patch_capacity,
                                        inputs->patch_count + 1, sizeof *patches);
        if (!patches)
            return NULL;
        inputs->patches = patches;
        patches[inputs->patch_count].deletes = false;
        return &patches[inputs->patch_count++].asset;
    }
    bake_asset *assets =
        bake_grow(inputs->assets, &inputs->asset_capacity, inputs->asset_count + 1, sizeof *assets);
    if (!assets)
        return NULL;
    inputs->assets = assets;
    inputs->inputs[d->input].asset_count++;
    return &assets[inputs->asset_count++];
}

const char *bake_document_name(document_reader *d, const char *kind, const char *id,
                               size_t id_length, bake_node_id named_at, size_t *ret_length)
{
    size_t prefix = strlen(kind);
    char *name = bake_store_alloc(&d->inputs->store, prefix + id_length + 2, 1);
    if (!name) {
        d->out_of_memory = true;
        return NULL;
    }
    memcpy(name, kind, prefix);
    name[prefix] = '/';
    memcpy(name + prefix + 1, id, id_length);
    *ret_length = prefix + 1 + id_length;
    if (kiln_asset_name_is_valid(name, *ret_length))
        return name;
    bake_document_refuse_id(d, named_at);
    return NULL;
}

bool bake_document_refuse_id(document_reader *d, bake_node_id node)
{
    return bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "id", NULL,
                       "an id must not be empty or contain control characters");
}

bake_asset *bake_document_add(document_reader *d, const char *kind, uint32_t type, const char *id,
                              size_t id_length, bake_node_id node, bake_node_id named_at)
{
    size_t length;
    const char *name = bake_document_name(d, kind, id, id_length, named_at, &length);
    if (!name)
        return NULL;
    bake_asset *asset = make_asset(d);
    if (!asset) {
        d->out_of_memory = true;
        return NULL;
    }
    asset->name = name;
    asset->name_length = length;
    asset->type = type;
    asset->input = d->input;
    asset->node = node;
    asset->named_at = named_at;
    asset->base = UINT32_MAX;
    asset->rule = d->rule;
    asset->is_scene = false;
    return asset;
}

bool bake_document_expect(document_reader *d, bake_node_id node, bake_node_kind kind,
                          const char *what)
{
    if (bake_node_is_placeholder(d->tree, node))
        return false;
    if (bake_node_kind_of(d->tree, node) != kind)
        return bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "type", NULL,
                           "expected %s, found %s", what, bake_node_word(d->tree, node));
    if (bake_node_has_foreign_tag(d->tree, node))
        return bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "tag", NULL,
                           "unknown tag %s", bake_node_tag(d->tree, node));
    return true;
}

/* The kind of the schema that is equal or similar to a word; NULL if there is none, or if memory
 * runs out. */
static const char *similar_kind(const document_reader *d, const char *text, size_t length)
{
    const char **names = bake_alloc_array(d->schema->kind_count, sizeof *names);
    for (size_t k = 0; names && k < d->schema->kind_count; k++)
        names[k] = d->schema->kinds[k].name;
    const char *found =
        names ? bake_most_similar(text, length, names, d->schema->kind_count) : NULL;
    bake_free(names);
    return found;
}

bool bake_document_is_like_kind(const document_reader *d, const char *text, size_t length)
{
    return bake_schema_kind(d->schema, text, length) || similar_kind(d, text, length);
}

/* Adds a hint with similar kinds. If no rule matches the file although the schema has rules, and no
 * kind is similar, adds the hint that a rule is missing. */
static void hint_kinds(document_reader *d, const char *text, size_t length)
{
    if (!bake_hints_wanted(d->diagnostics))
        return;
    const char *similar = similar_kind(d, text, length);
    if (similar)
        bake_hint(d->diagnostics, "did you mean \"%s\"?", similar);
    else if (!d->rule && d->schema->has_rules)
        bake_hint(d->diagnostics, "no rule under `files` in the schema matches \"%s\"",
                  d->inputs->inputs[d->input].relative);
}

const bake_kind *bake_document_kind(document_reader *d, bake_node_id node)
{
    size_t length;
    const char *text = bake_node_text(d->tree, node, &length);
    const bake_kind *kind = bake_schema_kind(d->schema, text, length);
    if (kind)
        return kind;
    bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "kind", NULL,
                "unknown kind of asset \"%.*s\"", (int)(length < 200 ? length : 200), text);
    hint_kinds(d, text, length);
    return NULL;
}

bool bake_document_path_id(document_reader *d, bake_node_id node, bake_id_source source,
                           const char *text, const char **ret_id, size_t *ret_length)
{
    const bake_input *input = &d->inputs->inputs[d->input];
    if ((source == BAKE_ID_PATH || source == BAKE_ID_FILE) && !input->has_relative) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "id", NULL,
                    "the id comes from the path, but the file is not below the base folder");
        bake_hint(d->diagnostics, "use -C with a folder that contains it");
        return false;
    }
    *ret_id = bake_path_id(input->relative, source, text, ret_length);
    return true;
}
