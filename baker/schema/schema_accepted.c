/* Names that references may lead to though no asset of a run has them. */
#include "schema_reader.h"

#include "similar.h"

#include <string.h>

/* The kind that a key names; NULL after a report. */
static const char *find_kind(schema_reader *reader, const schema_file *file, bake_node_id node)
{
    const bake_schema *schema = reader->schema;
    size_t length;
    const char *text = bake_node_text(file->tree, node, &length);
    const bake_kind *kind = bake_schema_kind(schema, text, length);
    if (kind)
        return kind->name;
    if (bake_schema_is_file_kind(schema, text, length))
        return schema->file_kind;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "kind", "accepted",
                "\"%s\" is no kind of asset", bake_schema_name(reader, file, node));
    size_t count = schema->kind_count + (schema->file_kind != NULL);
    const char **names = bake_store_alloc(reader->store, count, sizeof *names);
    for (size_t k = 0; names && k < schema->kind_count; k++)
        names[k] = schema->kinds[k].name;
    if (names && schema->file_kind)
        names[schema->kind_count] = schema->file_kind;
    if (names)
        bake_hint_similar(reader->diagnostics, text, length, names, count);
    return NULL;
}

/* The ids of one kind, behind those that are there. */
static void read_ids(schema_reader *reader, const schema_file *file, const bake_walk *entry,
                     const char **names, size_t *count)
{
    const char *kind = find_kind(reader, file, entry->key);
    if (kind && bake_node_kind_of(file->tree, entry->value) != BAKE_NODE_SEQUENCE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, entry->value), "schema",
                    "accepted", "expected a list of ids");
    for (bake_walk ids = bake_walk_begin(file->tree, entry->value); kind && bake_walk_next(&ids);) {
        const char *id =
            bake_node_kind_of(file->tree, entry->value) == BAKE_NODE_SEQUENCE
                ? bake_schema_read_text(reader, file, ids.value, "accepted", "an id", NULL)
                : NULL;
        const char *name = id ? bake_store_join(reader->store, kind, '/', id) : NULL;
        if (name)
            names[(*count)++] = name;
    }
}

/* How many ids a file has at most. */
static size_t count_ids(schema_reader *reader, const schema_file *file)
{
    size_t count = 0;
    if (file->accepted == BAKE_NODE_NONE)
        return 0;
    if (bake_node_kind_of(file->tree, file->accepted) != BAKE_NODE_MAPPING)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, file->accepted), "schema",
                    "accepted", "expected a mapping of kinds to lists of ids");
    else
        for (bake_walk walk = bake_walk_begin(file->tree, file->accepted); bake_walk_next(&walk);)
            count += bake_node_count(file->tree, walk.value);
    return count;
}

void bake_schema_read_accepted(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    size_t total = 0;
    for (size_t i = 0; i < reader->file_count; i++)
        total += count_ids(reader, reader->files[i]);
    const char **names = bake_store_alloc(reader->store, total, sizeof *names);
    for (size_t i = 0; names && i < reader->file_count; i++) {
        const schema_file *file = reader->files[i];
        if (file->accepted == BAKE_NODE_NONE ||
            bake_node_kind_of(file->tree, file->accepted) != BAKE_NODE_MAPPING)
            continue;
        for (bake_walk walk = bake_walk_begin(file->tree, file->accepted); bake_walk_next(&walk);)
            read_ids(reader, file, &walk, names, &schema->accepted_count);
    }
    schema->accepted = names;
    schema->has_links = schema->has_links || schema->accepted_count > 0;
}
