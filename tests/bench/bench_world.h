/* The world that the entity figures measure: bodies with three components, 36 bytes, and the
 * columns that they are created from. */
#ifndef BENCH_WORLD_H
#define BENCH_WORLD_H

#include "baselines_entities.h"
#include "bench_span.h"

#include <kiln/query.h>
#include <kiln/world.h>

/* The objects of one measurement. A probe has one and passes it to both sides as their context. A
 * probe that needs more embeds this struct as the first member of its own. */
typedef struct bench_world {
    uint32_t count; /* number of bodies */
    baseline_advice advice;
    bool keeps_pages; /* use bench_pages_kept for the next world */
    kiln_world *world;
    kiln_component position, rotation, velocity, fire;
    kiln_archetype body, burning; /* without and with fire */
    body_columns source;   /* bodies are created from these columns, whose pages are touched */
    body_columns flat;     /* the columns of the baseline */
    kiln_entity *handles;  /* `count` handles in creation order */
    kiln_entity *shuffled; /* the same handles in random order */
    uint32_t *order;       /* shuffled[i] = handles[order[i]] */
} bench_world;

/* Parses the number of bodies and prepares what every figure needs: an empty world with this page
 * advice, the source columns and room for handles. Exits the process on failure. */
void bench_world_init(bench_world *w, const char *count, baseline_advice advice);

/* Replaces the world with a new one with the same components and archetypes. */
void bench_world_renew(bench_world *w);

_Noreturn void bench_world_fail(kiln_status status);
/* Exits the process with a message unless `status` is KILN_OK. */
static inline void bench_world_expect(kiln_status status)
{
    if (status)
        bench_world_fail(status);
}

/* Creates all bodies from the source columns. `archetype` is w->body or w->burning; fire is zero.
 * `ret_handles` may be NULL. */
void bench_world_fill(bench_world *w, kiln_archetype archetype, kiln_entity *ret_handles);
/* Clears the world, fills it with bodies, and stores their handles in `handles`. */
void bench_world_refill(bench_world *w, kiln_archetype archetype);
/* Fills `shuffled` from `handles`. */
void bench_world_shuffle(bench_world *w);

/* Returns whether all handles are alive, or, if `alive` is false, all are dead. */
bool bench_world_all_alive(const bench_world *w, bool alive);

/* Returns zeroed memory for `count` elements. Exits the process if memory runs out. */
void *bench_world_array(uint32_t count, size_t size);

/* Measures both sides in nanoseconds per body. */
bench_pair bench_world_measure(bench_world *w, bench_side ours, bench_side baseline);

#endif
