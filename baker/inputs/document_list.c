/* Lists of assets, each of which says its id itself. */
#include "document_reader.h"

#include <string.h>

/* The scalar that names the asset; BAKE_NODE_NONE after a report. */
static bake_node_id find_id(document_reader *d, bake_node_id element, const bake_kind *kind)
{
    const bake_file_rule *rule = d->rule;
    const char *key = rule->path_id ? rule->path_id
                      : kind        ? bake_schema_id_key(d->schema, rule, kind->type)
                                    : rule->id;
    bake_node_id id = bake_node_find(d->tree, element, key, strlen(key));
    if (id != BAKE_NODE_NONE && bake_node_kind_of(d->tree, id) == BAKE_NODE_SCALAR &&
        !bake_node_is_null(d->tree, id))
        return id;
    if (kind)
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, element), "id", kind->name,
                    "expected the key \"%s\", which gives the id", key);
    else
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, element), "id", NULL,
                    "expected a mapping with the field \"%s\", which gives the id", key);
    return BAKE_NODE_NONE;
}

/* `- delete: sword`, an element that takes an asset away. False where it is none. */
static bool read_delete(document_reader *d, bake_node_id element, uint32_t type)
{
    static const char word[] = "delete";
    bake_node_id id = bake_node_find(d->tree, element, word, sizeof word - 1);
    size_t length;
    if (id == BAKE_NODE_NONE)
        return false;
    if (bake_node_kind_of(d->tree, id) != BAKE_NODE_SCALAR || bake_node_is_null(d->tree, id)) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, id), "id", NULL,
                    "expected the id of the asset to delete");
        return true;
    }
    if (bake_node_count(d->tree, element) > (d->rule->by ? 2 : 1))
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, element), "unknown-key",
                    NULL, "what deletes an asset says nothing else of it");
    const char *text = bake_node_text(d->tree, id, &length);
    bake_document_delete(d, d->schema->info[type].kind, type, text, length, id);
    return true;
}

static void read_element(document_reader *d, bake_node_id element)
{
    const bake_kind *kind = NULL;
    uint32_t type = d->rule->type;
    size_t length;
    if (d->rule->by) {
        kind = bake_document_kind_by(d, element);
        if (!kind)
            return;
        type = kind->type;
    }
    if (d->rule->patches && read_delete(d, element, type))
        return;
    bake_node_id id = find_id(d, element, kind);
    if (id == BAKE_NODE_NONE)
        return;
    const char *text = bake_node_text(d->tree, id, &length);
    bake_document_add(d, d->schema->info[type].kind, type, text, length, element, id);
}

void bake_document_list(document_reader *d, bake_node_id node)
{
    if (!bake_document_expect(d, node, BAKE_NODE_SEQUENCE, "a list"))
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node);
         !d->out_of_memory && bake_walk_next(&walk);)
        if (!bake_node_is_placeholder(d->tree, walk.value))
            read_element(d, walk.value);
}
