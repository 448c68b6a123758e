/* Small blocks come from the heap of thread_heap.h in the process of kiln-bake, and from malloc
 * elsewhere; large ones come from mmap. Only the size in bytes determines which blocks are large
 * (has_pages). Callers pass the size when they free such a block, so blocks have no header. */
/* For mremap, madvise and MAP_ANONYMOUS. */
#define _GNU_SOURCE

#include "bake_memory.h"

#include "heap_gate.h"
#include "mapped_pages.h"
#include "thread_heap.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifdef BAKE_HAVE_MAPPED_PAGES
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

static heap_gate gate;

static bool may_allocate(void)
{
    return heap_gate_passes(&gate);
}

static void *get(size_t size)
{
    void *block = bake_heap_alloc(size);
    return block ? block : malloc(size);
}

void *bake_alloc(size_t size)
{
    return may_allocate() ? get(size ? size : 1) : NULL;
}

void *bake_alloc_array(size_t count, size_t size)
{
    if (!may_allocate())
        return NULL;
    size_t elements = count ? count : 1, each = size ? size : 1;
    size_t bytes = elements <= BAKE_HEAP_MAX / each ? elements * each : SIZE_MAX;
    void *block = bake_heap_alloc(bytes);
    return block ? memset(block, 0, bytes) : calloc(elements, each);
}

/* Moves a block of the heap. */
static void *move(void *block, size_t size)
{
    size_t old = bake_heap_size(block);
    void *moved = get(size);
    if (moved) {
        memcpy(moved, block, old < size ? old : size);
        bake_heap_free(block);
    }
    return moved;
}

static void *resize(void *block, size_t size)
{
    if (!block)
        return get(size);
    if (!bake_heap_owns(block))
        return realloc(block, size);
    return bake_heap_resize(block, size) ? block : move(block, size);
}

void *bake_realloc(void *block, size_t size)
{
    return may_allocate() ? resize(block, size ? size : 1) : NULL;
}

void bake_free(void *block)
{
    if (bake_heap_owns(block))
        bake_heap_free(block);
    else
        free(block);
}

/* Returns a capacity of at least `needed` elements, or 0 if its size in bytes overflows. Growth by
 * half keeps the total cost of n appends linear in n. */
static size_t grown_capacity(size_t capacity, size_t needed, size_t size)
{
    size_t wanted = capacity + capacity / 2 + 8;
    if (wanted < needed)
        wanted = needed;
    return wanted > SIZE_MAX / size ? 0 : wanted;
}

void *bake_grow(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (block && needed <= *capacity)
        return block;
    size_t wanted = grown_capacity(*capacity, needed, size);
    void *grown = wanted ? bake_realloc(block, wanted * size) : NULL;
    if (grown)
        *capacity = wanted;
    return grown;
}

#ifdef BAKE_HAVE_MAPPED_PAGES

/* The size of a huge page on x86-64 and most other architectures. A smaller block would waste part
 * of a page. */
#define LARGE_PAGE ((size_t)1 << 21)

static bool has_pages(size_t bytes)
{
    return bytes >= LARGE_PAGE && bytes <= SIZE_MAX - 2 * LARGE_PAGE;
}

/* Maps memory that is aligned to a huge page, because the kernel uses huge pages only for aligned
 * ranges. mmap aligns only to small pages, so this function maps more and unmaps both ends. Returns
 * NULL if memory runs out. */
