/* Stores to components after write access ended. This file is compiled twice. With KILN_VALIDATE,
 * which also changes a part of the collector, such stores are detected; without it, they are
 * not. */
#include "asset_fixture.h"

#include <kiln/collector.h>
#include <stdio.h>
#include <string.h>

#if defined(KILN_VALIDATE)
enum { VALIDATES = 1 };
#else
enum { VALIDATES = 0 };
#endif

typedef struct holder {
    KILN_ALIGNAS(8) uint64_t number;
    KILN_ALIGNAS(8) kiln_ref asset;
} holder;

typedef struct plain {
    uint32_t number;
} plain;

static const uint32_t holder_places[] = {offsetof(holder, asset)};
enum { ENTITIES = 3000 };

typedef struct program {
    scene s;
    kiln_collector *collector;
    kiln_world *world;
    kiln_component holder, plain;
    kiln_archetype archetype;
    kiln_entity entities[ENTITIES];
    holder *late; /* of entity 2000, from before the last safe point */
    plain *late_plain;
} program;

static kiln_status step(program *p)
{
    return kiln_collector_step(p->collector, UINT64_MAX, NULL);
}

static void begin(program *p)
{
    const kiln_component_desc plain_desc = KILN_COMPONENT(plain);
    kiln_component_desc desc = KILN_COMPONENT(holder);
    desc.asset_places = holder_places;
    desc.asset_count = 1;
    memset(p, 0, sizeof *p);
    scene_begin(&p->s);
    scene_mount(&p->s, SCENE_FILE({"A/a", 1, NULL, SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
    kiln_world_def world = world_memory_def(&p->s.memory);
    EXPECT_STATUS(KILN_OK, kiln_world_create(&world, &p->world));
    EXPECT_STATUS(KILN_OK, kiln_component_register(p->world, &desc, &p->holder));
    EXPECT_STATUS(KILN_OK, kiln_component_register(p->world, &plain_desc, &p->plain));
    const kiln_component both[] = {p->holder, p->plain};
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(p->world, both, 2, &p->archetype));
    const kiln_create_args args = {.archetype = p->archetype, .count = ENTITIES};
    EXPECT_STATUS(KILN_OK, kiln_entity_create_many(p->world, &args, p->entities));
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = p->s.assets;
    def.allocator = &p->s.memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &p->collector, NULL));
    EXPECT_STATUS(KILN_OK, kiln_collector_add_world(p->collector, p->world));
    p->late = kiln_entity_write(p->world, p->entities[2000], p->holder);
    p->late_plain = kiln_entity_write(p->world, p->entities[2000], p->plain);
    p->late->number = 1;
    EXPECT_STATUS(KILN_OK, step(p));
}

static void end(program *p)
{
    kiln_collector_destroy(p->collector);
    kiln_world_destroy(p->world);
    scene_end(&p->s);
}

/* ---- what happens between two safe points ---- */

static void do_nothing(program *p)
{
    (void)p;
}
static void store_late(program *p)
{
    p->late->number++;
}
static void store_late_in_named(program *p)
{
    EXPECT_STATUS(KILN_OK, kiln_entity_set_name(p->world, p->entities[2000], "boss"));
    p->late->number++;
}
static void store_late_in_chunk_with_new_rows(program *p)
{
    kiln_entity entity;
    EXPECT_STATUS(KILN_OK, kiln_entity_create(p->world, p->archetype, &entity, NULL));
    p->late->number++;
}
static void store_same_bytes(program *p)
{
    p->late->number = 1;
}
static void store_with_new_access(program *p)
{
    holder *now = kiln_entity_write(p->world, p->entities[2000], p->holder);
    now->number++;
}
static void store_with_access_to_a_neighbour(program *p)
{
    kiln_entity_write(p->world, p->entities[2001], p->holder);
    p->late->number++;
}
static void store_with_access_to_another_component(program *p)
{
    kiln_entity_write(p->world, p->entities[2000], p->plain);
    p->late->number++;
}
static void store_without_words(program *p)
{
    p->late_plain->number++;
}
static void destroy_others(program *p)
{
    assert_int_equal(500, kiln_entity_destroy_many(p->world, p->entities, 500));
}
static void change_archetype(program *p)
{
    EXPECT_STATUS(KILN_OK, kiln_archetype_remove(p->world, p->archetype, p->plain));
}
static void clear_world(program *p)
{
    EXPECT_STATUS(KILN_OK, kiln_world_clear(p->world));
}
static void remove_world(program *p)
{
    kiln_collector_remove_world(p->collector, p->world);
    p->late->number++;
}

