/* Tests a generated header with types of every kind: blobs built with its builder calls are read
 * through its accessors, and both agree with the typed walker. This file is compiled as C11 and,
 * through test_generated_header_cpp.cpp, as C++17. */
#include <kiln/builder.h>
#include <kiln/type_table.h>
#include <kiln/value.h>
#include <kiln/verify.h>
#ifdef HAVE_RUNTIME
#include <kiln/file.h>
#include <kiln/file_writer.h>
#endif

#include "game.h"
#include "town.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

typedef struct fixture {
    kiln_types *types;
    kiln_builder *builder;
} fixture;

static fixture fixture_make(void)
{
    fixture f = {NULL, NULL};
    kiln_error error;
    assert_int_equal(game_types_create(NULL, &f.types, &error), KILN_OK);
    kiln_builder_def def = kiln_builder_def_default();
    def.types = f.types;
    assert_int_equal(kiln_builder_create(&def, &f.builder), KILN_OK);
    return f;
}

static void fixture_end(fixture *f)
{
    kiln_builder_destroy(f->builder);
    kiln_types_destroy(f->types);
}

/* The references that every item must have. */
static void fill_refs(game_Item *item)
{
    item->any = 11;
    item->other.id = 12;
    item->where.id = 13;
}

static kiln_buffer finish(fixture *f, bool canonical)
{
    kiln_buffer blob;
    kiln_error error;
    error.path[0] = '\0';
    kiln_status status = game_Item_finish(f->builder, f->types, canonical, &blob, &error);
    if (status)
        print_message("%s: %s\n", error.path, kiln_status_text(status));
    assert_int_equal(status, KILN_OK);
    return blob;
}

static const game_Item *root_of(const kiln_buffer *blob)
{
    kiln_blob_header header;
    assert_int_equal(kiln_header_read(blob->data, blob->size, &header, NULL), KILN_OK);
    assert_true(header.layout == game_Item_LAYOUT);
    return (const game_Item *)(const void *)(blob->data + kiln_header_payload_at(&header));
}

/* The root of the blob, for the typed walker. */
static kiln_value walk_of(const fixture *f, const kiln_buffer *blob)
{
    kiln_blob_header header;
    kiln_value value;
    assert_int_equal(kiln_header_read(blob->data, blob->size, &header, NULL), KILN_OK);
    assert_int_equal(kiln_value_root(f->types, kiln_types_find(f->types, "game.Item"),
                                     blob->data + kiln_header_payload_at(&header),
                                     (size_t)header.payload_size, &value),
                     KILN_OK);
    return value;
}

static kiln_value field_of(const kiln_value *value, const char *name)
{
    kiln_value field;
    assert_int_equal(kiln_value_field(value, name, strlen(name), &field), KILN_OK);
    return field;
}

static kiln_value child_of(const kiln_value *value, uint32_t i)
{
    kiln_value child;
    assert_int_equal(kiln_value_at(value, i, &child), KILN_OK);
    return child;
}

static void fill_numbers(game_Item *item)
{
    item->price = 300;
    item->sold = 1;
    item->big = UINT64_C(0xfedcba9876543210);
    item->tiny = -5;
    item->weight = 2.5;
    item->drop = INT64_MIN;
    item->rarity = game_Rarity_a_b;
    item->sign = game_Sign_lowest;
    item->elements = game_Element_fire | game_Element_air;
    item->mask = game_Mask_first | game_Mask_last;
    item->place.y = 1.5f;
    item->triple[2] = 7;
    item->longs[1] = UINT64_MAX;
    item->masks[1] = game_Mask_middle;
    item->burn.seconds = 0.5f;
    item->tree.id = 1;
}