static void *pages_map(size_t bytes)
{
    unsigned char *mapped =
        mmap(NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    size_t before = (size_t)(-(uintptr_t)mapped & (LARGE_PAGE - 1));
    unsigned char *block = mapped + before;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), end = (bytes + page - 1) / page * page;
    if (before)
        munmap(mapped, before);
    munmap(block + end, LARGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(block, bytes, MADV_HUGEPAGE);
#endif
    return block;
}

static void pages_unmap(void *block, size_t bytes)
{
    munmap(block, bytes);
}

/* Grows a mapping in place, or moves its pages to a new aligned address without copying bytes.
 * Returns NULL if memory runs out; the old block is then unchanged. */
static void *pages_remap(void *block, size_t old_bytes, size_t bytes)
{
    void *grown = mremap(block, old_bytes, bytes, 0);
    if (grown != MAP_FAILED)
        return grown;
    void *target = pages_map(bytes);
    if (!target)
        return NULL;
    grown = mremap(block, old_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, target);
    if (grown != MAP_FAILED)
        return grown;
    pages_unmap(target, bytes);
    return NULL;
}

#else

static bool has_pages(size_t bytes)
{
    (void)bytes;
    return false;
}

static void *pages_map(size_t bytes)
{
    (void)bytes;
    return NULL;
}

static void pages_unmap(void *block, size_t bytes)
{
    (void)block;
    (void)bytes;
}

static void *pages_remap(void *block, size_t old_bytes, size_t bytes)
{
    (void)block;
    (void)old_bytes;
    (void)bytes;
    return NULL;
}

#endif

/* Moves a block from the heap to a mapping. */
static void *pages_from_heap(void *block, size_t old_bytes, size_t bytes)
{
    void *grown = pages_map(bytes);
    if (grown && block) {
        memcpy(grown, block, old_bytes);
        bake_free(block);
    }
    return grown;
}

void *bake_block_grow(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (block && needed <= *capacity)
        return block;
    size_t wanted = grown_capacity(*capacity, needed, size);
    size_t old_bytes = block ? *capacity * size : 0, bytes = wanted * size;
    void *grown = NULL;
    if (!wanted || !may_allocate())
        return NULL;
    if (has_pages(old_bytes))
        grown = pages_remap(block, old_bytes, bytes);
    else if (has_pages(bytes))
        grown = pages_from_heap(block, old_bytes, bytes);
    else
        grown = resize(block, bytes);
    if (grown)
        *capacity = wanted;
    return grown;
}

void *bake_block_trim(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (!block || needed == 0 || needed >= *capacity || has_pages(*capacity * size))
        return block;
    void *trimmed = resize(block, needed * size);
    if (!trimmed)
        return block;
    *capacity = needed;
    return trimmed;
}

void bake_block_free(void *block, size_t bytes)
{
    if (block && has_pages(bytes))
        pages_unmap(block, bytes);
    else
        bake_free(block);
}

char *bake_copy_text(const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? bake_alloc(length + 1) : NULL;
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* The smallest page size, and thus the minimum alignment of a mapping. */
enum { PAGE_ALIGN = 4096 };

static void *allocator_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    if (has_pages(size) && align <= PAGE_ALIGN)
        return may_allocate() ? pages_map(size) : NULL;
    if (align <= _Alignof(max_align_t))
        return bake_alloc(size);
    /* aligned_alloc requires a size that is a multiple of the alignment. */
    if (!may_allocate() || size > SIZE_MAX - (align - 1))
        return NULL;
    void *block = bake_heap_alloc_aligned(size, align);
    return block ? block : aligned_alloc(align, (size + align - 1) & ~(align - 1));
}

static void allocator_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    bake_block_free(ptr, size);
}

kiln_allocator bake_memory_allocator(void)
{
    kiln_allocator allocator = {allocator_alloc, allocator_free, NULL};
    return allocator;
}

/* Whether the address space has no limit. Memory that is reserved in advance would count against a
 * limit. */
static bool is_unlimited(void)
{
#ifdef BAKE_HAVE_MAPPED_PAGES
    struct rlimit all, data;
    return getrlimit(RLIMIT_AS, &all) == 0 && all.rlim_cur == RLIM_INFINITY &&
           getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur == RLIM_INFINITY;
#else
    return false;
#endif
}

void bake_memory_tune(void)
{
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    /* This file maps blocks of this size or larger itself; only libyaml requests them from
     * malloc. */
    mallopt(M_MMAP_THRESHOLD, 1 << 21);
    mallopt(M_TOP_PAD, 1 << 20);
#endif
    if (is_unlimited())
        bake_heap_start();
}

void bake_memory_fail_after(long n)
{
    heap_gate_close(&gate, n, false);
}

void bake_memory_fail_at(long n)
{
    heap_gate_close(&gate, n, true);
}

bool bake_memory_has_failed(void)
{
    return gate.has_failed;
}
