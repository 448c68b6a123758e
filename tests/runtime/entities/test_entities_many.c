/* Very many entities, each created and destroyed once, with checks of counts and memory. The suite
 * runs a million. To run a hundred million, which needs about 3 GB:
 *
 *  build/tests/runtime/test_entities_many 100000000 */
#define _DEFAULT_SOURCE /* getrusage */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include <kiln/query.h>
#include <kiln/world.h>

enum { AT_ONCE = 1 << 18 };

static uint32_t total = 1000000;
static kiln_entity entities[AT_ONCE];

static kiln_world *begin(void)
{
    kiln_world *world = NULL;
    kiln_world_def def = kiln_world_def_default();
    assert_int_equal(KILN_OK, kiln_world_create(&def, &world));
    return world;
}

static uint32_t portion(uint32_t done)
{
    return total - done < AT_ONCE ? total - done : AT_ONCE;
}

/* Exactly the blocks needed for this many entities. */
static void check_counts(const kiln_world *world, uint64_t live, uint64_t bare, uint32_t most)
{
    kiln_world_stats stats;
    kiln_world_get_stats(world, &stats);
    assert_int_equal(live, stats.live);
    assert_int_equal(bare, stats.empty);
    assert_int_equal(0, stats.retired);
    assert_int_equal((most + KILN_BLOCK_ENTITIES - 1) / KILN_BLOCK_ENTITIES, stats.blocks);
    assert_int_equal((uint64_t)stats.blocks * KILN_BLOCK_ENTITIES, stats.live + stats.free);
    assert_int_equal((uint64_t)stats.blocks * KILN_BLOCK_ENTITIES * 16, stats.block_bytes);
}

static void finish(kiln_world *world)
{
    kiln_world_stats stats;
    kiln_world_get_stats(world, &stats);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    print_message("%u entities; %u blocks, %llu MiB of records; %u mega chunks; peak %ld MiB\n",
                  total, stats.blocks, (unsigned long long)stats.block_bytes >> 20,
                  stats.mega_chunks, usage.ru_maxrss / 1024);
    assert_true(kiln_world_is_valid(world));
    kiln_world_destroy(world);
}

static void entities_created_and_destroyed_alternately_need_few_blocks(void **state)
{
    (void)state;
    kiln_world *world = begin();
    for (uint32_t done = 0; done < total; done += portion(done)) {
        uint32_t count = portion(done);
        assert_int_equal(KILN_OK, kiln_entity_create_empty(world, count, entities));
        for (uint32_t i = 0; i < count; i++)
            if (kiln_entity_destroy(world, entities[i]))
                fail_msg("entity %u is not alive", i);
    }
    check_counts(world, 0, 0, total < AT_ONCE ? total : AT_ONCE);
    finish(world);
}

static void many_entities_exist_together_and_are_destroyed_one_by_one(void **state)
{
    (void)state;
    kiln_world *world = begin();
    uint64_t sum = 0;
    for (uint32_t done = 0; done < total; done += portion(done)) {
        uint32_t count = portion(done);
        assert_int_equal(KILN_OK, kiln_entity_create_empty(world, count, entities));
        for (uint32_t i = 0; i < count; i++)
            sum += entities[i].index;
    }
    check_counts(world, total, total, total);
    for (kiln_entity entity = kiln_entity_next(world, 0); !kiln_entity_is_null(entity);
         entity = kiln_entity_next(world, entity.index + 1)) {
        sum -= entity.index;
        if (kiln_entity_destroy(world, entity))
            fail_msg("entity %u is not alive", entity.index);
    }
    assert_int_equal(0, sum);
    check_counts(world, 0, 0, total);
    finish(world);
}

typedef struct counted {
    uint64_t number;
} counted;

static void create_rows(kiln_world *world, kiln_archetype archetype, kiln_component component)
{
    static uint64_t values[AT_ONCE];
    for (uint32_t done = 0; done < total; done += portion(done)) {
        for (uint32_t i = 0; i < portion(done); i++)
            values[i] = done + i;
        kiln_column_values column = {component, values};
        kiln_create_args args = {archetype, portion(done), &column, 1};
        assert_int_equal(KILN_OK, kiln_entity_create_many(world, &args, entities));
    }
    check_counts(world, total, 0, total);
}

static void check_rows(kiln_world *world, kiln_component component)
{
    kiln_query *query = NULL;
    const kiln_query_term def = {component, KILN_TERM_WITH};
    assert_int_equal(KILN_OK, kiln_query_create(world, &def, 1, &query));
    assert_int_equal(total, kiln_query_rows(query));
    uint64_t sum = 0;
    for (kiln_iterator walk = kiln_query_iterate(query); kiln_iterator_next(&walk);) {
        const counted *values = kiln_iterator_read(&walk, component);
        for (uint32_t i = 0; i < walk.count; i++)
            sum += values[i].number;
    }
    assert_int_equal((uint64_t)total * (total - 1) / 2, sum);
    kiln_query_destroy(query);
}

static void many_rows_live_together_and_die_at_once(void **state)
{
    (void)state;
    kiln_world *world = begin();
    const kiln_component_desc desc = KILN_COMPONENT(counted);
    kiln_component component;
    kiln_archetype archetype;
    kiln_archetype_info info;
    assert_int_equal(KILN_OK, kiln_component_register(world, &desc, &component));
    assert_int_equal(KILN_OK, kiln_archetype_register(world, &component, 1, &archetype));
    for (int round = 0; round < 2; round++) {
        create_rows(world, archetype, component);
        assert_true(kiln_archetype_get(world, archetype, &info));
        assert_int_equal(total, info.rows);
        assert_int_equal((total + info.rows_per_chunk - 1) / info.rows_per_chunk, info.chunks);
        check_rows(world, component);
        if (round == 0)
            assert_int_equal(KILN_OK, kiln_archetype_clear(world, archetype));
        else
            assert_int_equal(KILN_OK, kiln_world_clear(world));
        check_counts(world, 0, 0, total);
        assert_false(kiln_entity_exists(world, entities[0]));
    }
    finish(world);
}

/* Pages of the process's address space; 0 if unknown. */
static long mapped_pages(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages;
}

static void sizes_that_are_not_whole_pages_are_released_completely(void **state)
{
    (void)state;
    enum { ROUNDS = 2000 };
    kiln_page_source pages = kiln_page_source_default();
    long before = mapped_pages();
    for (int round = 0; round < ROUNDS; round++) {
        void *memory = pages.map(pages.ctx, 4097, 4096, false);
        assert_non_null(memory);
        pages.unmap(pages.ctx, memory, 4097);
    }
    assert_true(mapped_pages() - before < ROUNDS / 2);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        total = (uint32_t)strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entities_created_and_destroyed_alternately_need_few_blocks),
        cmocka_unit_test(many_entities_exist_together_and_are_destroyed_one_by_one),
        cmocka_unit_test(many_rows_live_together_and_die_at_once),
        cmocka_unit_test(sizes_that_are_not_whole_pages_are_released_completely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