static void check_numbers(const game_Item *item)
{
    assert_int_equal(item->price, 300);
    assert_int_equal(item->sold, 1);
    assert_true(item->big == UINT64_C(0xfedcba9876543210));
    assert_int_equal(item->tiny, -5);
    assert_true(item->weight == 2.5 && item->drop == INT64_MIN);
    assert_string_equal(game_Rarity_name(item->rarity), "\"a\\b\"?\?/\xe2\x98\x83");
    assert_true(item->sign == game_Sign_lowest);
    assert_int_equal(item->elements, 5);
    assert_true(item->mask == (UINT64_C(1) | UINT64_C(1) << 63));
    assert_true(item->any == 11 && item->other.id == 12 && item->where.id == 13);
    assert_true(item->place.y == 1.5f && item->burn.seconds == 0.5f);
    assert_int_equal(item->triple[2], 7);
    assert_true(item->longs[1] == UINT64_MAX && item->masks[1] == UINT64_C(0x80000000));
    assert_int_equal(item->tree.id, 1);
}

static void check_walked_numbers(const kiln_value *root)
{
    kiln_value value = field_of(root, "price");
    assert_int_equal(kiln_value_uint(&value), 300);
    value = field_of(root, "big");
    assert_true(kiln_value_uint(&value) == UINT64_C(0xfedcba9876543210));
    value = field_of(root, "tiny");
    assert_int_equal(kiln_value_int(&value), -5);
    value = field_of(root, "weight");
    assert_true(kiln_value_float(&value) == 2.5);
    value = field_of(root, "sign");
    assert_string_equal(kiln_value_member(&value)->name, "lowest");
    value = field_of(root, "rarity");
    assert_string_equal(kiln_value_member(&value)->name, game_Rarity_name(game_Rarity_a_b));
    value = field_of(root, "longs");
    value = child_of(&value, 1);
    assert_true(kiln_value_uint(&value) == UINT64_MAX);
    value = field_of(root, "mask");
    assert_true(kiln_value_uint(&value) == (game_Mask_first | game_Mask_last));
}

static void numbers_read_back_as_they_were_set(void **state)
{
    (void)state;
    fixture f = fixture_make();
    game_Item *item = game_Item_new(f.builder);
    fill_refs(item);
    fill_numbers(item);
    kiln_buffer blob = finish(&f, true);
    kiln_value walk = walk_of(&f, &blob);
    check_numbers(root_of(&blob));
    check_walked_numbers(&walk);
    kiln_buffer_fini(&blob);
    fixture_end(&f);
}

static void fill_lists(kiln_builder *b, game_Item *item)
{
    assert_true(game_Item_set_name(b, item, "sword", 5));
    assert_true(game_Item_set_icon(b, item, "\0\1\2", 3));
    kiln_u32_view numbers = game_Item_new_numbers(b, item, 3);
    for (uint32_t i = 0; i < numbers.count; i++)
        *kiln_u32_view_at(numbers, i) = i * 10;
    *kiln_u32_view_at(game_Item_new_aligned(b, item, 1), 0) = 16;
    *kiln_u64_view_at(game_Item_new_bigs(b, item, 1), 0) = UINT64_MAX;
    kiln_string_array_view words = game_Item_new_words(b, item, 2);
    kiln_string_view word = kiln_string_array_new(b, kiln_string_array_view_at(words, 1), 2);
    assert_true(kiln_string_view_set(word, 0, "one", 3));
    assert_true(kiln_string_share(b, kiln_string_view_at(word, 1), kiln_string_view_at(word, 0)));
    kiln_bytes_view blobs = game_Item_new_blobs(b, item, 1);
    assert_true(kiln_builder_bytes(b, kiln_bytes_view_at(blobs, 0), "x", 1, 64));
    *kiln_id_view_at(game_Item_new_links(b, item, 1), 0) = 21;
    game_Item_ref_view_at(game_Item_new_items(b, item, 1), 0)->id = 22;
    *game_Rarity_view_at(game_Item_new_rarities(b, item, 1), 0) = game_Rarity_epic;
    game_Vec3_view_at(game_Item_new_points(b, item, 2), 1)->z = 3.0f;
    game_Vec3_view_at(game_Item_new_page(b, item, 1), 0)->x = 4.0f;
    kiln_u8_x3_view_at(game_Item_new_triples(b, item, 2), 1)->v[2] = 5;
    kiln_string_x2_view couples = game_Item_new_couples(b, item, 1);
    assert_true(kiln_builder_string(b, &kiln_string_x2_view_at(couples, 0)->v[1], "two", 3));
    kiln_u32_optional_view limits = game_Item_new_limits(b, item, 2);
    *kiln_u32_optional_new(b, kiln_u32_optional_view_at(limits, 1)) = 6;
    game_Node_view children = game_Node_new_children(b, &item->tree, 2);
    game_Node *next = game_Node_new_next(b, game_Node_view_at(children, 1));
    next->id = 9;
    game_Node_x2_view_at(game_Node_new_pairs(b, next, 1), 0)->v[1].id = 10;
}

