/* Free runs are in lists, one for each small number of pages, and one for each power of two above.
 * Pages after `top` were never used. */
/* For madvise and MAP_ANONYMOUS. */
#define _GNU_SOURCE

#include "page_runs.h"

#include "mapped_pages.h"

#include <pthread.h>

#ifdef BAKE_HAVE_MAPPED_PAGES
#include <sys/mman.h>
#endif

enum {
    EXACT = 64, /* pages: each number up to here has its own list */
    LISTS = 96,
    RANGE_BITS = 35, /* 32 GiB */
    HUGE_BITS = 21,
    READY_PAGES = 1 << 15 /* pages that are made usable at once */
};

bake_run_range bake_runs;

/* Threads hold the lock for less time than sleeping takes, so they try again a few times first. */
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static uint32_t lists[LISTS];    /* the first pages of free runs; page 0 is never used */
static uint32_t top, ready, end; /* pages before `ready` are usable */

#ifdef BAKE_HAVE_MAPPED_PAGES

/* Reserves addresses without memory. The system counts only usable pages as memory. */
static void *reserve(size_t bytes)
{
    void *mapped = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* Makes more pages usable, and their descriptions. */
static bool make_ready(void)
{
    bake_run_page *pages = bake_runs.pages + ready;
    bool done = end - ready >= READY_PAGES &&
                mprotect(pages, READY_PAGES * sizeof *pages, PROT_READ | PROT_WRITE) == 0 &&
                mprotect(bake_runs.begin + ready * BAKE_RUN_PAGE, READY_PAGES * BAKE_RUN_PAGE,
                         PROT_READ | PROT_WRITE) == 0;
    if (done)
        ready += READY_PAGES;
    return done;
}

bool bake_runs_start(void)
{
    size_t size = sizeof(void *) > 4 ? (size_t)1 << (RANGE_BITS % (sizeof(size_t) * 8)) : 0;
    size_t huge = (size_t)1 << HUGE_BITS, table = size / BAKE_RUN_PAGE * sizeof(bake_run_page);
    if (size == 0)
        return false;
    unsigned char *range = reserve(size + huge);
    bake_run_page *pages = range ? reserve(table) : NULL;
    if (!pages) {
        if (range)
            munmap(range, size + huge);
        return false;
    }
    range += -(uintptr_t)range & (huge - 1);
#ifdef MADV_HUGEPAGE
    /* Most runs touch only a few pages, and zeroing a huge page for them would take 0.2 ms. */
    madvise(range + huge, size - huge, MADV_HUGEPAGE);
#endif
    bake_runs = (bake_run_range){range, size, pages};
    end = (uint32_t)(size / BAKE_RUN_PAGE);
    top = 1;
    ready = 0;
    /* Without any page, all allocations find the range full. */
    if (!make_ready())
        end = top;
    return true;
}

#else

static bool make_ready(void)
{
    return false;
}

bool bake_runs_start(void)
{
    return false;
}

#endif

/* Whether so many pages follow `top`. */
static bool has_room(uint32_t count)
{
    return count <= end - top && (top + count <= ready || make_ready());
}

static uint32_t list_of(uint32_t count)
{
    uint32_t list = EXACT;
    if (count <= EXACT)
        return count - 1;
    while (count > 2 * EXACT) {
        count /= 2;
        list++;
    }
    return list;
}

static void add_free(uint32_t first, uint32_t count)
{
    bake_run_page *pages = bake_runs.pages, *page = &pages[first];
    uint32_t *head = &lists[list_of(count)];
    page->count = count & BAKE_RUN_COUNT_MAX;
    page->state = BAKE_RUN_FREE;
    page->next = *head;
    page->previous = 0;
    if (*head)
        pages[*head].previous = first;
    *head = first;
    if (count > 1)
        pages[first + count - 1].state = BAKE_RUN_FREE_LAST;
    pages[first + count - 1].first = first;
}

/* Returns the number of pages. */
static uint32_t remove_free(uint32_t first)
{
    bake_run_page *pages = bake_runs.pages, *page = &pages[first];
    uint32_t count = page->count;
    if (page->previous)
        pages[page->previous].next = page->next;
    else
        lists[list_of(count)] = page->next;
    if (page->next)
        pages[page->next].previous = page->previous;
    pages[first + count - 1].state = BAKE_RUN_NONE;
    page->state = BAKE_RUN_NONE;
    return count;
}

/* Frees pages that are in no run, and merges them with their neighbours. */
static void release(uint32_t first, uint32_t count)
{
    bake_run_page *pages = bake_runs.pages;
    uint32_t after = first + count;
    bake_run_state before = (bake_run_state)pages[first - 1].state;
    if (before == BAKE_RUN_FREE || before == BAKE_RUN_FREE_LAST) {
        uint32_t left = pages[first - 1].first;
        count += remove_free(left);
        first = left;
    }
    if (after < top && pages[after].state == BAKE_RUN_FREE)
        count += remove_free(after);
    if (first + count == top)
        top = first;
    else
        add_free(first, count);
}

/* Finds a free run of at least `count` pages; 0: none. */
static uint32_t find_free(uint32_t count)
{
    for (uint32_t list = list_of(count); list < LISTS; list++)
        for (uint32_t first = lists[list]; first; first = bake_runs.pages[first].next)
            if (bake_runs.pages[first].count >= count)
                return first;
    return 0;
}

/* Takes pages out of the free runs, or after all runs; 0: there are none. */
static uint32_t take(uint32_t count)
{
    uint32_t first = find_free(count);
    if (first) {
        uint32_t had = remove_free(first);
        if (had > count)
            add_free(first + count, had - count);
    } else if (has_room(count)) {
        first = top;
        top += count;
    }
    return first;
}

static void begin_run(uint32_t first, uint32_t count)
{
    bake_run_page *page = &bake_runs.pages[first];
    page->count = count & BAKE_RUN_COUNT_MAX;
    page->state = BAKE_RUN_USED;
}

static uint32_t number_of(const void *run)
{
    return (uint32_t)(bake_runs_page(run) - bake_runs.pages);
}

void *bake_runs_alloc(size_t count, bool is_span)
{
    if (count == 0 || count > BAKE_RUN_MAX)
        return NULL;
    pthread_mutex_lock(&lock);
    uint32_t first = take((uint32_t)count);
    bake_run_page *page = &bake_runs.pages[first];
    if (first)
        begin_run(first, (uint32_t)count);
    for (size_t i = 0; i < count && first && is_span; i++) {
        page[i].state = BAKE_RUN_SPAN;
        page[i].first = first;
    }
    pthread_mutex_unlock(&lock);
    return first ? bake_runs.begin + first * BAKE_RUN_PAGE : NULL;
}

void *bake_runs_alloc_aligned(size_t count, size_t align)
{
    if (count == 0 || count > BAKE_RUN_MAX || align > BAKE_RUN_MAX)
        return NULL;
    uint32_t room = (uint32_t)(count + align - 1);
    pthread_mutex_lock(&lock);
    uint32_t taken = take(room);
    uint32_t first = (uint32_t)((taken + align - 1) / align * align), before = first - taken;
    if (taken) {
        begin_run(first, (uint32_t)count);
        if (before)
            release(taken, before);
        if (room - before > count)
            release(first + (uint32_t)count, room - before - (uint32_t)count);
    }
    pthread_mutex_unlock(&lock);
    return taken ? bake_runs.begin + first * BAKE_RUN_PAGE : NULL;
}

/* Takes `more` pages from the free pages at `first`. */
static bool extend(uint32_t first, uint32_t more)
{
    if (first == top && has_room(more)) {
        top += more;
        return true;
    }
    if (first >= top || bake_runs.pages[first].state != BAKE_RUN_FREE ||
        bake_runs.pages[first].count < more)
        return false;
    uint32_t had = remove_free(first);
    if (had > more)
        add_free(first + more, had - more);
    return true;
}

bool bake_runs_resize(void *run, size_t count)
{
    uint32_t first = number_of(run);
    bake_run_page *page = &bake_runs.pages[first];
    bool done = count > 0 && count <= BAKE_RUN_MAX;
    pthread_mutex_lock(&lock);
    uint32_t had = page->count, wanted = (uint32_t)count;
    if (done && wanted > had)
        done = extend(first + had, wanted - had);
    if (done)
        page->count = wanted & BAKE_RUN_COUNT_MAX;
    if (done && wanted < had)
        release(first + wanted, had - wanted);
    pthread_mutex_unlock(&lock);
    return done;
}

void bake_runs_free(void *run)
{
    uint32_t first = number_of(run);
    bake_run_page *page = &bake_runs.pages[first];
    pthread_mutex_lock(&lock);
    uint32_t count = page->count;
    for (size_t i = 0; i < count && page[i].state == BAKE_RUN_SPAN; i++)
        page[i].state = BAKE_RUN_NONE;
    page->state = BAKE_RUN_NONE;
    release(first, count);
    pthread_mutex_unlock(&lock);
}
