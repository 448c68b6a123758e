/* Rules of files that change assets of others. */
#include "schema_reader.h"

bool bake_schema_has_path_id(const schema_file *file, bake_node_id patch)
{
    return patch != BAKE_NODE_NONE && bake_node_kind_of(file->tree, patch) == BAKE_NODE_MAPPING &&
           bake_node_find(file->tree, patch, "id", 2) != BAKE_NODE_NONE;
}

/* `{path: KEY, value: KEY, id: KEY}`: each element of a list changes one thing. */
static void read_paths_apart(schema_reader *reader, const schema_file *file, bake_node_id node,
                             bake_file_rule *ret)
{
    static const char *const names[] = {"path", "value", "id"};
    const char *keys[3] = {NULL, NULL, NULL};
    bake_node_id values[3];
    ret->patches = ret->has_paths = true;
    if (!bake_schema_read_attributes(reader, file, node, "files", names, 3, values))
        return;
    for (int i = 0; i < 3; i++)
        if (values[i] != BAKE_NODE_NONE)
            keys[i] = bake_schema_read_text(reader, file, values[i], "files", "a key", NULL);
    if (values[0] == BAKE_NODE_NONE || values[1] == BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`patch` is true, or has the keys `path` and `value`");
    if (ret->shape != BAKE_SHAPE_LIST)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "paths that stand apart from their values are for rules of shape list");
    ret->path_key = keys[0];
    ret->value_key = keys[1];
    ret->path_id = keys[2];
}

void bake_schema_read_patch(schema_reader *reader, const schema_file *file, bake_node_id node,
                            bake_node_id head, bake_node_id paths, bake_file_rule *ret)
{
    if (node != BAKE_NODE_NONE && bake_node_kind_of(file->tree, node) == BAKE_NODE_MAPPING)
        read_paths_apart(reader, file, node, ret);
    else
        ret->patches = bake_schema_read_bool(reader, file, node, "files", "patch");
    bool has_paths = bake_schema_read_bool(reader, file, paths, "files", "paths");
    if (has_paths && (!ret->patches || ret->path_key))
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, paths), "schema", "files",
                    "`paths` goes with `patch: true`");
    ret->has_paths = ret->has_paths || has_paths;
    if (!ret->patches)
        return;
    if (ret->shape != BAKE_SHAPE_LIST && ret->shape != BAKE_SHAPE_MAP &&
        ret->shape != BAKE_SHAPE_KINDS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`patch` is for rules of shape kinds, map and list");
    else if (head != BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, head), "schema", "files",
                    "a file of patches has no head");
}
