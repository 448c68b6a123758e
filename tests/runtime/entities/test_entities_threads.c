/* Concurrent operations of several threads on the ids of a world, also while one thread changes it.
 * For the thread sanitizer and for counting. */
#include "thread_scene.h"

#include <pthread.h>
#include <string.h>

/* Creates and destroys empty entities, up to a few thousand at a time. */
static void *create_and_destroy(void *arg)
{
    enum { ROUNDS = 800, MOST = 4000, AT_ONCE = 150 };
    worker *w = arg;
    kiln_entity mine[MOST + AT_ONCE];
    uint32_t count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t more = 1 + scene_random(w, AT_ONCE);
        kiln_status status =
            count < MOST ? kiln_entity_create_empty(w->s->world, more, mine + count) : KILN_LIMIT;
        scene_expect(w->s, status == KILN_OK || status == KILN_LIMIT);
        for (uint32_t i = 0; i < more && !status; i++)
            scene_own(w, mine[count++]);
        for (uint32_t less = scene_random(w, AT_ONCE); less > 0 && count > 0; less--) {
            uint32_t at = scene_random(w, count);
            scene_disown(w, mine[at]);
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
    scene *s = scene_begin();
    const scene_work works[] = {create_and_destroy};
    scene_run(s, works, 1);
    assert_int_equal(atomic_load(&s->kept), scene_stats(s).live);
    assert_int_equal(atomic_load(&s->kept), scene_stats(s).empty);
    assert_int_equal(INDICES, scene_stats(s).live + scene_stats(s).free +
                                  (uint64_t)(SHARED_BLOCKS - scene_stats(s).blocks) * 8192);
    scene_end(s);
}

static void *create_all(void *arg)
{
    worker *w = arg;
    kiln_entity entities[7];
    for (uint32_t count = 1; !kiln_entity_create_empty(w->s->world, count, entities);
         count = 1 + scene_random(w, 7))
        for (uint32_t i = 0; i < count; i++)
            scene_own(w, entities[i]);
    return NULL;
}

/* A thread may temporarily miss an index that another one is using, but none is lost. */
static void every_id_of_every_block_is_handed_out(void **state)
{
    (void)state;
    scene *s = scene_begin();
    const scene_work works[] = {create_all};
    scene_run(s, works, 1);
    worker last = {s, THREADS, 1, NULL};
    kiln_entity entity;
    kiln_status status;
    while (!(status = kiln_entity_create_empty(s->world, 1, &entity)))
        scene_own(&last, entity);
    assert_int_equal(KILN_LIMIT, status);
    for (uint32_t i = 0; i < INDICES; i++)
        assert_true(atomic_load(&s->owners[i]) > 0);
    assert_int_equal(INDICES, scene_stats(s).live);
    scene_end(s);
}

/* Iterates over everything: entities that existed before are visited in order, and none is skipped.
 */
static void *look_at_everything(void *arg)
{
    worker *w = arg;
    do {
        uint32_t known = 0;
        kiln_entity entity = kiln_entity_next(w->s->world, 0);
        for (uint32_t least = 0; !kiln_entity_is_null(entity);) {
            scene_expect(w->s, entity.index >= least && (entity.version & 1));
            if (known < w->s->entity_count && kiln_entity_same(entity, w->s->entities[known]))
                known++;
            least = entity.index + 1;
            entity = kiln_entity_next(w->s->world, least);
        }
        scene_expect(w->s, known == w->s->entity_count);
        kiln_entity forged = {scene_random(w, UINT32_MAX), scene_random(w, UINT32_MAX) & ~1u};
        scene_expect(w->s, !kiln_entity_exists(w->s->world, forged));
        kiln_entity_at(w->s->world, scene_random(w, INDICES));
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
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s->world, count, s->entities));
    qsort(s->entities, count, sizeof *s->entities, compare_indices);
}

static void each_iteration_visits_entities_that_stay_alive(void **state)
{
    (void)state;
    scene *s = scene_begin();
    make_entities(s, 1000);
    const scene_work works[] = {look_at_everything, create_and_destroy};
    scene_run(s, works, 2);
    assert_int_equal(atomic_load(&s->kept) + 1000, scene_stats(s).live);
    scene_end(s);
}

