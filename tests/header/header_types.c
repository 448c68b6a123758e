#include "header_types.h"

/* Built-in types come first in both lists. */
enum {
    T_BOOL,
    T_I8,
    T_I16,
    T_I32,
    T_I64,
    T_U8,
    T_U16,
    T_U32,
    T_U64,
    T_F32,
    T_F64,
    T_STRING,
    T_BYTES,
    T_REF,
    BUILTIN_COUNT
};

/* The other types of `game`; unnamed ones are last. */
enum {
    T_NODE = BUILTIN_COUNT, /* first, to test that it may contain later types by value */
    T_RARITY,
    T_SIGN,
    T_ELEMENT,
    T_MASK,
    T_VEC3,
    T_BURN,
    T_EMPTY,
    T_EFFECT,
    T_NAMES,
    T_NASTY,
    T_KEYS,
    T_ITEM,
    T_SPOT,
    T_SPAWNER,
    T_WALL,
    T_PAGE,
    T_FULL,
    T_OVER,
    T_BYTES_64,
    T_ITEM_REF,
    T_VEC3_REF,
    T_NODE_ARRAY,
    T_NODE_OPTIONAL,
    T_U32_ARRAY,
    T_U32_ARRAY_16,
    T_U64_ARRAY,
    T_STRING_ARRAY,
    T_STRING_ARRAY_ARRAY,
    T_BYTES_64_ARRAY,
    T_REF_ARRAY,
    T_ITEM_REF_ARRAY,
    T_RARITY_ARRAY,
    T_VEC3_ARRAY,
    T_VEC3_ARRAY_64,
    T_EFFECT_ARRAY,
    T_U32_OPTIONAL,
    T_STRING_OPTIONAL,
    T_VEC3_OPTIONAL,
    T_U32_ARRAY_OPTIONAL,
    T_U8_3,
    T_U8_3_2,
    T_U64_3,
    T_STRING_2,
    T_F32_2,
    T_NODE_2,
    T_MASK_2,
    T_U8_3_ARRAY,
    T_U8_3_2_OPTIONAL,
    T_STRING_2_ARRAY,
    T_NODE_2_ARRAY,
    T_U32_OPTIONAL_ARRAY,
    T_STRING_U32_MAP,
    T_STRING_VEC3_MAP,
    T_RARITY_STRING_MAP,
    T_SIGN_BOOL_MAP,
    T_BOOL_U64_MAP,
    T_I16_U8_MAP,
    T_F64_U32_MAP,
    T_U8_3_U16_MAP,
    T_F32_2_U8_MAP,
    T_REF_U8_MAP,
    T_ITEM_REF_U32_MAP,
    T_STRING_U64_3_MAP,
    T_STRING_STRING_U32_MAP_MAP,
    T_EFFECT_OPTIONAL,
    T_SPOT_2,
    T_ITEM_REF_2,
    T_ITEM_REF_2_3,
    T_U8_FULL,
    T_U8_OVER,
    T_ENTITY,
    T_ENTITY_2,
    T_DATA_STRING,
    T_DATA_NUMBERS,
    T_DATA_TRIPLE,
    T_DATA_STRING_2,
    T_DATA_STRING_2_3,
    T_SLOT,
    T_SLOT_2,
    T_ACTOR,
    GAME_COUNT
};

#define FIELD(member_name, member_type)                                                            \
    {                                                                                              \
        .name = (member_name), .type = (member_type)                                               \
    }
#define FIELD_DOC(member_name, member_type, text)                                                  \
    {                                                                                              \
        .name = (member_name), .type = (member_type), .doc = (text)                                \
    }
#define NUMBER(member_name, number)                                                                \
    {                                                                                              \
        .name = (member_name), .value = (uint64_t)(number)                                         \
    }
#define CHOICE(member_name, tag, member_type)                                                      \
    {                                                                                              \
        .name = (member_name), .value = (tag), .type = (member_type)                               \
    }
#define MEMBERS(list) .members = (list), .member_count = sizeof(list) / sizeof *(list)

/* Text that could end or begin a comment, form a trigraph, or continue a line. */
static const char nasty_doc[] =
    "Ends here */ int broken; /* or here /*/ or **// there.\n"
    "Trigraphs: ?\?/ ?\?( ?\?\?/ and a backslash at the end \\\n"
    "\n"
    "\tDirections \xe2\x80\xae turned \xe2\x81\xa6 and controls \x01 \x7f.\n"
    "A line that is longer than a hundred characters has to be wrapped somewhere, and this one "
    "certainly is; so it is. Snowman: \xe2\x98\x83";

