/* Finds the assets and fields in which two files that the same inputs were baked to differ. */
#ifndef BAKE_FILE_DIFFERENCE_H
#define BAKE_FILE_DIFFERENCE_H

#include "bake_result.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct bake_file_difference {
    const char *asset; /* NULL: not a difference of one asset */
    const char *path;  /* of the value in the asset; "": not a difference of one value */
    /* What differs, for messages: two values, or a description if `second` is NULL. */
    const char *first, *second;
} bake_file_difference;

typedef struct bake_file_differences_def {
    const char *first, *second; /* paths of the files */
    bool is_kiln;               /* they are kiln files; otherwise text */
    /* Receives each difference. Returns whether to look for more. */
    bool (*found)(void *ctx, const bake_file_difference *difference);
    void *ctx;
} bake_file_differences_def;

/* Compares two files that differ; reports at least one difference. Fields are found if both files
 * have type tables, which must be equal. Fails if a file cannot be read or memory runs out. Safe on
 * hostile bytes. */
bake_result bake_file_differences(const bake_file_differences_def *def, bake_failure *failure);

#endif
