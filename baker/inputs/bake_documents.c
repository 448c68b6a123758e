#include "document_reader.h"

#include "bake_memory.h"
#include "node_words.h"

#include <kiln/index.h>
#include <string.h>

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
