/* Compares strings with NUL-terminated names and words. The strings have an explicit length and may
 * contain any byte. */
#ifndef BAKE_TEXT_H
#define BAKE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool bake_text_is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Compares two strings bytewise; a prefix sorts before the longer string. An empty string may be
 * NULL. */
static inline int bake_compare_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t shorter = a_length < b_length ? a_length : b_length;
    int order = shorter ? memcmp(a, b, shorter) : 0;
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* Returns a text of a list, and its length. */
typedef const char *bake_text_at(const void *list, size_t number, size_t *ret_length);

/* Binary search in a list among the texts from `first` up to `end`, which are sorted by
 * bake_compare_text. Returns the number of a text that equals `text`, or SIZE_MAX. */
size_t bake_find_text(const void *list, bake_text_at *text_at, size_t first, size_t end,
                      const char *text, size_t length);

/* Sorts an array of pointers to strings bytewise. Arrays that are already sorted, which are common,
 * take one comparison for each string. */
void bake_sort_texts(void *items, size_t count);

/* Binary search in `count` rows of `size` bytes, sorted by name. Each row begins with its name
 * (`const char *`). Returns the index of a row with this name, or `count` if there is none. */
size_t bake_find_name(const void *rows, size_t count, size_t size, const char *text, size_t length);

#endif
