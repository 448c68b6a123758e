/* An arena allocator. All its memory is freed at once, when the object that owns the store is
 * destroyed. A zeroed store is empty. */
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

/* Returns zeroed memory aligned for any object. If memory runs out, returns NULL and sets
 * `failed`. */
void *bake_store_alloc(bake_store *store, size_t count, size_t size);
/* Grows `list` to at least `needed` elements. `list` is NULL or was returned by this function with
 * room for `*capacity` elements. Capacities are powers of two, and new elements are zeroed. Returns
 * the list, which may have moved, and updates `*capacity`. Returns NULL if memory runs out; the
 * list is then unchanged. Old copies stay in the store; together they are smaller than the list. */
void *bake_store_grow(bake_store *store, void *list, size_t *capacity, size_t needed, size_t size);
/* Copies `length` bytes and adds a NUL. */
char *bake_store_text(bake_store *store, const char *text, size_t length);
/* Concatenates `a`, `separator` and `b`; omits `separator` if `a` is empty. */
char *bake_store_join(bake_store *store, const char *a, char separator, const char *b);
/* Wraps the store as a kiln_allocator. Its `free` does nothing; bake_store_fini frees all
 * memory. */
kiln_allocator bake_store_allocator(bake_store *store);
void bake_store_fini(bake_store *store);

#endif
