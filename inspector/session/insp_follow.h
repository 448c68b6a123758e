/* Follows the paths in arguments: `Item/sword.parts[0].name`, and through references:
 * `Monster/orc.loot->price`. */
#ifndef INSP_FOLLOW_H
#define INSP_FOLLOW_H

#include "insp_mounts.h"

/* A value, its asset and its file. The value is valid until the next asset is opened. */
typedef struct insp_found {
    insp_mounted at;
    kiln_value value; /* `of` is NULL if there is no such value */
} insp_found;

/* Finds the value at a path. `->` continues in the asset to which a reference refers, in the last
 * file that contains it. Reports damage, and where and why a path ends before its value. Returns an
 * exit code; a damaged asset may still have the value. */
int insp_follow(insp_run *run, const insp_mounts *mounts, const char *path, insp_found *ret_found);

/* Reports where and why a path in one asset ends before its value. `rest` is the part of `path`
 * after the name of the asset, and `root` the asset's value. Returns INSP_BAD, or INSP_TROUBLE if
 * memory runs out. */
int insp_complain_path(insp_run *run, const insp_file *file, const char *path, const char *rest,
                       const kiln_value *root);

#endif