static void check_lists(const game_Item *item)
{
    assert_string_equal(kiln_string_get(&item->name), "sword");
    assert_int_equal(item->name.length, 5);
    assert_memory_equal(kiln_bytes_get(&item->icon), "\0\1\2", 3);
    assert_int_equal((uintptr_t)kiln_bytes_get(&item->icon) % 64, 0);
    assert_int_equal(item->numbers.count, 3);
    assert_int_equal(*kiln_u32_array_at(&item->numbers, 2), 20);
    assert_int_equal(*kiln_u32_array_at(&item->aligned, 0), 16);
    assert_int_equal((uintptr_t)kiln_u32_array_data(&item->aligned) % 16, 0);
    assert_true(*kiln_u64_array_at(&item->bigs, 0) == UINT64_MAX);
    const kiln_string_array *words = kiln_string_array_array_at(&item->words, 1);
    assert_int_equal(kiln_string_array_array_at(&item->words, 0)->count, 0);
    assert_string_equal(kiln_string_get(kiln_string_array_at(words, 1)), "one");
    assert_ptr_equal(kiln_string_get(kiln_string_array_at(words, 1)),
                     kiln_string_get(kiln_string_array_at(words, 0)));
    assert_memory_equal(kiln_bytes_get(kiln_bytes_array_at(&item->blobs, 0)), "x", 1);
    assert_true(*kiln_id_array_at(&item->links, 0) == 21);
    assert_true(game_Item_ref_array_at(&item->items, 0)->id == 22);
    assert_int_equal(*game_Rarity_array_at(&item->rarities, 0), game_Rarity_epic);
    assert_true(game_Vec3_array_at(&item->points, 1)->z == 3.0f);
    assert_true(game_Vec3_array_data(&item->page)->x == 4.0f);
    assert_int_equal((uintptr_t)game_Vec3_array_data(&item->page) % 64, 0);
    assert_int_equal(kiln_u8_x3_array_at(&item->triples, 1)->v[2], 5);
    assert_string_equal(kiln_string_get(&kiln_string_x2_array_at(&item->couples, 0)->v[1]), "two");
    assert_null(kiln_u32_optional_get(kiln_u32_optional_array_at(&item->limits, 0)));
    assert_int_equal(*kiln_u32_optional_get(kiln_u32_optional_array_at(&item->limits, 1)), 6);
    const game_Node *child = game_Node_array_at(&item->tree.children, 1);
    const game_Node *next = game_Node_optional_get(&child->next);
    assert_int_equal(next->id, 9);
    assert_int_equal(game_Node_x2_array_at(&next->pairs, 0)->v[1].id, 10);
    assert_null(game_Node_optional_get(&next->next));
    assert_null(game_Effect_array_data(&item->effects));
}

static void check_walked_lists(const kiln_value *root)
{
    const char *text;
    uint32_t length;
    kiln_value value = field_of(root, "name");
    assert_int_equal(kiln_value_text(&value, &text, &length), KILN_OK);
    assert_string_equal(text, "sword");
    value = field_of(root, "numbers");
    assert_int_equal(kiln_value_count(&value), 3);
    value = child_of(&value, 2);
    assert_int_equal(kiln_value_uint(&value), 20);
    value = field_of(root, "triples");
    value = child_of(&value, 1);
    value = child_of(&value, 2);
    assert_int_equal(kiln_value_uint(&value), 5);
    value = field_of(root, "tree");
    value = field_of(&value, "children");
    value = child_of(&value, 1);
    value = field_of(&value, "next");
    value = child_of(&value, 0);
    value = field_of(&value, "id");
    assert_int_equal(kiln_value_uint(&value), 9);
}

