/* Where values come from: the source map of a run, as SOURCE-MAP.md describes it.
 *
 * A map is written asset by asset, so that it needs the memory of the largest one. While an asset
 * is baked, the value baker records where each value is written; without a map that costs one test
 * of a pointer. Files are numbered in the order of their first use. */
#ifndef BAKE_VALUE_ORIGIN_H
#define BAKE_VALUE_ORIGIN_H

#include "diagnostics.h"
#include "value_bake.h"

#include <stddef.h>

typedef struct bake_origins bake_origins;

/* Writes a part of the map; false with errno where that fails. */
typedef bool bake_origins_write(void *ctx, const void *data, size_t size);

/* `sources` has the names of the sources that marks refer to. NULL when memory ran out. */
bake_origins *bake_origins_create(const bake_diagnostics *sources, bake_origins_write *write,
                                  void *ctx);
void bake_origins_destroy(bake_origins *origins);

/* Begins the lines of an asset. */
void bake_origins_begin(bake_origins *origins, const char *name, size_t length);
/* The asset is a scene, written at `mark`: the origin of every value outside its entities. */
void bake_origins_scene(bake_origins *origins, const char *name, bake_mark mark);

typedef enum bake_origins_end_result {
    BAKE_ORIGINS_OK,
    BAKE_ORIGINS_NO_MEMORY,
    BAKE_ORIGINS_IO /* errno has the reason */
} bake_origins_end_result;

/* Ends the asset and writes its lines. */
bake_origins_end_result bake_origins_end(bake_origins *origins);

/* After all assets, once for each file: the map belongs to the file whose header has that hash. */
bake_origins_end_result bake_origins_bind(bake_origins *origins, uint64_t hash);

/* From here on values are recorded in the map; NULL: in none. */
void bake_values_set_origins(bake_values *values, bake_origins *origins);
bake_origins *bake_values_origins(const bake_values *values);
/* The entity whose components come next, by its name or, without one (NULL), its number in the
 * scene, and where it is written. */
void bake_values_origin_entity(bake_values *values, const char *name, size_t length,
                               uint32_t number, const bake_tree *tree, bake_node_id node);

#endif
