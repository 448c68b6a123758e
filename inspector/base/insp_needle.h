/* Finds a byte string in large memory. */
#ifndef INSP_NEEDLE_H
#define INSP_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>

/* A string to search for; `text` remains the caller's. */
typedef struct insp_needle {
    const char *text;
    size_t length;
    size_t rare; /* the position of its rarest byte */
} insp_needle;

insp_needle insp_needle_make(const char *text, size_t length);

/* Whether the memory contains the string. An empty string is in any memory. */
bool insp_needle_is_in(const insp_needle *needle, const void *data, size_t size);

#endif
