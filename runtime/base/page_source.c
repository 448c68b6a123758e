/* The default source of pages: mmap and madvise.
 *
 * All mappings are private, so a program that writes to a mapped file changes only its own copy of
 * a page. They use MAP_NORESERVE because a world reserves far more addresses than it ever touches.
 */
#define _DEFAULT_SOURCE
#define _FILE_OFFSET_BITS 64

#include <kiln/page_source.h>

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Maps `align` bytes more than needed and unmaps the excess on both sides. Only whole pages can be
 * unmapped. */
static void *map_aligned(size_t size, size_t align, size_t page)
{
    if (size > SIZE_MAX - align - page)
        return NULL;
    size = (size + page - 1) & ~(page - 1);
    unsigned char *start = mmap(NULL, size + align, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = (size_t)(-(uintptr_t)start & (align - 1));
    if (before)
        munmap(start, before);
    munmap(start + before + size, align - before);
    return start + before;
}

static void *map_pages(void *ctx, size_t size, size_t align, bool huge)
{
    (void)ctx;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = map_aligned(size, align > page ? align : page, page);
#if defined(MADV_HUGEPAGE)
    /* Only a hint: without huge pages the program is slower. */
    if (memory && huge)
        madvise(memory, size, MADV_HUGEPAGE);
#else
    (void)huge;
#endif
    return memory;
}

static void unmap_pages(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    munmap(memory, size);
}

static void discard_pages(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    madvise(memory, size, MADV_DONTNEED);
}

static bool map_file_pages(void *ctx, void *memory, size_t size, int file, uint64_t offset)
{
    (void)ctx;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (offset % page != 0 || (uintptr_t)memory % page != 0 || offset > INT64_MAX - size)
        return false;
    /* Populating the pages at once would cost as much as the page faults of the readers, since each
     * fault maps several pages. */
    return mmap(memory, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file,
                (off_t)offset) != MAP_FAILED;
}

/* Replaces the mapping with anonymous memory instead of leaving a hole. The world keeps the
 * addresses, so no other thread can map something else there. */
static bool unmap_file_pages(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    return mmap(memory, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

kiln_page_source kiln_page_source_default(void)
{
    kiln_page_source source = {map_pages, unmap_pages,    discard_pages,
                               NULL,      map_file_pages, unmap_file_pages};
    return source;
}
