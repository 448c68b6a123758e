/* An arena: memory that grows and is freed all at once, for names, members and whatever else lives
 * as long as the object that owns the store. A zeroed store is empty. */
#ifndef BAKE_STORE_H
#define BAKE_STORE_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct bake_store_block bake_store_block;

typedef struct bake_store {
    bake_store_block *blocks;
    size_t used;
    bool failed; /* an allocation failed; never reset */
} bake_store;

/* Zeroed memory aligned for any object. If memory runs out, returns NULL and sets `failed`. */
void *bake_store_alloc(bake_store *store, size_t count, size_t size);
/* Makes room for at least `needed` elements in `list`, which is NULL or came from here with room
 * for
 * `*capacity`. Capacities are powers of two, and new elements are zero. Returns the list, which may
 * have moved, and updates `*capacity`; NULL if memory runs out, and then nothing has changed. The
 * store keeps the old copies: together they are smaller than the list. */
void *bake_store_grow(bake_store *store, void *list, size_t *capacity, size_t needed, size_t size);
/* A copy with a NUL at its end. */
char *bake_store_text(bake_store *store, const char *text, size_t length);
/* `a`, `separator`, `b` in one text; without `separator` when `a` is empty. */
char *bake_store_join(bake_store *store, const char *a, char separator, const char *b);
/* Memory of the store as a kiln_allocator. Its `free` does nothing: the store frees everything at
 * its end. */
kiln_allocator bake_store_allocator(bake_store *store);
void bake_store_fini(bake_store *store);

#endif
