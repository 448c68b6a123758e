/* Documents that say by what text the file beside them is known. */
#include "document_reader.h"

#include "asset_guids.h"
#include "bake_memory.h"

#include <kiln/index.h>
#include <string.h>

/* The path of the file that the document is beside: its own without the suffix; NULL after a
 * report. */
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

/* The text at the rule's key; BAKE_NODE_NONE after a report. */
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

/* References have the path as an id, and the guid where it is not known. */
static bool check_ids(document_reader *d, bake_node_id node, const bake_guid *guid)
{
    if (is_id(d, guid->guid, guid->length) && is_id(d, guid->path, guid->path_length))
        return true;
    return d->out_of_memory ||
           bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "id", NULL,
                       "an id must not be empty or contain control characters");
}

/* False after a report of a document that says nothing of a file. */
static bool add_guid(document_reader *d, bake_node_id node)
{
    const bake_guid *other;
    bake_guid guid = {.guid = NULL};
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

void bake_document_guids(document_reader *d, bake_node_id node)
{
    if (bake_node_is_null(d->tree, node))
        return;
    if (!d->inputs->guids)
        d->inputs->guids = bake_guids_create();
    if (!d->inputs->guids)
        d->out_of_memory = true;
    else if (!add_guid(d, node))
        /* One report is enough, and references to it are none. */
        d->inputs->incomplete = true;
    else if (d->rule->type != KILN_TYPE_NONE)
        bake_document_one(d, node);
}
