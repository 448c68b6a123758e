/* Two layouts of one struct, and the conversion from the older to the newer. Both lists have every
 * kind of type that a field can be of, and forms of r.Color, r.Bits and r.Effect that have changed.
 */
#ifndef CONVERT_PAIR_H
#define CONVERT_PAIR_H

#include <kiln/convert.h>

/* The order of either list. */
enum {
    BOOL,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    STRING,
    BYTES,
    REF,
    REF_ITEM,
    REF_OTHER,
    ITEM,
    OTHER,
    COLOR,
    COLOR_LESS,  /* r.Color without its middle value */
    COLOR_MOVED, /* other numbers, another base */
    COLOR_MERGED,
    HUE, /* an enum of another name */
    BITS,
    BITS_MOVED,
    BITS_LESS,
    EFFECT,
    EFFECT_LESS,
    EFFECT_TYPED,
    WRAP,
    U16_ARRAY,
    U32_ARRAY,
    U8_ARRAY,
    STRING_ARRAY,
    U32_OPTIONAL,
    U16_2,
    U32_2,
    U32_3,
    ARRAY_2,
    ARRAY_3,
    COLORS,
    COLORS_MOVED,
    COLORS_MERGED,
    COLORS_LESS,
    BYTES_64,
    KEYS_U8,
    KEYS_U16,
    FIXED_TYPES,
    ROOT = FIXED_TYPES
};

typedef struct pair {
    kiln_types *older, *newer;
    kiln_conversion *conversion;
    kiln_error error;
} pair;

/* The list with a root of these fields. In the newer list each of the changed forms of r.Color,
 * r.Bits and r.Effect was the plain one. */
kiln_types *pair_list(const kiln_member *members, uint32_t count, bool is_newer);
/* Two lists with these fields; the conversion is NULL where `error` says why there is none. */
void pair_open(pair *p, const kiln_member *older, uint32_t older_count, const kiln_member *newer,
               uint32_t newer_count);
void pair_close(pair *p);

#endif
