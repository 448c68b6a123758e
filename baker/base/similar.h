/* Which of some names a misspelt word was probably meant to be. */
#ifndef BAKE_SIMILAR_H
#define BAKE_SIMILAR_H

#include <stddef.h>

/* Words longer than this resemble nothing, so the work for one name is bounded. */
#define BAKE_SIMILAR_LENGTH_MAX 64

/* The number of letters to add, leave out, change or swap with their neighbour that makes `b` of
 * `a`; anything above `limit` is given as `limit` + 1. Case counts as no more than one change in
 * all. Both lengths are at most BAKE_SIMILAR_LENGTH_MAX. */
size_t bake_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
                          size_t limit);

/* The closest of `names`, the first of several; NULL when none is close enough. */
const char *bake_most_similar(const char *word, size_t length, const char *const *names,
                              size_t count);

#endif
