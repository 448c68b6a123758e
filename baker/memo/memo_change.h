/* Makes the memo of a run from that of the run before, after some source files have changed, were
 * added or removed.
 *
 * Rows of unchanged files are copied. The assets of all other files are listed by the caller, so
 * assets can appear, disappear and move. */
#ifndef BAKE_MEMO_CHANGE_H
#define BAKE_MEMO_CHANGE_H

#include "memo.h"

typedef enum bake_memo_section {
    BAKE_SECTION_ASSETS,
    BAKE_SECTION_ABSTRACTS,
    BAKE_SECTION_PREFABS
} bake_memo_section;

/* An asset or prefab of a file that is new or has changed. */
typedef struct bake_memo_found {
    const char *name;
    size_t name_length;
    kiln_hash128 meaning;
    bake_node_form form;
    uint32_t type, rule; /* as in bake_memo_asset */
    uint32_t file;       /* in the new list */
    bake_memo_section section;
} bake_memo_found;

typedef struct bake_memo_change {
    const bake_memo *before;
    /* The new files, in the order of the inputs. Sizes are 0 if they are not known yet. */
    const char *const *paths;
    const uint64_t *sizes;
    uint32_t file_count;
    /* By old file: the number of the same file in the new list if it is unchanged; UINT32_MAX if it
     * is removed or changed, so that its rows are not copied. */
    const uint32_t *kept;
    /* The kinds of the schema, and by old type its new number; NULL: the schema is the same. */
    const bake_memo_kind *kinds;
    uint32_t kind_count;
    kiln_hash128 schema_rest, schema_types;
    const uint32_t *types;
    bake_memo_found *found; /* in any order; sorted afterwards */
    uint32_t found_count;
} bake_memo_change;

/* Returns the new memo, without aliases. `ret_from` has room for the rows of both memos: it
 * receives for each new row the number of the old row with the same name, or UINT32_MAX. Rows of
 * found assets keep the flags, the weight, the payloads and those parents of the old row that still
 * exist.
 *
 * Returns NULL if memory runs out, if there are too many rows, if two assets have the same name, or
 * if a parent of an unchanged asset no longer exists. */
bake_memo *bake_memo_change_apply(const bake_memo_change *change, uint32_t *ret_from);

#endif
