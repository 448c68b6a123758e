#include "commands_fixture.h"

#include <string.h>

static const uint32_t link_places[] = {offsetof(fix_link, to), offsetof(fix_link, from)};

static const kiln_component_desc defs[FIX_COMPONENTS] = {
    [FIX_SPOT] = KILN_COMPONENT(fix_spot),
    [FIX_LINK] = {.name = "fix_link",
                  .size = sizeof(fix_link),
                  .alignment = _Alignof(fix_link),
                  .entity_places = link_places,
                  .entity_count = 2},
    [FIX_AGE] = KILN_COMPONENT(fix_age),
    [FIX_HOT] = KILN_TAG(fix_hot),
    [FIX_WIDE] = {.name = "fix_wide", .size = WIDE_SIZE, .alignment = 1},
    [FIX_BROAD] = {.name = "fix_broad", .size = WIDE_SIZE, .alignment = 8},
};

fix_world fixture_world(const kiln_allocator *allocator, uint32_t max_blocks)
{
    fix_world fix = {0};
    kiln_world_def def = kiln_world_def_default();
    def.allocator = allocator;
    def.max_blocks = max_blocks;
    def.huge_pages = KILN_HUGE_PAGES_NEVER;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &fix.world));
    for (uint32_t i = 0; i < FIX_COMPONENTS; i++)
        assert_int_equal(KILN_OK, kiln_component_register(fix.world, &defs[i], &fix.components[i]));
    return fix;
}

uint32_t fixture_size(uint32_t component)
{
    return defs[component].size;
}

kiln_archetype fixture_archetype(fix_world *fix, uint32_t mask)
{
    kiln_component set[FIX_COMPONENTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < FIX_COMPONENTS; i++)
        if (mask >> i & 1)
            set[count++] = fix->components[i];
    kiln_archetype *archetype = &fix->archetypes[mask];
    if (mask && !archetype->number)
        assert_int_equal(KILN_OK, kiln_archetype_register(fix->world, set, count, archetype));
    return *archetype;
}

kiln_entity fixture_entity(fix_world *fix, uint32_t mask)
{
    kiln_entity entity = kiln_entity_null();
    assert_int_equal(KILN_OK,
                     kiln_entity_create(fix->world, fixture_archetype(fix, mask), &entity, NULL));
    return entity;
}

uint32_t fixture_mask(const fix_world *fix, kiln_entity entity)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < FIX_COMPONENTS; i++)
        if (kiln_entity_has(fix->world, entity, fix->components[i]))
            mask |= 1u << i;
    return mask;
}

kiln_commands *fixture_commands(const fix_world *fix)
{
    kiln_commands *commands = NULL;
    assert_int_equal(KILN_OK, kiln_commands_create(fix->world, NULL, &commands));
    return commands;
}

static void compare_entity(const fix_world *a, const fix_world *b, kiln_entity entity)
{
    assert_true(kiln_entity_exists(b->world, entity));
    assert_int_equal(fixture_mask(a, entity), fixture_mask(b, entity));
    for (uint32_t i = 0; i < FIX_COMPONENTS; i++) {
        const void *value = kiln_entity_read(a->world, entity, a->components[i]);
        if (value && defs[i].size)
            assert_memory_equal(value, kiln_entity_read(b->world, entity, b->components[i]),
                                defs[i].size);
    }
}

static void compare_rows(const fix_world *a, const fix_world *b)
{
    kiln_query *queries[2];
    assert_int_equal(KILN_OK, kiln_query_create(a->world, NULL, 0, &queries[0]));
    assert_int_equal(KILN_OK, kiln_query_create(b->world, NULL, 0, &queries[1]));
    kiln_iterator at = kiln_query_iterate(queries[0]);
    kiln_iterator other = kiln_query_iterate(queries[1]);
    while (kiln_iterator_next(&at)) {
        assert_true(kiln_iterator_next(&other));
        assert_int_equal(at.count, other.count);
        assert_int_equal(at.chunk->archetype, other.chunk->archetype);
        for (uint32_t row = 0; row < at.count; row++)
            assert_true(kiln_entity_same(kiln_iterator_entity(&at, row),
                                         kiln_iterator_entity(&other, row)));
    }
    assert_false(kiln_iterator_next(&other));
    kiln_query_destroy(queries[0]);
    kiln_query_destroy(queries[1]);
}

void fixture_compare(const fix_world *a, const fix_world *b, bool rows)
{
    kiln_entity entity = kiln_entity_next(a->world, 0);
    kiln_entity other = kiln_entity_next(b->world, 0);
    while (!kiln_entity_is_null(entity)) {
        assert_true(kiln_entity_same(entity, other));
        compare_entity(a, b, entity);
        entity = kiln_entity_next(a->world, entity.index + 1);
        other = kiln_entity_next(b->world, other.index + 1);
    }
    assert_true(kiln_entity_is_null(other));
    if (rows)
        compare_rows(a, b);
}

/* ---- the stage ---- */

fix_world stage;
kiln_commands *buffers[2];

int fixture_set_up(void **state)
{
    (void)state;
    stage = fixture_world(NULL, 4);
    buffers[0] = fixture_commands(&stage);
    buffers[1] = fixture_commands(&stage);
    return 0;
}

int fixture_tear_down(void **state)
{
    (void)state;
    bool is_valid = kiln_world_is_valid(stage.world);
    kiln_commands_destroy(buffers[0]);
    kiln_commands_destroy(buffers[1]);
    kiln_world_destroy(stage.world);
    return is_valid ? 0 : -1;
}

kiln_entity fixture_spawn(kiln_commands *commands, uint32_t mask)
{
    kiln_entity placeholder = kiln_entity_null();
    assert_int_equal(KILN_OK,
                     kiln_commands_spawn(commands, fixture_archetype(&stage, mask), &placeholder));
    return placeholder;
}

void fixture_add(kiln_commands *commands, kiln_entity entity, uint32_t component, const void *value)
{
    assert_int_equal(KILN_OK,
                     kiln_commands_add(commands, entity, stage.components[component], value));
}

void fixture_take(kiln_commands *commands, kiln_entity entity, uint32_t component)
{
    assert_int_equal(KILN_OK, kiln_commands_remove(commands, entity, stage.components[component]));
}

void fixture_set(kiln_commands *commands, kiln_entity entity, uint32_t component, const void *value)
{
    assert_int_equal(KILN_OK,
                     kiln_commands_set(commands, entity, stage.components[component], value));
}

void fixture_slay(kiln_commands *commands, kiln_entity entity)
{
    assert_int_equal(KILN_OK, kiln_commands_kill(commands, entity));
}

kiln_played fixture_play(void)
{
    kiln_played played = {UINT64_MAX, UINT64_MAX};
    assert_int_equal(KILN_OK, kiln_commands_play(stage.world, buffers, 2, &played));
    assert_int_equal(0, kiln_commands_count(buffers[0]) + kiln_commands_count(buffers[1]));
    return played;
}

const fix_spot *fixture_spot(kiln_entity entity)
{
    return kiln_entity_read(stage.world, entity, stage.components[FIX_SPOT]);
}

const fix_link *fixture_link(kiln_entity entity)
{
    return kiln_entity_read(stage.world, entity, stage.components[FIX_LINK]);
}

uint64_t fixture_living(void)
{
    kiln_world_stats stats;
    kiln_world_get_stats(stage.world, &stats);
    return stats.live;
}
