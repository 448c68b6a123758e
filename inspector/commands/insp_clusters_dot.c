/* The clusters of a plan as a graph for Graphviz. Nodes are identified by number and labelled with
 * the names of assets, so that no name can change the structure of the graph. */
#include "insp_clusters.h"
#include "insp_escape.h"
#include "insp_number.h"

#include <inttypes.h>

static void put_node(insp_clusters *c, uint32_t number, const char *style)
{
    const insp_text *name = insp_plan_name(c->plan, number);
    insp_out *out = &c->run->out;
    insp_putf(out, "  n%" PRIu32 " [label=", number);
    if (name)
        insp_put_dot_string(out, name->data, name->length);
    else
        insp_putf(out, "\"number %" PRIu32 "\"", number);
    insp_put(out, style);
    insp_put(out, "];\n");
}

/* A cluster is a box with its root, drawn bold, and its members. */
static void put_cluster(insp_clusters *c, uint32_t cluster)
{
    insp_out *out = &c->run->out;
    insp_cluster_list list = insp_clusters_part(c, INSP_PLAN_MEMBERS, cluster);
    char bytes[INSP_NUMBER_SIZE];
    uint32_t i;
    insp_putf(out, "  subgraph cluster_%" PRIu32 " {\n  ", cluster);
    put_node(c, insp_plan_root(c->plan, cluster), ", style=bold");
    for (i = 0; i < list.count && !out->error; i++) {
        insp_put(out, "  ");
        put_node(c, insp_cluster_list_at(&list, i), "");
    }
    insp_format_count(bytes, insp_clusters_bytes(c, cluster));
    insp_putf(out, "    label=\"%s bytes\";\n  }\n", bytes);
}

/* An arrow from root to root for each reference, a dashed one for each mutable. */
static void put_arrows(insp_clusters *c, uint32_t cluster)
{
    insp_out *out = &c->run->out;
    uint32_t root = insp_plan_root(c->plan, cluster), i;
    insp_cluster_list list = insp_clusters_part(c, INSP_PLAN_REFERENCES, cluster);
    for (i = 0; i < list.count && !out->error; i++) {
        uint32_t to = insp_cluster_list_at(&list, i);
        if (to < c->plan->count)
            insp_putf(out, "  n%" PRIu32 " -> n%" PRIu32 ";\n", root, insp_plan_root(c->plan, to));
    }
    list = insp_clusters_part(c, INSP_PLAN_MUTABLES, cluster);
    for (i = 0; i < list.count && !out->error; i++) {
        put_node(c, insp_cluster_list_at(&list, i), "");
        insp_putf(out, "  n%" PRIu32 " -> n%" PRIu32 " [style=dashed];\n", root,
                  insp_cluster_list_at(&list, i));
    }
}

void insp_clusters_dot(insp_clusters *c)
{
    insp_out *out = &c->run->out;
    insp_cluster_list all = insp_clusters_all(c);
    uint32_t i;
    insp_put(out, "digraph clusters {\n  rankdir=LR;\n  node [shape=box];\n");
    for (i = 0; i < all.count && !out->error; i++)
        put_cluster(c, insp_cluster_list_at(&all, i));
    for (i = 0; i < all.count && !out->error; i++)
        put_arrows(c, insp_cluster_list_at(&all, i));
    insp_put(out, "}\n");
}
