/* Documents that are one object each, as engines write them: the tag has the number of the class,
 * the anchor that of the object, and the root is a mapping of the class's name to the value. */
#include "document_reader.h"

#include "bake_memory.h"

#include <string.h>

/* Classes with a longer name are none. */
enum { CLASS_MAX = 200 };

static void refuse(document_reader *d, bake_node_id node, const char *rule, const char *what)
{
    bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), rule, NULL, "%s", what);
}

static bool check_tag(document_reader *d, bake_node_id node)
{
    const char *tag = bake_node_tag(d->tree, node), *prefix = d->rule->tag;
    size_t length = strlen(prefix);
    const char *number = tag && strncmp(tag, prefix, length) == 0 ? tag + length : "";
    if (*number && strspn(number, "0123456789") == strlen(number))
        return true;
    bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "tag", NULL,
                "expected an object with the tag %sNUMBER", prefix);
    return false;
}

/* The text at the end of the way that `by` is, `m_Script.guid`; false where there is none. */
static bool find_part(const document_reader *d, bake_node_id node, const char **ret_text,
                      size_t *ret_length)
{
    const char *step = d->rule->by;
    for (;;) {
        size_t length = strcspn(step, ".");
        if (bake_node_kind_of(d->tree, node) != BAKE_NODE_MAPPING)
            return false;
        node = bake_node_find(d->tree, node, step, length);
        if (node == BAKE_NODE_NONE)
            return false;
        if (!step[length])
            break;
        step += length + 1;
    }
    if (bake_node_kind_of(d->tree, node) != BAKE_NODE_SCALAR)
        return false;
    *ret_text = bake_node_text(d->tree, node, ret_length);
    return true;
}

static const bake_kind *find_kind(const document_reader *d, const char *name, size_t length,
                                  const char *part, size_t part_length)
{
    char full[2 * CLASS_MAX + 2];
    if (length > CLASS_MAX || part_length > CLASS_MAX)
        return NULL;
    memcpy(full, name, length);
    full[length] = '.';
    memcpy(full + length + 1, part, part_length);
    return bake_schema_kind(d->schema, full, length + 1 + part_length);
}

/* `Class.stripped` for what has that mark, else `Class.part` by what the value says, else `Class`.
 * NULL after a report. */
static const bake_kind *kind_of(document_reader *d, const bake_walk *entry, bool is_stripped)
{
    static const char stripped[] = "stripped";
    size_t length, part_length;
    const char *name = bake_node_text(d->tree, entry->key, &length), *part;
    const bake_kind *kind = NULL;
    if (is_stripped)
        kind = find_kind(d, name, length, stripped, sizeof stripped - 1);
    else if (d->rule->by && find_part(d, entry->value, &part, &part_length))
        kind = find_kind(d, name, length, part, part_length);
    return kind ? kind : bake_document_kind(d, entry->key);
}

/* The path and the anchor. */
static void add_object(document_reader *d, uint32_t number, const bake_kind *kind,
                       const bake_walk *entry)
{
    const char *anchor = bake_tree_document_anchor(d->tree, number), *path;
    size_t length, anchor_length = strlen(anchor);
    if (!bake_document_path_id(d, entry->key, d->rule->id_source, d->rule->id, &path, &length))
        return;
    char *id = bake_alloc(length + 1 + anchor_length);
    if (!id) {
        d->out_of_memory = true;
        return;
    }
    memcpy(id, path, length);
    id[length] = '#';
    memcpy(id + length + 1, anchor, anchor_length);
    bake_document_add(d, kind->name, kind->type, id, length + 1 + anchor_length, entry->value,
                      entry->key);
    bake_free(id);
}

void bake_document_object(document_reader *d, bake_node_id node, uint32_t number)
{
    if (!check_tag(d, node))
        return;
    if (bake_node_kind_of(d->tree, node) != BAKE_NODE_MAPPING ||
        bake_node_count(d->tree, node) != 1) {
        refuse(d, node, "type", "expected a mapping with one key, the name of the object's class");
        return;
    }
    if (!bake_tree_document_anchor(d->tree, number)) {
        refuse(d, node, "id", "an object needs an anchor: `&` and its number");
        return;
    }
    bake_walk entry = bake_walk_begin(d->tree, node);
    bake_walk_next(&entry);
    const bake_kind *kind = kind_of(d, &entry, bake_tree_document_is_stripped(d->tree, number));
    if (kind)
        add_object(d, number, kind, &entry);
}
