/* What scalars at one position of the data have in common.
 *
 * Each distinct text is read once for all types that it can have: number, colour, `1,2`, ... Two
 * sets of bits hold the types that all texts can have, and those that some can have, together with
 * the range of the numbers. infer_scalar.c decides the type after all texts.
 *
 * Distinct texts are stored with their count and first place, up to INFER_VALUES_MAX. Beyond that,
 * `many` is set, and new texts only update counts, bits and ranges. So memory is bounded by the
 * number of positions. Texts point into the trees. */
#ifndef BAKE_INFER_TEXT_H
#define BAKE_INFER_TEXT_H

#include "bake_store.h"
#include "hash_table.h"
#include "tree.h"

#include <stdint.h>

#define INFER_VALUES_MAX 65536u
/* Longer texts are neither ids nor names of enums. */
#define INFER_NAME_MAX 255u

/* What a text can be. */
enum {
    INFER_BOOL = 1 << 0,        /* `true`, `False` ... */
    INFER_ZERO_ONE = 1 << 1,    /* `0` or `1`, which can be a bool, too */
    INFER_INT = 1 << 2,         /* an integer of 64 bits without leading zeros */
    INFER_NUMBER = 1 << 3,      /* an integer or a float */
    INFER_FRACTION = 1 << 4,    /* a float that is not written as an integer */
    INFER_UNIT = 1 << 5,        /* a number with a unit */
    INFER_VECTOR = 1 << 6,      /* 2 to 4 numbers with commas between them */
    INFER_COLOUR = 1 << 7,      /* `#RGB`, `#RRGGBBAA` ... */
    INFER_COLOUR_NAME = 1 << 8, /* `DarkRed` */
    INFER_HEX = 1 << 9,         /* 16 hex digits or more, an even number */
    INFER_HEX_LETTER = 1 << 10, /* of these at least one is a letter */
    INFER_BASE64 = 1 << 11,     /* of 24 digits or more */
    INFER_WORD = 1 << 12,       /* can be a name of an enum */
    INFER_ID = 1 << 13,         /* can be an id */
    INFER_QUOTED = 1 << 14,     /* in quotes, or tagged as text */
    INFER_BINARY = 1 << 15,     /* tagged as bytes */
    INFER_FRACTIONS = 1 << 16,  /* a vector with a float in it */
    INFER_DOUBLE = 1 << 17,     /* a number, or one in a vector, that an f32 does not hold */
    INFER_PREFIXED = 1 << 18,   /* an integer written `0x` */
    INFER_SPACE = 1 << 19,      /* a word with a space in it */
    INFER_PADDED = 1 << 20,     /* an integer that begins with a zero */
    INFER_TEXT = 1 << 22,       /* tagged as text, which no other type allows */
    INFER_NAMES = 1 << 23,      /* several words, all different, with commas or `|` between them */
    INFER_BYTES = 1 << 21       /* base64 that is unlikely to be anything else */
};

/* A place in the data. */
typedef struct infer_place {
    uint32_t input; /* number of the input */
    bake_node_id node;
} infer_place;

typedef struct infer_value {
    const char *text;
    uint32_t length;
    uint32_t count;
    uint32_t flags; /* what it can be */
    uint32_t list;  /* number of the last list that has it */
    infer_place first;
} infer_value;

typedef struct infer_texts {
    uint64_t count;
    uint64_t quoted;     /* of these in quotes */
    uint32_t all;        /* what all of them can be */
    uint32_t some;       /* what some of them can be */
    uint64_t highest;    /* the highest integer, 0 where all are negative */
    uint64_t lowest;     /* the magnitude of the lowest negative one, 0 without */
    double least, most;  /* of the numbers */
    uint32_t dimensions; /* numbers in each vector; 0: they differ */
    uint32_t digits;     /* of each INFER_HEX; 0: they differ */
    uint32_t longest;    /* bytes */
    uint32_t units;      /* dimension of the units, INFER_UNITS_MIXED */
    uint32_t unit;       /* the unit written first */
    uint32_t list;       /* number of the current list; 0: none */
    bool many;
    bool forced;  /* one is tagged as text */
    bool repeats; /* some list has a text twice */
    infer_value *values;
    uint32_t value_count;
    size_t value_capacity;
    hash_table by_text; /* of all values, or of none */
} infer_texts;

#define INFER_UNITS_MIXED UINT32_MAX

/* What one text can be. */
typedef struct infer_reading {
    uint32_t flags;
    bool negative;
    uint64_t magnitude; /* INFER_INT */
    double number;      /* INFER_NUMBER */
    uint32_t dimensions, digits;
    uint32_t units, unit; /* INFER_UNIT; 0 for others */
} infer_reading;

/* Reads `length` bytes. */
infer_reading bake_infer_read_text(const char *text, uint32_t length);

/* The text of a unit by its number, its dimension as a word. */
const char *bake_infer_unit_text(uint32_t unit);
const char *bake_infer_unit_dimension(uint32_t unit);
/* Whether a unit has other meanings: `m` can be metres or minutes. */
bool bake_infer_unit_is_vague(uint32_t unit);

/* Counts a text; `extra` are flags that the text alone does not show. False when memory ran out. */
bool bake_infer_texts_add(infer_texts *texts, bake_store *store, const char *text, uint32_t length,
                          infer_place place, uint32_t extra, uint32_t count);
/* Counts all texts of `from`. False when memory ran out. */
bool bake_infer_texts_merge(infer_texts *texts, bake_store *store, const infer_texts *from);
/* The value with this text; NULL if there is none. */
const infer_value *bake_infer_texts_find(const infer_texts *texts, const char *text,
                                         uint32_t length);
/* The value with the highest count; among equals, the bytewise smallest one. NULL if there are no
 * values. */
const infer_value *bake_infer_texts_most(const infer_texts *texts);

#endif
