#include "readers_agree.h"

#include "tree_events.h"
#include "tree_quick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    bake_diagnostics *diagnostics;
    bake_tree *tree;
    bake_build result;
} reading;

static bake_builder builder;

static reading read_with(bake_build (*reader)(bake_builder *), bool quiet, const char *text,
                         size_t size)
{
    reading r = {.diagnostics = bake_diagnostics_create()};
    if (!r.diagnostics)
        abort();
    uint32_t source = bake_diagnostics_add_source(r.diagnostics, "t.yaml", text, size);
    r.tree = bake_tree_create(source, text, size);
    if (!r.tree)
        abort();
    bake_builder_init(&builder, r.tree, quiet ? NULL : r.diagnostics);
    r.result = reader(&builder);
    bake_builder_fini(&builder);
    return r;
}

static void reading_fini(reading *r)
{
    bake_tree_destroy(r->tree);
    bake_diagnostics_destroy(r->diagnostics);
}

static bool same_bytes(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

static bool same_words(const bake_tree *a, const bake_tree *b)
{
    return same_bytes(a->words, a->word_count * 4, b->words, b->word_count * 4) &&
           same_bytes(a->text, a->text_size, b->text, b->text_size) &&
           same_bytes(a->documents, a->document_count * sizeof *a->documents, b->documents,
                      b->document_count * sizeof *b->documents);
}

static bool same_nodes(const bake_tree *a, bake_node_id x, const bake_tree *b, bake_node_id y)
{
    if (x == BAKE_NODE_NONE || y == BAKE_NODE_NONE)
        return x == y;
    size_t length, other_length;
    const char *text = bake_node_text(a, x, &length), *other = bake_node_text(b, y, &other_length);
    const char *tag = bake_node_tag(a, x), *other_tag = bake_node_tag(b, y);
    bake_mark mark = bake_node_mark(a, x), other_mark = bake_node_mark(b, y);
    bool same = bake_node_kind_of(a, x) == bake_node_kind_of(b, y) &&
                bake_node_count(a, x) == bake_node_count(b, y) &&
                bake_node_is_plain(a, x) == bake_node_is_plain(b, y) &&
                same_bytes(text, length, other, other_length) && !tag == !other_tag &&
                (!tag || strcmp(tag, other_tag) == 0) && mark.line == other_mark.line &&
                mark.column == other_mark.column && mark.length == other_mark.length;
    bake_iterator it = bake_iterator_begin(a, x), other_walk = bake_iterator_begin(b, y);
    while (same && bake_iterator_next(&it) && bake_iterator_next(&other_walk))
        same = same_nodes(a, it.key, b, other_walk.key) &&
               same_nodes(a, it.value, b, other_walk.value);
    return same;
}

/* Usually both trees have identical arrays of words. If not, they are compared node by node: a
 * scalar with properties and an escaped quote may be copied in one tree and not in the other. */
static bool same_trees(const bake_tree *a, const bake_tree *b)
{
    bool same = same_words(a, b);
    if (same || a->document_count != b->document_count)
        return same;
    for (uint32_t i = 0; i < bake_tree_document_count(a); i++)
        if (!same_nodes(a, bake_tree_document(a, i), b, bake_tree_document(b, i)))
            return false;
    return true;
}

bool readers_agree(const char *text, size_t size, bool *ret_taken)
{
    char *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    if (size)
        memcpy(exact, text, size);
    reading quick = read_with(bake_read_quick, true, exact, size);
    bool agree = quick.result != BAKE_BUILD_NO_MEMORY;
    *ret_taken = quick.result == BAKE_BUILD_OK;
    if (*ret_taken) {
        reading slow = read_with(bake_read_events, false, exact, size);
        agree = slow.result == BAKE_BUILD_OK && bake_diagnostics_errors(slow.diagnostics) == 0 &&
                same_trees(quick.tree, slow.tree);
        if (!agree)
            bake_diagnostics_print(slow.diagnostics, stderr, false);
        reading_fini(&slow);
    }
    if (!agree)
        fprintf(stderr, "the readers differ on:\n%.*s\n<<<\n", (int)size, text);
    reading_fini(&quick);
    free(exact);
    return agree;
}
