/* The clusters of a plan in the form in which they are printed: sorted by name, with sizes, and
 * with the clusters that dissolve with them. Parts of the command `clusters`: insp_clusters_text.c,
 * insp_clusters_json.c, insp_clusters_dot.c and insp_clusters_asset.c. */
#ifndef INSP_CLUSTERS_H
#define INSP_CLUSTERS_H

#include "insp_plan.h"
#include "insp_run.h"

/* Some assets and imports, or some clusters, in the order in which they are printed. */
typedef struct insp_cluster_list {
    const uint64_t *keys; /* the upper half determines the order, the lower half is the number */
    uint32_t count;
} insp_cluster_list;

static inline uint32_t insp_cluster_list_at(const insp_cluster_list *list, uint32_t i)
{
    return (uint32_t)list->keys[i];
}

typedef struct insp_clusters {
    insp_run *run;
    const insp_plan *plan;
    uint64_t *order; /* all clusters, as the keys of a list */
    uint64_t *keys;  /* room for one list */
    uint32_t *seen;  /* by cluster, then by member: the last search that saw it */
    uint32_t *queue; /* clusters */
    uint32_t search; /* number of the current search; a command makes two for each cluster */
    uint64_t
        steps; /* steps left until searches stop: --max-bytes limits the work like the output */
} insp_clusters;

/* Returns false if memory runs out. Call insp_clusters_fini in both cases. */
bool insp_clusters_init(insp_clusters *c, insp_run *run, const insp_plan *plan);
void insp_clusters_fini(insp_clusters *c);

/* All clusters. */
insp_cluster_list insp_clusters_all(const insp_clusters *c);
/* The lists are valid until the next of these calls. */
insp_cluster_list insp_clusters_part(insp_clusters *c, insp_plan_list list, uint32_t cluster);
/* The clusters that refer to a cluster. */
insp_cluster_list insp_clusters_users(insp_clusters *c, uint32_t cluster);
/* The clusters that dissolve if the given ones do: those that refer to them, directly or
 * indirectly, except the given ones. Cuts the output if the search takes too long. */
insp_cluster_list insp_clusters_dissolved(insp_clusters *c, const uint32_t *clusters,
                                          uint32_t count);

/* The number of assets of a cluster, and the bytes of their blobs. Assets with the same bytes count
 * once. */
uint32_t insp_clusters_assets(const insp_clusters *c, uint32_t cluster);
uint64_t insp_clusters_bytes(insp_clusters *c, uint32_t cluster);

/* The name of the root of a cluster; NULL if the plan is wrong. */
const insp_text *insp_clusters_name(const insp_clusters *c, uint32_t cluster);

/* ---- output ---- */

enum { INSP_CLUSTERS_LABEL = 17 }; /* width of the labels in text */

void insp_clusters_text(insp_clusters *c);
void insp_clusters_json(insp_clusters *c);
void insp_clusters_dot(insp_clusters *c);
/* Explains one asset, as text or JSON. Returns false if memory runs out. */
bool insp_clusters_asset(insp_clusters *c, const insp_asset *asset);

/* insp_clusters_text.c: writes `  label   name`, and further names below it; nothing for an empty
 * list. `are_clusters`: the names are those of roots. */
void insp_clusters_put_list(insp_clusters *c, const char *label, const insp_cluster_list *list,
                            bool are_clusters);
/* insp_clusters_json.c: writes an array of names. A number without a name is written itself. */
void insp_clusters_put_names(insp_clusters *c, const insp_cluster_list *list, bool are_clusters);

#endif
