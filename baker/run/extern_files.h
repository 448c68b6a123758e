/* Kiln files given by --extern: inputs can refer to their assets, which become imports. */
#ifndef BAKE_EXTERN_FILES_H
#define BAKE_EXTERN_FILES_H

#include "asset_names.h"
#include "bake_run.h"

#include <kiln/allocator.h>

/* The files' bytes, which the names point into. */
typedef struct extern_files {
    kiln_buffer *files;
    size_t count;
} extern_files;

/* Adds the names of all extern files; reports those that are not valid kiln files. Nonzero: the
 * failure is filled. */
bake_result bake_extern_read(extern_files *externs, bake_names *names, bake_run *run);
void bake_extern_fini(extern_files *externs);

#endif
