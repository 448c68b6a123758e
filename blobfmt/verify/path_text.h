/* The spelling of steps, for path.c, which writes paths, and path_follow.c, which reads them. */
#ifndef KILN_PATH_TEXT_H
#define KILN_PATH_TEXT_H

#include <kiln/path.h>
#include <stdbool.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Room for what stands in a path for a key of a map. */
enum { PATH_KEY_SIZE = KILN_MAP_KEY_MAX + 64 };

/* What stands in a path for `key`: whole text, or so much as fits. Returns whether it stands in
 * quotes. */
bool kiln_path_key_text(const kiln_value *key, char *text, size_t size, size_t *ret_length);
/* Text as it is; the middle of a path that is too long is cut. */
void kiln_path_append(kiln_path *path, const char *text, size_t length);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
