/* How the values of a type are collected, computed once: the offsets of padding, floats and
 * relative fields, with inner structs unfolded. */
#ifndef KILN_OBJECT_PLAN_H
#define KILN_OBJECT_PLAN_H

#include "arena.h"
#include "object_form.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Bytes in which equal values may differ. */
typedef struct tidy_step {
    enum { TIDY_PADDING, TIDY_F32, TIDY_F64, TIDY_REPEAT } kind;
    uint32_t at;    /* in the value */
    uint32_t count; /* bytes of padding, floats, or values */
    uint32_t type;  /* TIDY_REPEAT: the type of the consecutive values */
} tidy_step;

/* A relative field, or consecutive values with relative fields. */
typedef struct field_step {
    enum { FIELD_COUNTED, FIELD_POINTER, FIELD_UNION, FIELD_REPEAT } kind;
    uint32_t at;
    uint32_t count;   /* FIELD_REPEAT */
    uint32_t type;    /* type of the field; FIELD_REPEAT: type of the consecutive values */
    object_form form; /* of the object that the field points to; unused for unions */
} field_step;

/* Steps are in the order of their offsets. A plan with size 0 has not been made yet. */
typedef struct object_plan {
    const tidy_step *tidy_steps;
    const field_step *fields;
    uint32_t tidy_count, field_count;
    uint32_t size;
} object_plan;

typedef struct plan_list {
    const kiln_types *types;
    kiln_allocator allocator;
    arena memory;
    object_plan *plans; /* plans for values, by type, then for map entries, by map type */
    uint32_t count;     /* number of `plans`; 0 until the first plan is made */
} plan_list;

void kiln_plan_list_init(plan_list *list, const kiln_types *types, const kiln_allocator *allocator);
void kiln_plan_list_fini(plan_list *list);

/* NULL if memory runs out. */
const object_plan *kiln_plan_make(plan_list *list, uint32_t type, bool is_entries);

/* The plan of values of `type`, or of the entries of the map `type`. A plan never moves. */
static inline const object_plan *plan_of(plan_list *list, uint32_t type, bool is_entries)
{
    uint32_t number = is_entries ? type + list->count / 2 : type;
    return list->count && list->plans[number].size ? &list->plans[number]
                                                   : kiln_plan_make(list, type, is_entries);
}

/* Makes the `count` values at `at` tidy: zeroes padding and, with `floats`, makes all NaNs
 * canonical. The plans of all repeated types already exist, so this cannot fail. */
void kiln_plan_tidy(plan_list *list, const object_plan *plan, unsigned char *at, uint32_t count,
                    bool floats);
/* Whether all NaNs in the `count` values at `at` are canonical. Does not check padding. */
bool kiln_plan_is_tidy(plan_list *list, const object_plan *plan, const unsigned char *at,
                       uint32_t count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
