/* A generated header's description of structs as components agrees with the compiler and with the
 * type table, and a world accepts it. This file is compiled as C11 and, through
 * test_generated_components_cpp.cpp, as C++17. */
#include "game.h"
#include "town.h"

#include <kiln/chunk_layout.h>
#include <kiln/type_table.h>
#ifdef HAVE_RUNTIME
#include <kiln/world.h>
#endif

#include <setjmp.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

/* A relative field is only valid at its own address, so it cannot be moved between columns. */
#if defined(game_Node_COMPONENT) || defined(game_Burn_COMPONENT) || defined(game_Effect_COMPONENT)
#error "a type with lists or optionals, or a union, must not be a component"
#endif
#if defined(game_Names_COMPONENT) || defined(game_Nasty_COMPONENT) ||                              \
    defined(game_Keys_COMPONENT) || defined(game_Item_COMPONENT)
#error "a type with strings or maps must not be a component"
#endif
#if defined(game_Rarity_COMPONENT) || defined(game_Element_COMPONENT)
#error "a type other than a struct must not be a component"
#endif
#if defined(game_Page_COMPONENT) || defined(game_Over_COMPONENT)
#error "a type whose alignment or size exceeds the limits of a chunk must not be a component"
#endif

#define PLACE(type, field) ((uint32_t)offsetof(type, field))

enum { SPAWNER_PLACES = 10 };
static const uint32_t spot_places[] = {PLACE(game_Spot, item)};
static const uint32_t spawner_places[SPAWNER_PLACES] = {
    PLACE(game_Spawner, spots) + PLACE(game_Spot, item),
    PLACE(game_Spawner, spots) + sizeof(game_Spot) + PLACE(game_Spot, item),
    PLACE(game_Spawner, any),
    PLACE(game_Spawner, stock),
    PLACE(game_Spawner, stock) + 8,
    PLACE(game_Spawner, stock) + 16,
    PLACE(game_Spawner, stock) + 24,
    PLACE(game_Spawner, stock) + 32,
    PLACE(game_Spawner, stock) + 40,
    PLACE(game_Spawner, where),
};

static const uint32_t slot_entities[] = {PLACE(game_Slot, who)};
static const uint32_t actor_entities[] = {
    PLACE(game_Actor, target), PLACE(game_Actor, allies), PLACE(game_Actor, allies) + 8,
    PLACE(game_Actor, slots) + PLACE(game_Slot, who),
    PLACE(game_Actor, slots) + sizeof(game_Slot) + PLACE(game_Slot, who)};
static const uint32_t actor_places[] = {PLACE(game_Actor, item), PLACE(game_Actor, any),
                                        PLACE(game_Actor, kiln_ref_2),
                                        PLACE(game_Actor, kiln_ref_2) + 8};

/* A definition from the header, and the expected values from the compiler and this file. */
typedef struct component_row {
    kiln_component_desc def;
    const char *name;
    uint32_t size, alignment;
    const uint32_t *places;
    uint32_t place_count;
    const uint32_t *entities;
    uint32_t entity_count;
} component_row;

#define ROW(type, name, places, count)                                                             \
    {                                                                                              \
        type##_COMPONENT, name, sizeof(type), KILN_ALIGNOF(type), places, count, NULL, 0           \
    }

