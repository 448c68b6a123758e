/* Asset attributes of a schema: kinds, inheritance keys, roles in clusters, and accepted names.
 *
 * A kind is the part of asset names before the `/`. It belongs to one type, so a name determines
 * the type of its asset. After this pass kinds are sorted by name for binary search. */
#include "schema_reader.h"

#include "ascii.h"
#include "similar.h"

#include <kiln/cluster_plan.h>
#include <kiln/payload.h>
#include <stdlib.h>
#include <string.h>

typedef struct named_kind {
    bake_kind kind;
    bake_mark mark;
} named_kind;

static int compare_kinds(const void *a, const void *b)
{
    const named_kind *left = a, *right = b;
    int order = strcmp(left->kind.name, right->kind.name);
    return order ? order
                 : (left->kind.type > right->kind.type) - (left->kind.type < right->kind.type);
}

/* A kind must not contain a slash, which ends the kind in `Kind/id`. */
bool bake_schema_is_kind_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!bake_is_word(*c) && *c != '-' && *c != '.')
            return false;
    return *name != '\0';
}

/* The name of a cluster plan begins with the name of its type. */
bool bake_schema_is_plan_kind(const char *name)
{
    return strcmp(name, KILN_CLUSTERS_TYPE_NAME) == 0;
}

/* The default kind is the type's name without its namespace. */
static bool read_kind(schema_reader *reader, uint32_t number, named_kind *ret)
{
    const schema_type *extra = &reader->extras[number];
    bake_node_id node = extra->attributes[TYPE_KIND];
    const char *dot = strrchr(extra->name, '.');
    ret->kind.type = number;
    ret->kind.name = dot ? dot + 1 : extra->name;
    ret->mark = extra->mark;
    if (node == BAKE_NODE_NONE)
        return true;
    ret->mark = schema_mark(extra->file, node);
    const char *text =
        bake_schema_read_text(reader, extra->file, node, extra->name, "a kind", NULL);
    if (!text)
        return false;
    if (!bake_schema_is_asset(reader, number))
        return bake_report(reader->diagnostics, BAKE_ERROR, ret->mark, "schema", extra->name,
                           "`kind` is only for types with `asset: true`");
    if (!bake_schema_is_kind_name(text))
        return bake_report(reader->diagnostics, BAKE_ERROR, ret->mark, "name", extra->name,
                           "invalid kind \"%s\"; use only letters, digits, `_`, `-` and `.`", text);
    if (bake_schema_is_plan_kind(text))
        return bake_report(reader->diagnostics, BAKE_ERROR, ret->mark, "duplicate", extra->name,
                           "the kind \"%s\" is reserved for cluster plans", text);
    if (strcmp(text, KILN_PAYLOAD_TYPE_NAME) == 0)
        return bake_report(reader->diagnostics, BAKE_ERROR, ret->mark, "duplicate", extra->name,
                           "the kind \"%s\" is reserved for payloads", text);
    ret->kind.name = text;
    return true;
}

/* Reports asset attributes on types that are not assets. */
static void check_asset_attributes(schema_reader *reader, uint32_t number)
{
    const schema_type *extra = &reader->extras[number];
    if (extra->id && !bake_schema_is_asset(reader, number))
        bake_report(reader->diagnostics, BAKE_ERROR,
                    schema_mark(extra->file, extra->attributes[TYPE_ID]), "schema", extra->name,
                    "`id` is only for types with `asset: true`");
}

void bake_schema_read_kinds(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    named_kind *found = bake_store_alloc(reader->store, reader->type_count, sizeof *found);
    bake_kind *kinds = bake_store_alloc(reader->store, reader->type_count, sizeof *kinds);
    size_t count = 0;
    if (!found || !kinds)
        return;
    for (uint32_t i = 0; i < reader->named_count; i++)
        check_asset_attributes(reader, i);
    for (uint32_t i = 0; i < reader->type_count; i++)
        /* Documents cannot contain payload assets, so these have no kind. */
        if (reader->types[i].kind == KILN_KIND_STRUCT && i + 1 != reader->payload &&
            (bake_schema_is_asset(reader, i) ||
             reader->extras[i].attributes[TYPE_KIND] != BAKE_NODE_NONE) &&
            read_kind(reader, i, &found[count]))
            count++;
    if (count)
        qsort(found, count, sizeof *found, compare_kinds);
    for (size_t i = 0; i < count; i++) {
        kinds[i] = found[i].kind;
        if (i > 0 && strcmp(kinds[i - 1].name, kinds[i].name) == 0) {
            bake_report(
                reader->diagnostics, BAKE_ERROR, found[i].mark, "duplicate",
                reader->extras[kinds[i].type].name,
                "the kind \"%s\" is already used by \"%s\"; give one of them another `kind`",
                kinds[i].name, reader->extras[kinds[i - 1].type].name);
            bake_related(reader->diagnostics, found[i - 1].mark, "the other type with this kind");
        }
    }
    schema->kinds = kinds;
    schema->kind_count = count;
}

