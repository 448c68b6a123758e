/* The cycles of a graph: its strongly connected components. */
#ifndef BAKE_CLUSTER_CYCLES_H
#define BAKE_CLUSTER_CYCLES_H

#include "cluster_plan_make.h"

/* The components of the assets whose role is not BAKE_CLUSTER_NEVER. An asset outside all cycles is
 * a separate component. References lead only to components with smaller numbers. */
typedef struct cluster_cycles {
    uint32_t *component; /* by asset; BAKE_NO_COMPONENT for the others */
    uint32_t *assets;    /* of component 0, then of component 1, and so on */
    uint32_t *starts;    /* by component: index of its first asset in `assets`; then the end */
    uint32_t count;
} cluster_cycles;

#define BAKE_NO_COMPONENT UINT32_MAX

/* Returns false if memory runs out. Call bake_cluster_cycles_fini in both cases. */
bool bake_cluster_cycles_find(const bake_cluster_graph *graph, cluster_cycles *ret_cycles);
void bake_cluster_cycles_fini(cluster_cycles *cycles);

#endif
