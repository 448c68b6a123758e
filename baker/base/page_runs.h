/* Runs of consecutive pages in one large range of addresses, for thread_heap.h.
 *
 * The range is reserved once. Its pages use memory when they are first touched, and it asks for
 * huge pages. A table describes each page, so that an address is enough to find its run. Runs next
 * to each other merge when they are free. All threads share the runs; a lock guards them.
 *
 * `bake_runs_own` and `bake_runs_page` take no lock: they read only the description of a run that
 * is in use, and that does not change. */
#ifndef BAKE_PAGE_RUNS_H
#define BAKE_PAGE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BAKE_RUN_PAGE ((size_t)1024)
/* The largest run in pages. */
enum { BAKE_RUN_MAX = 2048 };

typedef enum bake_run_state {
    BAKE_RUN_NONE,      /* inside of a run, or never used */
    BAKE_RUN_FREE,      /* the first page of a free run */
    BAKE_RUN_FREE_LAST, /* the last page of a free run of several pages */
    BAKE_RUN_USED,      /* the first page of a run in use */
    BAKE_RUN_SPAN       /* each page of a run in use whose blocks must find its beginning */
} bake_run_state;

#define BAKE_RUN_COUNT_MAX 0x1fffffffu

typedef struct bake_run_page {
    uint32_t count : 29, state : 3; /* `count`: pages of a run, in its first page */
    uint32_t first;                 /* the first page of the run; for SPAN and FREE_LAST */
    uint32_t next, previous;        /* free runs of similar size; 0: none */
} bake_run_page;

typedef struct bake_run_range {
    unsigned char *begin;
    size_t size; /* 0 until the start */
    bake_run_page *pages;
} bake_run_range;

/* Only the functions of this header use it. */
extern bake_run_range bake_runs;

/* Reserves the range. Call it once, before other threads exist. Returns false if this system has no
 * such range, or refuses it; there are no runs then. */
bool bake_runs_start(void);

/* Returns a run of `count` pages, at most BAKE_RUN_MAX, or NULL. */
void *bake_runs_alloc(size_t count, bool is_span);
/* The same with an address that is a multiple of `align` pages, a power of two. */
void *bake_runs_alloc_aligned(size_t count, size_t align);
/* Changes the number of pages without moving the run, which is not a span. Returns false if the
 * pages after it are in use. */
bool bake_runs_resize(void *run, size_t count);
void bake_runs_free(void *run);

static inline bool bake_runs_own(const void *block)
{
    return (uintptr_t)block - (uintptr_t)bake_runs.begin < bake_runs.size;
}

/* The page of a block in a run. */
static inline const bake_run_page *bake_runs_page(const void *block)
{
    return &bake_runs
                .pages[((uintptr_t)block - (uintptr_t)bake_runs.begin) / (uintptr_t)BAKE_RUN_PAGE];
}

#endif
