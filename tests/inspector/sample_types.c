#include "sample_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FIELD(field_name, field_type)                                                              \
    {                                                                                              \
        .name = (field_name), .type = (field_type)                                                 \
    }
#define VALUE(value_name, number)                                                                  \
    {                                                                                              \
        .name = (value_name), .value = (number), .type = KILN_TYPE_NONE                            \
    }
#define MEMBERS(list) .members = (list), .member_count = sizeof(list) / sizeof(list)[0]
#define PLAIN(type_kind)                                                                           \
    {                                                                                              \
        .kind = (type_kind), .element = KILN_TYPE_NONE, .key = KILN_TYPE_NONE                      \
    }
#define OF(type_kind, part_type)                                                                   \
    {                                                                                              \
        .kind = (type_kind), .element = (part_type), .key = KILN_TYPE_NONE                         \
    }
#define FIXED(part_type, number)                                                                   \
    {                                                                                              \
        .kind = KILN_KIND_FIXED, .element = (part_type), .key = KILN_TYPE_NONE, .count = (number)  \
    }
#define MAP(key_type, value_type)                                                                  \
    {                                                                                              \
        .kind = KILN_KIND_MAP, .key = (key_type), .element = (value_type)                          \
    }
#define NAMED(type_name, type_kind, type_flags, type_base, list)                                   \
    {                                                                                              \
        .name = (type_name), .kind = (type_kind), .flags = (type_flags), .base = (type_base),      \
        .element = KILN_TYPE_NONE, .key = KILN_TYPE_NONE, MEMBERS(list)                            \
    }

static const kiln_member rarity_values[] = {
    VALUE("common", 0),
    {.name = "rare", .value = 1, .type = KILN_TYPE_NONE, .doc = "Seldom \"found\"."},
    VALUE("SF64:ANIM", 7)};
static const kiln_member element_values[] = {VALUE("fire", 1), VALUE("ice", 2), VALUE("air", 4),
                                             VALUE("all", 7)};
static const kiln_member vec3_fields[] = {FIELD("x", T_F32), FIELD("y", T_F32), FIELD("z", T_F32)};
static const kiln_member burn_fields[] = {FIELD("seconds", T_F32), FIELD("color", T_RGB)};
static const kiln_member effect_choices[] = {{.name = "damage", .value = 1, .type = T_U32},
                                             {.name = "burn", .value = 2, .type = T_BURN},
                                             VALUE("silence", 3)};
static const kiln_member part_fields[] = {FIELD("name", T_STRING), FIELD("weight", T_I16)};
static const kiln_member names_fields[] = {FIELD("value", T_STRINGS)};
static const kiln_member node_fields[] = {FIELD("children", T_NODES), FIELD("value", T_U32)};
static const char *const price_was[] = {"cost"};
static const kiln_member item_fields[] = {
    FIELD("name", T_STRING),
    {.name = "price",
     .type = T_U32,
     .doc = "In coins.",
     .was = price_was,
     .was_count = 1,
     .flags = KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX,
     .min = 1,
     .max = 9999},
    FIELD("rarity", T_RARITY),
    FIELD("elements", T_ELEMENT),
    FIELD("sold", T_BOOL),
    FIELD("weight", T_F64),
    FIELD("scale", T_F32),
    FIELD("big", T_U64),
    FIELD("low", T_I64),
    FIELD("at", T_VEC3),
    FIELD("icon", T_BYTES),
    {.name = "tags", .type = T_STRINGS, .flags = KILN_MEMBER_SINGLE},
    FIELD("numbers", T_NUMBERS),
    FIELD("stats", T_STATS),
    FIELD("effect", T_EFFECT),
    FIELD("effects", T_EFFECTS),
    FIELD("twin", T_MAYBE_ITEM),
    FIELD("music", T_REF),
    FIELD("note", T_MAYBE_STRING),
    FIELD("parts", T_PARTS),
    FIELD("pairs", T_PAIRS),
    {.name = "extra", .type = T_TEXTS, .flags = KILN_MEMBER_REST},
};

