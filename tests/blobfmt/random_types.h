/* Random type lists that contain every kind. The list depends only on the seed. */
#ifndef RANDOM_TYPES_H
#define RANDOM_TYPES_H

#include <kiln/types.h>

/* Returns the list for this seed; never NULL. Its last type is a struct of up to a few thousand
 * bytes. */
kiln_types *random_types_create(uint64_t seed);

#endif