static void *count_everything(void *arg)
{
    worker *w = arg;
    do {
        kiln_world_stats stats;
        kiln_world_get_stats(w->s->world, &stats);
        scene_expect(w->s, stats.blocks <= SHARED_BLOCKS && stats.live <= INDICES);
        scene_expect(w->s, stats.chunks == 0 && stats.retired == 0);
    } while (atomic_load(&w->s->left) > 1);
    return NULL;
}

static void entities_are_counted_while_a_cleared_world_is_reused(void **state)
{
    (void)state;
    scene *s = scene_begin();
    make_entities(s, INDICES);
    assert_int_equal(KILN_OK, kiln_world_clear(s->world));
    const scene_work works[] = {count_everything, create_and_destroy};
    scene_run(s, works, 2);
    assert_int_equal(atomic_load(&s->kept), scene_stats(s).live);
    for (uint32_t i = 0; i < INDICES; i++)
        assert_false(kiln_entity_exists(s->world, s->entities[i]));
    scene_end(s);
}

static void *destroy_all_known(void *arg)
{
    worker *w = arg;
    for (uint32_t i = 0; i < w->s->entity_count; i++) {
        kiln_status status = kiln_entity_destroy(w->s->world, w->s->entities[i]);
        scene_expect(w->s, status == KILN_OK || status == KILN_DEAD);
        if (status == KILN_OK)
            atomic_fetch_add(&w->s->ended[i], 1);
        /* A new entity may take the index, and the next operations must not affect it. */
        kiln_entity entity;
        if (i % 8 == w->number && !kiln_entity_create_empty(w->s->world, 1, &entity))
            scene_own(w, entity);
    }
    return NULL;
}

static void one_of_several_destructions_of_an_entity_succeeds(void **state)
{
    (void)state;
    scene *s = scene_begin();
    make_entities(s, 8000);
    const scene_work works[] = {destroy_all_known};
    scene_run(s, works, 1);
    for (uint32_t i = 0; i < s->entity_count; i++)
        assert_int_equal(1, atomic_load(&s->ended[i]));
    uint32_t owned = 0;
    for (uint32_t i = 0; i < INDICES; i++)
        owned += atomic_load(&s->owners[i]) > 0;
    assert_int_equal(owned, scene_stats(s).live);
    scene_end(s);
}

/* ---- concurrently with a changing thread ---- */

/* Rows are created, changed and destroyed, and their values stay right. */
static void *change(void *arg)
{
    enum { ROUNDS = 3000, MOST = 600 };
    worker *w = arg;
    kiln_world *world = w->s->world;
    kiln_entity mine[MOST];
    uint32_t count = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (count < MOST && scene_random(w, 3) > 0) {
            kiln_status status = kiln_entity_create(world, w->s->lit, &mine[count], NULL);
            scene_expect(w->s, status == KILN_OK || status == KILN_LIMIT);
            if (status)
                continue;
            scene_own(w, mine[count]);
            uint32_t *light = kiln_entity_write(world, mine[count], w->s->light);
            scene_expect(w->s, light && *light == 0);
            if (light)
                *light = mine[count].index;
            count++;
        } else if (count > 0) {
            uint32_t at = scene_random(w, count);
            const uint32_t *light = kiln_entity_read(world, mine[at], w->s->light);
            scene_expect(w->s, light && *light == mine[at].index);
            scene_expect(w->s, kiln_entity_remove(world, mine[at], w->s->position) == KILN_OK);
            scene_disown(w, mine[at]);
            mine[at] = mine[--count];
        }
        kiln_world_tick(world);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *light = kiln_entity_read(world, mine[i], w->s->light);
        scene_expect(w->s, light && *light == mine[i].index);
    }
    atomic_fetch_add(&w->s->kept, count);
    atomic_fetch_sub(&w->s->left, 1);
    return NULL;
}

