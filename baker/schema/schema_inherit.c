/* Inheritance: the keys by which assets of a type say what they inherit from, and what becomes of
 * each field. */
#include "schema_reader.h"

#include <string.h>

static const char *key_text(schema_reader *reader, const schema_type *extra, bake_node_id node)
{
    if (node == BAKE_NODE_NONE || bake_node_is_null(extra->file->tree, node))
        return NULL;
    return bake_schema_read_text(reader, extra->file, node, extra->name, "a key", NULL);
}

static void read_keys(schema_reader *reader, schema_type *extra, bake_node_id node)
{
    static const char *const names[] = {"parent", "abstract"};
    bake_node_id values[2];
    if (bake_node_kind_of(extra->file->tree, node) == BAKE_NODE_SCALAR) {
        if (bake_schema_read_bool(reader, extra->file, node, extra->name, "inherit")) {
            extra->parent = names[0];
            extra->abstract = names[1];
        }
        return;
    }
    if (!bake_schema_read_attributes(reader, extra->file, node, extra->name, names, 2, values))
        return;
    extra->parent = key_text(reader, extra, values[0]);
    extra->abstract = key_text(reader, extra, values[1]);
    if (extra->parent && extra->abstract && strcmp(extra->parent, extra->abstract) == 0)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, values[1]), "schema",
                    extra->name, "\"%s\" cannot say both what is inherited and what is abstract",
                    extra->parent);
}

void bake_schema_read_inherit(schema_reader *reader)
{
    for (uint32_t i = 0; i < reader->named_count; i++) {
        schema_type *extra = &reader->extras[i];
        bake_node_id node = extra->attributes[TYPE_INHERIT];
        if (node == BAKE_NODE_NONE || reader->types[i].kind != KILN_KIND_STRUCT)
            continue;
        uint32_t of = bake_schema_unwrapped(reader, i);
        if (!bake_schema_is_asset(reader, i))
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                        extra->name, "`inherit` is for types with `asset: true`");
        else if (of != KILN_TYPE_NONE && reader->types[of].kind != KILN_KIND_STRUCT)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                        extra->name, "only what is written as a mapping of fields can inherit");
        else
            read_keys(reader, extra, node);
    }
}

uint8_t bake_schema_inherit_rule(schema_reader *reader, const schema_file *file, bake_node_id node,
                                 const char *path)
{
    static const char *const names[] = {"replace", "merge", "never"};
    enum { RULES = sizeof names / sizeof *names };
    size_t length;
    if (node == BAKE_NODE_NONE)
        return BAKE_INHERIT_UNSAID;
    const char *text =
        bake_schema_read_text(reader, file, node, path, "replace, merge or never", &length);
    for (uint8_t i = 0; text && i < RULES; i++)
        if (strcmp(names[i], text) == 0)
            return (uint8_t)(BAKE_INHERIT_REPLACE + i);
    if (text) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                    "`inherit` of a field is replace, merge or never, not \"%s\"", text);
        bake_hint_similar(reader->diagnostics, text, length, names, RULES);
    }
    return BAKE_INHERIT_UNSAID;
}
