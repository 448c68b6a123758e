#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */

#include "few_pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_POISON
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(HAS_POISON)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#endif

/* Mapping, unmapping and faulting pages took a third of the time of an execution. Memory that is
 * mostly touched is therefore cleared and reused, and poisoned while it is free. The pages of
 * larger memory are returned to the system, and its addresses are protected while they are free. */
enum { KEPT_MAX = 64, CLEARED_MAX = 1 << 18 };

typedef struct kept {
    void *memory;
    size_t size, align;
    bool is_free;
} kept;

static kiln_allocator small_blocks;
static kept all[KEPT_MAX];
static size_t count;

static void *map_new(size_t size, size_t align)
{
    unsigned char *memory =
        mmap(NULL, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || count == KEPT_MAX)
        abort();
    memory += -(uintptr_t)memory & (align - 1);
    madvise(memory, size, MADV_NOHUGEPAGE);
    all[count++] = (kept){memory, size, align, true};
    return memory;
}

static kept *find(const void *memory, size_t size, size_t align)
{
    for (size_t i = 0; i < count; i++)
        if (memory ? all[i].memory == memory
                   : all[i].is_free && all[i].size == size && all[i].align == align)
            return &all[i];
    return NULL;
}

static void *map(void *ctx, size_t size, size_t align, bool huge)
{
    (void)ctx;
    (void)huge;
    kept *found = find(NULL, size, align);
    void *memory = found ? found->memory : map_new(size, align);
    find(memory, 0, 0)->is_free = false;
    if (found && size <= CLEARED_MAX) {
        ASAN_UNPOISON_MEMORY_REGION(memory, size);
        memset(memory, 0, size);
    } else if (mprotect(memory, size, PROT_READ | PROT_WRITE) != 0) {
        abort();
    }
    return memory;
}

static void discard(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    madvise(memory, size, MADV_DONTNEED);
}

static void unmap(void *ctx, void *memory, size_t size)
{
    kept *found = find(memory, 0, 0);
    if (!found || found->is_free || found->size != size)
        abort();
    found->is_free = true;
    if (size <= CLEARED_MAX) {
        ASAN_POISON_MEMORY_REGION(memory, size);
        return;
    }
    discard(ctx, memory, size);
    if (mprotect(memory, size, PROT_NONE) != 0)
        abort();
}

const kiln_page_source *few_pages(void)
{
    static const kiln_page_source source = {.map = map, .unmap = unmap, .discard = discard};
    return &source;
}

/* ---- blocks ---- */

/* A sanitizer maps and unmaps each block above 128 KiB, and each of its pages causes a fault. Large
 * blocks therefore use cached pages, which are poisoned behind the block, and as a whole while they
 * are free. */
enum { LARGE = 1 << 16, PAGE = 4096 };

static size_t region_size(size_t size)
{
    return (size / PAGE + 2) * PAGE;
}

static void *alloc_block(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    if (size < LARGE)
        return small_blocks.alloc(small_blocks.ctx, size, align);
    size_t region = region_size(size);
    kept *found = find(NULL, region, PAGE);
    unsigned char *memory = found ? found->memory : map_new(region, PAGE);
    if (!found && mprotect(memory, region, PROT_READ | PROT_WRITE) != 0)
        abort();
    find(memory, 0, 0)->is_free = false;
    ASAN_UNPOISON_MEMORY_REGION(memory, region);
    ASAN_POISON_MEMORY_REGION(memory + size, region - size);
    return memory;
}

static void free_block(void *ctx, void *block, size_t size)
{
    (void)ctx;
    if (size < LARGE) {
        small_blocks.free(small_blocks.ctx, block, size);
        return;
    }
    kept *found = find(block, 0, 0);
    if (!found || found->is_free || found->size != region_size(size))
        abort();
    ASAN_POISON_MEMORY_REGION(block, found->size);
    found->is_free = true;
}

const kiln_allocator *few_blocks(void)
{
    static const kiln_allocator blocks = {alloc_block, free_block, NULL};
    small_blocks = kiln_allocator_default();
    return &blocks;
}
