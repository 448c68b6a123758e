/* Patterns of paths, and the parts of a path's last name. No function reads the file system. */
#ifndef BAKE_PATH_MATCH_H
#define BAKE_PATH_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `path` matches `pattern`. `*` and `?` do not match `/`, `**` does, and `**` with a slash
 * also matches no folder. A pattern without `/` is compared with the last part of the path, one
 * that begins with `/` with the whole path. */
bool bake_path_matches(const char *pattern, const char *path);
/* The ending that every matching path has, if it contains a dot: `.unity` for `*.unity`; otherwise
 * "". */
const char *bake_path_ending(const char *pattern);

/* The last part of `path` without its extension; `*ret_length` bytes. */
const char *bake_path_stem(const char *path, size_t *ret_length);

#endif
