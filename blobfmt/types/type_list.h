/* The inside of a kiln_types. types.c makes one, with the help of type_check.c, type_layout.c,
 * layout_hash.c and value_program.c. type_list.c looks things up in it, and type_expression.c
 * spells its types. */
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
    arena memory; /* types, members, texts */
    kiln_type *types;
    uint32_t count;
    hash_table names;           /* types by qualified name */
    struct object_form *forms;  /* by type: of the object that a field of it points to */
    struct program_plan *plans; /* by type: what to check in its values */
};

/* The type of a number that is known to be in range. */
static inline const kiln_type *type_at(const kiln_types *types, uint32_t number)
{
    assert(number < types->count);
    return &types->types[number];
}

/* Whether a type of the kind has an `element`. That of a ref may be KILN_TYPE_NONE. */
static inline bool kind_has_element(kiln_kind kind)
{
    return kind == KILN_KIND_REF || kind == KILN_KIND_DATA ||
           (kind >= KILN_KIND_ARRAY && kind <= KILN_KIND_FIXED);
}

/* A type's members are followed in memory by two lists of their numbers: in the order of their
 * names as bytes, and in the order of their values. */
static inline const uint32_t *members_by_name(const kiln_type *type)
{
    return (const uint32_t *)(const void *)(type->members + type->member_count);
}
static inline const uint32_t *members_by_value(const kiln_type *type)
{
    return members_by_name(type) + type->member_count;
}

/* Enters the named types into `names`; false if memory runs out. A name that occurs twice is
 * entered for its first type. */
bool kiln_types_enter_names(kiln_types *types);
/* type_expression.c: reports a failed check with the path `Type.member`. `member` may be NULL. */
kiln_status kiln_type_fail(kiln_error *reterr, kiln_status status, const kiln_types *types,
                           uint32_t type, const kiln_member *member);

/* types.c: kiln_types_create for descriptions that are known to be valid and have layout hashes. */
kiln_status kiln_types_create_known(const kiln_allocator *allocator, const kiln_type *types,
                                    uint32_t count, kiln_types **ret_types, kiln_error *reterr);
/* type_check.c: rules T1 to T4, T7 and T8, as far as they do not depend on the layout. */
kiln_status kiln_types_check(const kiln_types *types, kiln_error *reterr);
/* type_check.c: T3 of entities, data and components, for types that are laid out. */
kiln_status kiln_types_check_components(const kiln_types *types, kiln_error *reterr);
/* type_layout.c: sizes, alignments, offsets and what follows from them; T5 (of align_at) and T6. */
kiln_status kiln_types_lay_out(kiln_types *types, kiln_error *reterr);
/* layout_hash.c: the layout hashes of all named types. */
kiln_status kiln_types_hash(kiln_types *types, kiln_error *reterr);

/* value_program.c: what to check in the values of each type, for types that are laid out; false if
 * memory runs out. */
bool kiln_types_plan(kiln_types *types);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
