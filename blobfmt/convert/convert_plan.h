/* A compiled conversion: how to convert the bytes of each type that a value contains.
 *
 * A *row* converts a value with everything that it contains inline. It is a list of steps that each
 * write some bytes of the newer value. Together the steps write each byte once, in ascending order.
 * Links are the exception: they fill in offsets that a constant left 0. A *target* is what a
 * relative field points to: consecutive rows of one kind, or a string. Steps refer to rows, targets
 * and tables by number, so a finite number of them is enough for recursive types. */
#ifndef KILN_CONVERT_PLAN_H
#define KILN_CONVERT_PLAN_H

#include "arena.h"
#include "hash_table.h"
#include "object_form.h"

#include <assert.h>
#include <kiln/blob_header.h>
#include <kiln/convert.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef enum convert_op {
    CONVERT_COPY,     /* `count` bytes */
    CONVERT_ZERO,     /* `count` bytes */
    CONVERT_CONSTANT, /* `count` bytes of the pool, from `index` on */
    CONVERT_NUMBER,   /* `count` consecutive numbers, from one kind to another */
    CONVERT_VALUE,    /* `count` consecutive enums or flag sets, by the table `index` */
    CONVERT_TEXT,     /* a string */
    CONVERT_COUNTED,  /* an array, map or bytes: the target `index` */
    CONVERT_POINTER,  /* an optional: the target `index` */
    CONVERT_UNION,    /* by the table `index` */
    CONVERT_ROWS,     /* `count` consecutive values, by the row `index` */
    CONVERT_BOX,      /* a value that becomes a separate object: one row `index` */
    CONVERT_BOX_LIST, /* like CONVERT_BOX, for the only element of an array */
    CONVERT_LINK      /* to byte `count` of the image `index` */
} convert_op;

typedef struct convert_step {
    uint8_t op;
    uint8_t from_kind, to_kind; /* of numbers */
    uint32_t from, to;          /* offsets in the older and the newer row */
    uint32_t count, index;
    uint32_t box; /* CONVERT_ROWS, CONVERT_BOX*: offset of the step's boxes in the row's boxes */
} convert_step;

typedef struct convert_row {
    uint32_t from_size, to_size;
    uint32_t first, count;        /* steps */
    uint32_t scans, scan_count;   /* copies of the steps that convert_scan.c runs */
    uint32_t box_size, box_align; /* of the row's boxes (values that become separate objects); 0 and
                                     1 if it has none */
    /* The maximum number of objects nested below the row, if its fields point only to strings and
     * images and no value can be rejected; otherwise UINT32_MAX. */
    uint32_t height;
    bool is_copy;      /* a single copy of all bytes */
    bool is_identity;  /* the older bytes are already the newer value */
    uint32_t from, to; /* the types; CONVERT_ENTRIES is set for entries of maps */
} convert_row;

#define CONVERT_ENTRIES UINT32_C(0x80000000)

/* A position in the newer types, for error messages. */
typedef struct convert_place {
    uint32_t type; /* struct or union; the root if `member` is NULL */
    const kiln_member *member;
    uint32_t steps; /* two bits per step into unnamed types, the last step in the lowest bits */
} convert_place;

/* Steps into unnamed types. CONVERT_STEP_VALUE adds nothing to a path, but distinguishes the value
 * from the member itself. */
enum { CONVERT_STEP_ELEMENT = 1, CONVERT_STEP_KEY = 2, CONVERT_STEP_VALUE = 3 };

static inline convert_place convert_step_into(const convert_place *place, uint32_t step)
{
    convert_place inner = *place;
    inner.steps = place->steps << 2 | step;
    return inner;
}

typedef struct convert_target {
    uint32_t from_unit, to_unit;
    uint32_t from, to; /* the types; CONVERT_ENTRIES is set for entries of maps */
    uint32_t from_align, align;
    uint32_t row;
    bool sorts; /* the order of the keys may change */
    convert_place place;
} convert_target;

/* What a value of an enum or flag set, or an alternative of a union, becomes. Indexed by the member
 * number in the older type. */
typedef struct convert_choice {
    uint64_t value;
    uint32_t target; /* of an alternative with a value; otherwise KILN_TYPE_NONE */
    bool is_known;
} convert_choice;

typedef struct convert_table {
    uint32_t from, to;
    convert_choice *choices;
} convert_table;

/* The objects of a default that links point to. Their bytes are written unchanged. */
typedef struct convert_image {
    unsigned char *bytes;
    uint32_t size, align;
    uint32_t height; /* objects nested in it */
} convert_image;

struct kiln_conversion {
    kiln_allocator allocator;
    const kiln_types *from, *to;
    uint32_t from_type, to_type;
    bool skip_hash, may_refuse, has_texts, sorts;
    kiln_convert_need need;
    arena memory; /* choices, images */
    vector steps, rows, targets, tables, images, pool;
    uint32_t sort_max; /* maximum number of entries in a map that must be sorted */
};

#define CONVERT_ITEM(type, v, number) ((type *)(v).items + (number))

static inline const convert_row *convert_row_at(const kiln_conversion *c, uint32_t number)
{
    return CONVERT_ITEM(const convert_row, c->rows, number);
}
static inline const convert_target *convert_target_at(const kiln_conversion *c, uint32_t number)
{
    return CONVERT_ITEM(const convert_target, c->targets, number);
}
static inline const convert_step *convert_step_at(const kiln_conversion *c, uint32_t number)
{
    return CONVERT_ITEM(const convert_step, c->steps, number);
}
/* What an older value, flag or alternative becomes. Older values are valid, so the member exists.
 */
static inline const convert_choice *convert_choice_of(const convert_table *table,
                                                      const kiln_type *older, uint64_t value)
{
    const kiln_member *member = kiln_type_value(older, value);
    assert(member);
    return &table->choices[member - older->members];
}

static inline const convert_table *convert_table_at(const kiln_conversion *c, uint32_t number)
{
    return CONVERT_ITEM(const convert_table, c->tables, number);
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
