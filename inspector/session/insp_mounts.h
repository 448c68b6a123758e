/* Several files in mount order: assets of a later file override those with the same name in earlier
 * files, as in a running program. The first file is the first argument, and --mount names the
 * others. */
#ifndef INSP_MOUNTS_H
#define INSP_MOUNTS_H

#include "insp_file.h"
#include "insp_run.h"

typedef struct insp_mounts insp_mounts;
typedef int insp_show_mounts(insp_run *run, const insp_mounts *mounts);

struct insp_mounts {
    const insp_file *files[INSP_LIST_MAX + 1];
    uint32_t count;
    insp_show_mounts *show; /* called when all files are open */
};

/* Opens all files, calls `show` with them and returns the most severe exit code. Reports files with
 * a broken index. Does not call `show` if a file cannot be read or has no index. */
int insp_with_mounts(insp_run *run, insp_show_mounts *show);

/* An asset and its file; `asset` is NULL if there is none. */
typedef struct insp_mounted {
    const insp_file *file;
    const insp_asset *asset;
} insp_mounted;

/* The asset with this id in the last file that has one. */
insp_mounted insp_mounts_find(const insp_mounts *mounts, uint64_t id);
/* Like insp_mounts_find, but an id that no file contains is looked up in the redirects, from the
 * last file to the first. */
insp_mounted insp_mounts_target(const insp_mounts *mounts, uint64_t id);

/* Whether no later file overrides the asset. */
bool insp_mounts_is_visible(const insp_mounts *mounts, insp_mounted mounted);

/* The name with this id in any of the files, also that of an import; empty if unknown. */
insp_text insp_mounts_name(const insp_mounts *mounts, uint64_t id);

#endif
