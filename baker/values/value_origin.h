/* Source maps, which record where values come from (SOURCE-MAP.md).
 *
 * The map is written asset by asset, so the largest asset bounds the memory. The value baker
 * records the source position of each value; without a map, each record costs one pointer check.
 * Files are numbered in order of first use. */
#ifndef BAKE_VALUE_ORIGIN_H
#define BAKE_VALUE_ORIGIN_H

#include "diagnostics.h"
#include "old_origins.h"
#include "value_bake.h"

#include <stddef.h>

typedef struct bake_origins bake_origins;

/* Writes a part of the map. On failure, returns false and sets errno. */
typedef bool bake_origins_write(void *ctx, const void *data, size_t size);

/* `sources` contains the names of all sources. Returns NULL if memory runs out. */
bake_origins *bake_origins_create(const bake_diagnostics *sources, bake_origins_write *write,
                                  void *ctx);
void bake_origins_destroy(bake_origins *origins);

/* Begins the lines of an asset. */
void bake_origins_begin(bake_origins *origins, const char *name, size_t length);
/* Declares that the asset is a scene. `mark` is the origin of all values outside of entities. */
void bake_origins_scene(bake_origins *origins, const char *name, bake_mark mark);

typedef enum bake_origins_end_result {
    BAKE_ORIGINS_OK,
    BAKE_ORIGINS_NO_MEMORY,
    BAKE_ORIGINS_IO /* errno has the reason */
} bake_origins_end_result;

/* Ends the asset and writes its lines. */
bake_origins_end_result bake_origins_end(bake_origins *origins);

/* From now on, records of assets can be copied from an earlier map, which must outlive its use.
 * Files with the same name then have the same number. Call this before all assets. Returns false if
 * memory runs out. */
bool bake_origins_reuse(bake_origins *origins, const bake_old_origins *old);
/* Writes the records of an asset of the earlier map instead of bake_origins_begin and
 * bake_origins_end. bake_old_origins_can_copy must accept the same arguments. `move` must refuse
 * files whose names the map has in quotes, because these are not their names. */
bake_origins_end_result bake_origins_copy(bake_origins *origins, uint32_t asset,
                                          bake_old_origins_move *move, void *ctx);

/* Binds the map to an output file by the hash in its header. Call this after all assets, once for
 * each file. */
bake_origins_end_result bake_origins_bind(bake_origins *origins, uint64_t hash);

/* From now on, records values in the map; NULL turns recording off. */
void bake_values_set_origins(bake_values *values, bake_origins *origins);
bake_origins *bake_values_origins(const bake_values *values);
/* Sets the entity of the following components: its name, or its number in the scene if the name is
 * NULL, and its node. */
void bake_values_origin_entity(bake_values *values, const char *name, size_t length,
                               uint32_t number, const bake_tree *tree, bake_node_id node);

#endif
