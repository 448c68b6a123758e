/* Steps that form, change and dissolve clusters. */
#include "reach_history.h"

#include <stdio.h>

/* A loaded asset, chosen by its name: positions in the table depend on what was removed before. */
static kiln_ref pick_asset(reach *h)
{
    char name[16];
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "Thing/%u", (unsigned)reach_random(h, REACH_THINGS));
        const void *root = kiln_assets_get(h->scene.assets, scene_id(name));
        const kiln_ref ref = root ? kiln_assets_find_root(h->scene.assets, root) : (kiln_ref){0};
        if (ref.bits)
            return ref;
    }
    return reach_pick(h)->ref;
}

static void form(reach *h)
{
    kiln_cluster cluster = {0};
    /* Most clusters that the program forms would otherwise contain the planned roots. */
    if (h->def->has_plans && reach_random(h, 4) > 0)
        return;
    const kiln_ref root = pick_asset(h);
    const uint32_t at = reach_random(h, REACH_CLUSTERS);
    reach_threaten(h);
    if (REACH_EXPECT(h, "form a cluster",
                     kiln_cluster_create(h->collector, root, &cluster, &h->scene.error),
                     KILN_DEAD) &&
        !kiln_cluster_is_null(cluster)) {
        h->clusters[at] = cluster;
        h->formed++;
    }
}

static void change(reach *h)
{
    const kiln_cluster cluster = h->clusters[reach_random(h, REACH_CLUSTERS)];
    const kiln_cluster_role role = (kiln_cluster_role)reach_random(h, 2);
    const kiln_ref asset = pick_asset(h);
    reach_threaten(h);
    REACH_EXPECT(h, "change a cluster",
                 kiln_cluster_add(h->collector, cluster, asset, role, &h->scene.error), KILN_DEAD,
                 KILN_BAD_ARGUMENT);
}

void reach_change_clusters(reach *h)
{
    const kiln_cluster cluster = h->clusters[reach_random(h, REACH_CLUSTERS)];
    switch (reach_random(h, 16)) {
    case 0:
    case 1:
        h->dissolved += kiln_cluster_dissolve(h->collector, cluster) == KILN_OK;
        break;
    case 2:
        if (reach_random(h, 16) == 0)
            kiln_collector_use_clusters(h->collector, reach_random(h, 4) > 0);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        for (int i = 0; i < 8; i++)
            change(h);
        break;
    default:
        form(h);
    }
}
