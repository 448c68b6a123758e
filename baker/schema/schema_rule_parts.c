/* Parts of rules that stand in several places of one: types of assets, ids from paths, heads. */
#include "schema_reader.h"

#include <string.h>

uint32_t bake_schema_asset_type(schema_reader *reader, const schema_file *file, bake_node_id node)
{
    size_t length;
    const char *name = bake_schema_read_text(reader, file, node, "files", "a type's name", &length);
    if (!name)
        return KILN_TYPE_NONE;
    uint32_t type = bake_schema_look_up(reader, file, name, length);
    if (type == KILN_TYPE_NONE) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "type", "files",
                    "unknown type \"%s\"", name);
        bake_schema_hint_types(reader, file, name, length);
    } else if (!bake_schema_is_asset(reader, type)) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "type", "files",
                    "\"%s\" is no asset; give it `asset: true`", name);
        type = KILN_TYPE_NONE;
    }
    return type;
}

void bake_schema_id_source(schema_reader *reader, const schema_file *file, bake_node_id node,
                           const char *text, bake_id_source *ret_source, const char **ret_id)
{
    static const char *const sources[] = {"stem", "name", "path", "file", "short"};
    enum { SOURCES = sizeof sources / sizeof *sources };
    for (int i = 0; i < SOURCES; i++) {
        if (strcmp(sources[i], text) == 0) {
            *ret_source = (bake_id_source)i;
            return;
        }
    }
    if (text[0] == '=' && text[1]) {
        *ret_source = BAKE_ID_TEXT;
        *ret_id = text + 1;
        return;
    }
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                "an id is `stem`, `name`, `path`, `file`, `short` or `=text`, not \"%s\"", text);
    bake_hint_similar(reader->diagnostics, text, strlen(text), sources, SOURCES);
}

static bool may_have_head(schema_reader *reader, const schema_file *file, bake_node_id node,
                          bake_shape shape)
{
    if (shape == BAKE_SHAPE_MAP || shape == BAKE_SHAPE_KINDS || shape == BAKE_SHAPE_ONE ||
        shape == BAKE_SHAPE_SCENE)
        return true;
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "a head is for rules of shape kinds, map, one and scene");
}

void bake_schema_read_heads(schema_reader *reader, const schema_file *file, bake_node_id node,
                            bake_node_id id, bake_file_rule *ret)
{
    if (id != BAKE_NODE_NONE && node == BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, id), "schema", "files",
                    "`head_id` says where the ids of a `head` come from, and there is none");
    if (node == BAKE_NODE_NONE || !may_have_head(reader, file, node, ret->shape))
        return;
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_MAPPING) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "a head is a mapping of keys to types");
        return;
    }
    bake_head *heads =
        bake_store_alloc(reader->store, bake_node_count(file->tree, node), sizeof *heads);
    for (bake_walk walk = bake_walk_begin(file->tree, node); heads && bake_walk_next(&walk);) {
        heads[ret->head_count].key = bake_schema_name(reader, file, walk.key);
        heads[ret->head_count++].type = bake_schema_asset_type(reader, file, walk.value);
    }
    ret->heads = heads;
    const char *text = id == BAKE_NODE_NONE
                           ? NULL
                           : bake_schema_read_text(reader, file, id, "files", "an id", NULL);
    if (text)
        bake_schema_id_source(reader, file, id, text, &ret->head_source, &ret->head_id);
}
