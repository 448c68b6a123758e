/* Glob patterns for paths, and splitting of file names. No function reads the file system. */
#ifndef BAKE_PATH_MATCH_H
#define BAKE_PATH_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `path` matches `pattern`. `*` and `?` do not match `/`; `**` does, and `**` followed by a
 * slash also matches zero folders. A pattern without `/` is compared only with the last component
 * of the path. A pattern that begins with `/` is compared with the whole path. */
bool bake_path_matches(const char *pattern, const char *path);
/* The literal suffix of all matching paths, for example `.unity` for `*.unity`; "" if it contains
 * no dot. */
const char *bake_path_suffix(const char *pattern);

/* The last component of `path` without its extension, `*ret_length` bytes long. */
const char *bake_path_stem(const char *path, size_t *ret_length);

#endif
