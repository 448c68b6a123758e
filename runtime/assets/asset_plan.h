/* The cluster plan of a mounted file (<kiln/cluster_plan.h>), for a collector.
 *
 * The collector forms the planned clusters whose roots are loaded (<kiln/clusters.h>). The table
 * records which assets were attached to bytes of the file. A root is *waiting* if it was attached
 * after the collector last tried to form its cluster. At first, and after
 * kiln_asset_plans_restart, all roots are waiting. Recording needs no memory, so it cannot fail.
 *
 * Plans are changed only under the table's lock, except while their file is being opened. */
#ifndef KILN_ASSET_PLAN_H
#define KILN_ASSET_PLAN_H

#include "assets_object.h"

#include <kiln/cluster_plan.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct asset_plan {
    const kiln_cluster_plan *plan;
    kiln_unpacked unpacked; /* the memory into which a compressed plan is decompressed */
    /* The next cluster to be tried. After the last one, trying begins again with the first one if
     * an asset was attached. */
    uint32_t next;
    bool has_attached;
    uint32_t words;
    uint64_t attached[]; /* bits by asset number; only those of roots are ever cleared */
} asset_plan;

/* Reads the plan of a file. NULL if it has none, if the plan is not valid, or if memory runs out:
 * clusters only save time. The caller calls kiln_asset_plan_free before it closes the file. */
asset_plan *kiln_asset_plan_read(const kiln_assets *assets, kiln_file *file);
/* NULL is fine. */
void kiln_asset_plan_free(const kiln_assets *assets, asset_plan *plan);

/* Call it after an asset of the file was attached to bytes. */
static inline void asset_plan_attach(asset_plan *plan, uint32_t number)
{
    plan->attached[number / 64] |= UINT64_C(1) << number % 64;
    plan->has_attached = true;
}
/* Returns whether the root is waiting. It no longer waits afterwards. */
static inline bool asset_plan_take(asset_plan *plan, uint32_t root)
{
    const uint64_t bit = UINT64_C(1) << root % 64;
    bool is_waiting = plan->attached[root / 64] & bit;
    plan->attached[root / 64] &= ~bit;
    return is_waiting;
}
/* All roots of all plans wait again. The lock must be held. */
void kiln_asset_plans_restart(const kiln_assets *assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
