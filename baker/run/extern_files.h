/* Kiln files given by --extern. Inputs can refer to their assets; these references become
 * imports. */
#ifndef BAKE_EXTERN_FILES_H
#define BAKE_EXTERN_FILES_H

#include "asset_names.h"
#include "bake_run.h"

#include <kiln/allocator.h>

/* The contents of the files, which the names point into. */
typedef struct extern_files {
    kiln_buffer *files;
    size_t count;
} extern_files;

/* Adds the names of all extern files, and reports files that are invalid. Sets `run->failure` and
 * returns its result if a file cannot be read or memory runs out. */
bake_result bake_extern_read(extern_files *externs, bake_names *names, bake_run *run);
void bake_extern_fini(extern_files *externs);

#endif
