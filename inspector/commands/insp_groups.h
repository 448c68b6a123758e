/* The groups of assets that refer to one another: the strongly connected components of a graph. */
#ifndef INSP_GROUPS_H
#define INSP_GROUPS_H

#include "insp_graph.h"

typedef struct insp_groups {
    uint32_t *group; /* by node */
    uint32_t *size;  /* by group: the number of its nodes */
    uint32_t count;
} insp_groups;

/* Returns false if memory runs out. Call insp_groups_fini in both cases. Linear in the graph. */
bool insp_groups_init(insp_groups *groups, const insp_graph *graph);
void insp_groups_fini(insp_groups *groups);

#endif
