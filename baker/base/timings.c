/* Spans are short compared with the work that they measure, so one lock for all threads is enough:
 * an uncontended lock costs less than reading the clock twice. */
#define _POSIX_C_SOURCE 200809L

#include "timings.h"

#include "bake_memory.h"
#include "bake_store.h"
#include "monotonic_clock.h"

#include <pthread.h>
#include <stdlib.h>

struct bake_timings {
    pthread_mutex_t lock; /* guards all members except `start` */
    bake_store names;
    bake_timing *spans;
    size_t count, capacity;
    pthread_t *threads;
    size_t thread_count, thread_capacity;
    bool is_incomplete;
    uint64_t start;
};

static uint64_t (*read_clock)(void) = bake_monotonic_now;

void bake_timings_set_clock(uint64_t (*clock)(void))
{
    read_clock = clock ? clock : bake_monotonic_now;
}

/* The number of the calling thread; 0 if memory runs out. A thread that gets the identifier of one
 * that has ended also gets its number; the spans of both cannot overlap. */
static uint32_t thread_number(bake_timings *timings)
{
    pthread_t self = pthread_self();
    for (size_t i = 0; i < timings->thread_count; i++)
        if (pthread_equal(timings->threads[i], self))
            return (uint32_t)i + 1;
    pthread_t *threads = bake_grow(timings->threads, &timings->thread_capacity,
                                   timings->thread_count + 1, sizeof *threads);
    if (!threads)
        return 0;
    timings->threads = threads;
    threads[timings->thread_count++] = self;
    return (uint32_t)timings->thread_count;
}

bake_timings *bake_timings_create(void)
{
    bake_timings *timings = bake_alloc_array(1, sizeof *timings);
    if (!timings || pthread_mutex_init(&timings->lock, NULL) != 0) {
        bake_free(timings);
        return NULL;
    }
    if (!thread_number(timings)) {
        bake_timings_destroy(timings);
        return NULL;
    }
    timings->start = read_clock();
    return timings;
}

void bake_timings_destroy(bake_timings *timings)
{
    if (!timings)
        return;
    pthread_mutex_destroy(&timings->lock);
    bake_store_fini(&timings->names);
    bake_free(timings->spans);
    bake_free(timings->threads);
    bake_free(timings);
}

uint64_t bake_timings_now(const bake_timings *timings)
{
    return read_clock() - timings->start;
}

/* Returns false if memory runs out. */
static bool add(bake_timings *timings, const bake_timing *span, size_t length)
{
    uint32_t thread = thread_number(timings);
    const char *name = thread ? bake_store_text(&timings->names, span->name, length) : NULL;
    bake_timing *spans =
        name ? bake_grow(timings->spans, &timings->capacity, timings->count + 1, sizeof *spans)
             : NULL;
    if (!spans)
        return false;
    timings->spans = spans;
    bake_timing *added = &spans[timings->count++];
    *added = *span;
    added->name = name;
    added->thread = thread;
    return true;
}

void bake_timings_add(bake_timings *timings, bake_timing_kind kind, const char *name, size_t length,
                      uint64_t begin)
{
    bake_timing span = {name, begin, bake_timings_now(timings), 0, kind};
    pthread_mutex_lock(&timings->lock);
    if (!add(timings, &span, length))
        timings->is_incomplete = true;
    pthread_mutex_unlock(&timings->lock);
}

static int compare(const void *a, const void *b)
{
    const bake_timing *left = a, *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    if (left->end != right->end)
        return left->end > right->end ? -1 : 1;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return (left->thread > right->thread) - (left->thread < right->thread);
}

const bake_timing *bake_timings_list(bake_timings *timings, size_t *ret_count)
{
    if (timings->count > 1)
        qsort(timings->spans, timings->count, sizeof *timings->spans, compare);
    *ret_count = timings->count;
    return timings->spans;
}

bool bake_timings_is_complete(const bake_timings *timings)
{
    return !timings->is_incomplete;
}
