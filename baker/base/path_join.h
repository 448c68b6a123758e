/* Joins paths. */
#ifndef BAKE_PATH_JOIN_H
#define BAKE_PATH_JOIN_H

/* Returns `a`/`b`, or only `b` if `a` is NULL or empty or `b` is absolute. The caller frees the
 * result. Returns NULL with errno ENOMEM. */
char *bake_path_join(const char *a, const char *b);

#endif
