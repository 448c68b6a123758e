/* Mutations that know the types: a payload is walked as a value of its type, as far as its bytes
 * allow, and what is found there is broken one field at a time. */
#ifndef FIELD_MUTATOR_H
#define FIELD_MUTATOR_H

#include <kiln/types.h>
#include <stddef.h>

/* Changes one thing in the `size` bytes at `payload`: an offset, a count, a tag, a bool, an enum's
 * or flag's bits, an id, a float, the order of a map's entries, a text's bytes or its NUL, padding;
 * or appends a copy of an object and lets its field name that. Returns the new size, at most
 * `room`. */
size_t mutate_field(const kiln_types *types, uint32_t type, unsigned char *payload, size_t size,
                    size_t room, uint64_t seed);

#endif
