/* The internals of a kiln_types. types.c creates one, with the help of type_check.c, type_layout.c,
 * layout_hash.c and value_program.c. type_list.c has the lookups, and type_expression.c spells
 * types. */
#ifndef KILN_TYPE_LIST_H
#define KILN_TYPE_LIST_H

#include "arena.h"
#include "hash_table.h"

#include <assert.h>
#include <kiln/types.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

struct kiln_types {
    kiln_allocator allocator;
    arena memory; /* types, members, strings */
    kiln_type *types;
    uint32_t count;
    hash_table names;           /* types by qualified name */
    struct object_form *forms;  /* by type: the object that a field of this type points to */
    struct program_plan *plans; /* by type: the checks for its values */
};

/* The type with a number that is known to be in range. */
static inline const kiln_type *type_at(const kiln_types *types, uint32_t number)
{
    assert(number < types->count);
    return &types->types[number];
}

/* Whether types of this kind have an `element`. For a ref it may be KILN_TYPE_NONE. */
static inline bool kind_has_element(kiln_kind kind)
{
    return kind == KILN_KIND_REF || kind == KILN_KIND_DATA ||
           (kind >= KILN_KIND_ARRAY && kind <= KILN_KIND_FIXED);
}

/* A type's members are followed in memory by two lists of their numbers: sorted by name, compared
 * as bytes, and sorted by value. */
static inline const uint32_t *members_by_name(const kiln_type *type)
{
    return (const uint32_t *)(const void *)(type->members + type->member_count);
}
static inline const uint32_t *members_by_value(const kiln_type *type)
{
    return members_by_name(type) + type->member_count;
}

/* Fills `names`; false if memory runs out. A duplicate name maps to the first type that has it. */
bool kiln_types_index_names(kiln_types *types);
/* type_expression.c: reports a failed check with the path `Type.member`. `member` may be NULL. */
kiln_status kiln_type_fail(kiln_error *reterr, kiln_status status, const kiln_types *types,
                           uint32_t type, const kiln_member *member);

/* types.c: like kiln_types_create, for descriptions that are known to be valid and contain layout
 * hashes. */
kiln_status kiln_types_create_known(const kiln_allocator *allocator, const kiln_type *types,
                                    uint32_t count, kiln_types **ret_types, kiln_error *reterr);
/* type_check.c: rules T1 to T4, T7 and T8, as far as they do not depend on the layout. */
kiln_status kiln_types_check(const kiln_types *types, kiln_error *reterr);
/* type_check.c: T3 for entities, data and components. The types must be laid out. */
kiln_status kiln_types_check_components(const kiln_types *types, kiln_error *reterr);
/* type_layout.c: sizes, alignments, offsets and properties that depend on them; T5 (for align_at)
 * and T6. */
kiln_status kiln_types_lay_out(kiln_types *types, kiln_error *reterr);
/* layout_hash.c: the layout hashes of all named types. */
kiln_status kiln_types_hash(kiln_types *types, kiln_error *reterr);

/* value_program.c: compiles the checks for the values of each type; false if memory runs out. The
 * types must be laid out. */
bool kiln_types_plan(kiln_types *types);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
