/* Reads mappings with a fixed set of keys, and simple values.
 *
 * After reporting an error, functions return a harmless value, so that callers continue and find
 * more errors. Nodes in place of a rejected alias are skipped, because the alias was already
 * reported. */
#include "schema_reader.h"

#include "node_words.h"
#include "similar.h"

#include <string.h>

/* Tags have no meaning in a schema, but ignoring them would hide a misplaced `!`. */
static bool refuse_tag(schema_reader *reader, const schema_file *file, bake_node_id node,
                       const char *path)
{
    if (bake_node_tag(file->tree, node) == NULL)
        return false;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "tag", path,
                "tags are not allowed in a schema");
    return true;
}

bool bake_schema_read_attributes(schema_reader *reader, const schema_file *file, bake_node_id node,
                                 const char *path, const char *const *names, size_t count,
                                 bake_node_id *values)
{
    const bake_tree *tree = file->tree;
    for (size_t i = 0; i < count; i++)
        values[i] = BAKE_NODE_NONE;
    if (bake_node_is_placeholder(tree, node))
        return false;
    if (bake_node_kind_of(tree, node) != BAKE_NODE_MAPPING)
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                           "expected a mapping, found %s", bake_node_word(tree, node));
    bool ok = !refuse_tag(reader, file, node, path);
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);) {
        size_t length, n = 0;
        const char *text = bake_node_text(tree, it.key, &length);
        while (n < count && (strlen(names[n]) != length || memcmp(names[n], text, length) != 0))
            n++;
        if (n < count) {
            values[n] = it.value;
            continue;
        }
        ok = bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, it.key), "unknown-key",
                         path, "unknown key \"%s\"", bake_schema_name(reader, file, it.key));
        if (bake_most_similar(text, length, names, count) ||
            !bake_schema_hint_foreign_key(reader, text, length))
            bake_hint_similar(reader->diagnostics, text, length, names, count);
    }
    return ok;
}

const char *bake_schema_read_text(schema_reader *reader, const schema_file *file, bake_node_id node,
                                  const char *path, const char *what, size_t *ret_length)
{
    const bake_tree *tree = file->tree;
    if (bake_node_is_placeholder(tree, node) || refuse_tag(reader, file, node, path))
        return NULL;
    size_t length = 0;
    const char *text = NULL;
    if (bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR && !bake_node_is_null(tree, node))
        text = bake_node_text(tree, node, &length);
    if (!text) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                    "expected %s, found %s", what, bake_node_word(tree, node));
        return NULL;
    }
    if (memchr(text, 0, length)) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                    "expected %s without NUL bytes", what);
        return NULL;
    }
    if (ret_length)
        *ret_length = length;
    return bake_store_text(reader->store, text, length);
}

const char *bake_schema_name(schema_reader *reader, const schema_file *file, bake_node_id key)
{
    size_t length;
    const char *text = bake_node_text(file->tree, key, &length);
    const char *copy = bake_store_text(reader->store, text, length);
    return copy ? copy : "";
}

bool bake_schema_read_bool(schema_reader *reader, const schema_file *file, bake_node_id node,
                           const char *path, const char *what)
{
    if (node == BAKE_NODE_NONE)
        return false;
    const char *text = bake_schema_read_text(reader, file, node, path, "true or false", NULL);
    if (!text)
        return false;
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                           "expected true or false for `%s`, found \"%s\"", what, text);
    return text[0] == 't';
}

const char *bake_schema_read_doc(schema_reader *reader, const schema_file *file, bake_node_id node,
                                 const char *path)
{
    size_t length;
    if (node == BAKE_NODE_NONE)
        return "";
    const char *text = bake_schema_read_text(reader, file, node, path, "a doc string", &length);
    if (!text)
        return "";
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    const char *copy = bake_store_text(reader->store, text, length);
    return copy ? copy : "";
}

schema_items bake_schema_items(const bake_tree *tree, bake_node_id node)
{
    schema_items items = {bake_iterator_begin(tree, node), node, 1};
    if (bake_node_kind_of(tree, node) == BAKE_NODE_SEQUENCE) {
        items.one = BAKE_NODE_NONE;
        items.left = bake_node_count(tree, node);
    }
    return items;
}

bool bake_schema_items_next(schema_items *items, bake_node_id *ret_item)
{
    if (items->left == 0)
        return false;
    items->left--;
    *ret_item = items->one;
    if (items->one == BAKE_NODE_NONE && bake_iterator_next(&items->elements))
        *ret_item = items->elements.value;
    return true;
}

/* Names that are not strings are reported and skipped. */
void bake_schema_read_names(schema_reader *reader, const schema_file *file, bake_node_id node,
                            const char *path, const char *what, const char *const **ret_names,
                            uint32_t *ret_count)
{
    *ret_names = NULL;
    *ret_count = 0;
    if (node == BAKE_NODE_NONE)
        return;
    uint32_t n = 0;
    schema_items items = bake_schema_items(file->tree, node);
    const char **names = bake_store_alloc(reader->store, items.left, sizeof *names);
    for (bake_node_id name; names && bake_schema_items_next(&items, &name);) {
        names[n] = bake_schema_read_text(reader, file, name, path, what, NULL);
        n += names[n] != NULL;
    }
    if (names) {
        *ret_names = names;
        *ret_count = n;
    }
}

void bake_schema_read_was(schema_reader *reader, const schema_file *file, bake_node_id node,
                          const char *path, const char *const **ret_was, uint32_t *ret_count)
{
    bake_schema_read_names(reader, file, node, path, "an earlier name", ret_was, ret_count);
}

bool bake_schema_check_member_name(schema_reader *reader, const schema_file *file, bake_node_id key,
                                   const char *path)
{
    size_t length;
    const char *text = bake_node_text(file->tree, key, &length);
    bool ok = length >= 1 && length <= KILN_NAME_MAX;
    for (size_t i = 0; i < length; i++)
        ok = ok && (unsigned char)text[i] >= 0x20 && text[i] != 0x7f;
    if (!ok)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, key), "name", path,
                    "a name must have 1 to %d bytes and no control characters", KILN_NAME_MAX);
    return ok;
}

/* Paths are used only in messages, so the last part is omitted if memory runs out. */
const char *bake_schema_path(schema_reader *reader, const char *path, const char *name)
{
    const char *joined = bake_store_join(reader->store, path, '.', name);
    return joined ? joined : path;
}
