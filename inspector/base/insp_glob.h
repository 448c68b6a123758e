/* Glob patterns for names. */
#ifndef INSP_GLOB_H
#define INSP_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `text` matches `pattern`, where `*` matches any bytes and `?` matches a single byte. */
bool insp_glob(const char *pattern, const char *text, size_t length);

#endif
