/* Builds a tree node by node in source order. Private to the tree_*.c files. A `place` is a byte
 * offset into the source.
 *
 * Two readers call the builder: tree_events.c with libyaml's events, and tree_quick.c, which parses
 * a common subset of YAML directly. The quick reader runs first and without diagnostics: the
 * builder then reports nothing and stops at the first problem. After that, libyaml reads the source
 * again and reports the problem. */
#ifndef BAKE_TREE_BUILDER_H
#define BAKE_TREE_BUILDER_H

#include "hash_table.h"
#include "tree_directive.h"
#include "tree_store.h"

#define BAKE_TAG_CACHE_SIZE 64

/* An open collection. */
typedef struct bake_frame {
    bake_node_id node;
    bool is_mapping;
    bool special;         /* has a merge key, or a key that is not a scalar */
    uint32_t count;       /* nodes so far: elements, or keys and values */
    uint32_t height;      /* levels of collections in its children */
    size_t anchor;        /* index of its anchor; SIZE_MAX: none */
    uint64_t weight_then; /* the builder's weight when the collection opened */
} bake_frame;

typedef struct bake_anchor {
    uint32_t name; /* offset into the tree's text */
    uint32_t name_length;
    bake_node_id node;
    uint32_t height; /* levels of collections in the node: 0 for a scalar */
    uint64_t weight; /* nodes in it, each alias counted as a copy */
    bool open;       /* the node is not complete yet */
} bake_anchor;

/* The anchors of a document, in source order. */
typedef struct bake_anchors {
    bake_anchor *items;
    size_t count;
    size_t capacity;
    hash_table by_name;
} bake_anchors;

typedef struct bake_builder {
    bake_tree *tree;
    bake_diagnostics *diagnostics; /* NULL: stop at the first problem */
    bake_directives directives;
    bake_anchors anchors;
    bake_scratch scratch;
    uint64_t weight; /* nodes so far, aliases counted as copies */
    uint64_t weight_max;
    size_t depth;
    bake_frame frames[BAKE_TREE_DEPTH_MAX + 1]; /* [0] is the document */
    uint32_t tags[BAKE_TAG_CACHE_SIZE];         /* cache by hash: offset into the text, plus one */
} bake_builder;

/* The tag and anchor before a node. */
typedef struct bake_properties {
    uint32_t place;  /* start of the node: the first property, or the content */
    const char *tag; /* resolved; NULL: none */
    size_t tag_length;
    const char *anchor; /* NULL: none */
    size_t anchor_length;
} bake_properties;

typedef struct bake_scalar {
    bake_form form; /* PLAIN and QUOTED: the bytes at `place` in the source */
    uint32_t place;
    uint32_t end;
    const char *text;
    size_t length;
} bake_scalar;

/* tree_read.c: creates an empty tree for `text`; NULL if memory runs out. */
bake_tree *bake_tree_create(uint32_t source, const char *text, size_t size);

/* tree_build.c */
void bake_builder_init(bake_builder *b, bake_tree *tree, bake_diagnostics *diagnostics);
void bake_builder_fini(bake_builder *b);

bake_build bake_builder_document(bake_builder *b);
bake_build bake_builder_scalar(bake_builder *b, const bake_properties *properties,
                               const bake_scalar *scalar);
bake_build bake_builder_open(bake_builder *b, bake_node_kind kind,
                             const bake_properties *properties);
bake_build bake_builder_close(bake_builder *b);
/* The alias *name, from `place` to `end`. */
bake_build bake_builder_alias(bake_builder *b, const char *name, size_t length, uint32_t place,
                              uint32_t end);

static inline bool bake_builder_at_key(const bake_builder *b)
{
    const bake_frame *top = &b->frames[b->depth];
    return top->is_mapping && top->count % 2 == 0;
}

#endif
