/* Converts single values: numbers to larger kinds, enums and flag sets by tables.
 *
 * Each pair of number kinds has its own loop, because compilers can vectorize such loops, but not
 * one with a switch inside. */
#include "convert_run.h"

#include <kiln/value.h>
#include <string.h>

/* X(older kind, its C type, newer kind, its C type): every pair of different kinds where the newer
 * kind can represent all values of the older one. Pairs of one-byte kinds are not listed, because
 * they are copied. A bool is 0 or 1. */
#define TO_WIDER_UNSIGNED(X, kind, type)                                                           \
    X(kind, type, U16, uint16_t) X(kind, type, U32, uint32_t) X(kind, type, U64, uint64_t)
#define TO_WIDER_SIGNED(X, kind, type)                                                             \
    X(kind, type, I16, int16_t) X(kind, type, I32, int32_t) X(kind, type, I64, int64_t)
#define TO_FLOATS(X, kind, type) X(kind, type, F32, float) X(kind, type, F64, double)
#define NUMBER_PAIRS(X)                                                                            \
    TO_WIDER_UNSIGNED(X, BOOL, uint8_t)                                                            \
    TO_WIDER_SIGNED(X, BOOL, uint8_t)                                                              \
    TO_FLOATS(X, BOOL, uint8_t)                                                                    \
    TO_WIDER_UNSIGNED(X, U8, uint8_t)                                                              \
    TO_WIDER_SIGNED(X, U8, uint8_t)                                                                \
    TO_FLOATS(X, U8, uint8_t)                                                                      \
    TO_WIDER_SIGNED(X, I8, int8_t)                                                                 \
    TO_FLOATS(X, I8, int8_t)                                                                       \
    X(U16, uint16_t, U32, uint32_t)                                                                \
    X(U16, uint16_t, U64, uint64_t)                                                                \
    X(U16, uint16_t, I32, int32_t)                                                                 \
    X(U16, uint16_t, I64, int64_t)                                                                 \
    TO_FLOATS(X, U16, uint16_t)                                                                    \
    X(I16, int16_t, I32, int32_t)                                                                  \
    X(I16, int16_t, I64, int64_t)                                                                  \
    TO_FLOATS(X, I16, int16_t)                                                                     \
    X(U32, uint32_t, U64, uint64_t)                                                                \
    X(U32, uint32_t, I64, int64_t)                                                                 \
    X(U32, uint32_t, F64, double)                                                                  \
    X(I32, int32_t, I64, int64_t)                                                                  \
    X(I32, int32_t, F64, double)

/* Converts all numbers, row by row. */
#define NUMBER_LOOP(from_c, to_c)                                                                  \
    for (uint32_t n = 0; n < rows->count; n++, from += rows->from_size, to += rows->to_size)       \
        for (uint32_t i = 0; i < step->count; i++) {                                               \
            from_c number;                                                                         \
            memcpy(&number, from + (size_t)i * sizeof number, sizeof number);                      \
            to_c wider = (to_c)number;                                                             \
            memcpy(to + (size_t)i * sizeof wider, &wider, sizeof wider);                           \
        }

#define PAIR(from, to) ((unsigned)(from)*32 + (unsigned)(to))

/* Every NaN becomes the canonical NaN, because the bits of a converted NaN differ between hosts. */
static void floats_to_doubles(const convert_step *step, const convert_rows *rows,
                              const unsigned char *from, unsigned char *to)
{
    for (uint32_t n = 0; n < rows->count; n++, from += rows->from_size, to += rows->to_size)
        for (uint32_t i = 0; i < step->count; i++) {
            float single;
            memcpy(&single, from + (size_t)i * 4, sizeof single);
            double number = (double)single;
            uint64_t bits;
            memcpy(&bits, &number, sizeof bits);
            bits = single == single ? bits : UINT64_C(0x7ff8000000000000);
            memcpy(to + (size_t)i * 8, &bits, sizeof bits);
        }
}

void kiln_convert_numbers(const convert_step *step, const convert_rows *rows)
{
    const unsigned char *from = rows->from + step->from;
    unsigned char *to = rows->to + step->to;
    switch (PAIR(step->from_kind, step->to_kind)) {
#define NUMBER_CASE(from_kind, from_c, to_kind, to_c)                                              \
    case PAIR(KILN_KIND_##from_kind, KILN_KIND_##to_kind):                                         \
        NUMBER_LOOP(from_c, to_c)                                                                  \
        break;
        NUMBER_PAIRS(NUMBER_CASE)
#undef NUMBER_CASE
    default:
        floats_to_doubles(step, rows, from, to);
    }
}

/* The bits of an enum or flag set, sign-extended. */
static uint64_t read_bits(const kiln_types *types, uint32_t type, const unsigned char *at)
{
    kiln_value value = {types, type_at(types, type), type, at, at, at + 8};
    return kiln_value_uint(&value);
}

/* Converts a flag set. Every set bit must belong to a flag that still exists and has all of its
 * bits set. */
static bool choose_flags(const kiln_type *older, const convert_choice *choices, uint64_t bits,
                         uint64_t *ret_bits)
{
    uint64_t left = bits, chosen = 0;
    for (uint32_t i = 0; i < older->member_count; i++) {
        uint64_t flag = older->members[i].value;
        if (!choices[i].is_known || (bits & flag) != flag)
            continue;
        left &= ~flag;
        chosen |= choices[i].value;
    }
    *ret_bits = chosen;
    return left == 0;
}

bool kiln_convert_choose(const kiln_conversion *c, const convert_table *table,
                         const unsigned char *from, unsigned char *to)
{
    const kiln_type *older = type_at(c->from, table->from), *newer = type_at(c->to, table->to);
    uint64_t bits = read_bits(c->from, table->from, from), chosen = 0;
    if (older->kind == KILN_KIND_FLAGS) {
        if (!choose_flags(older, table->choices, bits, &chosen))
            return false;
    } else {
        const convert_choice *choice = convert_choice_of(table, older, bits);
        if (!choice->is_known)
            return false;
        chosen = choice->value;
    }
    memcpy(to, &chosen, newer->size);
    return true;
}
