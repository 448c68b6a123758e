/* The world that the entity figures measure: bodies of three components, 36 bytes, beside the
 * columns that they come from. */
#ifndef BENCH_WORLD_H
#define BENCH_WORLD_H

#include "baselines_entities.h"
#include "bench_span.h"

#include <kiln/query.h>
#include <kiln/world.h>

/* What a figure is taken on. A probe has one, and sides get it as their context; what more a probe
 * needs stands behind it in a struct of its own. */
typedef struct bench_world {
    uint32_t count; /* of bodies */
    baseline_advice advice;
    bool keeps_pages; /* bench_pages_kept for the next world */
    kiln_world *world;
    kiln_component position, rotation, velocity, fire;
    kiln_archetype body, burning; /* without and with fire */
    body_columns source;          /* what bodies are created from, touched */
    body_columns flat;            /* the baseline's */
    kiln_entity *handles;         /* `count`, in the order of creation */
    kiln_entity *shuffled;        /* the same in another order */
    uint32_t *order;              /* shuffled[i] = handles[order[i]] */
} bench_world;

/* Reads the number of bodies, and makes everything but what only some figures need: an empty world
 * whose pages have that advice, the source, and room for handles. Ends the process where it cannot:
 * a benchmark goes no further. */
void bench_world_init(bench_world *w, const char *count, baseline_advice advice);

/* A new world with the same components and archetypes in the place of the old one. */
void bench_world_renew(bench_world *w);

_Noreturn void bench_world_fail(kiln_status status);
/* Ends the process with a message, unless `status` is good. */
static inline void bench_world_expect(kiln_status status)
{
    if (status)
        bench_world_fail(status);
}

/* Creates all bodies from the source's columns; `archetype` is w->body or w->burning, whose fire is
 * zero. `ret_handles` may be NULL. */
void bench_world_fill(bench_world *w, kiln_archetype archetype, kiln_entity *ret_handles);
/* An empty world, then filled with bodies whose handles are kept. */
void bench_world_refill(bench_world *w, kiln_archetype archetype);
/* Fills `shuffled` from `handles`. */
void bench_world_shuffle(bench_world *w);

/* Whether all handles read as alive, or all as dead. */
bool bench_world_all_alive(const bench_world *w, bool alive);

/* Zeroed memory for `count` things; ends the process where there is none. */
void *bench_world_array(uint32_t count, size_t size);

/* The pair of both sides in nanoseconds a body. */
bench_pair bench_world_measure(bench_world *w, bench_side ours, bench_side baseline);

#endif
