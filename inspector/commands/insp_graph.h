/* The references between all assets of mounted files, as a graph.
 *
 *     nodes      assets that no later file overrides, and imports that no file contains
 *     edges      from the indexes; from the values if an index is broken
 *
 * `targets` of node i are those from `starts[i]` to `starts[i + 1]`, in ascending order, each
 * once. */
#ifndef INSP_GRAPH_H
#define INSP_GRAPH_H

#include "insp_links.h"

#define INSP_NODE_NONE UINT32_MAX

typedef struct insp_node {
    uint64_t id;
    insp_text name;
    insp_mounted at; /* `asset` is NULL for an import */
} insp_node;

typedef struct insp_graph {
    insp_node *nodes; /* ascending by id */
    uint32_t count;
    uint32_t *order; /* nodes in the order in which they are printed: by file, then by name */
    uint32_t *starts, *targets;
    uint32_t *chain;          /* of the last search */
    uint32_t *queue, *before; /* for searches; `before` is INSP_NODE_NONE between them */
} insp_graph;

/* Returns INSP_OK, or INSP_TROUBLE if memory runs out. Call insp_graph_fini in both cases. */
int insp_graph_init(insp_graph *graph, insp_links *links);
void insp_graph_fini(insp_graph *graph);

/* The node to which references to `id` lead; INSP_NODE_NONE if there is none. */
uint32_t insp_graph_find(const insp_graph *graph, const insp_mounts *mounts, uint64_t id);

/* Whether there is an edge. */
bool insp_graph_has(const insp_graph *graph, uint32_t from, uint32_t to);

/* Which chains to search. */
typedef struct insp_search {
    const uint32_t *from; /* nodes, each once */
    uint32_t from_count;
    const bool *is_to;      /* by node */
    const uint32_t *groups; /* by node: use only those of the group `within`; NULL: use all nodes */
    uint32_t within;
} insp_search;

/* Searches the shortest chain from a node of `from` to a node of `is_to`; it has at least one edge,
 * so it is a cycle if both are the same node. Returns the number of nodes in `graph->chain`;
 * 0 if there is no chain. */
uint32_t insp_graph_search(insp_graph *graph, const insp_search *search);

#endif
