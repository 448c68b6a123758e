/* Reads YAML into a tree for tests, and prints trees. */
#ifndef TREE_READING_H
#define TREE_READING_H

#include "bake_memory.h"
#include "diagnostics.h"
#include "tree.h"
#include "tree_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The input and the result of reading it. The input is in a block of exactly its size, so that
 * sanitizers catch overreads. */
typedef struct reading {
    bake_diagnostics *diagnostics;
    bake_tree *tree;
    char *text;
} reading;

static inline reading read_bytes(const char *text, size_t size)
{
    reading r;
    r.text = malloc(size ? size : 1);
    assert_non_null(r.text);
    if (size)
        memcpy(r.text, text, size);
    r.diagnostics = bake_diagnostics_create();
    assert_non_null(r.diagnostics);
    uint32_t source = bake_diagnostics_add_source(r.diagnostics, "t.yaml", r.text, size);
    r.tree = bake_tree_read(r.diagnostics, source, r.text, size);
    assert_non_null(r.tree);
    return r;
}

static inline reading read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static inline void reading_fini(reading *r)
{
    bake_tree_destroy(r->tree);
    bake_diagnostics_destroy(r->diagnostics);
    free(r->text);
}

/* Returns an iterator over `node`, positioned at entry or element `i`. */
static inline bake_iterator at(const bake_tree *tree, bake_node_id node, uint32_t i)
{
    bake_iterator it = bake_iterator_begin(tree, node);
    for (uint32_t steps = 0; steps <= i; steps++)
        assert_true(bake_iterator_next(&it));
    return it;
}

static inline bool has_text(const bake_tree *tree, bake_node_id node, const char *expected)
{
    size_t length;
    const char *text = bake_node_text(tree, node, &length);
    return length == strlen(expected) && memcmp(text, expected, length) == 0;
}

static inline char *printed(const reading *r)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    bake_diagnostics_print(r->diagnostics, out, false);
    fclose(out);
    return text;
}

/* Writes a node on one line: plain scalars unquoted, others in quotes, NULs as \0, tags as <tag>.
 */
static inline void show_node(const bake_tree *tree, bake_node_id node, FILE *out)
{
    if (node == BAKE_NODE_NONE) {
        fputs("none", out);
        return;
    }
    if (bake_node_tag(tree, node))
        fprintf(out, "<%s>", bake_node_tag(tree, node));
    size_t length;
    const char *text = bake_node_text(tree, node, &length);
    bake_node_kind kind = bake_node_kind_of(tree, node);
    if (kind == BAKE_NODE_SCALAR) {
        bool plain = bake_node_is_plain(tree, node);
        fputs(plain ? "" : "'", out);
        for (size_t i = 0; i < length; i++)
            fputs(text[i] ? (char[]){text[i], '\0'} : "\\0", out);
        fputs(plain ? "" : "'", out);
        return;
    }
    fputc(kind == BAKE_NODE_SEQUENCE ? '[' : '{', out);
    bool first = true;
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);
         first = false) {
        fputs(first ? "" : ",", out);
        if (kind == BAKE_NODE_MAPPING) {
            show_node(tree, it.key, out);
            fputc(':', out);
        }
        show_node(tree, it.value, out);
    }
    fputc(kind == BAKE_NODE_SEQUENCE ? ']' : '}', out);
}

static inline char *shown(const bake_tree *tree)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (uint32_t i = 0; i < bake_tree_document_count(tree); i++) {
        fputs(i ? " | " : "", out);
        show_node(tree, bake_tree_document(tree, i), out);
    }
    fclose(out);
    return text;
}

#endif
