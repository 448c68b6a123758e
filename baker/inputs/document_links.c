/* Documents that describe ids instead of assets: renamed and deleted ids, accepted ids, which may
 * remain unresolved, and guids of files. All ids are resolved after the last input has been read,
 * so the order of the documents does not matter. */
#include "document_reader.h"

#include "asset_guids.h"
#include "asset_links.h"
#include "bake_memory.h"

#include <kiln/index.h>
#include <string.h>

/* Makes `kind/id` in the inputs' store. Returns NULL after a report, for a placeholder, or if
 * memory runs out. */
static const char *full_name(document_reader *d, const char *kind, bake_node_id id,
                             size_t *ret_length)
{
    size_t length;
    if (bake_node_is_placeholder(d->tree, id))
        return NULL;
    if (bake_node_kind_of(d->tree, id) != BAKE_NODE_SCALAR) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, id), "id", NULL,
                    "expected an id");
        return NULL;
    }
    const char *text = bake_node_text(d->tree, id, &length);
    return bake_document_name(d, kind, text, length, id, ret_length);
}

/* Adds a link. Reports an id that already has one, except that an id may be accepted several
 * times. */
static void add_link(document_reader *d, bake_link link, bake_node_id node)
{
    const bake_link *other;
    link.tree = d->tree;
    link.input = d->input;
    link.node = node;
    d->inputs->inputs[d->input].has_links = true;
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

/* Adds the renames of a kind: a mapping of old ids to new ones. */
static void add_renames(document_reader *d, const char *kind, bake_node_id node)
{
    if (bake_node_is_null(d->tree, node) ||
        !bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of old ids to new ones"))
        return;
    for (bake_iterator it = bake_iterator_begin(d->tree, node);
         !d->out_of_memory && bake_iterator_next(&it);) {
        bake_link link = {.kind = BAKE_LINK_DELETED};
        link.name = full_name(d, kind, it.key, &link.length);
        if (!bake_node_is_null(d->tree, it.value)) {
            link.kind = BAKE_LINK_RENAMED;
            link.to = full_name(d, kind, it.value, &link.to_length);
        }
        if (link.name && (link.to || link.kind == BAKE_LINK_DELETED))
            add_link(d, link, it.key);
    }
}

/* Whether the list is part of a document of shape `kinds`, as kiln-inspect dumps it. The list then
 * has the ids of assets that a file refers to but does not contain. */
static bool is_dumped(const document_reader *d)
{
    return !d->rule || d->rule->shape != BAKE_SHAPE_ACCEPTED;
}

/* The kind that a key names, or the kind of files that are not assets; NULL after a report. A
 * dumped list may name kinds of other schemas, because the dumped file may import from any file. */
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

void bake_document_renames(document_reader *d, bake_node_id node)
{
    if (d->rule && d->rule->shape == BAKE_SHAPE_RENAMES) {
        add_renames(d, d->schema->info[d->rule->type].kind, node);
        return;
    }
    if (bake_node_is_null(d->tree, node) ||
        !bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of kinds to renamed ids"))
        return;
    for (bake_iterator it = bake_iterator_begin(d->tree, node);
         !d->out_of_memory && bake_iterator_next(&it);) {
        const char *kind = accepted_kind(d, it.key);
        if (kind)
            add_renames(d, kind, it.value);
    }
}

void bake_document_accepted(document_reader *d, bake_node_id node)
{
    if (bake_node_is_null(d->tree, node) ||
        !bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of kinds to lists of ids"))
        return;
    for (bake_iterator it = bake_iterator_begin(d->tree, node); bake_iterator_next(&it);) {
        const char *kind = accepted_kind(d, it.key);
        if (!kind || bake_node_is_null(d->tree, it.value) ||
            !bake_document_expect(d, it.value, BAKE_NODE_SEQUENCE, "a list of ids"))
            continue;
        for (bake_iterator ids = bake_iterator_begin(d->tree, it.value);
             !d->out_of_memory && bake_iterator_next(&ids);) {
            bake_link link = {.kind = BAKE_LINK_ACCEPTED, .is_listed = is_dumped(d)};
            link.name = full_name(d, kind, ids.value, &link.length);
            if (link.name)
                add_link(d, link, ids.value);
        }
    }
}

/* ---- guids, by which other files refer to a file ---- */

/* The path of the described file: that of the document without the suffix, for example `a.png` for
 * `a.png.meta`. NULL after a report. */
static const char *find_file(document_reader *d, bake_node_id node, size_t *ret_length)
{
    const char *suffix = d->rule->suffix, *path;
    size_t length, end = strlen(suffix);
    if (!bake_document_path_id(d, node, BAKE_ID_FILE, NULL, &path, &length))
        return NULL;
    if (length > end && path[length - end - 1] != '/' &&
        memcmp(path + length - end, suffix, end) == 0) {
        *ret_length = length - end;
        return path;
    }
    bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "id", NULL,
                "expected a file whose name is that of another file followed by \"%s\"", suffix);
    return NULL;
}

/* The scalar at the rule's key; BAKE_NODE_NONE after a report. */
static bake_node_id find_guid(document_reader *d, bake_node_id node)
{
    const char *key = d->rule->key;
    bake_node_id found = BAKE_NODE_NONE;
    if (bake_node_is_placeholder(d->tree, node))
        return BAKE_NODE_NONE;
    if (bake_node_kind_of(d->tree, node) == BAKE_NODE_MAPPING)
        found = bake_node_find(d->tree, node, key, strlen(key));
    if (found != BAKE_NODE_NONE && bake_node_kind_of(d->tree, found) == BAKE_NODE_SCALAR &&
        !bake_node_is_null(d->tree, found))
        return found;
    bake_report(d->diagnostics, BAKE_ERROR,
                bake_node_mark(d->tree, found == BAKE_NODE_NONE ? node : found), "id", NULL,
                "expected a mapping with the key \"%s\", which gives the guid of a file", key);
    return BAKE_NODE_NONE;
}

/* Whether a string is valid as an id. Only whole asset names can be checked, so this function
 * prepends a dummy kind. */
static bool is_id(document_reader *d, const char *text, size_t length)
{
    char *name = bake_alloc(length + 2);
    if (!name) {
        d->out_of_memory = true;
        return false;
    }
    memcpy(name, "x/", 2);
    memcpy(name + 2, text, length);
    bool is_valid = kiln_asset_name_is_valid(name, length + 2);
    bake_free(name);
    return is_valid;
}

/* Checks guid and path, because both become ids: a resolved reference uses the path, an unresolved
 * one the guid. */
static bool check_ids(document_reader *d, bake_node_id node, const bake_guid *guid)
{
    if (is_id(d, guid->guid, guid->length) && is_id(d, guid->path, guid->path_length))
        return true;
    return d->out_of_memory || bake_document_refuse_id(d, node);
}

/* Adds the guid of a file. Returns false after a report if the document contains no guid. */
static bool add_guid(document_reader *d, bake_node_id node)
{
    const bake_guid *other;
    bake_guid guid = {.input = d->input};
    bake_node_id found = find_guid(d, node);
    if (found == BAKE_NODE_NONE)
        return false;
    guid.path = find_file(d, node, &guid.path_length);
    guid.guid = bake_node_text(d->tree, found, &guid.length);
    guid.mark = bake_node_mark(d->tree, found);
    if (!guid.path || !check_ids(d, found, &guid))
        return true;
    if (!bake_guids_add(d->inputs->guids, &guid, &other)) {
        d->out_of_memory = true;
    } else if (other) {
        bake_report(d->diagnostics, BAKE_ERROR, guid.mark, "duplicate", NULL,
                    "this guid already belongs to \"%.200s\", from %s:%u:%u", other->path,
                    bake_diagnostics_source_name(d->diagnostics, other->mark.source),
                    other->mark.line, other->mark.column);
        bake_related(d->diagnostics, other->mark, "first given here");
    }
    return true;
}

bool bake_document_guids(document_reader *d, bake_node_id node)
{
    if (bake_node_is_null(d->tree, node))
        return false;
    if (!d->inputs->guids)
        d->inputs->guids = bake_guids_create();
    if (!d->inputs->guids) {
        d->out_of_memory = true;
        return false;
    }
    if (add_guid(d, node))
        return true;
    /* Suppress further reports about references that use the missing guid. */
    d->inputs->incomplete = true;
    return false;
}
