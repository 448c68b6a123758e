/* A list of blocks, newest first. Only the newest has free space, which starts at `used`. An object
 * larger than a block gets its own block. The rest of the previous block then stays unused. This
 * waste is acceptable, because most objects are much smaller than 32 KiB.
 *
 * Objects are zeroed when they are allocated. Zeroing whole blocks would touch memory that a small
 * store never uses. */
#include "bake_store.h"

#include "bake_memory.h"

#include <stdint.h>
#include <string.h>

enum { STORE_BLOCK = 32768, STORE_ALIGN = _Alignof(max_align_t) };

struct bake_store_block {
    bake_store_block *next;
    size_t capacity;
    max_align_t data[];
};

void *bake_store_alloc(bake_store *store, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - STORE_BLOCK) / size) {
        store->failed = true;
        return NULL;
    }
    size_t bytes = (count * size + STORE_ALIGN - 1) / STORE_ALIGN * STORE_ALIGN;
    if (!store->blocks || bytes > store->blocks->capacity - store->used) {
        size_t capacity = bytes > STORE_BLOCK ? bytes : STORE_BLOCK;
        bake_store_block *block = bake_alloc(sizeof *block + capacity);
        if (!block) {
            store->failed = true;
            return NULL;
        }
        block->next = store->blocks;
        block->capacity = capacity;
        store->blocks = block;
        store->used = 0;
    }
    char *memory = (char *)store->blocks->data + store->used;
    store->used += bytes;
    memset(memory, 0, bytes);
    return memory;
}

void *bake_store_grow(bake_store *store, void *list, size_t *capacity, size_t needed, size_t size)
{
    if (list && needed <= *capacity)
        return list;
    size_t wanted = 1;
    while (wanted < needed && wanted <= SIZE_MAX / 2)
        wanted *= 2;
    void *grown = bake_store_alloc(store, wanted < needed ? needed : wanted, size);
    if (!grown)
        return NULL;
    if (list)
        memcpy(grown, list, *capacity * size);
    *capacity = wanted;
    return grown;
}

char *bake_store_text(bake_store *store, const char *text, size_t length)
{
    char *copy = bake_store_alloc(store, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *bake_store_join(bake_store *store, const char *a, char separator, const char *b)
{
    size_t left = strlen(a), right = strlen(b), between = left ? 1 : 0;
    char *joined = bake_store_alloc(store, left + between + right + 1, 1);
    if (!joined)
        return NULL;
    memcpy(joined, a, left);
    if (between)
        joined[left] = separator;
    memcpy(joined + left + between, b, right);
    return joined;
}

static void *allocator_alloc(void *ctx, size_t size, size_t align)
{
    return align <= STORE_ALIGN ? bake_store_alloc(ctx, size, 1) : NULL;
}

static void allocator_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    (void)ptr;
    (void)size;
}

kiln_allocator bake_store_allocator(bake_store *store)
{
    return (kiln_allocator){allocator_alloc, allocator_free, store};
}

void bake_store_fini(bake_store *store)
{
    for (bake_store_block *block = store->blocks; block;) {
        bake_store_block *next = block->next;
        bake_free(block);
        block = next;
    }
    memset(store, 0, sizeof *store);
}
