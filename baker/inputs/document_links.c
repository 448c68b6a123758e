/* Documents of old ids, and of those that may lead nowhere. */
#include "document_reader.h"

#include "asset_links.h"
#include "bake_memory.h"

#include <kiln/index.h>
#include <string.h>

/* `kind/id` in the inputs' store; NULL after a report, or when memory ran out. */
static const char *full_name(document_reader *d, const char *kind, bake_node_id id,
                             size_t *ret_length)
{
    size_t length, prefix = strlen(kind);
    if (bake_node_is_placeholder(d->tree, id))
        return NULL;
    if (bake_node_kind_of(d->tree, id) != BAKE_NODE_SCALAR) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, id), "id", NULL,
                    "expected an id");
        return NULL;
    }
    const char *text = bake_node_text(d->tree, id, &length);
    char *name = bake_store_alloc(&d->inputs->store, prefix + length + 2, 1);
    if (!name) {
        d->out_of_memory = true;
        return NULL;
    }
    memcpy(name, kind, prefix);
    name[prefix] = '/';
    memcpy(name + prefix + 1, text, length);
    *ret_length = prefix + 1 + length;
    if (kiln_asset_name_is_valid(name, *ret_length))
        return name;
    bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, id), "id", NULL,
                "an id must not be empty or contain control characters");
    return NULL;
}

static void add(document_reader *d, bake_link link, bake_node_id node)
{
    const bake_link *other;
    link.tree = d->tree;
    link.node = node;
    if (!d->inputs->links)
        d->inputs->links = bake_links_create(d->schema);
    if (!d->inputs->links || !bake_links_add(d->inputs->links, &link, &other)) {
        d->out_of_memory = true;
        return;
    }
    if (!other || (other->kind == BAKE_LINK_ACCEPTED && link.kind == BAKE_LINK_ACCEPTED))
        return;
    if (!other->tree) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "duplicate",
                    link.name, "the schema already accepts this id");
        return;
    }
    bake_mark mark = bake_node_mark(other->tree, other->node);
    bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "duplicate", link.name,
                "this id is already %s at %s:%u:%u",
                other->kind == BAKE_LINK_ACCEPTED  ? "accepted"
                : other->kind == BAKE_LINK_DELETED ? "deleted"
                                                   : "renamed",
                bake_diagnostics_source_name(d->diagnostics, mark.source), mark.line, mark.column);
}

void bake_document_renames(document_reader *d, bake_node_id node)
{
    const char *kind = d->schema->info[d->rule->type].kind;
    if (bake_node_is_null(d->tree, node) ||
        !bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of old ids to new ones"))
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node);
         !d->out_of_memory && bake_walk_next(&walk);) {
        bake_link link = {.kind = BAKE_LINK_DELETED};
        link.name = full_name(d, kind, walk.key, &link.length);
        if (!bake_node_is_null(d->tree, walk.value)) {
            link.kind = BAKE_LINK_RENAMED;
            link.to = full_name(d, kind, walk.value, &link.to_length);
        }
        if (link.name && (link.to || link.kind == BAKE_LINK_DELETED))
            add(d, link, walk.key);
    }
}

/* Whether the list is that of a document by kinds, as they are dumped. */
static bool is_dumped(const document_reader *d)
{
    return !d->rule || d->rule->shape != BAKE_SHAPE_ACCEPTED;
}

/* The kind that a key names, which files may have that are no assets; NULL after a report. In what
 * is dumped it may be one that other schemas have. */
static const char *accepted_kind(document_reader *d, bake_node_id key)
{
    size_t length;
    const char *text = bake_node_text(d->tree, key, &length);
    if (bake_schema_is_file_kind(d->schema, text, length))
        return d->schema->file_kind;
    if (is_dumped(d) && length > 0 && !memchr(text, '/', length)) {
        const char *copy = bake_store_text(&d->inputs->store, text, length);
        d->out_of_memory = d->out_of_memory || !copy;
        return copy;
    }
    const bake_kind *kind = bake_document_kind(d, key);
    return kind ? kind->name : NULL;
}

void bake_document_accepted(document_reader *d, bake_node_id node)
{
    if (bake_node_is_null(d->tree, node) ||
        !bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of kinds to lists of ids"))
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node); bake_walk_next(&walk);) {
        const char *kind = accepted_kind(d, walk.key);
        if (!kind || bake_node_is_null(d->tree, walk.value) ||
            !bake_document_expect(d, walk.value, BAKE_NODE_SEQUENCE, "a list of ids"))
            continue;
        for (bake_walk ids = bake_walk_begin(d->tree, walk.value);
             !d->out_of_memory && bake_walk_next(&ids);) {
            bake_link link = {.kind = BAKE_LINK_ACCEPTED, .is_listed = is_dumped(d)};
            link.name = full_name(d, kind, ids.value, &link.length);
            if (link.name)
                add(d, link, ids.value);
        }
    }
}