static const kiln_member node[] = {FIELD("id", T_U32), FIELD("children", T_NODE_ARRAY),
                                   FIELD("next", T_NODE_OPTIONAL), FIELD("first", T_BURN),
                                   FIELD("pairs", T_NODE_2_ARRAY)};
static const kiln_member rarity[] = {
    {.name = "common", .value = 0, .doc = "Everywhere. */"},
    NUMBER("rare", 1),
    NUMBER("epic", 2),
    NUMBER("SF64:ANIM", 3),
    NUMBER("2d", 4),
    NUMBER("class", 5),
    NUMBER("\"a\\b\"?\?/\xe2\x98\x83", 6),
    NUMBER("rare!", 7),
    NUMBER("\xe2\x98\x83", 255),
};
static const kiln_member sign[] = {
    NUMBER("lowest", INT64_MIN),
    NUMBER("low", INT32_MIN),
    NUMBER("minus", -1),
    NUMBER("below", -2147483649),
    NUMBER("zero", 0),
    NUMBER("highest", INT64_MAX),
    NUMBER("name", 7) /* game_Sign_name is a function. */
};
static const kiln_member element[] = {NUMBER("fire", 1), NUMBER("ice", 2), NUMBER("air", 4),
                                      NUMBER("storm", 6)};
static const kiln_member mask[] = {NUMBER("first", 1), NUMBER("middle", UINT64_C(1) << 31),
                                   NUMBER("last", UINT64_C(1) << 63)};
