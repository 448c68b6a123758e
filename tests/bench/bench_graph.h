/* Graphs of assets for the figures of the collector: a file of nodes that refer to each other, and
 * the same graph in flat arrays. */
#ifndef BENCH_GRAPH_H
#define BENCH_GRAPH_H

#include <kiln/assets.h>

typedef struct bench_graph {
    uint32_t count, root_count;
    /* In the order of the file's index. The edges of node i are edges[starts[i]] to
     * edges[starts[i + 1] - 1]. */
    uint32_t *starts, *edges, *roots;
    kiln_buffer file;
} bench_graph;

/* Trees of 50 nodes each. The roots of the graph are the roots of the trees. 5 % of the nodes also
 * refer to one of `shared` nodes that belong to no tree. */
void bench_graph_trees(bench_graph *graph, uint32_t trees, uint32_t shared);
/* Each node has `edges` references to random others. The roots are 1 % of the nodes. */
void bench_graph_random(bench_graph *graph, uint32_t nodes, uint32_t edges);
void bench_graph_fini(bench_graph *graph);

/* Returns a table in which the file is mounted and all nodes are loaded, with a strong handle to
 * each root. */
kiln_assets *bench_graph_load(const bench_graph *graph);

#endif
