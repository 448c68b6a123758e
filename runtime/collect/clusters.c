/* The public functions of clusters. */
#include "cluster_table.h"
#include "collector_object.h"

#include "asset_entry.h"
#include "asset_layers.h"
#include "asset_lock.h"
#include "asset_plan.h"
#include "asset_slots.h"

/* Begins a change: no cluster may be queued, and everything that a marked root reaches must be
 * marked before a cluster is formed. */
static void begin_change(kiln_collector *collector)
{
    kiln_collect_settle(collector);
    kiln_cluster_dissolve_queued(collector, UINT64_MAX);
}

static bool is_alive(const kiln_collector *collector, kiln_cluster handle)
{
    const cluster_table *table = &collector->clusters;
    if (handle.number == 0 || handle.number > table->count)
        return false;
    return cluster_exists(table, handle.number - 1) &&
           table->details[handle.number - 1].version == handle.version &&
           !asset_cluster_is_queued(collector->assets->marks, handle.number - 1);
}

static kiln_cluster handle_of(const kiln_collector *collector, uint32_t number)
{
    return number == CLUSTER_NONE
               ? (kiln_cluster){0}
               : (kiln_cluster){number + 1, collector->clusters.details[number].version};
}

/* The cluster to which an asset belongs; CLUSTER_NONE if there is none. */
static uint32_t cluster_of(const kiln_collector *collector, const asset_entry *entry,
                           bool *ret_is_root)
{
    int32_t word = asset_owner_word(collector->assets, asset_node(collector->assets, entry));
    *ret_is_root = word > 0;
    if (word == 0)
        return CLUSTER_NONE;
    uint32_t number = word > 0 ? asset_cluster_of_root(word) : asset_cluster_of_member(word);
    return asset_cluster_is_queued(collector->assets->marks, number) ? CLUSTER_NONE : number;
}

/* Whether the current cycle has finished marking without reaching this asset. */
static bool is_unreached(const kiln_collector *collector, const asset_entry *entry)
{
    const struct asset_marks *marks = collector->assets->marks;
    uint32_t phase = asset_phase_of(marks);
    uint8_t mark =
        atomic_load_explicit(asset_mark_at(collector->assets, asset_node(collector->assets, entry)),
                             memory_order_relaxed);
    return (phase == PHASE_KILL || phase == PHASE_FREE) && mark != marks->color;
}

static kiln_status create(kiln_collector *collector, const asset_entry *entry,
                          kiln_cluster *ret_cluster)
{
    bool is_root;
    uint32_t number = cluster_of(collector, entry, &is_root);
    kiln_status status = KILN_OK;
    if (number == CLUSTER_NONE && !collector->clusters.is_off && !is_unreached(collector, entry)) {
        const cluster_change change = {CLUSTER_NONE, asset_node(collector->assets, entry),
                                       KILN_CLUSTER_MEMBER, NULL};
        status = kiln_cluster_form(collector, &change, &number);
        is_root = true;
    }
    if (status == KILN_OK)
        *ret_cluster = is_root ? handle_of(collector, number) : (kiln_cluster){0};
    return status;
}

kiln_status kiln_cluster_create(kiln_collector *collector, kiln_ref root, kiln_cluster *ret_cluster,
                                kiln_error *reterr)
{
    if (!collector || !ret_cluster)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_asset_lock(collector->assets);
    begin_change(collector);
    const asset_entry *entry = kiln_asset_entry_of(collector->assets, root);
    kiln_status status = entry ? create(collector, entry, ret_cluster) : KILN_DEAD;
    kiln_asset_unlock(collector->assets);
    return asset_result(reterr, status);
}

static bool has_mutable(const kiln_assets *assets, const cluster_record *c, uint32_t slot)
{
    for (uint32_t i = 0; i < c->mutable_count; i++) {
        uint32_t known = kiln_asset_ids_target(assets, c->outside[i].id);
        if (known != ASSET_NONE && known_at(assets, known)->slot == slot)
            return true;
    }
    return false;
}

static bool has_reference(const cluster_record *c, uint32_t number)
{
    for (uint32_t i = 0; i < c->link_count; i++)
        if (cluster_links(c)[i].to == number)
            return true;
    return false;
}