static const kiln_type descriptions[T_COUNT] = {
    [T_BOOL] = PLAIN(KILN_KIND_BOOL),
    [T_U8] = PLAIN(KILN_KIND_U8),
    [T_U32] = PLAIN(KILN_KIND_U32),
    [T_U64] = PLAIN(KILN_KIND_U64),
    [T_I16] = PLAIN(KILN_KIND_I16),
    [T_I32] = PLAIN(KILN_KIND_I32),
    [T_I64] = PLAIN(KILN_KIND_I64),
    [T_F32] = PLAIN(KILN_KIND_F32),
    [T_F64] = PLAIN(KILN_KIND_F64),
    [T_STRING] = PLAIN(KILN_KIND_STRING),
    [T_BYTES] = PLAIN(KILN_KIND_BYTES),
    [T_RARITY] = NAMED("game.Rarity", KILN_KIND_ENUM, 0, KILN_KIND_U8, rarity_values),
    [T_ELEMENT] = NAMED("game.Element", KILN_KIND_FLAGS, 0, KILN_KIND_U8, element_values),
    [T_VEC3] = NAMED("game.Vec3", KILN_KIND_STRUCT, 0, KILN_KIND_NONE, vec3_fields),
    [T_BURN] = NAMED("game.Burn", KILN_KIND_STRUCT, 0, KILN_KIND_NONE, burn_fields),
    [T_EFFECT] = NAMED("game.Effect", KILN_KIND_UNION, 0, KILN_KIND_NONE, effect_choices),
    [T_PART] = NAMED("game.Part", KILN_KIND_STRUCT, 0, KILN_KIND_NONE, part_fields),
    [T_ITEM] = NAMED("game.Item", KILN_KIND_STRUCT, KILN_TYPE_ASSET, KILN_KIND_NONE, item_fields),
    [T_NAMES] = NAMED("game.Names", KILN_KIND_STRUCT, KILN_TYPE_ASSET | KILN_TYPE_TRANSPARENT,
                      KILN_KIND_NONE, names_fields),
    [T_NODE] = NAMED("game.Node", KILN_KIND_STRUCT, KILN_TYPE_ASSET, KILN_KIND_NONE, node_fields),
    [T_RGB] = FIXED(T_U8, 3),
    [T_PAIR] = FIXED(T_I32, 2),
    [T_STRINGS] = OF(KILN_KIND_ARRAY, T_STRING),
    [T_NUMBERS] = OF(KILN_KIND_ARRAY, T_I32),
    [T_EFFECTS] = OF(KILN_KIND_ARRAY, T_EFFECT),
    [T_PARTS] = OF(KILN_KIND_ARRAY, T_PART),
    [T_NODES] = OF(KILN_KIND_ARRAY, T_NODE),
    [T_STATS] = MAP(T_STRING, T_U32),
    [T_TEXTS] = MAP(T_STRING, T_STRING),
    [T_PAIRS] = MAP(T_PAIR, T_BOOL),
    [T_ITEM_REF] = OF(KILN_KIND_REF, T_ITEM),
    [T_REF] = OF(KILN_KIND_REF, KILN_TYPE_NONE),
    [T_MAYBE_ITEM] = OF(KILN_KIND_OPTIONAL, T_ITEM_REF),
    [T_MAYBE_STRING] = OF(KILN_KIND_OPTIONAL, T_STRING),
};

enum { SMALL_U32, SMALL_NODE, SMALL_NODES, SMALL_COUNT };

static const kiln_member small_fields[] = {FIELD("children", SMALL_NODES),
                                           FIELD("value", SMALL_U32)};

static const kiln_type small_descriptions[SMALL_COUNT] = {
    [SMALL_U32] = PLAIN(KILN_KIND_U32),
    [SMALL_NODE] =
        NAMED("game.Node", KILN_KIND_STRUCT, KILN_TYPE_ASSET, KILN_KIND_NONE, small_fields),
    [SMALL_NODES] = OF(KILN_KIND_ARRAY, SMALL_NODE),
};

enum {
    LINKED_U32,
    LINKED_STRING,
    LINKED_BYTES,
    LINKED_STRINGS,
    LINKED_STOPS,
    LINKED_REF,
    LINKED_SHIPS,
    LINKED_ROUTE,
    LINKED_COUNT
};

static const kiln_member stops_fields[] = {FIELD("value", LINKED_STRINGS)};
static const kiln_member route_fields[] = {
    FIELD("by_ship", LINKED_SHIPS), FIELD("stops", LINKED_STOPS), FIELD("chart", LINKED_BYTES)};

static const kiln_type linked_descriptions[LINKED_COUNT] = {
    [LINKED_U32] = PLAIN(KILN_KIND_U32),
    [LINKED_STRING] = PLAIN(KILN_KIND_STRING),
    [LINKED_BYTES] = {.kind = KILN_KIND_BYTES,
                      .element = KILN_TYPE_NONE,
                      .key = KILN_TYPE_NONE,
                      .align_at = 64},
    [LINKED_STRINGS] = OF(KILN_KIND_ARRAY, LINKED_STRING),
    [LINKED_STOPS] =
        NAMED("game.Stops", KILN_KIND_STRUCT, KILN_TYPE_TRANSPARENT, KILN_KIND_NONE, stops_fields),
    [LINKED_REF] = OF(KILN_KIND_REF, KILN_TYPE_NONE),
    [LINKED_SHIPS] = MAP(LINKED_REF, LINKED_U32),
    [LINKED_ROUTE] =
        NAMED("game.Route", KILN_KIND_STRUCT, KILN_TYPE_ASSET, KILN_KIND_NONE, route_fields),
};

static kiln_types *create_types(const kiln_type *types, uint32_t count)
{
    kiln_types *made = NULL;
    kiln_error error = {.status = KILN_OK};
    if (kiln_types_create(NULL, types, count, &made, &error) != KILN_OK)
        fail_msg("%s: %s", kiln_status_text(error.status), error.path);
    return made;
}

kiln_types *sample_linked_types(void)
{
    return create_types(linked_descriptions, LINKED_COUNT);
}

kiln_types *sample_types(bool small)
{
    const uint32_t price = 10;
    kiln_error error = {.status = KILN_OK};
    kiln_types *types =
        small ? create_types(small_descriptions, SMALL_COUNT) : create_types(descriptions, T_COUNT);
    if (small)
        return types;
    assert_int_equal(kiln_types_get(types, T_ITEM)->size, sizeof(item));
    assert_int_equal(KILN_OK, kiln_types_set_default(types, T_ITEM, 1,
                                                     (kiln_span){&price, sizeof price}, &error));
    return types;
}
