/* Glob patterns for names. */
#ifndef INSP_GLOB_H
#define INSP_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `text` matches `pattern`, where `*` matches any bytes and `?` matches a single byte. */
bool insp_glob(const char *pattern, const char *text, size_t length);

/* Whether the name `Kind/id` of an asset matches the pattern. A pattern without a slash also
 * matches the id alone. */
bool insp_glob_asset(const char *pattern, const char *name, size_t length);

/* Whether the text contains `*` or `?`. */
bool insp_glob_is_pattern(const char *text);

#endif
