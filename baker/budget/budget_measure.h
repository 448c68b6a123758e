/* Measures a kiln file: bytes on disk, resident bytes and load cost of its assets, types, scenes
 * and clusters, and of the whole file. PROJECT.md, "Budgets", defines the sizes.
 *
 * Only the index, the scenes and the cluster plan are read. The file is not trusted: the index and
 * each blob that is read are checked first. */
#ifndef BAKE_BUDGET_MEASURE_H
#define BAKE_BUDGET_MEASURE_H

#include "budget.h"

#include <kiln/allocator.h>
#include <kiln/status.h>

/* Reads `size` bytes at the offset `at`. Returns false if that fails; the measurement then fails
 * with KILN_IO. */
typedef bool bake_measure_read(void *ctx, uint64_t at, void *to, size_t size);

typedef struct bake_measured {
    bake_budget_kind kind;
    const char *name; /* "" for the bundle; the root's name for a cluster */
    uint64_t used[BAKE_MEASURES];
    const uint32_t *parts; /* assets that count, as indices in `assets`; NULL for the others */
    uint32_t part_count;
    bool is_payload; /* an asset that describes data, which count for the assets that refer to it */
} bake_measured;

/* Zeroed, it is empty. */
typedef struct bake_measures {
    bake_measured *items; /* the bundle, then types by name, scenes, clusters, assets by id */
    size_t count;
    const bake_measured *assets; /* the last `asset_count` items */
    uint32_t asset_count;
    kiln_buffer index; /* contains the names */
    bake_store store;
} bake_measures;

/* Measures the file of `size` bytes that `read` reads. `ret_measures` must be empty. Fails with the
 * statuses of kiln_index_check, kiln_verify, kiln_scene_view_init and kiln_cluster_plan_read,
 * KILN_IO, and KILN_NO_MEMORY. Call bake_measures_fini in each case. */
kiln_status bake_measure_file(bake_measure_read *read, void *ctx, uint64_t size,
                              bake_measures *ret_measures, kiln_error *reterr);
void bake_measures_fini(bake_measures *measures);

#endif