static kiln_status add(kiln_collector *collector, uint32_t number, const asset_entry *entry,
                       kiln_cluster_role role)
{
    const cluster_record *c = &collector->clusters.items[number];
    bool is_root, is_member;
    uint32_t owner = cluster_of(collector, entry, &is_root);
    is_member = owner == number && !is_root;
    if (!is_member && !has_mutable(collector->assets, c, entry->slot) &&
        !(is_root && has_reference(c, owner)))
        return KILN_BAD_ARGUMENT;
    if (is_member == (role == KILN_CLUSTER_MEMBER) || (!is_member && owner != CLUSTER_NONE))
        return KILN_OK;
    const cluster_change change = {number, asset_node(collector->assets, entry), role, NULL};
    uint32_t result = number;
    kiln_status status = kiln_cluster_form(collector, &change, &result);
    if (status == KILN_OK && result == CLUSTER_NONE)
        kiln_asset_queue_put(collector->assets->marks, number);
    return status;
}

kiln_status kiln_cluster_add(kiln_collector *collector, kiln_cluster cluster, kiln_ref asset,
                             kiln_cluster_role role, kiln_error *reterr)
{
    if (!collector || (unsigned)role > KILN_CLUSTER_MUTABLE)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_asset_lock(collector->assets);
    begin_change(collector);
    const asset_entry *entry = kiln_asset_entry_of(collector->assets, asset);
    kiln_status status = KILN_DEAD;
    if (entry && is_alive(collector, cluster))
        status = add(collector, cluster.number - 1, entry, role);
    kiln_asset_unlock(collector->assets);
    return asset_result(reterr, status);
}

kiln_status kiln_cluster_dissolve(kiln_collector *collector, kiln_cluster cluster)
{
    if (!collector)
        return KILN_BAD_ARGUMENT;
    kiln_asset_lock(collector->assets);
    bool is_there = is_alive(collector, cluster);
    if (is_there)
        kiln_asset_queue_put(collector->assets->marks, cluster.number - 1);
    kiln_asset_unlock(collector->assets);
    return is_there ? KILN_OK : KILN_DEAD;
}

void kiln_collector_use_clusters(kiln_collector *collector, bool is_on)
{
    kiln_asset_lock(collector->assets);
    if (is_on && collector->clusters.is_off)
        kiln_asset_plans_restart(collector->assets);
    collector->clusters.is_off = !is_on;
    if (!is_on)
        kiln_cluster_queue_all(collector);
    kiln_asset_unlock(collector->assets);
}

kiln_cluster kiln_cluster_of(kiln_collector *collector, kiln_ref asset)
{
    kiln_cluster found = {0};
    bool is_root;
    kiln_asset_lock(collector->assets);
    const asset_entry *entry = kiln_asset_entry_of(collector->assets, asset);
    if (entry)
        found = handle_of(collector, cluster_of(collector, entry, &is_root));
    kiln_asset_unlock(collector->assets);
    return found;
}

/* The name of the asset at this node. */
static const char *name_at(const kiln_assets *assets, uint64_t node)
{
    return node >> 32 ? kiln_asset_index_name(assets->mounts[(node >> 32) - 1], (uint32_t)node)
                      : entry_at(assets, (uint32_t)node)->name;
}

bool kiln_cluster_get_info(kiln_collector *collector, kiln_ref asset, kiln_cluster_info *ret_info)
{
    kiln_asset_lock(collector->assets);
    bool is_root = false;
    const asset_entry *entry = kiln_asset_entry_of(collector->assets, asset);
    uint32_t number = entry ? cluster_of(collector, entry, &is_root) : CLUSTER_NONE;
    if (number != CLUSTER_NONE) {
        const cluster_record *c = &collector->clusters.items[number];
        *ret_info = (kiln_cluster_info){.root = name_at(collector->assets, c->root),
                                        .members = c->member_count,
                                        .mutables = c->mutable_count,
                                        .references = c->link_count,
                                        .is_root = is_root};
        for (const cluster_link *at = collector->clusters.details[number].referrers; at;
             at = at->next)
            ret_info->referrers++;
    }
    kiln_asset_unlock(collector->assets);
    return number != CLUSTER_NONE;
}
