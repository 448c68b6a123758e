/* How a tree lies in memory, and the parts it is built from. Private to the tree_*.c files.
 *
 * Three growing arrays hold it all. `nodes` has 24 bytes a node. `text` has the bytes of scalars
 * and tags, each followed by a NUL. `links` has the ids of children: a sequence's elements, or a
 * mapping's keys and values in turn. A node names its part of `text` or `links` by an offset, so
 * the arrays may move while they grow.
 *
 * A mapping of more than BAKE_LINEAR_MAX entries has an index before its links:
 *
 *     links[content - 1 - capacity ..]  slots
 *     links[content - 1]                capacity of the slots, a power of two; with the bit
 *                                       BAKE_INDEX_SORTED when they hold the entries sorted by key
 *     links[content ..]                 key, value, key, value ...
 *
 * A slot holds an entry's number plus one, 0 for none. The usual index is a hash table. XXH3 with a
 * known secret does not stop someone who makes keys collide on purpose, so when the look-ups while
 * building take more steps than chance allows, the index is sorted instead: no input costs more
 * than O(n log n). */
#ifndef BAKE_TREE_STORE_H
#define BAKE_TREE_STORE_H

#include "tree.h"

#include <string.h>

#define BAKE_LINEAR_MAX 12
#define BAKE_INDEX_SORTED 0x80000000u

typedef struct bake_node {
    uint32_t line;
    uint32_t column;
    uint32_t length : 28; /* as in bake_mark; 0 for BAKE_MARK_TO_LINE_END */
    uint32_t kind : 2;
    uint32_t plain : 1; /* of a sequence: it is a placeholder */
    uint32_t is_merge_key : 1;
    uint32_t count;   /* scalar: bytes; sequence: elements; mapping: entries */
    uint32_t content; /* offset into text or links */
    uint32_t tag;     /* offset into text plus one; 0 for none */
} bake_node;

struct bake_tree {
    bake_node *nodes;
    size_t node_count;
    size_t node_capacity;
    char *text;
    size_t text_size;
    size_t text_capacity;
    uint32_t *links;
    size_t link_count;
    size_t link_capacity;
    uint32_t *documents;
    size_t document_count;
    size_t document_capacity;
    uint32_t source;
    bool complete;
};

/* Why building goes no further. */
typedef enum bake_build {
    BAKE_BUILD_OK,
    BAKE_BUILD_STOPPED,  /* a problem was reported that nothing can follow */
    BAKE_BUILD_NO_MEMORY /* to be reported by the caller */
} bake_build;

/* tree.c */

/* Adds `length` bytes and a NUL to the text; false when there is no memory. */
bool bake_tree_add_text(bake_tree *tree, const char *text, size_t length, uint32_t *ret_offset);
/* Adds `count` links, uninitialised; false when there is no memory. */
bool bake_tree_add_links(bake_tree *tree, size_t count, size_t *ret_offset);
/* Whether `more` fits beside `used` in numbers of 32 bits, of which the largest means "none". */
static inline bool bake_tree_fits(size_t used, size_t more)
{
    return used < UINT32_MAX && more < UINT32_MAX - used;
}

/* Orders two texts bytewise; a beginning comes before the whole. */
static inline int bake_compare_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* tree_mapping.c */

/* Fills the mapping `id` from `pairs` (keys and values in turn, `pair_count` of them): drops pairs
 * whose key is no scalar, merges what merge keys name, reports duplicates, makes the index. */
bake_build bake_tree_finish_mapping(bake_tree *tree, bake_diagnostics *diagnostics, bake_node_id id,
                                    const uint32_t *pairs, size_t pair_count, bool has_merge_key);
/* The hash that the indexes of this process use. */
uint64_t bake_tree_hash(const char *text, size_t length);
/* For tests: hashes of keys are cut to the bits of `mask`, so that they collide. */
void bake_tree_weaken_hash(uint64_t mask);

/* tree_anchor.c */

typedef struct bake_anchor {
    uint32_t name; /* offset into the tree's text */
    uint32_t name_length;
    bake_node_id node;
    uint32_t height; /* levels of collections in the node: 0 for a scalar */
    uint64_t weight; /* nodes in it, each alias counted as a copy */
    bool open;       /* the node is not complete yet */
} bake_anchor;

/* The anchors of a stream, in order; those before `first` belong to earlier documents. */
typedef struct bake_anchors {
    bake_anchor *items;
    size_t count;
    size_t capacity;
    size_t first;
    uint32_t *slots; /* number of an item plus one; items before `first` count as none */
    size_t slot_count;
} bake_anchors;

void bake_anchors_fini(bake_anchors *anchors);
/* Forgets all names, as a document's end does. */
void bake_anchors_next_document(bake_anchors *anchors);
/* Adds an anchor; a later one of the same name hides the earlier. False when there is no memory. */
bool bake_anchors_add(bake_anchors *anchors, bake_tree *tree, const char *name, bake_anchor added,
                      size_t *ret_number);
bake_anchor *bake_anchors_find(const bake_anchors *anchors, const bake_tree *tree,
                               const char *name);
/* Hints at an anchor whose name is like `name`. */
void bake_anchors_hint(const bake_anchors *anchors, const bake_tree *tree,
                       bake_diagnostics *diagnostics, const char *name);

#endif
