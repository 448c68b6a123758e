/* Memory that grows and is given back all at once: names, members, and whatever else lives as long
 * as the object that owns the store. A zeroed store is empty. */
#ifndef BAKE_STORE_H
#define BAKE_STORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bake_store_block bake_store_block;

typedef struct bake_store {
    bake_store_block *blocks;
    size_t used;
    bool failed; /* an allocation failed; never reset */
} bake_store;

/* Zeroed memory aligned for any object; NULL (and `failed`) when there is none. */
void *bake_store_alloc(bake_store *store, size_t count, size_t size);
/* Makes room for at least `needed` elements in `list` (NULL for none), which this made with room
 * for `*capacity`; room is a power of two, and what is added is zero. Returns the list, moved
 * perhaps, and updates `*capacity`; NULL when there is no memory, and then all stays as it was. The
 * store keeps what the list outgrew. */
void *bake_store_grow(bake_store *store, void *list, size_t *capacity, size_t needed, size_t size);
/* A copy with a NUL behind it. */
char *bake_store_text(bake_store *store, const char *text, size_t length);
/* `a`, `separator`, `b` in one text; without `separator` when `a` is empty. */
char *bake_store_join(bake_store *store, const char *a, char separator, const char *b);
void bake_store_fini(bake_store *store);

#endif
