#include "document_reader.h"

#include "bake_memory.h"
#include "node_words.h"

#include <kiln/index.h>
#include <string.h>

/* Room for one more, among the assets or the patches. NULL when memory ran out. */
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

bake_asset *bake_document_add(document_reader *d, const char *kind, uint32_t type, const char *id,
                              size_t id_length, bake_node_id node, bake_node_id named_at)
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
    if (!kiln_asset_name_is_valid(name, prefix + 1 + id_length)) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, named_at), "id", NULL,
                    "an id is not empty and has no control characters");
        return NULL;
    }
    bake_asset *asset = make_asset(d);
    if (!asset) {
        d->out_of_memory = true;
        return NULL;
    }
    asset->name = name;
    asset->name_length = prefix + 1 + id_length;
    asset->type = type;
    asset->input = d->input;
    asset->node = node;
    asset->named_at = named_at;
    asset->base = UINT32_MAX;
    asset->rule = d->rule;
    asset->is_scene = false;
    return asset;
}

void bake_document_delete(document_reader *d, const char *kind, uint32_t type, const char *id,
                          size_t id_length, bake_node_id named_at)
{
    if (bake_document_add(d, kind, type, id, id_length, named_at, named_at))
        d->inputs->patches[d->inputs->patch_count - 1].deletes = true;
}

bool bake_document_expect(document_reader *d, bake_node_id node, bake_node_kind kind,
                          const char *what)
{
    if (bake_node_is_placeholder(d->tree, node))
        return false;
    if (bake_node_kind_of(d->tree, node) != kind)
        return bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "type", NULL,
                           "expected %s, found %s", what, bake_node_word(d->tree, node));
    if (bake_node_has_odd_tag(d->tree, node))
        return bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "tag", NULL,
                           "unknown tag %s", bake_node_tag(d->tree, node));
    return true;
}

static void read_document(document_reader *d, bake_node_id node, uint32_t number)
{
    /* What no rule fits is read by kinds, which is also how kiln-inspect writes assets as YAML. */
    switch (d->rule ? d->rule->shape : BAKE_SHAPE_KINDS) {
    case BAKE_SHAPE_KINDS:
        bake_document_kinds(d, node);
        break;
    case BAKE_SHAPE_MAP:
        bake_document_map(d, node);
        break;
    case BAKE_SHAPE_LIST:
        bake_document_list(d, node);
        break;
    case BAKE_SHAPE_ONE:
        bake_document_one(d, node);
        break;
    case BAKE_SHAPE_SCENE:
    case BAKE_SHAPE_PREFABS:
        bake_document_entities(d, node);
        break;
    case BAKE_SHAPE_RENAMES:
        bake_document_renames(d, node);
        break;
    case BAKE_SHAPE_ACCEPTED:
        bake_document_accepted(d, node);
        break;
    case BAKE_SHAPE_OBJECTS:
        bake_document_object(d, node, number);
        break;
    case BAKE_SHAPE_GUIDS:
        bake_document_guids(d, node);
        break;
    }
}

bool bake_documents_read(bake_inputs *inputs, uint32_t number, const bake_inputs_def *def)
{
    const bake_input *input = &inputs->inputs[number];
    document_reader d = {.inputs = inputs,
                         .input = number,
                         .def = def,
                         .schema = def->schema,
                         .diagnostics = def->diagnostics,
                         .tree = input->tree,
                         .rule = input->rule};
    for (uint32_t i = 0; i < bake_tree_document_count(input->tree) && !d.out_of_memory; i++) {
        bake_node_id root = bake_tree_document(input->tree, i);
        d.document = i;
        if (root != BAKE_NODE_NONE)
            read_document(&d, root, i);
    }
    return !d.out_of_memory;
}