static void lists_read_back_in_both_forms(void **state)
{
    (void)state;
    fixture f = fixture_make();
    game_Item *item = game_Item_new(f.builder);
    fill_refs(item);
    fill_lists(f.builder, item);
    for (int canonical = 0; canonical < 2; canonical++) {
        kiln_buffer blob = finish(&f, canonical != 0);
        kiln_value walk = walk_of(&f, &blob);
        check_lists(root_of(&blob));
        check_walked_lists(&walk);
        kiln_buffer_fini(&blob);
    }
    fixture_end(&f);
}

static void optionals_are_null_until_made(void **state)
{
    (void)state;
    fixture f = fixture_make();
    game_Item *item = game_Item_new(f.builder);
    fill_refs(item);
    kiln_buffer blob = finish(&f, true);
    assert_null(kiln_u32_optional_get(&root_of(&blob)->limit));
    assert_null(kiln_u8_x3_x2_optional_get(&root_of(&blob)->grid));
    kiln_buffer_fini(&blob);
    *game_Item_new_limit(f.builder, item) = 4;
    assert_true(kiln_builder_string(f.builder, game_Item_new_title(f.builder, item), "Sir", 3));
    game_Item_new_spot(f.builder, item)->x = 2.0f;
    *kiln_u32_view_at(kiln_u32_array_new(f.builder, game_Item_new_list(f.builder, item), 1), 0) = 8;
    game_Item_new_grid(f.builder, item)->v[1][2] = 3;
    *game_Effect_choose_damage(f.builder, game_Item_new_maybe(f.builder, item)) = 5;
    blob = finish(&f, true);
    const game_Item *root = root_of(&blob);
    assert_int_equal(*kiln_u32_optional_get(&root->limit), 4);
    assert_string_equal(kiln_string_get(kiln_string_optional_get(&root->title)), "Sir");
    assert_true(game_Vec3_optional_get(&root->spot)->x == 2.0f);
    assert_int_equal(*kiln_u32_array_at(kiln_u32_array_optional_get(&root->list), 0), 8);
    assert_int_equal(kiln_u8_x3_x2_optional_get(&root->grid)->v[1][2], 3);
    assert_int_equal(*game_Effect_get_damage_2(game_Effect_optional_get(&root->maybe)), 5);
    kiln_buffer_fini(&blob);
    fixture_end(&f);
}

static void a_union_returns_only_the_chosen_alternative(void **state)
{
    (void)state;
    fixture f = fixture_make();
    game_Item *item = game_Item_new(f.builder);
    fill_refs(item);
    game_Burn *burn = game_Item_choose_effect_burn(f.builder, item);
    *kiln_u32_view_at(game_Burn_new_times(f.builder, burn, 1), 0) = 77;
    game_Effect_view effects = game_Item_new_effects(f.builder, item, 5);
    assert_true(game_Effect_choose_silence(f.builder, game_Effect_view_at(effects, 1)));
    *game_Effect_choose_far_away(f.builder, game_Effect_view_at(effects, 2)) = game_Sign_minus;
    game_Effect_choose_grid(f.builder, game_Effect_view_at(effects, 3))->v[0] = 9;
    assert_true(game_Effect_share(f.builder, game_Effect_view_at(effects, 4),
                                  game_Effect_view_at(effects, 3)));
    kiln_buffer blob = finish(&f, true);
    const game_Item *root = root_of(&blob);
    assert_int_equal(root->effect.tag, game_Effect_burn);
    assert_null(game_Effect_get_damage_2(&root->effect));
    assert_int_equal(*kiln_u32_array_at(&game_Effect_get_burn(&root->effect)->times, 0), 77);
    assert_int_equal(game_Effect_array_at(&root->effects, 0)->tag, 0);
    assert_int_equal(game_Effect_array_at(&root->effects, 1)->tag, game_Effect_silence);
    assert_null(game_Effect_get_say(game_Effect_array_at(&root->effects, 1)));
    const game_Effect *far = game_Effect_array_at(&root->effects, 2);
    assert_true(far->tag == game_Effect_far_away && *game_Effect_get_far_away(far) == -1);
    assert_int_equal(game_Effect_get_grid(game_Effect_array_at(&root->effects, 4))->v[0], 9);
    kiln_value walk = walk_of(&f, &blob), value = field_of(&walk, "effect");
    assert_string_equal(kiln_value_member(&value)->name, "burn");
    kiln_buffer_fini(&blob);
    fixture_end(&f);
}

