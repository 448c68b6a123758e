/* The names of all assets known to a run: those that it bakes and those of --extern files.
 *
 * Names are looked up by id in constant time and then compared, so hash collisions are harmless.
 * Names are not copied and must outlive the table. */
#ifndef BAKE_ASSET_NAMES_H
#define BAKE_ASSET_NAMES_H

#include "hash_table.h"
#include "tree.h"

#include <kiln/index.h>

#define BAKE_OUTPUT_EXTERN UINT32_MAX

typedef struct bake_name {
    const char *name; /* `Kind/id` */
    size_t length;
    kiln_id id;
    uint32_t type;         /* index in the schema; KILN_TYPE_NONE: see type_name */
    uint32_t output;       /* the output that contains it, or BAKE_OUTPUT_EXTERN */
    const char *type_name; /* extern: the type in its file; not NUL-terminated */
    size_t type_name_length;
    const bake_tree *tree; /* where the asset is written; NULL for extern names */
    bake_node_id node;     /* in `tree` */
    const char *file;      /* extern: the file that contains it */
    uint32_t imported_by;  /* the last output that imported it, plus 1 */
    bool is_assumed;       /* no known asset has it; references to it are imports */
    bool is_abstract; /* no file contains it: others may inherit from it, but not refer to it */
    bool is_part;     /* part of a scene, possibly unused; only the scene can refer to it */
} bake_name;

typedef struct bake_names {
    bake_name *all;
    size_t count, capacity;
    hash_table by_id;
    /* The first `part_count` names by their part after the kind; filled on demand. */
    hash_table by_part;
    size_t part_count;
    const struct bake_links *links; /* renamed, deleted and accepted names, or NULL */
    struct bake_guids *guids;       /* file names, or NULL */
    bool incomplete;                /* some names are unknown, so a missing one may be valid */
} bake_names;

/* Adds a name and computes its id. If a name with that id exists, adds nothing and sets
 * `*ret_other` to it; otherwise sets it to NULL. Returns false if memory runs out. */
bool bake_names_add(bake_names *names, const bake_name *name, const bake_name **ret_other);
/* Replaces the entry `old` with `name`; both must have the same name. */
void bake_names_replace(bake_names *names, const bake_name *old, const bake_name *name);
/* Returns NULL if there is no such name. */
bake_name *bake_names_find(const bake_names *names, const char *name, size_t length);
/* Finds an asset with this id, whatever its kind, and a second one if there are several; NULL if
 * there is none. Returns false if memory runs out. */
bool bake_names_find_id(bake_names *names, const char *id, size_t length,
                        const bake_name **ret_found, const bake_name **ret_other);
/* Adds a hint with existing ids of kind `kind` that are similar to `id`, or with whole names if
 * `kind` is NULL. */
void bake_names_hint(const bake_names *names, bake_diagnostics *diagnostics, const char *kind,
                     const char *id, size_t length);
void bake_names_fini(bake_names *names);

#endif
