/* What several threads may do at once to a world, for the thread sanitizer and for counting. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <kiln/batch.h>
#include <kiln/query.h>
#include <kiln/world.h>

enum { THREADS = 4, SHARED_BLOCKS = 3, INDICES = SHARED_BLOCKS * KILN_BLOCK_ENTITIES };

typedef struct scene {
    kiln_world *world;
    kiln_component position, light;
    kiln_archetype lit;          /* has both */
    atomic_uint owners[INDICES]; /* who has it: thread + 1, 0: nobody */
    atomic_uint wrong;           /* what a thread found that may not be */
    atomic_uint left;            /* threads that still work */
    atomic_ulong kept;           /* entities alive at the end */
    kiln_batch *batch;
    kiln_query *query;
    kiln_entity *entities; /* that lived before the threads began */
    uint32_t entity_count;
    atomic_uchar *ended; /* by entity of these: how often it was destroyed */
    atomic_uint next_part;
} scene;

typedef struct worker {
    scene *s;
    uint32_t number;
    uint64_t random;
} worker;

static uint32_t random_below(worker *w, uint32_t below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((w->random >> 32) * below >> 32);
}

static void expect(scene *s, bool is_so)
{
    if (!is_so)
        atomic_fetch_add(&s->wrong, 1);
}

static scene *begin(void)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    kiln_world_def def = kiln_world_def_default();
    def.max_blocks = SHARED_BLOCKS;
    def.max_mega_chunks = 4;
    def.keep_free = KILN_MEGA_SIZE;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &s->world));
    const kiln_component_def position = {"position", 0, 12, 4, NULL, NULL, 0, 0},
                             light = {"light", 0, 4, 4, NULL, NULL, 0, 0};
    assert_int_equal(KILN_OK, kiln_component_register(s->world, &position, &s->position));
    assert_int_equal(KILN_OK, kiln_component_register(s->world, &light, &s->light));
    const kiln_component both[] = {s->position, s->light};
    assert_int_equal(KILN_OK, kiln_archetype_of(s->world, both, 2, &s->lit));
    kiln_query_def query = {.all = both, .all_count = 2};
    assert_int_equal(KILN_OK, kiln_query_create(s->world, &query, &s->query));
    return s;
}

static void end(scene *s)
{
    assert_int_equal(0, atomic_load(&s->wrong));
    assert_true(kiln_world_is_valid(s->world));
    kiln_query_destroy(s->query);
    kiln_world_destroy(s->world);
    free(s->entities);
    free(s->ended);
    free(s);
}

typedef void *(*work)(void *worker);

