/* Functions shared by the readers of a tree. Private to tree.c and the tree_*.c files. */
#ifndef BAKE_TREE_STORE_H
#define BAKE_TREE_STORE_H

#include "tree.h"

#define BAKE_LINEAR_MAX 12
#define BAKE_INDEX_SORTED 0x80000000u

/* The result of a step of building a tree. */
typedef enum bake_build {
    BAKE_BUILD_OK,
    BAKE_BUILD_STOPPED,  /* stopped at an error, which was reported if there are diagnostics */
    BAKE_BUILD_NO_MEMORY /* the caller must report it */
} bake_build;

/* tree.c */

/* Appends `length` bytes and a NUL to `tree->text`; returns false if memory runs out. */
bool bake_tree_add_text(bake_tree *tree, const char *text, size_t length, uint32_t *ret_offset);
/* Makes room for `count` more words; returns false if memory runs out. */
bool bake_tree_grow_words(bake_tree *tree, size_t count);
/* tree.c: the line and column of the source offset `place`. */
bake_point bake_tree_point(const bake_tree *tree, uint32_t place);
bake_points *bake_points_create(size_t size);

/* Whether `used` + `more` fits 32 bits; UINT32_MAX is reserved for "none". */
static inline bool bake_tree_fits(size_t used, size_t more)
{
    return used < UINT32_MAX && more < UINT32_MAX - used;
}

/* tree_mapping.c */

/* A buffer that bake_tree_end_mapping uses and may grow. */
typedef struct bake_scratch {
    uint32_t *items;
    size_t capacity;
} bake_scratch;

/* Ends the mapping `id`, whose `count` entries are the last words of the tree. Applies merge keys,
 * drops entries whose key is not a scalar, reports duplicates and builds the index. `special`: the
 * mapping has a merge key, or a key that is not a scalar. If `diagnostics` is NULL, returns
 * BAKE_BUILD_STOPPED at a problem. */
bake_build bake_tree_end_mapping(bake_tree *tree, bake_diagnostics *diagnostics, bake_node_id id,
                                 size_t count, bool special, bake_scratch *scratch);
/* Whether the scalar, used as a key, is a merge key. */
bool bake_tree_is_merge_key(const bake_tree *tree, bake_node_id node);
/* The hash function of the indexes. */
uint64_t bake_tree_hash(const char *text, size_t length);
/* For tests: masks the hashes of keys with `mask`, so that they collide. */
void bake_tree_weaken_hash(uint64_t mask);

#endif
