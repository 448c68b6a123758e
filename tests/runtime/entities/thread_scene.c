#include "thread_scene.h"

#include <pthread.h>
#include <sched.h>

uint32_t scene_random(worker *w, uint32_t below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((w->random >> 32) * below >> 32);
}

void scene_expect(scene *s, bool is_so)
{
    if (!is_so)
        atomic_fetch_add(&s->wrong, 1);
}

scene *scene_begin(void)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    kiln_world_def def = kiln_world_def_default();
    def.max_blocks = SHARED_BLOCKS;
    def.max_mega_chunks = 4;
    def.max_free_bytes = KILN_MEGA_SIZE;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &s->world));
    const kiln_component_desc position = {"position", 0, 12, 4, NULL, NULL, 0, 0},
                              light = {"light", 0, 4, 4, NULL, NULL, 0, 0};
    assert_int_equal(KILN_OK, kiln_component_register(s->world, &position, &s->position));
    assert_int_equal(KILN_OK, kiln_component_register(s->world, &light, &s->light));
    const kiln_component both[] = {s->position, s->light};
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, both, 2, &s->lit));
    const kiln_query_term query[] = {{both[0], KILN_TERM_WITH}, {both[1], KILN_TERM_WITH}};
    assert_int_equal(KILN_OK, kiln_query_create(s->world, query, 2, &s->query));
    return s;
}

void scene_end(scene *s)
{
    assert_int_equal(0, atomic_load(&s->wrong));
    assert_true(kiln_world_is_valid(s->world));
    kiln_query_destroy(s->query);
    kiln_world_destroy(s->world);
    free(s->entities);
    free(s->ended);
    free(s->values);
    free(s);
}

static void *enter(void *arg)
{
    worker *w = arg;
    atomic_fetch_add(&w->s->entered, 1);
    while (atomic_load(&w->s->entered) < THREADS)
        sched_yield();
    return w->run(w);
}

void scene_run(scene *s, const scene_work *works, uint32_t work_count)
{
    pthread_t threads[THREADS];
    worker workers[THREADS];
    atomic_store(&s->left, THREADS);
    atomic_store(&s->entered, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        worker w = {s, i, i * 77 + 1, works[i < work_count ? i : work_count - 1]};
        workers[i] = w;
        assert_int_equal(0, pthread_create(&threads[i], NULL, enter, &workers[i]));
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

kiln_world_stats scene_stats(const scene *s)
{
    kiln_world_stats stats;
    kiln_world_get_stats(s->world, &stats);
    return stats;
}

void scene_own(worker *w, kiln_entity entity)
{
    scene_expect(w->s, (entity.version & 1) && entity.index < INDICES);
    scene_expect(w->s, atomic_exchange(&w->s->owners[entity.index], w->number + 1) == 0);
    scene_expect(w->s, kiln_entity_exists(w->s->world, entity));
    scene_expect(w->s, kiln_entity_same(kiln_entity_at(w->s->world, entity.index), entity));
}

void scene_disown(worker *w, kiln_entity entity)
{
    scene_expect(w->s, atomic_exchange(&w->s->owners[entity.index], 0) == w->number + 1);
    scene_expect(w->s, kiln_entity_destroy(w->s->world, entity) == KILN_OK);
    scene_expect(w->s, !kiln_entity_exists(w->s->world, entity));
    scene_expect(w->s, kiln_entity_destroy(w->s->world, entity) == KILN_DEAD);
}