/* Runs `works[i]`, or the last one, on thread i. */
static void run_threads(scene *s, const work *works, uint32_t work_count)
{
    pthread_t threads[THREADS];
    worker workers[THREADS];
    atomic_store(&s->left, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        worker w = {s, i, i * 77 + 1};
        workers[i] = w;
        work run = works[i < work_count ? i : work_count - 1];
        assert_int_equal(0, pthread_create(&threads[i], NULL, run, &workers[i]));
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static kiln_world_stats stats_of(const scene *s)
{
    kiln_world_stats stats;
    kiln_world_get_stats(s->world, &stats);
    return stats;
}

/* ---- ids ---- */

static void own(worker *w, kiln_entity entity)
{
    expect(w->s, (entity.version & 1) && entity.index < INDICES);
    expect(w->s, atomic_exchange(&w->s->owners[entity.index], w->number + 1) == 0);
    expect(w->s, kiln_entity_exists(w->s->world, entity));
    expect(w->s, kiln_entity_same(kiln_entity_at(w->s->world, entity.index), entity));
}

static void disown(worker *w, kiln_entity entity)
{
    expect(w->s, atomic_exchange(&w->s->owners[entity.index], 0) == w->number + 1);
    expect(w->s, kiln_entity_destroy(w->s->world, entity) == KILN_OK);
    expect(w->s, !kiln_entity_exists(w->s->world, entity));
    expect(w->s, kiln_entity_destroy(w->s->world, entity) == KILN_DEAD);
}

/* Creates and destroys bare entities, up to a few thousand at a time. */
static void *create_and_destroy(void *arg)
{
    enum { ROUNDS = 400, MOST = 4000, AT_ONCE = 150 };
    worker *w = arg;
    kiln_entity mine[MOST + AT_ONCE];
    uint32_t count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t more = 1 + random_below(w, AT_ONCE);
        kiln_status status =
            count < MOST ? kiln_entity_create_bare(w->s->world, more, mine + count) : KILN_LIMIT;
        expect(w->s, status == KILN_OK || status == KILN_LIMIT);
        for (uint32_t i = 0; i < more && !status; i++)
            own(w, mine[count++]);
        for (uint32_t less = random_below(w, AT_ONCE); less > 0 && count > 0; less--) {
            uint32_t at = random_below(w, count);
            disown(w, mine[at]);
            mine[at] = mine[--count];
        }
    }
    atomic_fetch_add(&w->s->kept, count);
    atomic_fetch_sub(&w->s->left, 1);
    return NULL;
}

static void each_id_is_handed_out_once(void **state)
{
    (void)state;
    scene *s = begin();
    const work works[] = {create_and_destroy};
    run_threads(s, works, 1);
    assert_int_equal(atomic_load(&s->kept), stats_of(s).live);
    assert_int_equal(atomic_load(&s->kept), stats_of(s).bare);
    assert_int_equal(INDICES, stats_of(s).live + stats_of(s).free +
                                  (uint64_t)(SHARED_BLOCKS - stats_of(s).blocks) * 8192);
    end(s);
}

static void *create_all(void *arg)
{
    worker *w = arg;
    kiln_entity entities[7];
    for (uint32_t count = 1; !kiln_entity_create_bare(w->s->world, count, entities);
         count = 1 + random_below(w, 7))
        for (uint32_t i = 0; i < count; i++)
            own(w, entities[i]);
    return NULL;
}

/* Threads may miss a place that another one holds at the moment, but none is lost. */
static void every_place_of_every_block_is_handed_out(void **state)
{
    (void)state;
    scene *s = begin();
    const work works[] = {create_all};
    run_threads(s, works, 1);
    worker last = {s, THREADS, 1};
    kiln_entity entity;
    kiln_status status;
    while (!(status = kiln_entity_create_bare(s->world, 1, &entity)))
        own(&last, entity);
    assert_int_equal(KILN_LIMIT, status);
    for (uint32_t i = 0; i < INDICES; i++)
        assert_true(atomic_load(&s->owners[i]) > 0);
    assert_int_equal(INDICES, stats_of(s).live);
    end(s);
}

/* Goes over everything: those that were there before are met in order, and none is left out. */
static void *look_at_everything(void *arg)
{
    worker *w = arg;
    do {
        uint32_t known = 0;
        kiln_entity entity = kiln_entity_next(w->s->world, 0);
        for (uint32_t least = 0; !kiln_entity_is_null(entity);) {
            expect(w->s, entity.index >= least && (entity.version & 1));
            if (known < w->s->entity_count && kiln_entity_same(entity, w->s->entities[known]))
                known++;
            least = entity.index + 1;
            entity = kiln_entity_next(w->s->world, least);
        }
        expect(w->s, known == w->s->entity_count);
        kiln_entity forged = {random_below(w, UINT32_MAX), random_below(w, UINT32_MAX) & ~1u};
        expect(w->s, !kiln_entity_exists(w->s->world, forged));
        kiln_entity_at(w->s->world, random_below(w, INDICES));
    } while (atomic_load(&w->s->left) > 1);
    return NULL;
}

static int compare_indices(const void *a, const void *b)
{
    const kiln_entity *first = a, *second = b;
    return (first->index > second->index) - (first->index < second->index);
}

static void make_entities(scene *s, uint32_t count)
{
    s->entity_count = count;
    s->entities = calloc(count, sizeof *s->entities);
    s->ended = calloc(count, sizeof *s->ended);
    assert_true(s->entities && s->ended);
    assert_int_equal(KILN_OK, kiln_entity_create_bare(s->world, count, s->entities));
    qsort(s->entities, count, sizeof *s->entities, compare_indices);
}

static void whoever_lives_all_the_while_is_met_by_each_iteration(void **state)
{
    (void)state;
    scene *s = begin();
    make_entities(s, 1000);
    const work works[] = {look_at_everything, create_and_destroy};
    run_threads(s, works, 2);
    assert_int_equal(atomic_load(&s->kept) + 1000, stats_of(s).live);
    end(s);
}

static void *count_everything(void *arg)
{
    worker *w = arg;
    do {
        kiln_world_stats stats;
        kiln_world_get_stats(w->s->world, &stats);
        expect(w->s, stats.blocks <= SHARED_BLOCKS && stats.live <= INDICES);
        expect(w->s, stats.chunks == 0 && stats.retired == 0);
    } while (atomic_load(&w->s->left) > 1);
    return NULL;
}

static void counting_goes_on_while_a_cleared_world_is_used_again(void **state)
{
    (void)state;
    scene *s = begin();
    make_entities(s, INDICES);
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    const work works[] = {count_everything, create_and_destroy};
    run_threads(s, works, 2);
    assert_int_equal(atomic_load(&s->kept), stats_of(s).live);
    for (uint32_t i = 0; i < INDICES; i++)
        assert_false(kiln_entity_exists(s->world, s->entities[i]));
    end(s);
}

static void *destroy_all_known(void *arg)
{
    worker *w = arg;
    for (uint32_t i = 0; i < w->s->entity_count; i++) {
        kiln_status status = kiln_entity_destroy(w->s->world, w->s->entities[i]);
        expect(w->s, status == KILN_OK || status == KILN_DEAD);
        if (status == KILN_OK)
            atomic_fetch_add(&w->s->ended[i], 1);
        /* The place may be taken by somebody new, whom the next ones do not hit. */
        kiln_entity entity;
        if (i % 8 == w->number && !kiln_entity_create_bare(w->s->world, 1, &entity))
            own(w, entity);
    }
    return NULL;
}

static void of_several_that_destroy_an_entity_one_does(void **state)
{
    (void)state;
    scene *s = begin();
    make_entities(s, 8000);
    const work works[] = {destroy_all_known};
    run_threads(s, works, 1);
    for (uint32_t i = 0; i < s->entity_count; i++)
        assert_int_equal(1, atomic_load(&s->ended[i]));
    uint32_t owned = 0;
    for (uint32_t i = 0; i < INDICES; i++)
        owned += atomic_load(&s->owners[i]) > 0;
    assert_int_equal(owned, stats_of(s).live);
    end(s);
}

/* ---- beside a changing thread ---- */

/* Rows come, change and go, and what they hold stays right. */
static void *change(void *arg)
{
    enum { ROUNDS = 3000, MOST = 600 };
    worker *w = arg;
    kiln_world *world = w->s->world;
    kiln_entity mine[MOST];
    uint32_t count = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (count < MOST && random_below(w, 3) > 0) {
            kiln_status status = kiln_entity_create(world, w->s->lit, &mine[count], NULL);
            expect(w->s, status == KILN_OK || status == KILN_LIMIT);
            if (status)
                continue;
            own(w, mine[count]);
            uint32_t *light = kiln_entity_write(world, mine[count], w->s->light);
            expect(w->s, light && *light == 0);
            if (light)
                *light = mine[count].index;
            count++;
        } else if (count > 0) {
            uint32_t at = random_below(w, count);
            const uint32_t *light = kiln_entity_read(world, mine[at], w->s->light);
            expect(w->s, light && *light == mine[at].index);
            expect(w->s, kiln_entity_remove(world, mine[at], w->s->position) == KILN_OK);
            disown(w, mine[at]);
            mine[at] = mine[--count];
        }
        kiln_world_mark(world);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *light = kiln_entity_read(world, mine[i], w->s->light);
        expect(w->s, light && *light == mine[i].index);
    }
    atomic_fetch_add(&w->s->kept, count);
    atomic_fetch_sub(&w->s->left, 1);
    return NULL;
}

