/* Finds the name that a misspelt word was probably meant to be. */
#ifndef BAKE_SIMILAR_H
#define BAKE_SIMILAR_H

#include <stddef.h>

/* Longer words get no suggestion, so that the work for one name is bounded. */
#define BAKE_SIMILAR_LENGTH_MAX 64

/* The number of letters to insert, delete, replace or swap with their neighbour to turn `a` into
 * `b`; `limit` + 1 if it exceeds `limit`. Texts that differ in case only have distance 1. Both
 * lengths are at most BAKE_SIMILAR_LENGTH_MAX. */
size_t bake_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
                          size_t limit);

/* The closest of `names`, and the first of equally close ones; NULL if none is close enough. */
const char *bake_most_similar(const char *word, size_t length, const char *const *names,
                              size_t count);

#endif
