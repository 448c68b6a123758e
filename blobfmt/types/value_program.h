/* The checks that the values of each type need, computed once when a list of types is created. They
 * let verifiers apply the rules of FORMAT.md section 9 without reading the types.
 *
 * A *program* lists the checks for a value of one type, with inner structs and short fixed arrays
 * unfolded: the offsets of strings; *checks* of numbers and padding; and *links*, in the order of
 * their offsets, to other objects and to values that are too large to unfold. Offsets are relative
 * to the value's first byte. If a program is empty, every bit pattern of the value is valid. */
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
    CHECK_FEW,  /* V9: bit `value - low` of `mask` is set; for enums with a span below 64 */
    CHECK_ENUM, /* V9: `type` has the value */
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
    bool is_quick;        /* all links are quick, and there are few links and strings */
    uint32_t quick_align; /* the largest alignment of the links' targets. If `is_quick`, the sizes
                             of the targets' values are multiples of it */
} value_program;

/* Limits of the fast path: values with strings in one array, links in one program, and the strings
 * that one value can have in total, including those of its links. */
enum {
    PROGRAM_QUICK_STRINGS = 4,
    PROGRAM_QUICK_LINKS = 8,
    PROGRAM_QUICK_PER_VALUE = PROGRAM_QUICK_STRINGS * (PROGRAM_QUICK_LINKS + 2)
};

/* Larger than any height. For types whose objects can nest without limit, or more deeply than
 * KILN_DEPTH_MAX. */
enum { PROGRAM_HEIGHT_UNKNOWN = 255 };

/* The kind of object that a relative field points to. */
typedef struct program_target {
    uint32_t size, align; /* size of one value or entry; alignment of the object */
    uint32_t form;        /* packed unit and alignment; objects may be shared if these are equal */
    uint32_t map;         /* for entries, the map type; otherwise KILN_TYPE_NONE */
    uint8_t height;       /* maximum number of objects on a path down from it, including itself */
    value_program program;
} program_target;

typedef enum program_link_code {
    LINK_ARRAY,   /* offset and count: array, map, bytes; `target` */
    LINK_POINTER, /* optional; `target` */
    LINK_UNION,   /* `type` */
    LINK_VALUES   /* `count` consecutive values of `type`, in the value itself */
} program_link_code;

typedef struct program_link {
    program_link_code code;
    /* Up to this many values, the array takes the fast path; 0 if it never does. An array is
     * eligible if its alignment is above 1 and its values need no checks, or have one string each.
     */
    uint32_t quick_max;
    uint32_t size, align, form;   /* of the target, if the link is quick */
    uint32_t string, string_mask; /* offset of the string in a value; all ones if values have a
                                     string, otherwise 0 */
    uint32_t at;
    uint32_t type, count;
    const program_target *target;
} program_link;

/* Longer lists have no plans, because type numbers must fit in `form`. verify_judge.c, which needs
 * no plans, then checks all values. */
enum { PROGRAM_TYPES_MAX = 1 << 26 };

/* The checks for one type; kiln_types.plans is indexed by type number. */
typedef struct program_plan {
    program_target values;  /* one value of the type, as in a root or a union */
    program_target targets; /* the target of a relative field of the type; unused for unions */
} program_plan;

/* The plan of a type whose number is known to be in range, in a list that has plans. */
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

/* Whether the bytes at `at` pass the check. `at` points to the checked bytes, not to the start of
 * the value. */
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
