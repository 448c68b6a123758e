/* Removes duplicate keys from a mapping's entries. Private to the tree_*.c files. */
#ifndef BAKE_TREE_UNIQUE_H
#define BAKE_TREE_UNIQUE_H

#include "tree_store.h"

/* The entries of a mapping while duplicate keys are removed. An entry is the word index of its key.
 * The functions allocate nothing, so the pointers remain valid. */
typedef struct bake_entries {
    const bake_tree *tree;
    bake_diagnostics *diagnostics; /* NULL: do not report */
    uint32_t *keys;
    size_t count;
    size_t own;      /* the first `own` entries are the mapping's own, the others are merged */
    uint32_t *slots; /* `capacity` entry indexes, initially zeroed */
    size_t capacity;
    bool repeated; /* one of the mapping's own keys occurs twice */
} bake_entries;

/* Keeps the first entry of each key and reports the others. Returns true if the slots are then a
 * hash table of entry indexes plus one, 0 for empty slots. Returns false if they contain entry
 * indexes sorted by key. Without slots, there must be at most BAKE_LINEAR_MAX entries; they are
 * compared pairwise, and the result is false. */
bool bake_make_unique(bake_entries *e);

/* The scalar of the key at word index `key`. */
const char *bake_key_text(const bake_tree *tree, uint32_t key, uint32_t *ret_length);
bool bake_same_key(const bake_tree *tree, uint32_t key, uint32_t other);
bake_mark bake_key_mark(const bake_tree *tree, uint32_t key);

#endif
