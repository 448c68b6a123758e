#include "bench_pages.h"

#include <string.h>

static void *map_pages(void *ctx, size_t size, size_t align, bool huge)
{
    (void)ctx;
    return baseline_pages_map(size, align, huge ? BASELINE_HUGE : BASELINE_PLAIN);
}

static void unmap_pages(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    baseline_pages_unmap(memory, size);
}

kiln_page_source bench_pages_plain(void)
{
    kiln_page_source pages = kiln_page_source_default();
    pages.map = map_pages;
    pages.unmap = unmap_pages;
    return pages;
}

/* ---- kept ---- */

enum { KEPT_MAX = 64, KEPT_SIZE_MAX = 1 << 20 };

typedef struct kept_pages {
    struct {
        void *memory;
        size_t size;
    } pieces[KEPT_MAX];
    size_t count;
} kept_pages;

static void *map_kept(void *ctx, size_t size, size_t align, bool huge)
{
    kept_pages *kept = ctx;
    for (size_t i = 0; i < kept->count; i++) {
        void *memory = kept->pieces[i].memory;
        if (kept->pieces[i].size == size && ((uintptr_t)memory & (align - 1)) == 0) {
            kept->pieces[i] = kept->pieces[--kept->count];
            return memory;
        }
    }
    return map_pages(ctx, size, align, huge);
}

/* Large blocks are not reused, because most of their pages are never touched. */
static void unmap_kept(void *ctx, void *memory, size_t size)
{
    kept_pages *kept = ctx;
    if (!memory || size > KEPT_SIZE_MAX || kept->count == KEPT_MAX) {
        unmap_pages(ctx, memory, size);
        return;
    }
    memset(memory, 0, size);
    kept->pieces[kept->count].memory = memory;
    kept->pieces[kept->count++].size = size;
}

kiln_page_source bench_pages_kept(void)
{
    static kept_pages kept;
    kiln_page_source pages = bench_pages_plain();
    pages.map = map_kept;
    pages.unmap = unmap_kept;
    pages.ctx = &kept;
    return pages;
}