/* Destroys bare entities, again and again with handles that are long dead. */
static void *destroy_stale(void *arg)
{
    enum { MOST = 64 };
    worker *w = arg;
    kiln_entity stale[MOST] = {{0, 0}};
    for (uint32_t round = 0; atomic_load(&w->s->left) > 2; round++) {
        kiln_entity *entity = &stale[round % MOST];
        expect(w->s, kiln_entity_destroy(w->s->world, *entity) == KILN_DEAD);
        if (kiln_entity_create_bare(w->s->world, 1, entity) == KILN_OK)
            expect(w->s, kiln_entity_destroy(w->s->world, *entity) == KILN_OK);
        if (round % 64 == 0)
            kiln_world_trim(w->s->world);
    }
    return NULL;
}

static void bare_ids_come_and_go_beside_a_changing_thread(void **state)
{
    (void)state;
    scene *s = begin();
    const work works[] = {change, destroy_stale, destroy_stale, create_and_destroy};
    run_threads(s, works, 4);
    assert_int_equal(atomic_load(&s->kept), stats_of(s).live);
    end(s);
}

/* ---- batches and walks ---- */

static void *fill_parts(void *arg)
{
    worker *w = arg;
    kiln_entity entities[2048];
    uint32_t parts = kiln_batch_part_count(w->s->batch);
    const uint32_t *values = (const uint32_t *)(const void *)w->s->entities;
    for (uint32_t i; (i = atomic_fetch_add(&w->s->next_part, 1)) < parts;) {
        kiln_batch_part part = kiln_batch_get_part(w->s->batch, i);
        float *position = kiln_row_at(part.first, w->s->position);
        for (uint32_t r = 0; r < 3 * part.count; r++)
            position[r] = (float)(part.start + r / 3);
        kiln_column_values light = {w->s->light, values};
        kiln_fill_def def = {&light, 1, false};
        expect(w->s, part.count <= 2048);
        expect(w->s, kiln_batch_fill(w->s->batch, i, &def, entities) == KILN_OK);
        for (uint32_t r = 0; r < part.count; r++)
            expect(w->s, kiln_entity_exists(w->s->world, entities[r]));
        for (uint32_t r = 0; r < part.count; r++)
            own(w, entities[r]);
    }
    return NULL;
}

