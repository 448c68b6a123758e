/* Adds the format's own types to a list of types, so that the type table of a file describes them
 * like any other types. */
#ifndef KILN_TYPE_JOIN_H
#define KILN_TYPE_JOIN_H

#include <kiln/types.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Constant descriptions of types. Their numbers count from the first of them, and each unnamed type
 * comes after its parts. */
typedef struct type_addition {
    const kiln_type *types;
    uint32_t count;
    uint32_t root; /* number of the struct whose layout hash covers all the others */
    uint64_t layout;
} type_addition;

/* Creates a copy of `types` (NULL: none) to which the added types are appended, unless the list has
 * a root of this name and layout. Unnamed types that the list has are reused. DUPLICATE: the list
 * has a different type with one of the names. NO_MEMORY. On failure `ret_types` is untouched. */
kiln_status kiln_types_join(const kiln_types *types, const type_addition *addition,
                            const kiln_allocator *allocator, kiln_types **ret_types,
                            kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
