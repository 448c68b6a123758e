/* Where the time of a run goes: spans of time with a kind and a name, for the option --timings.
 *
 * Code is measured between bake_timing_begin and bake_timing_end. Both accept NULL if no timings
 * were requested: each is then one branch and does not read the clock. Spans of one thread nest,
 * because they begin and end like function calls. All threads may add spans at the same time; a
 * lock protects the list. The clock is monotonic: it never jumps back.
 *
 * timings_report.h prints the spans. */
#ifndef BAKE_TIMINGS_H
#define BAKE_TIMINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum bake_timing_kind {
    BAKE_TIMING_STEP,     /* a bundle or a header of a project */
    BAKE_TIMING_PHASE,    /* a part of the run; phases do not overlap */
    BAKE_TIMING_FILE,     /* reading a schema or an input, including its importer */
    BAKE_TIMING_IMPORTER, /* a program that runs */
    BAKE_TIMING_ASSET     /* baking an asset */
} bake_timing_kind;
enum { BAKE_TIMING_KINDS = BAKE_TIMING_ASSET + 1 };

typedef struct bake_timing {
    const char *name;    /* NUL-terminated, any bytes */
    uint64_t begin, end; /* in nanoseconds since bake_timings_create */
    uint32_t thread;     /* 1: the caller of bake_timings_create; others count up from 2 */
    bake_timing_kind kind;
} bake_timing;

typedef struct bake_timings bake_timings;

/* Creates an empty list, whose times count from this call. Returns NULL if memory runs out. */
bake_timings *bake_timings_create(void);
/* Accepts NULL. */
void bake_timings_destroy(bake_timings *timings);

/* The time since bake_timings_create in nanoseconds. */
uint64_t bake_timings_now(const bake_timings *timings);
/* Adds a span from `begin` until now; copies `length` bytes of `name`. If memory runs out, the span
 * is lost. */
void bake_timings_add(bake_timings *timings, bake_timing_kind kind, const char *name, size_t length,
                      uint64_t begin);

/* Begins a span: pass the result to bake_timing_end. */
static inline uint64_t bake_timing_begin(const bake_timings *timings)
{
    return timings ? bake_timings_now(timings) : 0;
}

/* Ends a span. */
static inline void bake_timing_end(bake_timings *timings, bake_timing_kind kind, const char *name,
                                   size_t length, uint64_t begin)
{
    if (timings)
        bake_timings_add(timings, kind, name, length, begin);
}

/* Sorts all spans by `begin`, each before those that it contains, and returns them. Call it when no
 * other thread adds spans; the list is valid until the next span is added. */
const bake_timing *bake_timings_list(bake_timings *timings, size_t *ret_count);
/* Whether no span was lost. */
bool bake_timings_is_complete(const bake_timings *timings);

/* For tests: replaces the clock, which counts nanoseconds; NULL restores it. Only while no other
 * thread reads the clock. */
void bake_timings_set_clock(uint64_t (*clock)(void));

#endif
