/* Functions that the readers of a tree share. Private to tree.c, which has most of them, and the
 * tree_*.c files. */
#ifndef BAKE_TREE_STORE_H
#define BAKE_TREE_STORE_H

#include "tree.h"

#define BAKE_LINEAR_MAX 12
#define BAKE_INDEX_SORTED 0x80000000u

/* Why building goes no further. */
typedef enum bake_build {
    BAKE_BUILD_OK,
    BAKE_BUILD_STOPPED,  /* a problem ended reading; it was reported if there are diagnostics */
    BAKE_BUILD_NO_MEMORY /* to be reported by the caller */
} bake_build;

/* tree.c */

/* Appends `length` bytes and a NUL to the text; false if memory runs out. */
bool bake_tree_add_text(bake_tree *tree, const char *text, size_t length, uint32_t *ret_offset);
/* Makes room for `count` more words; false if memory runs out. */
bool bake_tree_grow_words(bake_tree *tree, size_t count);
/* tree.c: the line and column of the byte at `place`. */
bake_point bake_tree_point(const bake_tree *tree, uint32_t place);
bake_points *bake_points_create(size_t size);

/* Whether `used` + `more` fits 32 bits, of which the largest number means "none". */
static inline bool bake_tree_fits(size_t used, size_t more)
{
    return used < UINT32_MAX && more < UINT32_MAX - used;
}

/* tree_mapping.c */

/* Memory that ending a mapping may use and replace. */
typedef struct bake_scratch {
    uint32_t *items;
    size_t capacity;
} bake_scratch;

/* Ends the mapping `id`, whose `count` entries are the last words of the tree: applies merge keys,
 * drops entries whose key is not a scalar, reports duplicates, makes the index. `special` tells
 * that there is a merge key or such a key. Without `diagnostics` a problem stops building. */
bake_build bake_tree_end_mapping(bake_tree *tree, bake_diagnostics *diagnostics, bake_node_id id,
                                 size_t count, bool special, bake_scratch *scratch);
/* Whether the scalar is a merge key if it is a key. */
bool bake_tree_is_merge_key(const bake_tree *tree, bake_node_id node);
/* The hash that the indexes of this process use. */
uint64_t bake_tree_hash(const char *text, size_t length);
/* For tests: hashes of keys are cut to the bits of `mask`, so that they collide. */
void bake_tree_weaken_hash(uint64_t mask);

#endif