static void parts_of_a_batch_are_filled_at_once(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    scene *s = begin();
    uint32_t *values = calloc(COUNT, sizeof *values);
    assert_non_null(values);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i;
    s->entities = (kiln_entity *)(void *)values;
    assert_int_equal(KILN_OK, kiln_batch_reserve(s->world, s->lit, COUNT, &s->batch));
    const work works[] = {fill_parts};
    run_threads(s, works, 1);
    assert_int_equal(0, kiln_query_rows(s->query));
    assert_int_equal(KILN_OK, kiln_batch_publish(s->batch));
    assert_int_equal(COUNT, kiln_query_rows(s->query));
    unsigned char *seen = calloc(COUNT, 1);
    assert_non_null(seen);
    for (kiln_walk walk = kiln_query_walk(s->query); kiln_walk_next(&walk);) {
        const float *position = kiln_walk_read(&walk, s->position);
        const uint32_t *light = kiln_walk_read(&walk, s->light);
        for (uint32_t i = 0; i < walk.count; i++) {
            assert_true(light[i] < COUNT && !seen[light[i]]++);
            assert_true(position[3 * i + 2] == (float)light[i]);
        }
    }
    free(seen);
    end(s);
}

static void *walk_part(void *arg)
{
    worker *w = arg;
    for (int round = 0; round < 20; round++) {
        kiln_walk walk = kiln_query_walk_part(w->s->query, w->number, THREADS);
        while (kiln_walk_next(&walk)) {
            uint32_t *light = kiln_walk_write(&walk, w->s->light);
            for (uint32_t i = 0; i < walk.count; i++)
                light[i]++;
        }
        expect(w->s, walk.status == KILN_OK);
        kiln_world_mark(w->s->world);
        /* Another column, of any chunk, is read meanwhile. */
        for (int i = 0; i < 50; i++) {
            uint32_t at = random_below(w, w->s->entity_count);
            const float *position =
                kiln_entity_read(w->s->world, w->s->entities[at], w->s->position);
            expect(w->s, position && position[0] == 0);
        }
    }
    return NULL;
}

static void parts_of_a_walk_write_at_once(void **state)
{
    (void)state;
    enum { COUNT = 15000 };
    scene *s = begin();
    s->entity_count = COUNT;
    s->entities = calloc(COUNT, sizeof *s->entities);
    assert_non_null(s->entities);
    kiln_create_def def = {.archetype = s->lit, .count = COUNT};
    assert_int_equal(KILN_OK, kiln_entity_create_many(s->world, &def, s->entities));
    const work works[] = {walk_part};
    run_threads(s, works, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(20,
                         *(const uint32_t *)kiln_entity_read(s->world, s->entities[i], s->light));
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_id_is_handed_out_once),
        cmocka_unit_test(every_place_of_every_block_is_handed_out),
        cmocka_unit_test(whoever_lives_all_the_while_is_met_by_each_iteration),
        cmocka_unit_test(counting_goes_on_while_a_cleared_world_is_used_again),
        cmocka_unit_test(of_several_that_destroy_an_entity_one_does),
        cmocka_unit_test(bare_ids_come_and_go_beside_a_changing_thread),
        cmocka_unit_test(parts_of_a_batch_are_filled_at_once),
        cmocka_unit_test(parts_of_a_walk_write_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
