/* The type list shared by the tests and fuzz harnesses of blobfmt. It has every kind, and a struct
 * with the single field `value` for each rule about values. The bytes of these structs are easy to
 * write by hand. */
#ifndef TEST_TYPES_H
#define TEST_TYPES_H

#include <kiln/relative.h>
#include <kiln/types.h>

/* The order of the list. Tests may use any of these. */
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
    T_BYTES_64,
    T_REF,
    T_REF_ITEM,
    T_COLOR,
    T_SIGN,
    T_BITS,
    T_VEC,
    T_ITEM,
    T_NODE,
    T_EFFECT,
    T_ALL,
    /* Unnamed types. */
    T_BYTES_ARRAY, /* u8[] */
    T_U32_ARRAY,
    T_U32_ARRAY_64,
    T_U64_ARRAY,
    T_STRING_ARRAY,
    T_ITEM_ARRAY,
    T_NODE_ARRAY,
    T_VEC_ARRAY,
    T_EFFECT_ARRAY,
    T_NODE_OPTIONAL,
    T_U32_OPTIONAL,
    T_BOOL_3,
    T_F32_2,
    T_MAP_STRING_U32,
    T_MAP_BOOL_U8,
    T_MAP_I16_BOOL,
    T_MAP_U64_STRING,
    T_MAP_F32_U32,
    T_MAP_F64_U8,
    T_MAP_PAIR_U8, /* map<f32[2], u8> */
    T_MAP_COLOR_U8,
    T_MAP_SIGN_U8,
    T_MAP_REF_U8,
    T_MAP_STRING_ITEM,
    T_U8_ARRAY_ARRAY,
    T_U32_ARRAY_OPTIONAL,
    /* Structs with the single field `value`. */
    T_ONE_BOOL,
    T_ONE_U64,
    T_ONE_F32,
    T_ONE_F64,
    T_ONE_COLOR,
    T_ONE_SIGN,
    T_ONE_BITS,
    T_ONE_REF,
    T_ONE_STRING,
    T_ONE_BYTES,
    T_ONE_BYTES_64,
    T_ONE_VEC,
    T_ONE_U32_ARRAY,
    T_ONE_U32_ARRAY_64,
    T_ONE_U64_ARRAY,
    T_ONE_STRING_ARRAY,
    T_ONE_ITEM_ARRAY,
    T_ONE_NODE_OPTIONAL,
    T_ONE_EFFECT,
    T_ONE_BOOL_3,
    T_ONE_MAP_STRING_U32,
    T_ONE_MAP_BOOL_U8,
    T_ONE_MAP_I16_BOOL,
    T_ONE_MAP_U64_STRING,
    T_ONE_MAP_F32_U32,
    T_ONE_MAP_F64_U8,
    T_ONE_MAP_PAIR_U8,
    T_ONE_MAP_COLOR_U8,
    T_ONE_MAP_SIGN_U8,
    T_ONE_MAP_REF_U8,
    /* Structs with two fields, `a` and `b`. */
    T_TWO_STRINGS,
    T_TWO_ARRAYS,        /* u32[], u32[] */
    T_BYTES_AND_ARRAY,   /* bytes, u8[] */
    T_STRING_AND_BYTES,  /* string, bytes */
    T_ARRAY_AND_ALIGNED, /* u32[], u32[]@64 */
    T_PADDED,            /* u8, u32 */
    T_NODE_AND_ARRAY,    /* Node?, Node[] */
    T_MAP_U8_U32,        /* its entries have padding after the key */
    T_ONE_MAP_U8_U32,
    T_WRAP, /* transparent, with one bool */
    T_ONE_WRAP,
    T_ENTITY,
    T_ENTITY_9, /* entity[9] */
    T_DATA_STRING,
    T_SLOT, /* a component's type: u8, entity at 4, data<string> at 16, entity[9] at 24 */
    TEST_TYPE_COUNT
};

/* A value of T_ITEM. */
typedef struct test_item {
    kiln_string name;
    uint32_t price;
    uint8_t sold;
    uint8_t color;
} test_item;

/* The TEST_TYPE_COUNT descriptions. */
const kiln_type *test_type_descriptions(void);
/* The list made of them; never NULL. `allocator` may be NULL. */
kiln_types *test_types_create(const kiln_allocator *allocator);

#endif
