/* Glob patterns for paths, and splitting of file names. No function reads the file system. */
#ifndef BAKE_PATH_MATCH_H
#define BAKE_PATH_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `path` matches `pattern`. `*` and `?` do not match `/`; `**` does, and `**` followed by a
 * slash also matches zero folders. A pattern without `/` is compared with the last component of the
 * path, any other pattern with the whole path. A leading `/` matches the start of a relative
 * path. */
bool bake_path_matches(const char *pattern, const char *path);
/* Like bake_path_matches, but always compares the whole path. */
bool bake_path_matches_whole(const char *pattern, const char *path);
/* Whether the pattern can match a path in the folder `path` or below it, if the whole path is
 * compared. May be true for other folders with `**`. */
bool bake_path_may_match_below(const char *pattern, const char *path);
/* The end of the pattern's last component after its last `*` or `?`, for example `.unity` for
 * `*.unity`. All matching paths end with it. Returns "" if that end contains no dot. */
const char *bake_path_suffix(const char *pattern);

/* The last component of `path` without its extension, `*ret_length` bytes long. */
const char *bake_path_stem(const char *path, size_t *ret_length);

#endif