/* Destroys empty entities, repeatedly with handles that have long been dead. */
static void *destroy_stale(void *arg)
{
    enum { MOST = 64 };
    worker *w = arg;
    kiln_entity stale[MOST] = {{0, 0}};
    for (uint32_t round = 0; atomic_load(&w->s->left) > 2; round++) {
        kiln_entity *entity = &stale[round % MOST];
        scene_expect(w->s, kiln_entity_destroy(w->s->world, *entity) == KILN_DEAD);
        if (kiln_entity_create_empty(w->s->world, 1, entity) == KILN_OK)
            scene_expect(w->s, kiln_entity_destroy(w->s->world, *entity) == KILN_OK);
        if (round % 64 == 0)
            kiln_world_trim(w->s->world);
    }
    return NULL;
}

static void empty_entities_change_while_another_thread_changes_rows(void **state)
{
    (void)state;
    scene *s = scene_begin();
    const scene_work works[] = {change, destroy_stale, destroy_stale, create_and_destroy};
    scene_run(s, works, 4);
    assert_int_equal(atomic_load(&s->kept), scene_stats(s).live);
    scene_end(s);
}

/* ---- pages from the program ---- */

static void *map_by_hand(void *ctx, size_t size, size_t align, bool huge)
{
    (void)ctx, (void)huge;
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);
    return memory ? memset(memory, 0, size) : NULL;
}

static void unmap_by_hand(void *ctx, void *memory, size_t size)
{
    (void)ctx, (void)size;
    free(memory);
}

static void discard_nothing(void *ctx, void *memory, size_t size)
{
    (void)ctx, (void)memory, (void)size;
}

enum { HAND_BLOCKS = 8, HAND_ENTITIES = HAND_BLOCKS * KILN_BLOCK_ENTITIES };

typedef struct by_hand {
    kiln_world *world;
    atomic_uint is_over, wrong;
} by_hand;

static void *create_by_hand(void *arg)
{
    by_hand *h = arg;
    kiln_entity entities[64];
    for (uint32_t i = 0; i < HAND_ENTITIES / 64; i++)
        atomic_fetch_or(&h->wrong, kiln_entity_create_empty(h->world, 64, entities) != KILN_OK);
    atomic_store(&h->is_over, 1);
    return NULL;
}

/* Blocks are added while handles are guessed that no call has returned. */
static void new_blocks_are_complete_for_every_reader(void **state)
{
    (void)state;
    by_hand h = {NULL, 0, 0};
    const kiln_page_source pages = {
        .map = map_by_hand, .unmap = unmap_by_hand, .discard = discard_nothing};
    kiln_world_def def = kiln_world_def_default();
    def.pages = &pages;
    def.max_blocks = HAND_BLOCKS;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &h.world));
    kiln_component nowhere;
    const kiln_component_desc tag = KILN_TAG(nowhere);
    kiln_reader reader;
    assert_int_equal(KILN_OK, kiln_component_register(h.world, &tag, &nowhere));
    assert_int_equal(KILN_OK, kiln_reader_init(h.world, nowhere, &reader));
    pthread_t thread;
    assert_int_equal(0, pthread_create(&thread, NULL, create_by_hand, &h));
    uint32_t alive = 0;
    for (bool is_over = false; !is_over;) {
        is_over = atomic_load(&h.is_over);
        alive = 0;
        for (uint32_t i = 1; i <= HAND_BLOCKS; i++) {
            kiln_entity last = {i * KILN_BLOCK_ENTITIES - 1, 1};
            assert_null(kiln_entity_read(h.world, last, nowhere));
            assert_null(kiln_reader_read(&reader, last));
            alive += kiln_entity_exists(h.world, last);
        }
    }
    pthread_join(thread, NULL);
    assert_int_equal(0, atomic_load(&h.wrong));
    assert_int_equal(HAND_BLOCKS, alive);
    kiln_world_destroy(h.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_id_is_handed_out_once),
        cmocka_unit_test(every_id_of_every_block_is_handed_out),
        cmocka_unit_test(each_iteration_visits_entities_that_stay_alive),
        cmocka_unit_test(entities_are_counted_while_a_cleared_world_is_reused),
        cmocka_unit_test(one_of_several_destructions_of_an_entity_succeeds),
        cmocka_unit_test(empty_entities_change_while_another_thread_changes_rows),
        cmocka_unit_test(new_blocks_are_complete_for_every_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
