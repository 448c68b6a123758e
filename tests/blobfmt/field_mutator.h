/* Type-aware mutations: a payload is traversed as a value of its type as far as its bytes allow,
 * and one field is damaged. */
#ifndef FIELD_MUTATOR_H
#define FIELD_MUTATOR_H

#include <kiln/types.h>
#include <stddef.h>

/* Changes one thing in the `size` bytes at `payload`: an offset, a count, a tag, a bool, the bits
 * of an enum or flag set, an id, a float, the order of map entries, the bytes of a string or its
 * NUL, or padding. It may also append a copy of an object and make its field refer to the copy.
 * Returns the new size, at most `room`. */
size_t mutate_field(const kiln_types *types, uint32_t type, unsigned char *payload, size_t size,
                    size_t room, uint64_t seed);

#endif