static void fill_maps(kiln_builder *b, game_Item *item)
{
    static const char *const keys[] = {"pear", "apple", "fig", "app", "\xe2\x98\x83", "z", ""};
    const uint32_t count = sizeof keys / sizeof *keys;
    kiln_string_u32_map_entry_view prices = game_Item_new_prices(b, item, count);
    for (uint32_t i = 0; i < count; i++) {
        kiln_string_u32_map_entry *entry = kiln_string_u32_map_entry_view_at(prices, i);
        assert_true(kiln_builder_string(b, &entry->key, keys[i], strlen(keys[i])));
        entry->value = i + 1;
    }
    game_Keys *k = &item->keys;
    game_Sign_bool_map_entry_view signs = game_Keys_new_by_sign(b, k, 2);
    game_Sign_bool_map_entry *highest = game_Sign_bool_map_entry_view_at(signs, 0);
    assert_non_null(highest);
    highest->key = game_Sign_highest;
    highest->value = 1;
    game_Sign_bool_map_entry_view_at(signs, 1)->key = game_Sign_lowest;
    kiln_bool_u64_map_entry_view bools = game_Keys_new_by_bool(b, k, 2);
    kiln_bool_u64_map_entry *yes = kiln_bool_u64_map_entry_view_at(bools, 1);
    assert_non_null(yes);
    yes->key = 1;
    yes->value = UINT64_MAX;
    kiln_i16_u8_map_entry_view shorts = game_Keys_new_by_i16(b, k, 3);
    kiln_f64_u32_map_entry_view doubles = game_Keys_new_by_f64(b, k, 3);
    kiln_u8_x3_u16_map_entry_view triples = game_Keys_new_by_triple(b, k, 3);
    kiln_f32_x2_u8_map_entry_view pairs = game_Keys_new_by_pair(b, k, 3);
    kiln_id_u8_map_entry_view ids = game_Keys_new_by_ref(b, k, 3);
    game_Item_ref_u32_map_entry_view items = game_Keys_new_by_item(b, k, 3);
    for (uint32_t i = 0; i < 3; i++) {
        kiln_i16_u8_map_entry_view_at(shorts, i)->key = (int16_t)(300 * (1 - (int)i));
        kiln_i16_u8_map_entry_view_at(shorts, i)->value = (uint8_t)i;
        kiln_f64_u32_map_entry_view_at(doubles, i)->key = i == 0 ? HUGE_VAL : 1.0 - i;
        kiln_f64_u32_map_entry_view_at(doubles, i)->value = i;
        kiln_u8_x3_u16_map_entry_view_at(triples, i)->key.v[i] = (uint8_t)(i + 1);
        kiln_u8_x3_u16_map_entry_view_at(triples, i)->value = (uint16_t)i;
        kiln_f32_x2_u8_map_entry_view_at(pairs, i)->key.v[1] = -1.0f * (float)i + 0.5f;
        kiln_f32_x2_u8_map_entry_view_at(pairs, i)->value = (uint8_t)i;
        kiln_id_u8_map_entry_view_at(ids, i)->key = UINT64_MAX - i;
        kiln_id_u8_map_entry_view_at(ids, i)->value = (uint8_t)i;
        game_Item_ref_u32_map_entry_view_at(items, i)->key.id = (UINT64_C(1) << 63) >> i;
        game_Item_ref_u32_map_entry_view_at(items, i)->value = i;
    }
    kiln_string_string_u32_map_map_entry_view nested = game_Keys_new_nested(b, k, 1);
    kiln_string_string_u32_map_map_entry *outer =
        kiln_string_string_u32_map_map_entry_view_at(nested, 0);
    kiln_string_u32_map_entry_view inner = kiln_string_u32_map_new(b, &outer->value, 1);
    kiln_string_u32_map_entry_view_at(inner, 0)->value = 42;
    kiln_string_u64_x3_map_entry_view longs = game_Item_new_long_places(b, item, 1);
    kiln_string_u64_x3_map_entry_view_at(longs, 0)->value.v[2] = 43;
}

