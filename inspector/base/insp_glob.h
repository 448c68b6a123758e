/* Patterns of names. */
#ifndef INSP_GLOB_H
#define INSP_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `text` matches `pattern`, in which `*` stands for any bytes and `?` for one. */
bool insp_glob(const char *pattern, const char *text, size_t length);

#endif
