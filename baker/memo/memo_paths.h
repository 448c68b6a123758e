/* The paths of a memo: files and folders that a run used besides its sources, and who used them.
 *
 * If such a file changes, the assets and sources that use it are affected, and nothing else. A path
 * that the run itself used, such as a schema, can affect everything. Messages at the end of a run
 * are always made again, so their uses affect nothing. */
#ifndef BAKE_MEMO_PATHS_H
#define BAKE_MEMO_PATHS_H

#include "gateway.h"
#include "memo.h"

typedef enum bake_memo_user_kind {
    BAKE_MEMO_BY_RUN, /* `number` is 0 */
    BAKE_MEMO_BY_FILE,
    BAKE_MEMO_BY_ROW,
    BAKE_MEMO_BY_MESSAGES /* `number` is 0 */
} bake_memo_user_kind;

typedef struct bake_memo_paths_def {
    /* Of the run. Users of the kind BAKE_USER_INPUT have the numbers of files, and assets those of
     * rows. */
    const bake_gateway *gateway;
    /* What a partial run has not used again. NULL: the run was complete. */
    const bake_memo *before;
    const uint32_t *files;           /* by old file: its new number; UINT32_MAX: none */
    const uint32_t *from;            /* by row: the old one; UINT32_MAX: none */
    const unsigned char *is_read;    /* by row: all its uses are new */
    const unsigned char *is_parsed;  /* the same by file */
    const unsigned char *is_dropped; /* by old path: nobody uses it any more */
} bake_memo_paths_def;

/* Sets the paths of a memo that has none, and who uses them. Call it after the aliases are
 * complete. Returns false if memory runs out. */
bool bake_memo_set_paths(bake_memo *memo, const bake_memo_paths_def *def);

/* A path by its number; NUL-terminated. */
static inline const char *bake_memo_used_path(const bake_memo *memo, uint32_t path)
{
    return memo->alias_texts + memo->paths[path].path;
}

/* Returns the number of a path; UINT32_MAX: the run has not used it, except as a source. */
uint32_t bake_memo_find_path(const bake_memo *memo, const char *path);
/* The uses of a path: from the returned number up to `*ret_end`. */
uint32_t bake_memo_path_uses(const bake_memo *memo, uint32_t path, uint32_t *ret_end);

#endif