static const kiln_member vec3[] = {FIELD("x", T_F32), FIELD("y", T_F32), FIELD("z", T_F32)};
static const kiln_member burn[] = {FIELD("seconds", T_F32), FIELD("times", T_U32_ARRAY)};
static const kiln_member effect[] = {
    {.name = "damage", .value = 1, .type = T_U32, .doc = "Points."},
    CHOICE("burn", 2, T_BURN),
    CHOICE("silence", 3, KILN_TYPE_NONE),
    CHOICE("say", 4, T_STRING),
    CHOICE("grid", 5, T_U8_3),
    CHOICE("at", 6, T_VEC3),
    CHOICE("names", 7, T_STRING_ARRAY),
    CHOICE("get damage", 8, T_U64),
    CHOICE("far away", 4000000000u, T_SIGN),
    CHOICE("share", 10, T_EMPTY) /* game_Effect_share is a function. */
};
static const kiln_member names[] = {FIELD("value", T_STRING_ARRAY)};
static const kiln_member nasty[] = {
    FIELD_DOC("class", T_U8, nasty_doc),
    FIELD("BaseObstacle.scale", T_F32),
    FIELD(":config:", T_STRING),
    FIELD("2d", T_BOOL),
    FIELD("config", T_BYTES),
    FIELD("config.", T_STRING_ARRAY),
    FIELD("config_2", T_U32_OPTIONAL),
    FIELD("\xe2\x98\x83", T_U8),
    FIELD("\xe2\x98\x84", T_U8),
    FIELD("__attribute__", T_U8),
    FIELD("_Bool", T_U8),
    FIELD("uint8_t", T_U8),
    FIELD("linux", T_U8),
    FIELD("NULL", T_U8),
    FIELD("game_Nasty", T_U8),
    FIELD("kiln_string", T_STRING),
    FIELD("int", T_EFFECT),
    FIELD("a\\\"b", T_U8_3_2),
    {.name = "old", .type = T_U16, .flags = KILN_MEMBER_DEPRECATED, .doc = "Once."},
    FIELD("object", T_STRING),
    FIELD("builder", T_U32_ARRAY),
    /* Macros of this header and of the headers that it includes. */
    FIELD("game_Vec3_LAYOUT", T_U8),
    FIELD("game_Vec3_COMPONENT", T_U8),
    FIELD("game_Mask_last", T_U8),
    FIELD("KILN_BUILDER_H", T_U8),
};
static const kiln_member keys[] = {
    FIELD("by_rarity", T_RARITY_STRING_MAP),
    FIELD("by_sign", T_SIGN_BOOL_MAP),
    FIELD("by_bool", T_BOOL_U64_MAP),
    FIELD("by_i16", T_I16_U8_MAP),
    FIELD("by_f64", T_F64_U32_MAP),
    FIELD("by_triple", T_U8_3_U16_MAP),
    FIELD("by_pair", T_F32_2_U8_MAP),
    FIELD("by_ref", T_REF_U8_MAP),
    FIELD("by_item", T_ITEM_REF_U32_MAP),
    FIELD("by_name", T_STRING_U32_MAP),
    FIELD("nested", T_STRING_STRING_U32_MAP_MAP),
};
static const kiln_member item[] = {
    FIELD_DOC("name", T_STRING, "What players see."),
    FIELD("price", T_U32),
    FIELD("sold", T_BOOL),
    FIELD("big", T_U64),
    FIELD("tiny", T_I8),
    FIELD("weight", T_F64),
    FIELD("drop", T_I64),
    FIELD("rarity", T_RARITY),
    FIELD("sign", T_SIGN),
    FIELD("elements", T_ELEMENT),
    FIELD("mask", T_MASK),
    FIELD("icon", T_BYTES_64),
    FIELD("any", T_REF),
    FIELD("other", T_ITEM_REF),
    FIELD("place", T_VEC3),
    FIELD("where", T_VEC3_REF),
    FIELD("burn", T_BURN),
    FIELD("nothing", T_EMPTY),
    FIELD("tree", T_NODE),
    FIELD("effect", T_EFFECT),
    FIELD("numbers", T_U32_ARRAY),
    FIELD("aligned", T_U32_ARRAY_16),
    FIELD("bigs", T_U64_ARRAY),
    FIELD("words", T_STRING_ARRAY_ARRAY),
    FIELD("blobs", T_BYTES_64_ARRAY),
    FIELD("links", T_REF_ARRAY),
    FIELD("items", T_ITEM_REF_ARRAY),
    FIELD("rarities", T_RARITY_ARRAY),
    FIELD("points", T_VEC3_ARRAY),
    FIELD("page", T_VEC3_ARRAY_64),
    FIELD("effects", T_EFFECT_ARRAY),
    FIELD("limit", T_U32_OPTIONAL),
    FIELD("title", T_STRING_OPTIONAL),
    FIELD("spot", T_VEC3_OPTIONAL),
    FIELD("list", T_U32_ARRAY_OPTIONAL),
    FIELD("maybe", T_EFFECT_OPTIONAL),
    FIELD("triple", T_U8_3),
    FIELD("longs", T_U64_3),
    FIELD("pair", T_STRING_2),
    FIELD("masks", T_MASK_2),
    FIELD("triples", T_U8_3_ARRAY),
    FIELD("grid", T_U8_3_2_OPTIONAL),
    FIELD("couples", T_STRING_2_ARRAY),
    FIELD("limits", T_U32_OPTIONAL_ARRAY),
    FIELD("prices", T_STRING_U32_MAP),
    FIELD("places", T_STRING_VEC3_MAP),
    FIELD("long_places", T_STRING_U64_3_MAP),
    FIELD("keys", T_KEYS),
};

/* References at any depth, next to other fields and in arrays. */
static const kiln_member spot[] = {FIELD("at", T_F32_2), FIELD("kind", T_U16),
                                   FIELD("item", T_ITEM_REF), FIELD("weight", T_F32)};
static const kiln_member spawner[] = {FIELD("level", T_U8),      FIELD("spots", T_SPOT_2),
                                      FIELD("any", T_REF),       FIELD("triple", T_U8_3),
                                      FIELD("place", T_VEC3),    FIELD("stock", T_ITEM_REF_2_3),
                                      FIELD("rarity", T_RARITY), FIELD("where", T_VEC3_REF)};
static const kiln_member wall[] = {FIELD("height", T_F32)};
/* Words of a component: entities, data, and references that a program follows. */
static const kiln_member slot[] = {FIELD("who", T_ENTITY), FIELD("label", T_DATA_STRING)};
static const kiln_member actor[] = {FIELD("level", T_U8),
                                    FIELD("target", T_ENTITY),
                                    FIELD("allies", T_ENTITY_2),
                                    FIELD("name", T_DATA_STRING),
                                    FIELD("new", T_DATA_STRING),
                                    FIELD("numbers", T_DATA_NUMBERS),
                                    FIELD("triple", T_DATA_TRIPLE),
                                    FIELD("titles", T_DATA_STRING_2_3),
                                    FIELD("slots", T_SLOT_2),
                                    FIELD("item", T_ITEM_REF),
                                    FIELD("any", T_REF),
                                    FIELD("kiln_ref", T_ITEM_REF_2)};
