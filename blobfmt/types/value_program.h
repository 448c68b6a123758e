/* What must be checked in values of each type, worked out once when a list of types is made: the
 * rules of FORMAT.md section 9 without a look at the types.
 *
 * A *program* holds all that must be looked at in a value of a type, inner structs and short fixed
 * arrays unfolded: places of strings; *checks* of numbers and padding; *links*, in the order of
 * their places, to objects of other kinds and to values that were too many to unfold. Places count
 * from the value's first byte. A program without any of the three is of a type of which all bytes
 * are valid. */
#ifndef KILN_VALUE_PROGRAM_H
#define KILN_VALUE_PROGRAM_H

#include "type_list.h"

#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef enum program_check_code {
    CHECK_BOOL, /* V8 */
    CHECK_REF,  /* V15 */
    CHECK_FEW,  /* V9: bit `value - low` of `mask` is set, all values being near one another */
    CHECK_ENUM, /* V9: the value is looked up in `type` */
    CHECK_MASK, /* V10: no bit outside `mask` */
    CHECK_ZERO  /* V16: `size` bytes */
} program_check_code;

typedef struct program_check {
    program_check_code code;
    uint32_t at;
    uint32_t size; /* bytes of the number */
    bool is_signed;
    uint64_t low, mask;
    const kiln_type *type;
} program_check;

typedef struct value_program {
    const uint32_t *strings;
    const program_check *checks;
    const struct program_link *links;
    uint32_t string_count, check_count, link_count;
    bool is_quick;        /* all links are, and there are few links and strings */
    uint32_t quick_align; /* most that a link asks for; the size of what each names is a multiple */
} value_program;

/* How many strings of an array are noted without counting; how many links a quick program may have,
 * and how many strings in all. */
enum {
    PROGRAM_QUICK_STRINGS = 4,
    PROGRAM_QUICK_LINKS = 8,
    PROGRAM_QUICK_PER_VALUE = PROGRAM_QUICK_STRINGS * (PROGRAM_QUICK_LINKS + 2)
};

/* Higher than any value: the type leads to itself, or nearly as deep as may be. */
enum { PROGRAM_HEIGHT_UNKNOWN = 255 };

/* What a relative field names. */
typedef struct program_target {
    uint32_t size, align; /* of one value or entry; of the first byte */
    uint32_t form;        /* unit and alignment: equal if and only if objects may be shared */
    uint32_t map;         /* of entries: the map's type; otherwise KILN_TYPE_NONE */
    uint8_t height;       /* most objects on a path down, itself included */
    value_program program;
} program_target;

typedef enum program_link_code {
    LINK_ARRAY,   /* offset and count: array, map, bytes; `target` */
    LINK_POINTER, /* optional; `target` */
    LINK_UNION,   /* `type` */
    LINK_VALUES   /* `count` values of `type` in a row, here */
} program_link_code;

typedef struct program_link {
    program_link_code code;
    /* Of an array, not among the strings behind all else, of values that hold nothing to look at
     * but at most one string each: up to how many values it is quick to check. Otherwise 0. */
    uint32_t quick_max;
    uint32_t size, align, form;   /* of a quick one: its target's */
    uint32_t string, string_mask; /* where in a value its string is; all ones if it has one, or 0 */
    uint32_t at;
    uint32_t type, count;
    const program_target *target;
} program_link;

/* Lists of more types have no plans: a form would not hold their numbers. */
enum { PROGRAM_TYPES_MAX = 1 << 26 };

/* Of each type of a list, by number. */
typedef struct program_plan {
    program_target values; /* one value of the type, as a union or a root holds it */
    program_target
        targets; /* what a relative field of the type names; unions and others: nothing */
} program_plan;

/* Of a number that is known to be a type's, in a list that has plans. */
static inline program_plan *program_plan_of(const kiln_types *types, uint32_t number)
{
    assert(number < types->count);
    return &types->plans[number];
}

static inline uint64_t program_check_number(const program_check *check, const unsigned char *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, check->size);
    if (check->is_signed && check->size < 8 && bits >> (check->size * 8 - 1))
        bits |= UINT64_MAX << (check->size * 8);
    return bits;
}

/* Whether the bytes at `at`, the check's place, are allowed. */
static inline bool program_check_holds(const program_check *check, const unsigned char *at)
{
    uint64_t number;
    uint32_t i = 0;
    switch (check->code) {
    case CHECK_BOOL:
        return *at <= 1;
    case CHECK_FEW:
        number = program_check_number(check, at) - check->low;
        return number < 64 && (check->mask >> number & 1);
    case CHECK_ENUM:
        return kiln_type_value(check->type, program_check_number(check, at)) != NULL;
    case CHECK_MASK:
        return (program_check_number(check, at) & ~check->mask) == 0;
    case CHECK_ZERO:
        while (i < check->size && !at[i])
            i++;
        return i == check->size;
    default:
        return program_check_number(check, at) != 0;
    }
}

static inline bool value_program_is_empty(const value_program *program)
{
    return (program->string_count | program->check_count | program->link_count) == 0;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
