/* Random lists of types, every kind among them, that follow from a seed alone. */
#ifndef RANDOM_TYPES_H
#define RANDOM_TYPES_H

#include <kiln/types.h>

/* The list of this seed; never NULL. Its last type is a struct of up to a few thousand bytes. */
kiln_types *random_types_create(uint64_t seed);

#endif
