/* Texts of paths: whether a pattern fits one, and the parts of its last name. */
#ifndef BAKE_PATH_MATCH_H
#define BAKE_PATH_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `path` fits `pattern`: `*` and `?` stop at `/`, `**` does not, `**` and a slash also fit
 * nothing; a pattern without `/` is held against the last part of the path, one that begins with
 * it against the whole path. */
bool bake_path_matches(const char *pattern, const char *path);
/* What the name of each path that the pattern fits ends in, where that has a dot: `.unity` of
 * `*.unity`; "" otherwise. */
const char *bake_path_ending(const char *pattern);

/* The last part of `path` without its extension; `*ret_length` bytes. */
const char *bake_path_stem(const char *path, size_t *ret_length);

#endif
