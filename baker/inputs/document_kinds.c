/* Mappings of ids to assets: of one type, by kinds, or of kinds that each asset names. */
#include "document_reader.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "node_words.h"
#include "similar.h"

#include <stdio.h>
#include <string.h>

/* `has_heads`: it is the whole document. */
static void read_ids(document_reader *d, bake_node_id node, uint32_t type, bool has_heads)
{
    char expected[200];
    size_t length;
    if (bake_node_is_null(d->tree, node))
        return;
    snprintf(expected, sizeof expected, "a mapping of ids to values of %.100s",
             kiln_types_get(d->schema->types, type)->name);
    if (!bake_document_expect(d, node, BAKE_NODE_MAPPING, expected))
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node);
         !d->out_of_memory && bake_walk_next(&walk);) {
        const char *id = bake_node_text(d->tree, walk.key, &length);
        if (has_heads && bake_document_head(d, walk.key, walk.value))
            continue;
        if (d->rule && d->rule->patches && bake_node_is_null(d->tree, walk.value))
            bake_document_delete(d, d->schema->info[type].kind, type, id, length, walk.key);
        else
            bake_document_add(d, d->schema->info[type].kind, type, id, length, walk.value,
                              walk.key);
    }
}

/* A kind that is none is often a file that some rule was meant to fit. */

const bake_kind *bake_document_kind_by(document_reader *d, bake_node_id node)
{
    const char *by = d->rule->by;
    bake_node_id named = bake_node_find(d->tree, node, by, strlen(by));
    if (named != BAKE_NODE_NONE && bake_node_kind_of(d->tree, named) == BAKE_NODE_SCALAR &&
        !bake_node_is_null(d->tree, named))
        return bake_document_kind(d, named);
    if (named != BAKE_NODE_NONE)
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, named), "kind", NULL,
                    "expected the name of a kind, found %s", bake_node_word(d->tree, named));
    else
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "kind", NULL,
                    "expected a mapping with the key \"%s\", which names the kind", by);
    return NULL;
}

/* Whether the key names the kind of scenes; those of its value are added. What is patched is no
 * scene. */
static bool read_scenes(document_reader *d, bake_node_id key, bake_node_id value)
{
    size_t length;
    const char *text = bake_node_text(d->tree, key, &length);
    const char *kind = bake_schema_scene_kind(d->schema, text, length);
    if (!kind || bake_schema_kind(d->schema, text, length) || (d->rule && d->rule->patches))
        return false;
    if (bake_node_is_null(d->tree, value) ||
        !bake_document_expect(d, value, BAKE_NODE_MAPPING, "a mapping of ids to scenes"))
        return true;
    for (bake_walk walk = bake_walk_begin(d->tree, value);
         !d->out_of_memory && bake_walk_next(&walk);) {
        const char *id = bake_node_text(d->tree, walk.key, &length);
        bake_document_scene(d, &bake_scene_rule_of_kinds, kind, id, length, walk.value, walk.key);
    }
    return true;
}

/* Whether the key is the one under which a dump lists what its file refers to and does not hold. */
static bool read_accepted(document_reader *d, bake_node_id key, bake_node_id value)
{
    size_t length;
    const char *text = bake_node_text(d->tree, key, &length);
    if (!bake_text_is(text, length, "accepted") || bake_schema_kind(d->schema, text, length) ||
        (d->rule && d->rule->patches))
        return false;
    bake_document_accepted(d, value);
    return true;
}

/* A schema that lies among the data, and has no kinds called as its keys are. */
static bool is_schema(const document_reader *d, bake_node_id node)
{
    return bake_node_find(d->tree, node, "kiln", 4) != BAKE_NODE_NONE &&
           (bake_node_find(d->tree, node, "types", 5) != BAKE_NODE_NONE ||
            bake_node_find(d->tree, node, "include", 7) != BAKE_NODE_NONE) &&
           !bake_schema_kind(d->schema, "kiln", 4) && !bake_schema_head(d->rule, "kiln", 4);
}

void bake_document_kinds(document_reader *d, bake_node_id node)
{
    if (!bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of kinds to assets"))
        return;
    if (is_schema(d, node)) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "kind", NULL,
                    "this file is a schema, not data");
        bake_hint(d->diagnostics,
                  "give schemas with -s, and store them outside the folders of data");
        return;
    }
    for (bake_walk walk = bake_walk_begin(d->tree, node); bake_walk_next(&walk);) {
        if (bake_document_head(d, walk.key, walk.value) || read_scenes(d, walk.key, walk.value) ||
            read_accepted(d, walk.key, walk.value))
            continue;
        const bake_kind *kind = bake_document_kind(d, walk.key);
        if (kind)
            read_ids(d, walk.value, kind->type, false);
    }
}

/* Each value says its kind. */
static void read_by(document_reader *d, bake_node_id node)
{
    size_t length;
    if (bake_node_is_null(d->tree, node) ||
        !bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of ids to assets"))
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node);
         !d->out_of_memory && bake_walk_next(&walk);) {
        const char *id = bake_node_text(d->tree, walk.key, &length);
        if (bake_document_head(d, walk.key, walk.value))
            continue;
        const bake_kind *kind = bake_node_is_placeholder(d->tree, walk.value)
                                    ? NULL
                                    : bake_document_kind_by(d, walk.value);
        if (kind)
            bake_document_add(d, kind->name, kind->type, id, length, walk.value, walk.key);
    }
}

void bake_document_map(document_reader *d, bake_node_id node)
{
    if (d->rule->by)
        read_by(d, node);
    else
        read_ids(d, node, d->rule->type, true);
}

/* ---- lists of assets, each of which says its id itself ---- */

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
                    NULL, "an element that deletes an asset cannot set its fields");
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
