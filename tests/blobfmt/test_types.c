#include "test_types.h"
#include "type_macros.h"

#include <stdlib.h>

#define NUMBER(member_name, tag)                                                                   \
    {                                                                                              \
        .name = (member_name), .value = (uint64_t)(tag)                                            \
    }
#define CHOICE(member_name, tag, member_type)                                                      \
    {                                                                                              \
        .name = (member_name), .value = (tag), .type = (member_type)                               \
    }

static const kiln_member color[] = {NUMBER("red", 1), NUMBER("green", 2), NUMBER("blue", 200)};
static const kiln_member sign[] = {NUMBER("plus", 1), NUMBER("minus", -1), NUMBER("zero", 0)};
static const kiln_member bits[] = {NUMBER("a", 1), NUMBER("b", 2), NUMBER("cd", 12)};
static const kiln_member vec[] = {FIELD("x", T_F32), FIELD("y", T_F32), FIELD("z", T_F32)};
static const kiln_member item[] = {FIELD("name", T_STRING), FIELD("price", T_U32),
                                   FIELD("sold", T_BOOL), FIELD("color", T_COLOR)};
static const kiln_member node[] = {FIELD("id", T_U32), FIELD("children", T_NODE_ARRAY),
                                   FIELD("next", T_NODE_OPTIONAL)};
static const kiln_member effect[] = {CHOICE("damage", 1, T_U32), CHOICE("heal", 2, T_VEC),
                                     CHOICE("silence", 3, KILN_TYPE_NONE),
                                     CHOICE("say", 4, T_STRING), CHOICE("drop", 7, T_ITEM)};
static const kiln_member all[] = {FIELD("flag", T_BOOL),
                                  FIELD("big", T_U64),
                                  FIELD("color", T_COLOR),
                                  FIELD("bits", T_BITS),
                                  FIELD("sign", T_SIGN),
                                  FIELD("single", T_F32),
                                  FIELD("real", T_F64),
                                  FIELD("name", T_STRING),
                                  FIELD("raw", T_BYTES),
                                  FIELD("aligned", T_BYTES_64),
                                  FIELD("link", T_REF),
                                  FIELD("item", T_REF_ITEM),
                                  FIELD("at", T_VEC),
                                  FIELD("first", T_ITEM),
                                  FIELD("items", T_ITEM_ARRAY),
                                  FIELD("tree", T_NODE_OPTIONAL),
                                  FIELD("effect", T_EFFECT),
                                  FIELD("effects", T_EFFECT_ARRAY),
                                  FIELD("numbers", T_U32_ARRAY),
                                  FIELD("page", T_U32_ARRAY_64),
                                  FIELD("words", T_STRING_ARRAY),
                                  FIELD("prices", T_MAP_STRING_U32),
                                  FIELD("stock", T_MAP_STRING_ITEM),
                                  FIELD("small", T_MAP_I16_BOOL),
                                  FIELD("floats", T_MAP_F32_U32),
                                  FIELD("pairs", T_MAP_PAIR_U8),
                                  FIELD("ids", T_MAP_REF_U8),
                                  FIELD("maybe", T_U32_ARRAY_OPTIONAL),
                                  FIELD("grid", T_U8_ARRAY_ARRAY),
                                  FIELD("triple", T_BOOL_3)};

#define ONE_MEMBER(name, member_type)                                                              \
    static const kiln_member name[] = {FIELD("value", member_type)}
#define TWO_MEMBERS(name, first, second)                                                           \
    static const kiln_member name[] = {FIELD("a", first), FIELD("b", second)}
