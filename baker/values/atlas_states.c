/* Reads the state names of an atlas from its file.
 *
 * The steps of a resource (`states[].name`) lead from the root of the document to the names.
 * Reading continues after an error, so that one run reports all errors of the file. The names are
 * then incomplete: `is_known` stays false, and states are not checked against the names. */
#include "atlas_states.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "gateway.h"
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The names read so far. */
typedef struct states {
    bake_atlas *atlas;
    const bake_resource *resource;
    bake_diagnostics *diagnostics;
    bake_store *store;
    const bake_tree *tree;
    size_t capacity;
    bool no_memory, is_wrong;
} states;

static void reject(states *s, bake_node_id node, const char *what)
{
    s->is_wrong = true;
    bake_report(s->diagnostics, BAKE_ERROR, bake_node_mark(s->tree, node), "atlas", NULL, "%s",
                what);
    bake_hint(s->diagnostics, "the schema expects the state names at %.200s",
              s->resource->names_text);
}

static void reject_missing_key(states *s, bake_node_id node, const char *key)
{
    char what[240];
    snprintf(what, sizeof what, "missing key \"%.200s\"", key);
    reject(s, node, what);
}

static void add(states *s, bake_node_id node)
{
    size_t length;
    const char *text = bake_node_text(s->tree, node, &length);
    /* Names are sorted and compared as C strings, so they cannot contain NUL. */
    if (bake_node_kind_of(s->tree, node) != BAKE_NODE_SCALAR || bake_node_is_null(s->tree, node) ||
        memchr(text, 0, length)) {
        reject(s, node, "expected a state name");
        return;
    }
    const char **names =
        bake_grow(s->atlas->names, &s->capacity, s->atlas->count + 1, sizeof *names);
    const char *copy = names ? bake_store_text(s->store, text, length) : NULL;
    if (names)
        s->atlas->names = names;
    if (copy)
        names[s->atlas->count++] = copy;
    s->no_memory = s->no_memory || !copy;
}

/* Follows the steps from index `step` on. The number of steps in the schema bounds the recursion,
 * whatever the file contains. */
static void follow(states *s, bake_node_id node, uint32_t step)
{
    const bake_tree *tree = s->tree;
    bake_node_kind kind = bake_node_kind_of(tree, node);
    if (bake_node_is_placeholder(tree, node) || s->no_memory)
        return;
    if (step == s->resource->name_count) {
        add(s, node);
        return;
    }
    const bake_names_step *at = &s->resource->names[step];
    if (at->kind == BAKE_NAMES_ELEMENTS && kind != BAKE_NODE_SEQUENCE) {
        reject(s, node, "expected a list");
        return;
    }
    if (at->kind != BAKE_NAMES_ELEMENTS && kind != BAKE_NODE_MAPPING) {
        reject(s, node, "expected a mapping");
        return;
    }
    if (at->kind == BAKE_NAMES_KEY) {
        bake_node_id value = bake_node_find(tree, node, at->key, strlen(at->key));
        if (value == BAKE_NODE_NONE)
            reject_missing_key(s, node, at->key);
        else
            follow(s, value, step + 1);
        return;
    }
    for (bake_iterator it = bake_iterator_begin(tree, node);
         bake_iterator_next(&it) && !s->no_memory;)
        follow(s, at->kind == BAKE_NAMES_KEYS ? it.key : it.value, step + 1);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns false after a report if the file has no document or several. */
static bool check_document_count(states *s, uint32_t source)
{
    if (bake_tree_document_count(s->tree) == 1 && bake_tree_document(s->tree, 0) != BAKE_NODE_NONE)
        return true;
    s->is_wrong = true;
    return bake_report(s->diagnostics, BAKE_ERROR, (bake_mark){source, 0, 1, 1}, "atlas", NULL,
                       "expected a single document with the state names at %.200s",
                       s->resource->names_text);
}

bool bake_atlas_read(bake_atlas *atlas, const bake_resource *resource, bake_gateway *gateway,
                     bake_diagnostics *diagnostics, bake_store *store)
{
    states s = {.atlas = atlas, .resource = resource, .diagnostics = diagnostics, .store = store};
    size_t size, errors = bake_diagnostics_errors(diagnostics);
    const char *text = bake_gateway_read(gateway, atlas->file, &size);
    /* Save errno: registering the source below may change it. */
    int error = errno;
    if (!text && error == ENOMEM)
        return false;
    uint32_t source = bake_diagnostics_add_source(diagnostics, atlas->file, text, text ? size : 0);
    if (!text) {
        bake_report(diagnostics, BAKE_ERROR, (bake_mark){source, 0, 1, 1}, "atlas", NULL,
                    "cannot read the atlas states: %s", bake_gateway_reason(gateway));
        return true;
    }
    bake_tree *tree = bake_tree_read(diagnostics, source, text, size);
    if (!tree)
        return false;
    s.tree = tree;
    bool is_read = bake_diagnostics_errors(diagnostics) == errors;
    if (is_read && check_document_count(&s, source))
        follow(&s, bake_tree_document(tree, 0), 0);
    bake_tree_destroy(tree);
    if (s.no_memory || store->failed) {
        bake_free(atlas->names);
        atlas->names = NULL;
        return false;
    }
    /* bake_find_name needs sorted names. qsort must not get the NULL of an empty array. */
    if (atlas->count > 1)
        qsort(atlas->names, atlas->count, sizeof *atlas->names, compare);
    atlas->is_known = is_read && !s.is_wrong;
    return true;
}

bool bake_atlas_has(const bake_atlas *atlas, const char *name, size_t length)
{
    size_t count = atlas->count;
    return bake_find_name(atlas->names, count, sizeof *atlas->names, name, length) < count;
}