static const component_row rows[] = {
    ROW(game_Vec3, "game.Vec3", NULL, 0),
    ROW(game_Spot, "game.Spot", spot_places, 1),
    ROW(game_Spawner, "game.Spawner", spawner_places, SPAWNER_PLACES),
    ROW(game_Wall, "game.Wall", NULL, 0),
    ROW(game_Full, "game.Full", NULL, 0),
    {game_Empty_COMPONENT, "game.Empty", 0, 1, NULL, 0, NULL, 0},
    {game_Slot_COMPONENT, "game.Slot", sizeof(game_Slot), KILN_ALIGNOF(game_Slot), NULL, 0,
     slot_entities, 1},
    {game_Actor_COMPONENT, "game.Actor", sizeof(game_Actor), KILN_ALIGNOF(game_Actor), actor_places,
     4, actor_entities, 5},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static void definitions_agree_with_the_compiler(void **state)
{
    (void)state;
    for (int i = 0; i < ROW_COUNT; i++) {
        const kiln_component_desc *desc = &rows[i].def;
        assert_string_equal(desc->name, rows[i].name);
        assert_int_equal(desc->size, rows[i].size);
        assert_int_equal(desc->alignment, rows[i].alignment);
        assert_int_equal(kiln_component_desc_check(desc), KILN_OK);
    }
}

static void definitions_have_the_layout_hash_of_the_type_table(void **state)
{
    (void)state;
    kiln_types *types;
    assert_int_equal(game_types_create(NULL, &types, NULL), KILN_OK);
    for (int i = 0; i < ROW_COUNT; i++) {
        const kiln_component_desc *desc = &rows[i].def;
        const kiln_type *type = kiln_types_get(types, kiln_types_find(types, desc->name));
        assert_non_null(type);
        assert_true(desc->layout != 0 && desc->layout == type->layout);
        if (type->member_count) {
            assert_int_equal(desc->size, type->size);
            assert_int_equal(desc->alignment, type->align);
        }
    }
    kiln_types_destroy(types);
}

/* Each struct of the table has a definition, unless the top of this file excludes it. */
static void every_struct_without_relative_fields_has_a_definition(void **state)
{
    (void)state;
    kiln_types *types;
    int components = 0;
    assert_int_equal(game_types_create(NULL, &types, NULL), KILN_OK);
    for (uint32_t i = 0; i < kiln_types_count(types); i++) {
        const kiln_type *type = kiln_types_get(types, i);
        components += type->kind == KILN_KIND_STRUCT && !type->has_pointers;
    }
    assert_int_equal(components, ROW_COUNT + 2);
    kiln_types_destroy(types);
}

static void words_at_any_depth_are_listed_in_order_of_offset(void **state)
{
    (void)state;
    for (int i = 0; i < ROW_COUNT; i++) {
        const kiln_component_desc *desc = &rows[i].def;
        assert_int_equal(desc->entity_count, rows[i].entity_count);
        if (desc->entity_count == 0)
            assert_null(desc->entity_places);
        for (uint32_t p = 0; p < desc->entity_count; p++)
            assert_int_equal(desc->entity_places[p], rows[i].entities[p]);
        assert_int_equal(desc->asset_count, rows[i].place_count);
        if (desc->asset_count == 0)
            assert_null(desc->asset_places);
        for (uint32_t p = 0; p < desc->asset_count; p++)
            assert_int_equal(desc->asset_places[p], rows[i].places[p]);
    }
}

static void definitions_initialize_local_arrays_too(void **state)
{
    (void)state;
    const kiln_component_desc defs[] = {game_Spot_COMPONENT, game_Empty_COMPONENT};
    static const kiln_component_desc kept = game_Spawner_COMPONENT;
    assert_int_equal(defs[0].asset_count, 1);
    assert_int_equal(defs[1].size, 0);
    assert_int_equal(kept.asset_count, SPAWNER_PLACES);
}

static uint64_t word_of(const void *value)
{
    return (uint64_t)(uintptr_t)value;
}

static void fields_of_components_lead_to_their_values(void **state)
{
    (void)state;
    /* A string, a list and three bytes as they are stored in a scene's data. */
    static const uint32_t text[] = {8, 2, 'h' | 'i' << 8}, numbers[] = {8, 2, 5, 6};
    static const uint8_t triple[] = {7, 8, 9};
    game_Actor actor;
    memset(&actor, 0, sizeof actor);
    assert_null(game_Actor_name(&actor));
    assert_null(game_Actor_numbers(&actor));
    for (uint32_t i = 0; i < 6; i++)
        assert_null(game_Actor_titles(&actor, i));
    assert_true(kiln_entity_is_null(actor.target));
    actor.name.word = actor.new_.word = word_of(text);
    actor.numbers.word = word_of(numbers);
    actor.triple.word = word_of(triple);
    actor.titles[2][1].word = word_of(text);
    actor.slots[1].label.word = word_of(text);
    assert_string_equal(kiln_string_get(game_Actor_name(&actor)), "hi");
    assert_string_equal(kiln_string_get(game_Actor_new_2(&actor)), "hi");
    assert_int_equal(*kiln_u32_array_at(game_Actor_numbers(&actor), 1), 6);
    assert_int_equal(game_Actor_triple(&actor)->v[2], 9);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(game_Actor_titles(&actor, i) ==
                    (i == 5 ? game_Actor_name(&actor) : (const kiln_string *)NULL));
    assert_string_equal(kiln_string_get(game_Slot_label(&actor.slots[1])), "hi");
    /* Copies of a data word have the same target. */
    const game_Actor copy = actor;
    assert_ptr_equal(game_Actor_name(&copy), game_Actor_name(&actor));
    /* A reference is a word, whatever its target. */
    const kiln_ref item = actor.item, stock = actor.kiln_ref_2[1];
    assert_true(item.bits == 0 && stock.bits == 0 && actor.any.bits == 0);
}

#ifdef HAVE_RUNTIME
static kiln_world *world_make(void)
{
    kiln_world_def def = kiln_world_def_default();
    kiln_world *world;
    assert_int_equal(kiln_world_create(&def, &world), KILN_OK);
    return world;
}

static void a_world_stores_the_definitions_and_their_offsets(void **state)
{
    (void)state;
    kiln_world *world = world_make();
    for (int i = 0; i < ROW_COUNT; i++) {
        kiln_component component;
        assert_int_equal(kiln_component_register(world, &rows[i].def, &component), KILN_OK);
        assert_int_equal(kiln_component_find(world, rows[i].name).number, component.number);
        const kiln_component_desc *kept = kiln_component_get(world, component);
        assert_true(kept->layout == rows[i].def.layout);
        assert_int_equal(kept->asset_count, rows[i].place_count);
        for (uint32_t p = 0; p < kept->asset_count; p++)
            assert_int_equal(kept->asset_places[p], rows[i].places[p]);
    }
    kiln_world_destroy(world);
}

static void a_component_with_the_same_name_and_another_layout_is_refused(void **state)
{
    (void)state;
    kiln_world *world = world_make();
    kiln_component first, again = {0};
    kiln_component_desc desc = game_Spot_COMPONENT;
    assert_int_equal(kiln_component_register(world, &desc, &first), KILN_OK);
    assert_int_equal(kiln_component_register(world, &desc, &again), KILN_OK);
    assert_int_equal(first.number, again.number);
    desc.layout ^= 1;
    assert_int_equal(kiln_component_register(world, &desc, &again), KILN_DUPLICATE);
    kiln_world_destroy(world);
}

static void entities_hold_generated_structs(void **state)
{
    (void)state;
    kiln_world *world = world_make();
    const kiln_component_desc defs[] = {game_Spawner_COMPONENT, game_Empty_COMPONENT};
    kiln_component spawner, empty;
    kiln_entity entity;
    game_Spawner value;
    memset(&value, 0, sizeof value);
    value.level = 7;
    value.spots[1].item.id = 11;
    value.where.id = 12;
    assert_int_equal(kiln_component_register(world, &defs[0], &spawner), KILN_OK);
    assert_int_equal(kiln_component_register(world, &defs[1], &empty), KILN_OK);
    assert_int_equal(kiln_entity_create_empty(world, 1, &entity), KILN_OK);
    assert_int_equal(kiln_entity_add(world, entity, spawner, &value), KILN_OK);
    assert_int_equal(kiln_entity_add(world, entity, empty, NULL), KILN_OK);
    const game_Spawner *read = (const game_Spawner *)kiln_entity_read(world, entity, spawner);
    assert_non_null(read);
    assert_int_equal(read->level, 7);
    const unsigned char *bytes = (const unsigned char *)read;
    kiln_id second, last;
    memcpy(&second, bytes + defs[0].asset_places[1], sizeof second);
    memcpy(&last, bytes + defs[0].asset_places[SPAWNER_PLACES - 1], sizeof last);
    assert_true(second == 11 && last == 12);
    kiln_world_destroy(world);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_agree_with_the_compiler),
        cmocka_unit_test(definitions_have_the_layout_hash_of_the_type_table),
        cmocka_unit_test(every_struct_without_relative_fields_has_a_definition),
        cmocka_unit_test(words_at_any_depth_are_listed_in_order_of_offset),
        cmocka_unit_test(fields_of_components_lead_to_their_values),
        cmocka_unit_test(definitions_initialize_local_arrays_too),
#ifdef HAVE_RUNTIME
        cmocka_unit_test(a_world_stores_the_definitions_and_their_offsets),
        cmocka_unit_test(a_component_with_the_same_name_and_another_layout_is_refused),
        cmocka_unit_test(entities_hold_generated_structs),
#endif
    };
    return cmocka_run_group_tests_name(COMPONENTS_TEST_NAME, tests, NULL, NULL);
}
