/* Texts of a known length, in which any byte may stand, beside names and words, which a NUL ends.
 */
#ifndef BAKE_TEXT_H
#define BAKE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool bake_text_is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Orders two texts bytewise; a beginning comes before the whole. One of no length may be NULL. */
static inline int bake_compare_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t shorter = a_length < b_length ? a_length : b_length;
    int order = shorter ? memcmp(a, b, shorter) : 0;
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* Finds a name among `count` rows of `size` bytes, which each begin with one (`const char *`) and
 * are ascending by it; the number of a row that has it, or `count`. */
size_t bake_find_name(const void *rows, size_t count, size_t size, const char *text, size_t length);

#endif