static void check_maps(const game_Item *item)
{
    const kiln_string_u32_map *prices = &item->prices;
    assert_int_equal(*kiln_string_u32_map_find(prices, "pear", 4), 1);
    assert_int_equal(*kiln_string_u32_map_find(prices, "apple", 5), 2);
    assert_int_equal(*kiln_string_u32_map_find(prices, "app", 3), 4);
    assert_int_equal(*kiln_string_u32_map_find(prices, "\xe2\x98\x83", 3), 5);
    assert_int_equal(*kiln_string_u32_map_find(prices, "", 0), 7);
    assert_null(kiln_string_u32_map_find(prices, "appl", 4));
    assert_null(kiln_string_u32_map_find(prices, "\xff", 1));
    assert_string_equal(kiln_string_get(&kiln_string_u32_map_at(prices, 1)->key), "app");
    assert_null(kiln_string_u32_map_find(&item->keys.by_name, "x", 1));
    const game_Keys *k = &item->keys;
    assert_int_equal(*game_Sign_bool_map_find(&k->by_sign, game_Sign_highest), 1);
    assert_int_equal(*game_Sign_bool_map_find(&k->by_sign, game_Sign_lowest), 0);
    assert_null(game_Sign_bool_map_find(&k->by_sign, game_Sign_zero));
    assert_true(*kiln_bool_u64_map_find(&k->by_bool, 1) == UINT64_MAX);
    kiln_u8_x3 triple = {{0, 0, 0}};
    assert_null(kiln_u8_x3_u16_map_find(&k->by_triple, &triple));
    kiln_f32_x2 pair = {{0.0f, NAN}};
    assert_null(kiln_f32_x2_u8_map_find(&k->by_pair, &pair));
    assert_null(kiln_f64_u32_map_find(&k->by_f64, (double)NAN));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(*kiln_i16_u8_map_find(&k->by_i16, (int16_t)(300 * (1 - (int)i))), i);
        assert_int_equal(*kiln_f64_u32_map_find(&k->by_f64, i == 0 ? HUGE_VAL : 1.0 - i), i);
        kiln_u8_x3 key = {{0, 0, 0}};
        key.v[i] = (uint8_t)(i + 1);
        assert_int_equal(*kiln_u8_x3_u16_map_find(&k->by_triple, &key), i);
        pair.v[1] = -1.0f * (float)i + 0.5f;
        assert_int_equal(*kiln_f32_x2_u8_map_find(&k->by_pair, &pair), i);
        assert_int_equal(*kiln_id_u8_map_find(&k->by_ref, UINT64_MAX - i), i);
        game_Item_ref ref = {(UINT64_C(1) << 63) >> i};
        assert_int_equal(*game_Item_ref_u32_map_find(&k->by_item, ref), i);
    }
    assert_null(kiln_id_u8_map_find(&k->by_ref, 1));
    const kiln_string_u32_map *inner = kiln_string_string_u32_map_map_find(&k->nested, "", 0);
    assert_int_equal(*kiln_string_u32_map_find(inner, NULL, 0), 42);
    assert_true(kiln_string_u64_x3_map_find(&item->long_places, "", 0)->v[2] == 43);
}

