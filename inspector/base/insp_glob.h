/* Glob patterns for names. */
#ifndef INSP_GLOB_H
#define INSP_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `text` matches `pattern`, where `*` stands for any bytes and `?` for a single byte. */
bool insp_glob(const char *pattern, const char *text, size_t length);

#endif