/* As large as a chunk, and larger. */
static const kiln_member full[] = {FIELD("bytes", T_U8_FULL)};
static const kiln_member over[] = {FIELD("bytes", T_U8_OVER)};

#define BUILTIN(number, which) [number] = {.kind = (which)}
#define ARRAY(number, of) [number] = {.kind = KILN_KIND_ARRAY, .element = (of)}
#define ARRAY_AT(number, of, at)                                                                   \
    [number] = {.kind = KILN_KIND_ARRAY, .element = (of), .align_at = (at)}
#define OPTIONAL(number, of) [number] = {.kind = KILN_KIND_OPTIONAL, .element = (of)}
#define FIXED(number, of, n) [number] = {.kind = KILN_KIND_FIXED, .element = (of), .count = (n)}
#define MAP(number, from, to) [number] = {.kind = KILN_KIND_MAP, .key = (from), .element = (to)}
#define STRUCT(number, qualified, list)                                                            \
    [number] = {.kind = KILN_KIND_STRUCT, .name = (qualified), MEMBERS(list)}
#define DATA(number, of) [number] = {.kind = KILN_KIND_DATA, .element = (of)}
#define COMPONENT(number, qualified, list)                                                         \
    [number] = {.kind = KILN_KIND_STRUCT,                                                          \
                .name = (qualified),                                                               \
                .flags = KILN_TYPE_COMPONENT,                                                      \
                MEMBERS(list)}
#define BUILTINS                                                                                   \
    BUILTIN(T_BOOL, KILN_KIND_BOOL), BUILTIN(T_I8, KILN_KIND_I8), BUILTIN(T_I16, KILN_KIND_I16),   \
        BUILTIN(T_I32, KILN_KIND_I32), BUILTIN(T_I64, KILN_KIND_I64), BUILTIN(T_U8, KILN_KIND_U8), \
        BUILTIN(T_U16, KILN_KIND_U16), BUILTIN(T_U32, KILN_KIND_U32),                              \
        BUILTIN(T_U64, KILN_KIND_U64), BUILTIN(T_F32, KILN_KIND_F32),                              \
        BUILTIN(T_F64, KILN_KIND_F64), BUILTIN(T_STRING, KILN_KIND_STRING),                        \
        BUILTIN(T_BYTES, KILN_KIND_BYTES),                                                         \
        [T_REF] = {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE}

