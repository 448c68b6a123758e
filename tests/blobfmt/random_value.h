/* Random values of any type, made with the builder. The value depends only on type and seed.
 * `order` changes the order of the builder calls, and all orders must produce the same canonical
 * bytes. */
#ifndef RANDOM_VALUE_H
#define RANDOM_VALUE_H

#include <kiln/builder.h>

enum {
    RANDOM_FIELDS_BACKWARDS = 1,
    RANDOM_ELEMENTS_BACKWARDS = 2,
    RANDOM_ENTRIES_BACKWARDS = 4,
    RANDOM_SET_TWICE = 8, /* each relative field is first set to a different target */
    RANDOM_SHARED = 16,   /* an earlier string is reused */
    RANDOM_ORDERS = 32
};

/* Makes a root of struct type `type` in an empty builder. Errors stay in the builder. */
void random_value_build(kiln_builder *builder, const kiln_types *types, uint32_t type,
                        uint64_t seed, unsigned order);

#endif