static const struct stored {
    const char *name;
    void (*act)(program *p);
    bool is_late;
    const char *ending; /* of the path */
} rows[] = {
    {"nothing", do_nothing, false, NULL},
    {"a late store", store_late, true, "2000"},
    {"a late store to a named entity", store_late_in_named, true, "2000, boss"},
    {"a late store, and a new row elsewhere", store_late_in_chunk_with_new_rows, true, "2000"},
    {"the same bytes", store_same_bytes, false, NULL},
    {"a store with new access", store_with_new_access, false, NULL},
    /* Ticks are recorded for whole columns of chunks. */
    {"a store with access to a neighbour", store_with_access_to_a_neighbour, false, NULL},
    {"access to another component", store_with_access_to_another_component, true, "2000"},
    {"a component without words", store_without_words, false, NULL},
    {"other entities are destroyed", destroy_others, false, NULL},
    {"another archetype", change_archetype, false, NULL},
    {"the world is cleared", clear_world, false, NULL},
    {"the world is removed", remove_world, false, NULL},
};

static void late_stores_are_reported_in_validating_builds(void **state)
{
    (void)state;
    static program p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_error error = {0};
        bool is_late = rows[i].is_late && VALIDATES;
        begin(&p);
        rows[i].act(&p);
        kiln_status status = step(&p);
        kiln_collector_get_late_store(p.collector, &error);
        if (status != (is_late ? KILN_LATE_STORE : KILN_OK))
            fail_msg("%s: %s: %s", rows[i].name, kiln_status_name(status), error.path);
        assert_int_equal(is_late ? KILN_LATE_STORE : KILN_OK, error.status);
        if (is_late) {
            char path[KILN_PATH_SIZE];
            snprintf(path, sizeof path, "component holder of entity %s", rows[i].ending);
            assert_string_equal(path, error.path);
        }
        /* The store is reported once. */
        EXPECT_STATUS(KILN_OK, step(&p));
        EXPECT_STATUS(KILN_OK, kiln_collector_run(p.collector));
        end(&p);
    }
}

/* The word that is stored late is the only one that refers to its asset. */
static void a_late_store_ends_the_cycle(void **state)
{
    (void)state;
    static program p;
    begin(&p);
    kiln_ref strong = scene_load(&p.s, "A/a");
    kiln_collector_start(p.collector);
    EXPECT_STATUS(KILN_OK, kiln_collector_step(p.collector, 0, NULL));
    p.late->asset = strong;
    scene_clear(&p.s, &strong);
    kiln_collector_state now = KILN_COLLECTOR_MARKING;
    kiln_status status = kiln_collector_step(p.collector, UINT64_MAX, &now);
    EXPECT_STATUS(VALIDATES ? KILN_LATE_STORE : KILN_OK, status);
    assert_int_equal(KILN_COLLECTOR_IDLE, now);
    if (VALIDATES)
        assert_int_equal(1, scene_stats(&p.s).loaded);
    p.late->asset = (kiln_ref){0};
    kiln_entity_write(p.world, p.entities[2000], p.holder);
    end(&p);
}

static void running_out_of_memory_is_not_a_late_store(void **state)
{
    (void)state;
    static program p;
    begin(&p);
    for (size_t fail_at = 1, failed = 1; failed; fail_at++) {
        p.s.memory.failed = 0;
        p.s.memory.fail_at = p.s.memory.calls + fail_at;
        kiln_status status = step(&p);
        p.s.memory.fail_at = 0;
        failed = p.s.memory.failed;
        if (status != KILN_NO_MEMORY)
            EXPECT_STATUS(KILN_OK, status);
    }
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_stores_are_reported_in_validating_builds),
        cmocka_unit_test(a_late_store_ends_the_cycle),
        cmocka_unit_test(running_out_of_memory_is_not_a_late_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