ONE_MEMBER(one_bool, T_BOOL);
ONE_MEMBER(one_u64, T_U64);
ONE_MEMBER(one_f32, T_F32);
ONE_MEMBER(one_f64, T_F64);
ONE_MEMBER(one_color, T_COLOR);
ONE_MEMBER(one_sign, T_SIGN);
ONE_MEMBER(one_bits, T_BITS);
ONE_MEMBER(one_ref, T_REF);
ONE_MEMBER(one_string, T_STRING);
ONE_MEMBER(one_bytes, T_BYTES);
ONE_MEMBER(one_bytes_64, T_BYTES_64);
ONE_MEMBER(one_vec, T_VEC);
ONE_MEMBER(one_u32_array, T_U32_ARRAY);
ONE_MEMBER(one_u32_array_64, T_U32_ARRAY_64);
ONE_MEMBER(one_u64_array, T_U64_ARRAY);
ONE_MEMBER(one_string_array, T_STRING_ARRAY);
ONE_MEMBER(one_item_array, T_ITEM_ARRAY);
ONE_MEMBER(one_node_optional, T_NODE_OPTIONAL);
ONE_MEMBER(one_effect, T_EFFECT);
ONE_MEMBER(one_bool_3, T_BOOL_3);
ONE_MEMBER(one_map_string_u32, T_MAP_STRING_U32);
ONE_MEMBER(one_map_bool_u8, T_MAP_BOOL_U8);
ONE_MEMBER(one_map_i16_bool, T_MAP_I16_BOOL);
ONE_MEMBER(one_map_u64_string, T_MAP_U64_STRING);
ONE_MEMBER(one_map_f32_u32, T_MAP_F32_U32);
ONE_MEMBER(one_map_f64_u8, T_MAP_F64_U8);
ONE_MEMBER(one_map_pair_u8, T_MAP_PAIR_U8);
ONE_MEMBER(one_map_color_u8, T_MAP_COLOR_U8);
ONE_MEMBER(one_map_sign_u8, T_MAP_SIGN_U8);
ONE_MEMBER(one_map_ref_u8, T_MAP_REF_U8);
TWO_MEMBERS(two_strings, T_STRING, T_STRING);
TWO_MEMBERS(two_arrays, T_U32_ARRAY, T_U32_ARRAY);
TWO_MEMBERS(bytes_and_array, T_BYTES, T_BYTES_ARRAY);
TWO_MEMBERS(string_and_bytes, T_STRING, T_BYTES);
TWO_MEMBERS(array_and_aligned, T_U32_ARRAY, T_U32_ARRAY_64);
TWO_MEMBERS(padded, T_U8, T_U32);
TWO_MEMBERS(node_and_array, T_NODE_OPTIONAL, T_NODE_ARRAY);
ONE_MEMBER(one_map_u8_u32, T_MAP_U8_U32);
ONE_MEMBER(one_wrap, T_WRAP);

static const kiln_member slot[] = {FIELD("kind", T_U8), FIELD("who", T_ENTITY),
                                   FIELD("text", T_DATA_STRING), FIELD("others", T_ENTITY_9)};

#define MEMBERS(list) .members = (list), .member_count = sizeof(list) / sizeof *(list)
#define PART(type_kind, part)                                                                      \
    {                                                                                              \
        .kind = (type_kind), .element = (part)                                                     \
    }
#define MAP(key_type, value_type)                                                                  \
    {                                                                                              \
        .kind = KILN_KIND_MAP, .key = (key_type), .element = (value_type)                          \
    }

