/* An open span has a free block; each size has a list of open spans for each thread. A span without
 * a free block is in no list. */
#include "thread_heap.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    SMALL_MAX = 2048, /* bytes of a block in a span */
    STEP = 16,
    SIZES = 24,     /* STEP to 8 STEP, then four for each doubling */
    FINE_SIZES = 8, /* sizes that are multiples of STEP */
    FEW_MAX = 256,  /* spans of blocks up to this size are smaller */
    FEW_PAGES = 8,
    MANY_PAGES = 16
};

typedef struct heap_block {
    struct heap_block *next;
} heap_block;

typedef struct heap_span {
    struct thread_heap *heap; /* never changes */
    heap_block *free;
    unsigned char *fresh, *end; /* blocks that were never used */
    struct heap_span *next, *previous;
    uint32_t used; /* blocks */
    uint16_t size; /* number of the size */
    bool is_open;
} heap_span;

typedef struct thread_heap {
    heap_span *open[SIZES];
    _Atomic(heap_block *) returned; /* blocks that other threads have freed */
    struct thread_heap *next_idle;
} thread_heap;

static uint16_t sizes[SIZES];
static unsigned char size_numbers[SMALL_MAX / STEP + 1]; /* by the size in steps, rounded up */
static _Thread_local thread_heap *mine;
static pthread_key_t end_of_thread;
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static thread_heap *idle;

static void leave(void *heap)
{
    thread_heap *left = heap;
    mine = NULL;
    pthread_mutex_lock(&idle_lock);
    left->next_idle = idle;
    idle = left;
    pthread_mutex_unlock(&idle_lock);
}

bool bake_heap_start(void)
{
    if (pthread_key_create(&end_of_thread, leave) != 0)
        return false;
    for (unsigned i = 0; i < SIZES; i++) {
        unsigned doubling = i < FINE_SIZES ? 0 : (i - FINE_SIZES) / 4;
        sizes[i] = (uint16_t)(i < FINE_SIZES ? (i + 1) * STEP
                                             : ((5 + (i - FINE_SIZES) % 4) * 2 * STEP) << doubling);
    }
    for (unsigned steps = 0, i = 0; steps <= SMALL_MAX / STEP; steps++) {
        i += steps * STEP > sizes[i];
        size_numbers[steps] = (unsigned char)i;
    }
    return bake_runs_start();
}

/* The part of this thread; NULL if memory runs out. */
static thread_heap *enter(void)
{
    pthread_mutex_lock(&idle_lock);
    thread_heap *heap = idle;
    if (heap)
        idle = heap->next_idle;
    pthread_mutex_unlock(&idle_lock);
    if (!heap) {
        heap = bake_runs_alloc(1, false);
        if (!heap)
            return NULL;
        *heap = (thread_heap){.next_idle = NULL};
        atomic_init(&heap->returned, NULL);
    }
    if (pthread_setspecific(end_of_thread, heap) != 0) {
        leave(heap);
        return NULL;
    }
    mine = heap;
    return heap;
}

/* ---- spans ---- */

static void open_span(heap_span *span)
{
    heap_span **list = &span->heap->open[span->size];
    span->next = *list;
    span->previous = NULL;
    if (span->next)
        span->next->previous = span;
    *list = span;
    span->is_open = true;
}

static void close_span(heap_span *span)
{
    if (span->previous)
        span->previous->next = span->next;
    else
        span->heap->open[span->size] = span->next;
    if (span->next)
        span->next->previous = span->previous;
    span->is_open = false;
}

static bool add_span(thread_heap *heap, unsigned number)
{
    size_t size = sizes[number], pages = size <= FEW_MAX ? FEW_PAGES : MANY_PAGES;
    size_t head = (sizeof(heap_span) + STEP - 1) / STEP * STEP;
    heap_span *span = bake_runs_alloc(pages, true);
    if (!span)
        return false;
    unsigned char *first = (unsigned char *)span + head;
    *span = (heap_span){.heap = heap,
                        .fresh = first,
                        .end = first + (pages * BAKE_RUN_PAGE - head) / size * size,
                        .size = (uint16_t)number};
    open_span(span);
    return true;
}

static void *take_block(heap_span *span)
{
    heap_block *block = span->free;
    if (block) {
        span->free = block->next;
    } else {
        block = (heap_block *)(void *)span->fresh;
        span->fresh += sizes[span->size];
    }
    span->used++;
    if (!span->free && span->fresh == span->end)
        close_span(span);
    return block;
}

/* Frees a block of this thread. An empty span is kept if it is the only open one of its size. */
static void put_block(heap_span *span, heap_block *block)
{
    block->next = span->free;
    span->free = block;
    span->used--;
    if (!span->is_open)
        open_span(span);
    if (span->used == 0 && (span->next || span->previous)) {
        close_span(span);
        bake_runs_free(span);
    }
}

static heap_span *span_of(const void *block)
{
    return (heap_span *)(void *)(bake_runs.begin + bake_runs_page(block)->first * BAKE_RUN_PAGE);
}

/* Collects what other threads have freed. */
static void collect(thread_heap *heap)
{
    heap_block *block = atomic_exchange_explicit(&heap->returned, NULL, memory_order_acquire);
    while (block) {
        heap_block *next = block->next;
        put_block(span_of(block), block);
        block = next;
    }
}

/* ---- blocks ---- */

static void *alloc_small(unsigned number)
{
    thread_heap *heap = mine ? mine : enter();
    if (!heap)
        return NULL;
    if (!heap->open[number]) {
        collect(heap);
        if (!heap->open[number] && !add_span(heap, number))
            return NULL;
    }
    return take_block(heap->open[number]);
}

static size_t pages_for(size_t size)
{
    return (size + BAKE_RUN_PAGE - 1) / BAKE_RUN_PAGE;
}

void *bake_heap_alloc(size_t size)
{
    if (bake_runs.size == 0 || size > BAKE_HEAP_MAX)
        return NULL;
    if (size <= SMALL_MAX)
        return alloc_small(size_numbers[(size + STEP - 1) / STEP]);
    return bake_runs_alloc(pages_for(size), false);
}

void *bake_heap_alloc_aligned(size_t size, size_t align)
{
    if (bake_runs.size == 0 || size > BAKE_HEAP_MAX || align > BAKE_HEAP_MAX)
        return NULL;
    return bake_runs_alloc_aligned(pages_for(size), pages_for(align));
}

size_t bake_heap_size(const void *block)
{
    const bake_run_page *page = bake_runs_page(block);
    return page->state == BAKE_RUN_SPAN ? sizes[span_of(block)->size] : page->count * BAKE_RUN_PAGE;
}

bool bake_heap_resize(void *block, size_t size)
{
    size_t has = bake_heap_size(block);
    /* A block that becomes much smaller moves, so that it leaves its room to others. */
    if (bake_runs_page(block)->state == BAKE_RUN_SPAN)
        return size <= has && size >= has / 2;
    if (size <= SMALL_MAX || size > BAKE_HEAP_MAX)
        return false;
    return pages_for(size) == has / BAKE_RUN_PAGE || bake_runs_resize(block, pages_for(size));
}

void bake_heap_free(void *block)
{
    if (bake_runs_page(block)->state != BAKE_RUN_SPAN) {
        bake_runs_free(block);
        return;
    }
    heap_span *span = span_of(block);
    heap_block *freed = block;
    if (span->heap == mine) {
        put_block(span, freed);
        return;
    }
    freed->next = atomic_load_explicit(&span->heap->returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&span->heap->returned, &freed->next, freed,
                                                  memory_order_release, memory_order_relaxed))
        continue;
}