static const kiln_type game[GAME_COUNT] = {
    BUILTINS,
    STRUCT(T_NODE, "game.Node", node),
    [T_RARITY] = {.kind = KILN_KIND_ENUM,
                  .base = KILN_KIND_U8,
                  .name = "game.Rarity",
                  .doc = nasty_doc,
                  MEMBERS(rarity)},
    [T_SIGN] = {.kind = KILN_KIND_ENUM, .base = KILN_KIND_I64, .name = "game.Sign", MEMBERS(sign)},
    [T_ELEMENT] = {.kind = KILN_KIND_FLAGS,
                   .base = KILN_KIND_U16,
                   .name = "game.Element",
                   MEMBERS(element)},
    [T_MASK] = {.kind = KILN_KIND_FLAGS, .base = KILN_KIND_U64, .name = "game.Mask", MEMBERS(mask)},
    [T_VEC3] = {.kind = KILN_KIND_STRUCT, .name = "game.Vec3", .align_at = 16, MEMBERS(vec3)},
    STRUCT(T_BURN, "game.Burn", burn),
    [T_EMPTY] = {.kind = KILN_KIND_STRUCT, .name = "game.Empty", .align_at = 4},
    [T_EFFECT] = {.kind = KILN_KIND_UNION,
                  .name = "game.Effect",
                  .doc = "What it does.",
                  MEMBERS(effect)},
    [T_NAMES] = {.kind = KILN_KIND_STRUCT,
                 .name = "game.Names",
                 .flags = KILN_TYPE_ASSET | KILN_TYPE_TRANSPARENT,
                 MEMBERS(names)},
    [T_NASTY] = {.kind = KILN_KIND_STRUCT, .name = "game.Nasty", .doc = nasty_doc, MEMBERS(nasty)},
    STRUCT(T_KEYS, "game.Keys", keys),
    [T_ITEM] = {.kind = KILN_KIND_STRUCT,
                .name = "game.Item",
                .doc = "A thing.\n\nIn two paragraphs.",
                .flags = KILN_TYPE_ASSET,
                MEMBERS(item)},
    STRUCT(T_SPOT, "game.Spot", spot),
    STRUCT(T_SPAWNER, "game.Spawner", spawner),
    [T_WALL] = {.kind = KILN_KIND_STRUCT, .name = "game.Wall", .align_at = 64, MEMBERS(wall)},
    [T_PAGE] = {.kind = KILN_KIND_STRUCT, .name = "game.Page", .align_at = 128, MEMBERS(wall)},
    STRUCT(T_FULL, "game.Full", full),
    STRUCT(T_OVER, "game.Over", over),
    [T_BYTES_64] = {.kind = KILN_KIND_BYTES, .align_at = 64},
    [T_ITEM_REF] = {.kind = KILN_KIND_REF, .element = T_ITEM},
    [T_VEC3_REF] = {.kind = KILN_KIND_REF, .element = T_VEC3},
    ARRAY(T_NODE_ARRAY, T_NODE),
    OPTIONAL(T_NODE_OPTIONAL, T_NODE),
    ARRAY(T_U32_ARRAY, T_U32),
    ARRAY_AT(T_U32_ARRAY_16, T_U32, 16),
    ARRAY(T_U64_ARRAY, T_U64),
    ARRAY(T_STRING_ARRAY, T_STRING),
    ARRAY(T_STRING_ARRAY_ARRAY, T_STRING_ARRAY),
    ARRAY(T_BYTES_64_ARRAY, T_BYTES_64),
    ARRAY(T_REF_ARRAY, T_REF),
    ARRAY(T_ITEM_REF_ARRAY, T_ITEM_REF),
    ARRAY(T_RARITY_ARRAY, T_RARITY),
    ARRAY(T_VEC3_ARRAY, T_VEC3),
    ARRAY_AT(T_VEC3_ARRAY_64, T_VEC3, 64),
    ARRAY(T_EFFECT_ARRAY, T_EFFECT),
    OPTIONAL(T_U32_OPTIONAL, T_U32),
    OPTIONAL(T_STRING_OPTIONAL, T_STRING),
    OPTIONAL(T_VEC3_OPTIONAL, T_VEC3),
    OPTIONAL(T_U32_ARRAY_OPTIONAL, T_U32_ARRAY),
    FIXED(T_U8_3, T_U8, 3),
    FIXED(T_U8_3_2, T_U8_3, 2),
    FIXED(T_U64_3, T_U64, 3),
    FIXED(T_STRING_2, T_STRING, 2),
    FIXED(T_F32_2, T_F32, 2),
    FIXED(T_NODE_2, T_NODE, 2),
    FIXED(T_MASK_2, T_MASK, 2),
    ARRAY(T_U8_3_ARRAY, T_U8_3),
    OPTIONAL(T_U8_3_2_OPTIONAL, T_U8_3_2),
    ARRAY(T_STRING_2_ARRAY, T_STRING_2),
    ARRAY(T_NODE_2_ARRAY, T_NODE_2),
    ARRAY(T_U32_OPTIONAL_ARRAY, T_U32_OPTIONAL),
    MAP(T_STRING_U32_MAP, T_STRING, T_U32),
    MAP(T_STRING_VEC3_MAP, T_STRING, T_VEC3),
    MAP(T_RARITY_STRING_MAP, T_RARITY, T_STRING),
    MAP(T_SIGN_BOOL_MAP, T_SIGN, T_BOOL),
    MAP(T_BOOL_U64_MAP, T_BOOL, T_U64),
    MAP(T_I16_U8_MAP, T_I16, T_U8),
    MAP(T_F64_U32_MAP, T_F64, T_U32),
    MAP(T_U8_3_U16_MAP, T_U8_3, T_U16),
    MAP(T_F32_2_U8_MAP, T_F32_2, T_U8),
    MAP(T_REF_U8_MAP, T_REF, T_U8),
    MAP(T_ITEM_REF_U32_MAP, T_ITEM_REF, T_U32),
    MAP(T_STRING_U64_3_MAP, T_STRING, T_U64_3),
    MAP(T_STRING_STRING_U32_MAP_MAP, T_STRING, T_STRING_U32_MAP),
    OPTIONAL(T_EFFECT_OPTIONAL, T_EFFECT),
    FIXED(T_SPOT_2, T_SPOT, 2),
    FIXED(T_ITEM_REF_2, T_ITEM_REF, 2),
    FIXED(T_ITEM_REF_2_3, T_ITEM_REF_2, 3),
    FIXED(T_U8_FULL, T_U8, 16384),
    FIXED(T_U8_OVER, T_U8, 16385),
    BUILTIN(T_ENTITY, KILN_KIND_ENTITY),
    FIXED(T_ENTITY_2, T_ENTITY, 2),
    DATA(T_DATA_STRING, T_STRING),
    DATA(T_DATA_NUMBERS, T_U32_ARRAY),
    DATA(T_DATA_TRIPLE, T_U8_3),
    FIXED(T_DATA_STRING_2, T_DATA_STRING, 2),
    FIXED(T_DATA_STRING_2_3, T_DATA_STRING_2, 3),
    COMPONENT(T_SLOT, "game.Slot", slot),
    FIXED(T_SLOT_2, T_SLOT, 2),
    COMPONENT(T_ACTOR, "game.Actor", actor),
};

