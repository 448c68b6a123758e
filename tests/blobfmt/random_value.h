/* Random values of any type, made through the builder. The value follows from type and seed alone;
 * the way in which the builder is called follows from `order`, so that two orders of one seed must
 * give the same canonical bytes. */
#ifndef RANDOM_VALUE_H
#define RANDOM_VALUE_H

#include <kiln/builder.h>

enum {
    RANDOM_FIELDS_BACKWARDS = 1,
    RANDOM_ELEMENTS_BACKWARDS = 2,
    RANDOM_ENTRIES_BACKWARDS = 4,
    RANDOM_SET_TWICE = 8, /* each relative field is first given another target */
    RANDOM_SHARED = 16,   /* a string that was made before is shared */
    RANDOM_ORDERS = 32
};

/* Makes a root of struct type `type` in an empty builder. Failures stick in the builder. */
void random_value_build(kiln_builder *builder, const kiln_types *types, uint32_t type,
                        uint64_t seed, unsigned order);

#endif
