/* Finds the name that a misspelt word was probably meant to be. */
#ifndef BAKE_SIMILAR_H
#define BAKE_SIMILAR_H

#include <stddef.h>

/* Longer words get no suggestion, so that the work for one name is bounded. */
#define BAKE_SIMILAR_LENGTH_MAX 64

/* The minimum number of insertions, deletions, replacements and swaps of neighbours that turn `a`
 * into `b`; `limit` + 1 if the number exceeds `limit`. Strings that differ only in case have
 * distance 1. Both lengths must be at most BAKE_SIMILAR_LENGTH_MAX. */
size_t bake_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
                          size_t limit);

/* Returns the first of `names` that equals the word if case is ignored. If there is none, returns
 * the first of the closest names, or NULL if no name is close enough. */
const char *bake_most_similar(const char *word, size_t length, const char *const *names,
                              size_t count);

#endif