/* ---- inheritance: the keys that name the parents of an asset ---- */

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
                    extra->name, "\"%s\" cannot be the key for both parent and abstract",
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
                        extra->name, "`inherit` is only for types with `asset: true`");
        else if (of != KILN_TYPE_NONE && reader->types[of].kind != KILN_KIND_STRUCT)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                        extra->name,
                        "only types that are written as a mapping of fields can inherit");
        else
            read_keys(reader, extra, node);
    }
}

/* ---- clusters ---- */

static void read_cluster(schema_reader *reader, schema_type *extra, bake_node_id node)
{
    static const char *const names[] = {[BAKE_CLUSTER_MEMBER] = "member",
                                        [BAKE_CLUSTER_ROOT] = "root",
                                        [BAKE_CLUSTER_NEVER] = "never"};
    enum { ROLES = sizeof names / sizeof *names };
    size_t length;
    const char *text = bake_schema_read_text(reader, extra->file, node, extra->name,
                                             "`root`, `member` or `never`", &length);
    if (!text)
        return;
    for (int i = 0; i < ROLES; i++) {
        if (strcmp(text, names[i]) != 0)
            continue;
        extra->cluster = (bake_cluster_role)i;
        return;
    }
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                extra->name, "`cluster` must be `root`, `member` or `never`, not \"%s\"", text);
    bake_hint_similar(reader->diagnostics, text, length, names, ROLES);
}

void bake_schema_read_clusters(schema_reader *reader)
{
    for (uint32_t i = 0; i < reader->named_count; i++) {
        schema_type *extra = &reader->extras[i];
        bake_node_id node = extra->attributes[TYPE_CLUSTER];
        if (node == BAKE_NODE_NONE || reader->types[i].kind != KILN_KIND_STRUCT)
            continue;
        if (!bake_schema_is_asset(reader, i))
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                        extra->name, "`cluster` is only for types with `asset: true`");
        else
            read_cluster(reader, extra, node);
        reader->schema->has_clusters = true;
    }
}

/* ---- accepted names: references can use them even if no asset of the run has them ---- */

/* Returns the kind that a key names. Reports an error and returns NULL if there is none. */
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
                "unknown kind of asset \"%s\"", bake_schema_name(reader, file, node));
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

/* Appends the ids of one kind. */
static void read_ids(schema_reader *reader, const schema_file *file, const bake_iterator *entry,
                     const char **names, size_t *count)
{
    const char *kind = find_kind(reader, file, entry->key);
    if (kind && bake_node_kind_of(file->tree, entry->value) != BAKE_NODE_SEQUENCE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, entry->value), "schema",
                    "accepted", "expected a list of ids");
    for (bake_iterator ids = bake_iterator_begin(file->tree, entry->value);
         kind && bake_iterator_next(&ids);) {
        const char *id =
            bake_node_kind_of(file->tree, entry->value) == BAKE_NODE_SEQUENCE
                ? bake_schema_read_text(reader, file, ids.value, "accepted", "an id", NULL)
                : NULL;
        const char *name = id ? bake_store_join(reader->store, kind, '/', id) : NULL;
        if (name)
            names[(*count)++] = name;
    }
}

/* Returns an upper bound on the number of ids in a file, so that one allocation is enough. Reports
 * an error if they are not in a mapping. */
static size_t count_ids(schema_reader *reader, const schema_file *file)
{
    size_t count = 0;
    if (file->accepted == BAKE_NODE_NONE)
        return 0;
    if (bake_node_kind_of(file->tree, file->accepted) != BAKE_NODE_MAPPING)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, file->accepted), "schema",
                    "accepted", "expected a mapping of kinds to lists of ids");
    else
        for (bake_iterator it = bake_iterator_begin(file->tree, file->accepted);
             bake_iterator_next(&it);)
            count += bake_node_count(file->tree, it.value);
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
        for (bake_iterator it = bake_iterator_begin(file->tree, file->accepted);
             bake_iterator_next(&it);)
            read_ids(reader, file, &it, names, &schema->accepted_count);
    }
    schema->accepted = names;
    schema->has_links = schema->has_links || schema->accepted_count > 0;
}