static void maps_are_sorted_and_found_by_every_kind_of_key(void **state)
{
    (void)state;
    fixture f = fixture_make();
    game_Item *item = game_Item_new(f.builder);
    fill_refs(item);
    fill_maps(f.builder, item);
    kiln_buffer blob = finish(&f, true);
    check_maps(root_of(&blob));
    kiln_value walk = walk_of(&f, &blob), value = field_of(&walk, "prices"), key;
    assert_int_equal(kiln_value_key(&value, 1, &key), KILN_OK);
    const char *text;
    uint32_t length;
    assert_int_equal(kiln_value_text(&key, &text, &length), KILN_OK);
    assert_string_equal(text, "app");
    kiln_buffer_fini(&blob);
    fixture_end(&f);
}

static void a_view_is_checked_in_every_build(void **state)
{
    (void)state;
    fixture f = fixture_make();
    game_Item *item = game_Item_new(f.builder);
    fill_refs(item);
    kiln_u32_view view = game_Item_new_numbers(f.builder, item, 2);
    assert_non_null(kiln_u32_view_at(view, 1));
    assert_int_equal(kiln_builder_status(f.builder), KILN_OK);
    assert_null(kiln_u32_view_at(view, 2));
    assert_int_equal(kiln_builder_status(f.builder), KILN_BAD_ARGUMENT);
    kiln_buffer blob;
    assert_int_equal(game_Item_finish(f.builder, f.types, true, &blob, NULL), KILN_BAD_ARGUMENT);
    fixture_end(&f);
}

static void calls_with_null_fail_and_write_nothing(void **state)
{
    (void)state;
    fixture f = fixture_make();
    assert_false(game_Item_set_name(f.builder, NULL, "x", 1));
    assert_int_equal(kiln_builder_status(f.builder), KILN_BAD_ARGUMENT);
    assert_int_equal(game_Item_new_numbers(f.builder, NULL, 1).count, 0);
    assert_int_equal(game_Item_new_aligned(f.builder, NULL, 1).count, 0);
    assert_null(game_Item_new_limit(f.builder, NULL));
    assert_null(game_Item_choose_effect_damage(f.builder, NULL));
    assert_false(game_Item_choose_effect_silence(f.builder, NULL));
    assert_false(kiln_string_share(f.builder, NULL, NULL));
    fixture_end(&f);
}

static void finish_refuses_types_of_another_program(void **state)
{
    (void)state;
    fixture f = fixture_make();
    kiln_types *others;
    kiln_buffer blob;
    assert_int_equal(town_types_create(NULL, &others, NULL), KILN_OK);
    assert_int_equal(game_Item_finish(f.builder, others, true, &blob, NULL), KILN_NOT_FOUND);
    assert_int_equal(kiln_types_get(others, kiln_types_find(others, "game.Vec3"))->layout,
                     game_Vec3_LAYOUT);
    kiln_types_destroy(others);
    fixture_end(&f);
}

static void names_of_values_are_those_in_the_data(void **state)
{
    (void)state;
    assert_string_equal(game_Rarity_name(game_Rarity_SF64_ANIM), "SF64:ANIM");
    assert_string_equal(game_Rarity_name(game_Rarity_rare_2), "rare!");
    assert_null(game_Rarity_name(100));
    assert_string_equal(game_Sign_name(game_Sign_highest), "highest");
    assert_string_equal(game_Sign_name(game_Sign_low), "low");
    assert_string_equal(game_Element_name(game_Element_storm), "storm");
    assert_null(game_Element_name(game_Element_fire | game_Element_ice));
    assert_string_equal(game_Mask_name(game_Mask_last), "last");
}

