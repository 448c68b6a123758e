/* Finds the entities and fields in which two scenes differ. */
#ifndef BAKE_SCENE_DIFFERENCE_H
#define BAKE_SCENE_DIFFERENCE_H

#include "value_difference.h"

#include <stddef.h>

/* The blobs of a scene, aligned; `chunks` is NULL if no row has bytes. */
typedef struct bake_scene_blobs {
    const unsigned char *scene, *chunks;
    size_t scene_size, chunks_size;
} bake_scene_blobs;

typedef struct bake_scene_differences_def {
    bake_scene_blobs first, second;
    const kiln_types *types; /* of both files, with the built-in types of scenes */
    const kiln_index *index; /* as for bake_value_differences */
    /* Receives each difference of rows; the path is like `entity oven.game.Place.x`. Returns
     * whether to look for more. */
    bool (*found)(void *ctx, const bake_value_difference *difference);
    void *ctx;
} bake_scene_differences_def;

/* Compares the rows of two scenes whose archetypes have the same components and numbers of rows;
 * other scenes have no differences of rows. Returns KILN_NO_MEMORY, or the status of a blob that is
 * not valid. Safe on hostile bytes. */
kiln_status bake_scene_differences(const bake_scene_differences_def *def, kiln_error *reterr);

#endif
