/* Removes repeated keys from a mapping's entries. Private to the tree_*.c files. */
#ifndef BAKE_TREE_UNIQUE_H
#define BAKE_TREE_UNIQUE_H

#include "tree_store.h"

/* The entries of a mapping while repeated keys are removed; an entry is the place of its key.
 * Nothing is allocated meanwhile, so the pointers stay valid. */
typedef struct bake_entries {
    const bake_tree *tree;
    bake_diagnostics *diagnostics; /* NULL: nothing is reported */
    uint32_t *keys;
    size_t count;
    size_t own;      /* the first `own` entries are the mapping's, the others are merged */
    uint32_t *slots; /* `capacity` of them, zeroed; numbers of entries */
    size_t capacity;
    bool repeated; /* an own key was given twice */
} bake_entries;

/* Keeps the first entry of each key and reports the others. Returns true if the slots are a hash
 * table of entry numbers plus one, 0 for none. Returns false if they hold the entries sorted by
 * key, or if there are no slots and at most BAKE_LINEAR_MAX entries, which are compared one by one.
 */
bool bake_make_unique(bake_entries *e);

/* The text of the key at `key`. */
const char *bake_key_text(const bake_tree *tree, uint32_t key, uint32_t *ret_length);
bool bake_same_key(const bake_tree *tree, uint32_t key, uint32_t other);
bake_mark bake_key_mark(const bake_tree *tree, uint32_t key);

#endif