static void fields_of_any_name_can_be_set(void **state)
{
    (void)state;
    fixture f = fixture_make();
    game_Nasty *nasty = game_Nasty_new(f.builder);
    nasty->class_ = 1;
    nasty->BaseObstacle_scale = 2.0f;
    nasty->game_Vec3_LAYOUT_2 = nasty->game_Vec3_COMPONENT_2 = 3;
    nasty->game_Mask_last_2 = nasty->KILN_BUILDER_H_ = 4;
    assert_true(game_Nasty_set_config(f.builder, nasty, "first", 5));
    assert_true(game_Nasty_set_config_2(f.builder, nasty, "second", 6));
    assert_int_equal(game_Nasty_new_config(f.builder, nasty, 3).count, 3);
    *game_Nasty_new_config_2(f.builder, nasty) = 4;
    *game_Nasty_choose_int_damage(f.builder, nasty) = 5;
    kiln_buffer blob;
    kiln_error error;
    assert_int_equal(game_Nasty_finish(f.builder, f.types, true, &blob, &error), KILN_OK);
    kiln_buffer_fini(&blob);
    fixture_end(&f);
}

#ifdef HAVE_RUNTIME
static kiln_buffer file_of(const fixture *f, const kiln_buffer *blob)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer;
    kiln_buffer file;
    def.types = f->types;
    assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
    assert_int_equal(kiln_file_writer_add(writer, "Names/all",
                                          kiln_types_find(f->types, "game.Names"),
                                          kiln_buffer_span(blob), NULL),
                     KILN_OK);
    assert_int_equal(kiln_file_writer_finish_buffer(writer, &file, NULL), KILN_OK);
    kiln_file_writer_destroy(writer);
    return file;
}

static void roots_come_from_files_by_their_type_alone(void **state)
{
    (void)state;
    fixture f = fixture_make();
    game_Names *names = game_Names_new(f.builder);
    assert_true(kiln_string_view_set(game_Names_new_value(f.builder, names, 1), 0, "Ada", 3));
    kiln_buffer blob, bytes;
    assert_int_equal(game_Names_finish(f.builder, f.types, true, &blob, NULL), KILN_OK);
    bytes = file_of(&f, &blob);
    kiln_file_def def = kiln_file_def_default();
    def.data = bytes.data;
    def.size = bytes.size;
    def.types = game_types(&def.types_size);
    kiln_file *file;
    kiln_error error;
    assert_int_equal(kiln_file_open(&def, &file, &error), KILN_OK);
    const game_Names *read = game_Names_find(file, "Names/all", &error);
    assert_non_null(read);
    assert_string_equal(kiln_string_get(kiln_string_array_at(&read->value, 0)), "Ada");
    assert_null(game_Item_find(file, "Names/all", &error));
    assert_int_equal(error.status, KILN_TYPE_MISMATCH);
    game_Item_ref ref = {kiln_file_asset_id(file, kiln_file_asset_at(file, 0))};
    assert_null(game_Item_ref_get(file, ref, &error));
    assert_int_equal(error.status, KILN_TYPE_MISMATCH);
    assert_null(game_Item_find(file, "Item/none", &error));
    assert_int_equal(error.status, KILN_NOT_FOUND);
    kiln_file_close(file);
    kiln_buffer_fini(&bytes);
    kiln_buffer_fini(&blob);
    fixture_end(&f);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_back_as_they_were_set),
        cmocka_unit_test(lists_read_back_in_both_forms),
        cmocka_unit_test(optionals_are_null_until_made),
        cmocka_unit_test(a_union_returns_only_the_chosen_alternative),
        cmocka_unit_test(maps_are_sorted_and_found_by_every_kind_of_key),
        cmocka_unit_test(a_view_is_checked_in_every_build),
        cmocka_unit_test(calls_with_null_fail_and_write_nothing),
        cmocka_unit_test(finish_refuses_types_of_another_program),
        cmocka_unit_test(names_of_values_are_those_in_the_data),
        cmocka_unit_test(fields_of_any_name_can_be_set),
#ifdef HAVE_RUNTIME
        cmocka_unit_test(roots_come_from_files_by_their_type_alone),
#endif
    };
    return cmocka_run_group_tests_name(HEADER_TEST_NAME, tests, NULL, NULL);
}