enum {
    TOWN_HOUSE = BUILTIN_COUNT,
    TOWN_VEC3,
    TOWN_BURN,
    TOWN_U32_ARRAY,
    TOWN_VEC3_ARRAY,
    TOWN_STRING_U32_MAP,
    TOWN_U8_3,
    TOWN_U8_3_ARRAY,
    TOWN_MAP,
    TOWN_INT,
    TOWN_MAP_ARRAY,
    TOWN_MAP_MAP,
    TOWN_COUNT
};
static const kiln_member house[] = {
    FIELD("at", TOWN_VEC3),
    FIELD("corners", TOWN_VEC3_ARRAY),
    FIELD("stock", TOWN_STRING_U32_MAP),
    FIELD("colors", TOWN_U8_3_ARRAY),
    FIELD("fire", TOWN_BURN),
};
/* Without a namespace, a type may have a name that C or the header already uses. */
static const kiln_member map[] = {
    FIELD("map", TOWN_MAP_ARRAY),
    FIELD("map_", TOWN_MAP_MAP),
    FIELD("int", TOWN_INT),
    FIELD("view", T_STRING),
};
static const kiln_member numbers[] = {NUMBER("int", 1), NUMBER("_", 2)};
static const kiln_member town_burn[] = {FIELD("seconds", T_F32), FIELD("times", TOWN_U32_ARRAY)};

static const kiln_type town[TOWN_COUNT] = {
    BUILTINS,
    [TOWN_HOUSE] = {.kind = KILN_KIND_STRUCT,
                    .name = "town.House",
                    .flags = KILN_TYPE_ASSET,
                    MEMBERS(house)},
    [TOWN_VEC3] = {.kind = KILN_KIND_STRUCT, .name = "game.Vec3", .align_at = 16, MEMBERS(vec3)},
    STRUCT(TOWN_BURN, "game.Burn", town_burn),
    ARRAY(TOWN_U32_ARRAY, T_U32),
    ARRAY(TOWN_VEC3_ARRAY, TOWN_VEC3),
    MAP(TOWN_STRING_U32_MAP, T_STRING, T_U32),
    FIXED(TOWN_U8_3, T_U8, 3),
    ARRAY(TOWN_U8_3_ARRAY, TOWN_U8_3),
    STRUCT(TOWN_MAP, "map", map),
    [TOWN_INT] = {.kind = KILN_KIND_ENUM, .base = KILN_KIND_I8, .name = "int", MEMBERS(numbers)},
    ARRAY(TOWN_MAP_ARRAY, TOWN_MAP),
    MAP(TOWN_MAP_MAP, TOWN_INT, TOWN_MAP_ARRAY),
};

static kiln_types *create(const kiln_type *list, uint32_t count)
{
    kiln_types *types = NULL;
    return kiln_types_create(NULL, list, count, &types, NULL) == KILN_OK ? types : NULL;
}

kiln_types *header_game_types(void)
{
    return create(game, GAME_COUNT);
}

kiln_types *header_town_types(void)
{
    return create(town, TOWN_COUNT);
}
