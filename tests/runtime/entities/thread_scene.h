/* A world used by several threads. Threads only count errors, because only the thread that runs a
 * test may fail it. */
#ifndef THREAD_SCENE_H
#define THREAD_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <kiln/batch.h>
#include <kiln/query.h>
#include <kiln/reader.h>
#include <kiln/world.h>

enum { THREADS = 4, SHARED_BLOCKS = 3, INDICES = SHARED_BLOCKS * KILN_BLOCK_ENTITIES };

typedef struct scene {
    kiln_world *world;
    kiln_component position, light; /* 12 and 4 bytes */
    kiln_archetype lit;             /* has both */
    kiln_query *query;              /* for both */
    atomic_uint owners[INDICES];    /* owning thread plus 1; 0 for none */
    atomic_uint wrong;              /* number of errors that threads found */
    atomic_uint entered;
    atomic_uint left;  /* threads still working, if they report their end */
    atomic_ulong kept; /* entities alive at the end */
    kiln_batch *batch;
    atomic_uint next_part;
    kiln_entity *entities; /* created before the threads start */
    uint32_t entity_count;
    atomic_uchar *ended; /* how often each of these entities was destroyed */
    uint32_t *values;
} scene;

typedef void *(*scene_work)(void *worker);

typedef struct worker {
    scene *s;
    uint32_t number;
    uint64_t random;
    scene_work run;
} worker;

scene *scene_begin(void);
/* Fails if any thread found an error, and frees everything. */
void scene_end(scene *s);
kiln_world_stats scene_stats(const scene *s);

/* Runs `works[i]`, or the last one, on thread i. All threads start at the same moment. */
void scene_run(scene *s, const scene_work *works, uint32_t work_count);

uint32_t scene_random(worker *w, uint32_t below);
void scene_expect(scene *s, bool is_so);
/* Checks that the entity is new and has no other owner. */
void scene_own(worker *w, kiln_entity entity);
/* Destroys an entity of this thread. */
void scene_disown(worker *w, kiln_entity entity);

#endif
