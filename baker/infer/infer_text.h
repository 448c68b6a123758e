/* Summaries of all scalars at one position of the data.
 *
 * Each distinct string is analysed once for all types that it can have: number, colour, vector and
 * so on. Two sets of flags hold the types that all strings can have, and those that some can have,
 * together with the range of the numbers. infer_scalar.c then decides the type.
 *
 * Distinct strings are stored with their count and first location, up to INFER_VALUES_MAX. Beyond
 * that, `many` is set, and new strings only update counts, flags and ranges. So memory is bounded
 * by the number of positions. Strings point into the trees. */
#ifndef BAKE_INFER_TEXT_H
#define BAKE_INFER_TEXT_H

#include "bake_store.h"
#include "hash_table.h"
#include "tree.h"

#include <stdint.h>

#define INFER_VALUES_MAX 65536u
/* Longer strings are neither ids nor names of enums. */
#define INFER_NAME_MAX 255u

/* Types that a string can have, as flags. */
enum {
    INFER_BOOL = 1 << 0,        /* `true`, `False` ... */
    INFER_ZERO_ONE = 1 << 1,    /* `0` or `1`, which can also be a bool */
    INFER_INT = 1 << 2,         /* a 64-bit integer without leading zeros */
    INFER_NUMBER = 1 << 3,      /* an integer or a float */
    INFER_FRACTION = 1 << 4,    /* a number that is not an integer */
    INFER_UNIT = 1 << 5,        /* a number with a unit */
    INFER_VECTOR = 1 << 6,      /* 2 to 4 comma-separated numbers */
    INFER_COLOUR = 1 << 7,      /* `#RGB`, `#RRGGBBAA` ... */
    INFER_COLOUR_NAME = 1 << 8, /* `DarkRed` */
    INFER_HEX = 1 << 9,         /* at least 16 hex digits, an even number */
    INFER_HEX_LETTER = 1 << 10, /* INFER_HEX with at least one letter */
    INFER_BASE64 = 1 << 11,     /* base64 with at least 24 digits */
    INFER_WORD = 1 << 12,       /* can be a name of an enum */
    INFER_ID = 1 << 13,         /* can be an id */
    INFER_QUOTED = 1 << 14,     /* in quotes, or tagged as a string */
    INFER_BINARY = 1 << 15,     /* tagged as bytes */
    INFER_FRACTIONS = 1 << 16,  /* a vector with at least one fraction */
    INFER_DOUBLE = 1 << 17,     /* a number or vector that needs f64 */
    INFER_PREFIXED = 1 << 18,   /* an integer with the prefix `0x` */
    INFER_SPACE = 1 << 19,      /* a word with a space in it */
    INFER_PADDED = 1 << 20,     /* a number with leading zeros */
    INFER_TEXT = 1 << 22,       /* tagged as a string, which excludes all other types */
    INFER_NAMES = 1 << 23,      /* several distinct words separated by commas or `|` */
    INFER_BYTES = 1 << 21       /* base64 that is unlikely to be anything else */
};

/* A location in the data. */
typedef struct infer_place {
    uint32_t input; /* index of the input */
    bake_node_id node;
} infer_place;

typedef struct infer_value {
    const char *text;
    uint32_t length;
    uint32_t count;
    uint32_t flags; /* types that it can have */
    uint32_t list;  /* number of the last list that contains it */
    infer_place first;
} infer_value;

typedef struct infer_texts {
    uint64_t count;
    uint64_t quoted;     /* how many are quoted */
    uint32_t all;        /* flags of every string */
    uint32_t some;       /* flags of any string */
    uint64_t highest;    /* the highest integer; 0 if all are negative */
    uint64_t lowest;     /* magnitude of the lowest negative integer; 0 if there is none */
    double least, most;  /* range of the numbers */
    uint32_t dimensions; /* dimensions of all vectors; 0: they differ */
    uint32_t digits;     /* digits of all INFER_HEX; 0: they differ */
    uint32_t longest;    /* maximum length in bytes */
    uint32_t units;      /* dimension of the units, or INFER_UNITS_MIXED */
    uint32_t unit;       /* the first unit */
    uint32_t list;       /* number of the current list; 0: none */
    bool many;
    bool forced;  /* some value is tagged as a string */
    bool repeats; /* some list contains a string twice */
    infer_value *values;
    uint32_t value_count;
    size_t value_capacity;
    hash_table by_text; /* has all values, or none if there are few */
} infer_texts;

#define INFER_UNITS_MIXED UINT32_MAX

/* The result of analysing a string. */
typedef struct infer_reading {
    uint32_t flags;
    bool negative;
    uint64_t magnitude; /* INFER_INT */
    double number;      /* INFER_NUMBER */
    uint32_t dimensions, digits;
    uint32_t units, unit; /* INFER_UNIT; otherwise 0 */
} infer_reading;

/* Analyses a string of `length` bytes. */
infer_reading bake_infer_read_text(const char *text, uint32_t length);

/* Returns the symbol of a unit (`ms`), and the name of its dimension (`time`). */
const char *bake_infer_unit_text(uint32_t unit);
const char *bake_infer_unit_dimension(uint32_t unit);
/* Whether the symbol of a unit has other meanings: `m` can be metres or minutes. */
bool bake_infer_unit_is_vague(uint32_t unit);

/* Adds a string `count` times. `extra` has flags that do not follow from the string, such as
 * INFER_QUOTED. Returns false if memory runs out. */
bool bake_infer_texts_add(infer_texts *texts, bake_store *store, const char *text, uint32_t length,
                          infer_place place, uint32_t extra, uint32_t count);
/* Adds all strings of `from`. Returns false if memory runs out. */
bool bake_infer_texts_merge(infer_texts *texts, bake_store *store, const infer_texts *from);
/* Returns the value with this text, or NULL. */
const infer_value *bake_infer_texts_find(const infer_texts *texts, const char *text,
                                         uint32_t length);
/* Returns the most frequent value; ties go to the bytewise smallest. NULL if there are no
 * values. */
const infer_value *bake_infer_texts_most(const infer_texts *texts);

#endif
