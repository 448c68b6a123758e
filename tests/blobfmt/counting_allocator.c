#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include "counting_allocator.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Block sizes are stored separately, because a header before the block would hide underruns. */
enum { BLOCKS_MAX = 4096 };
static struct {
    void *block;
    size_t size;
} blocks[BLOCKS_MAX];

static void *counted_alloc(void *ctx, size_t size, size_t align)
{
    counting_allocator *counter = ctx;
    void *block = NULL;
    counter->calls++;
    if ((counter->fail_from && counter->calls >= counter->fail_from) ||
        counter->calls == counter->fail_at)
        return NULL;
    if (size == 0 || align == 0 || (align & (align - 1)) != 0 || align > 4096)
        counter->wrong_free = true;
    if (posix_memalign(&block, align < sizeof(void *) ? sizeof(void *) : align, size))
        return NULL;
    memset(block, 0xa5, size);
    for (size_t i = 0; i < BLOCKS_MAX; i++) {
        if (blocks[i].block)
            continue;
        blocks[i].block = block;
        blocks[i].size = size;
        counter->live_bytes += size;
        counter->live_blocks++;
        return block;
    }
    abort();
}

static void counted_free(void *ctx, void *ptr, size_t size)
{
    counting_allocator *counter = ctx;
    for (size_t i = 0; i < BLOCKS_MAX && ptr; i++) {
        if (blocks[i].block != ptr)
            continue;
        if (blocks[i].size != size)
            counter->wrong_free = true;
        counter->live_bytes -= blocks[i].size;
        counter->live_blocks--;
        blocks[i].block = NULL;
        free(ptr);
        return;
    }
    counter->wrong_free = true;
}

kiln_allocator counting_allocator_of(counting_allocator *counter)
{
    kiln_allocator allocator = {counted_alloc, counted_free, counter};
    return allocator;
}
