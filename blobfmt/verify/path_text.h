/* The spelling of steps, shared by path.c, which writes paths, and path_follow.c, which reads them.
 */
#ifndef KILN_PATH_TEXT_H
#define KILN_PATH_TEXT_H

#include <kiln/path.h>
#include <stdbool.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Buffer size for a map key in a path. */
enum { PATH_KEY_SIZE = KILN_MAP_KEY_MAX + 64 };

/* Formats `key` as in a path, but without quotes, truncated to `size` bytes. Returns whether paths
 * show it in quotes. */
bool kiln_path_key_text(const kiln_value *key, char *text, size_t size, size_t *ret_length);
/* Appends text without quotes. Drops the middle of a path that is too long. */
void kiln_path_append(kiln_path *path, const char *text, size_t length);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
