/* Forms the clusters that the files' plans describe (<kiln/cluster_plan.h>).
 *
 * A plan only selects roots and members. The search of cluster_form.c decides which of them belong
 * to the cluster, and finds the mutables and references itself, so a forged plan can at most cause
 * clusters of little use. */
#include "cluster_table.h"
#include "collector_object.h"

#include "asset_layers.h"
#include "asset_plan.h"

/* Tries to form a planned cluster. Returns false without trying if its root is not waiting, is not
 * loaded from this file, or belongs to a cluster. If memory runs out, there is no cluster: its
 * assets are marked one by one. */
static bool try_cluster(kiln_collector *collector, const asset_mount *mount, uint32_t number)
{
    const kiln_cluster_plan *plan = mount->plan->plan;
    const uint32_t root = kiln_cluster_plan_root(plan, number);
    const uint64_t node = (uint64_t)(mount->number + 1) << 32 | root;
    if (!asset_plan_take(mount->plan, root) ||
        atomic_load_explicit(&mount->marks[root], memory_order_relaxed) == MARK_NONE ||
        asset_owner_word(collector->assets, node) != 0)
        return false;
    const kiln_cluster_numbers members = kiln_cluster_plan_members(plan, number);
    const cluster_change change = {CLUSTER_NONE, node, KILN_CLUSTER_MEMBER, &members};
    uint32_t formed = CLUSTER_NONE;
    if (kiln_cluster_form(collector, &change, &formed) == KILN_OK && formed != CLUSTER_NONE)
        collector->stats.planned_clusters++;
    return true;
}

static bool form_in_mount(kiln_collector *collector, const asset_mount *mount, uint64_t deadline)
{
    enum { ROOTS_PER_CHECK = 1024 };
    asset_plan *plan = mount->plan;
    const uint32_t count = kiln_cluster_plan_count(plan->plan);
    if (plan->next == count && plan->has_attached) {
        plan->has_attached = false;
        plan->next = 0;
    }
    while (plan->next < count) {
        bool is_tried = try_cluster(collector, mount, plan->next++);
        if ((is_tried || plan->next % ROOTS_PER_CHECK == 0) &&
            kiln_collect_now(collector) >= deadline)
            return false;
    }
    return true;
}

bool kiln_cluster_form_planned(kiln_collector *collector, uint64_t deadline)
{
    const kiln_assets *assets = collector->assets;
    if (collector->clusters.is_off)
        return true;
    for (uint32_t i = 0; i < assets->mount_count; i++) {
        const asset_mount *mount = assets->mounts[i];
        if (mount && mount->plan && mount->marks && !mount->is_unmounted &&
            !form_in_mount(collector, mount, deadline))
            return false;
    }
    return true;
}