static const kiln_type descriptions[TEST_TYPE_COUNT] = {
    [T_BOOL] = {.kind = KILN_KIND_BOOL},
    [T_I8] = {.kind = KILN_KIND_I8},
    [T_I16] = {.kind = KILN_KIND_I16},
    [T_I32] = {.kind = KILN_KIND_I32},
    [T_I64] = {.kind = KILN_KIND_I64},
    [T_U8] = {.kind = KILN_KIND_U8},
    [T_U16] = {.kind = KILN_KIND_U16},
    [T_U32] = {.kind = KILN_KIND_U32},
    [T_U64] = {.kind = KILN_KIND_U64},
    [T_F32] = {.kind = KILN_KIND_F32},
    [T_F64] = {.kind = KILN_KIND_F64},
    [T_STRING] = {.kind = KILN_KIND_STRING},
    [T_BYTES] = {.kind = KILN_KIND_BYTES},
    [T_BYTES_64] = {.kind = KILN_KIND_BYTES, .align_at = 64},
    [T_REF] = PART(KILN_KIND_REF, KILN_TYPE_NONE),
    [T_REF_ITEM] = PART(KILN_KIND_REF, T_ITEM),
    [T_COLOR] = {.name = "test.Color",
                 .kind = KILN_KIND_ENUM,
                 .base = KILN_KIND_U8,
                 MEMBERS(color)},
    [T_SIGN] = {.name = "test.Sign", .kind = KILN_KIND_ENUM, .base = KILN_KIND_I8, MEMBERS(sign)},
    [T_BITS] = {.name = "test.Bits", .kind = KILN_KIND_FLAGS, .base = KILN_KIND_U16, MEMBERS(bits)},
    [T_VEC] = {.name = "test.Vec", .kind = KILN_KIND_STRUCT, .align_at = 16, MEMBERS(vec)},
    [T_ITEM] = {.name = "test.Item",
                .doc = "Something to sell.",
                .kind = KILN_KIND_STRUCT,
                .flags = KILN_TYPE_ASSET,
                MEMBERS(item)},
    [T_NODE] = STRUCT("test.Node", node),
    [T_EFFECT] = {.name = "test.Effect", .kind = KILN_KIND_UNION, MEMBERS(effect)},
    [T_ALL] = {.name = "test.All",
               .kind = KILN_KIND_STRUCT,
               .flags = KILN_TYPE_ASSET,
               MEMBERS(all)},
    [T_BYTES_ARRAY] = PART(KILN_KIND_ARRAY, T_U8),
    [T_U32_ARRAY] = PART(KILN_KIND_ARRAY, T_U32),
    [T_U32_ARRAY_64] = {.kind = KILN_KIND_ARRAY, .element = T_U32, .align_at = 64},
    [T_U64_ARRAY] = PART(KILN_KIND_ARRAY, T_U64),
    [T_STRING_ARRAY] = PART(KILN_KIND_ARRAY, T_STRING),
    [T_ITEM_ARRAY] = PART(KILN_KIND_ARRAY, T_ITEM),
    [T_NODE_ARRAY] = PART(KILN_KIND_ARRAY, T_NODE),
    [T_VEC_ARRAY] = PART(KILN_KIND_ARRAY, T_VEC),
    [T_EFFECT_ARRAY] = PART(KILN_KIND_ARRAY, T_EFFECT),
    [T_NODE_OPTIONAL] = PART(KILN_KIND_OPTIONAL, T_NODE),
    [T_U32_OPTIONAL] = PART(KILN_KIND_OPTIONAL, T_U32),
    [T_BOOL_3] = {.kind = KILN_KIND_FIXED, .element = T_BOOL, .count = 3},
    [T_F32_2] = {.kind = KILN_KIND_FIXED, .element = T_F32, .count = 2},
    [T_MAP_STRING_U32] = MAP(T_STRING, T_U32),
    [T_MAP_BOOL_U8] = MAP(T_BOOL, T_U8),
    [T_MAP_I16_BOOL] = MAP(T_I16, T_BOOL),
    [T_MAP_U64_STRING] = MAP(T_U64, T_STRING),
    [T_MAP_F32_U32] = MAP(T_F32, T_U32),
    [T_MAP_F64_U8] = MAP(T_F64, T_U8),
    [T_MAP_PAIR_U8] = MAP(T_F32_2, T_U8),
    [T_MAP_COLOR_U8] = MAP(T_COLOR, T_U8),
    [T_MAP_SIGN_U8] = MAP(T_SIGN, T_U8),
    [T_MAP_REF_U8] = MAP(T_REF, T_U8),
    [T_MAP_STRING_ITEM] = MAP(T_STRING, T_ITEM),
    [T_U8_ARRAY_ARRAY] = PART(KILN_KIND_ARRAY, T_BYTES_ARRAY),
    [T_U32_ARRAY_OPTIONAL] = PART(KILN_KIND_OPTIONAL, T_U32_ARRAY),
    [T_ONE_BOOL] = STRUCT("test.OneBool", one_bool),
    [T_ONE_U64] = STRUCT("test.OneU64", one_u64),
    [T_ONE_F32] = STRUCT("test.OneF32", one_f32),
    [T_ONE_F64] = STRUCT("test.OneF64", one_f64),
    [T_ONE_COLOR] = STRUCT("test.OneColor", one_color),
    [T_ONE_SIGN] = STRUCT("test.OneSign", one_sign),
    [T_ONE_BITS] = STRUCT("test.OneBits", one_bits),
    [T_ONE_REF] = STRUCT("test.OneRef", one_ref),
    [T_ONE_STRING] = STRUCT("test.OneString", one_string),
    [T_ONE_BYTES] = STRUCT("test.OneBytes", one_bytes),
    [T_ONE_BYTES_64] = STRUCT("test.OneBytes64", one_bytes_64),
    [T_ONE_VEC] = STRUCT("test.OneVec", one_vec),
    [T_ONE_U32_ARRAY] = STRUCT("test.OneU32Array", one_u32_array),
    [T_ONE_U32_ARRAY_64] = STRUCT("test.OneU32Array64", one_u32_array_64),
    [T_ONE_U64_ARRAY] = STRUCT("test.OneU64Array", one_u64_array),
    [T_ONE_STRING_ARRAY] = STRUCT("test.OneStringArray", one_string_array),
    [T_ONE_ITEM_ARRAY] = STRUCT("test.OneItemArray", one_item_array),
    [T_ONE_NODE_OPTIONAL] = STRUCT("test.OneNodeOptional", one_node_optional),
    [T_ONE_EFFECT] = STRUCT("test.OneEffect", one_effect),
    [T_ONE_BOOL_3] = STRUCT("test.OneBool3", one_bool_3),
    [T_ONE_MAP_STRING_U32] = STRUCT("test.OneMapStringU32", one_map_string_u32),
    [T_ONE_MAP_BOOL_U8] = STRUCT("test.OneMapBoolU8", one_map_bool_u8),
    [T_ONE_MAP_I16_BOOL] = STRUCT("test.OneMapI16Bool", one_map_i16_bool),
    [T_ONE_MAP_U64_STRING] = STRUCT("test.OneMapU64String", one_map_u64_string),
    [T_ONE_MAP_F32_U32] = STRUCT("test.OneMapF32U32", one_map_f32_u32),
    [T_ONE_MAP_F64_U8] = STRUCT("test.OneMapF64U8", one_map_f64_u8),
    [T_ONE_MAP_PAIR_U8] = STRUCT("test.OneMapPairU8", one_map_pair_u8),
    [T_ONE_MAP_COLOR_U8] = STRUCT("test.OneMapColorU8", one_map_color_u8),
    [T_ONE_MAP_SIGN_U8] = STRUCT("test.OneMapSignU8", one_map_sign_u8),
    [T_ONE_MAP_REF_U8] = STRUCT("test.OneMapRefU8", one_map_ref_u8),
    [T_TWO_STRINGS] = STRUCT("test.TwoStrings", two_strings),
    [T_TWO_ARRAYS] = STRUCT("test.TwoArrays", two_arrays),
    [T_BYTES_AND_ARRAY] = STRUCT("test.BytesAndArray", bytes_and_array),
    [T_STRING_AND_BYTES] = STRUCT("test.StringAndBytes", string_and_bytes),
    [T_ARRAY_AND_ALIGNED] = STRUCT("test.ArrayAndAligned", array_and_aligned),
    [T_PADDED] = STRUCT("test.Padded", padded),
    [T_NODE_AND_ARRAY] = STRUCT("test.NodeAndArray", node_and_array),
    [T_MAP_U8_U32] = MAP(T_U8, T_U32),
    [T_ONE_MAP_U8_U32] = STRUCT("test.OneMapU8U32", one_map_u8_u32),
    [T_WRAP] = {.name = "test.Wrap",
                .kind = KILN_KIND_STRUCT,
                .flags = KILN_TYPE_TRANSPARENT,
                MEMBERS(one_bool)},
    [T_ONE_WRAP] = STRUCT("test.OneWrap", one_wrap),
    [T_ENTITY] = {.kind = KILN_KIND_ENTITY},
    [T_ENTITY_9] = {.kind = KILN_KIND_FIXED, .element = T_ENTITY, .count = 9},
    [T_DATA_STRING] = PART(KILN_KIND_DATA, T_STRING),
    [T_SLOT] = STRUCT("test.Slot", slot),
};

const kiln_type *test_type_descriptions(void)
{
    return descriptions;
}

kiln_types *test_types_create(const kiln_allocator *allocator)
{
    kiln_types *types = NULL;
    if (kiln_types_create(allocator, descriptions, TEST_TYPE_COUNT, &types, NULL))
        abort();
    return types;
}
