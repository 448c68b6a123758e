/* Two layouts of one struct, and the conversion from the older to the newer. Both lists contain
 * every kind of field type, and changed variants of r.Color, r.Bits and r.Effect. */
#ifndef CONVERT_PAIR_H
#define CONVERT_PAIR_H

#include <kiln/convert.h>

/* The order of both lists. */
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
    COLOR_MOVED, /* different numbers and a different base type */
    COLOR_MERGED,
    HUE, /* an enum with a different name */
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

/* Makes a list of types whose root has these fields. In the newer list, the changed variants have
 * the names of the original types: r.Color, r.Bits and r.Effect. */
kiln_types *pair_list(const kiln_member *members, uint32_t count, bool is_newer);
/* Makes two lists with these fields. If no conversion is possible, the conversion is NULL, and
 * `error` contains the reason. */
void pair_open(pair *p, const kiln_member *older, uint32_t older_count, const kiln_member *newer,
               uint32_t newer_count);
void pair_close(pair *p);

#endif
