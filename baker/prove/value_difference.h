/* Finds the fields in which two values differ. */
#ifndef BAKE_VALUE_DIFFERENCE_H
#define BAKE_VALUE_DIFFERENCE_H

#include <kiln/index.h>
#include <kiln/path.h>
#include <kiln/value.h>

/* The texts are shortened to this size, including the NUL. */
enum { BAKE_VALUE_TEXT_SIZE = 120 };

/* The assets to which rows of a scene refer, by their words. */
typedef struct bake_row_assets {
    const uint64_t *ids; /* NULL: the value is not in a row, and references are ids */
    uint32_t count;
} bake_row_assets;

typedef struct bake_value_difference {
    const char *path;           /* see <kiln/path.h>; "": the root */
    const char *first, *second; /* the values there, for messages */
} bake_value_difference;

typedef struct bake_value_differences_def {
    const kiln_value *first, *second; /* of the same list of types */
    bake_row_assets first_assets, second_assets;
    const kiln_index *index; /* names the assets that the values refer to; may be NULL */
    /* Receives each difference. Returns whether to look for more. */
    bool (*found)(void *ctx, const bake_value_difference *difference);
    void *ctx;
} bake_value_differences_def;

/* Compares the values in the order of their fields. Lists of different length, and maps with
 * different keys, are one difference each. Returns false if parts were not compared: the values are
 * nested too deeply, contain too many shared values, or have offsets that are wrong. NO_MEMORY
 * counts as such, too. Safe on hostile bytes. */
bool bake_value_differences(const bake_value_differences_def *def);

#endif
