/* Numbers, lists and links of clusters, and dissolving them.
 *
 * Dissolving takes one cluster after another from the queue. The clusters that refer to this
 * cluster are put in the queue first, so that a chain of clusters needs no recursion. The table
 * records the position in the cluster's lists, so dissolving can stop anywhere and continue later.
 * Each link, member and cluster is visited once. */
#include "cluster_table.h"

#include "collector_object.h"

#include "asset_layers.h"
#include "asset_slots.h"

#include <assert.h>
#include <string.h>

void kiln_cluster_table_init(cluster_table *table)
{
    *table = (cluster_table){.first_free = CLUSTER_NONE, .dissolving = CLUSTER_NONE};
}

static size_t outside_size(uint32_t mutables, uint32_t links)
{
    return mutables * sizeof(cluster_mutable) + links * sizeof(cluster_link);
}

static void free_lists(const kiln_collector *collector, uint32_t number)
{
    const kiln_allocator *allocator = &collector->allocator;
    cluster_record *c = &collector->clusters.items[number];
    cluster_details *details = &collector->clusters.details[number];
    if (c->outside)
        allocator->free(allocator->ctx, c->outside, outside_size(c->mutable_count, c->link_count));
    if (details->members)
        allocator->free(allocator->ctx, details->members,
                        c->member_count * sizeof *details->members);
    c->outside = NULL;
    details->members = NULL;
    c->mutable_count = c->link_count = c->member_count = 0;
}

void kiln_cluster_table_fini(kiln_collector *collector)
{
    cluster_table *table = &collector->clusters;
    const kiln_allocator *allocator = &collector->allocator;
    for (uint32_t i = 0; i < table->count; i++)
        free_lists(collector, i);
    if (table->items)
        allocator->free(allocator->ctx, table->items, table->item_capacity * sizeof *table->items);
    if (table->details)
        allocator->free(allocator->ctx, table->details,
                        table->detail_capacity * sizeof *table->details);
    if (table->marks)
        allocator->free(allocator->ctx, table->marks, table->mark_capacity);
    if (table->held)
        allocator->free(allocator->ctx, table->held, table->held_capacity * sizeof *table->held);
    kiln_cluster_table_init(table);
}

/* ---- numbers ---- */

/* Like kiln_grow, but for records, which begin with a cache line. */
static bool grow_items(kiln_collector *collector, uint32_t count)
{
    cluster_table *table = &collector->clusters;
    const kiln_allocator *allocator = &collector->allocator;
    size_t wanted = table->item_capacity ? 2 * table->item_capacity : 16;
    if (count <= table->item_capacity)
        return true;
    cluster_record *items =
        wanted <= SIZE_MAX / sizeof *items
            ? allocator->alloc(allocator->ctx, wanted * sizeof *items, _Alignof(cluster_record))
            : NULL;
    if (!items)
        return false;
    if (table->items) {
        memcpy(items, table->items, table->count * sizeof *items);
        allocator->free(allocator->ctx, table->items, table->item_capacity * sizeof *items);
    }
    table->items = items;
    table->item_capacity = wanted;
    return true;
}

static bool grow_held(kiln_collector *collector, uint32_t count)
{
    cluster_table *table = &collector->clusters;
    size_t before = table->held_capacity;
    uint64_t *held = kiln_grow(&collector->allocator, table->held, &table->held_capacity,
                               ((size_t)count + 63) / 64, sizeof *held);
    if (!held)
        return false;
    table->held = held;
    memset(held + before, 0, (table->held_capacity - before) * sizeof *held);
    return true;
}

static kiln_status reserve(kiln_collector *collector, uint32_t count)
{
    cluster_table *table = &collector->clusters;
    if (!grow_items(collector, count))
        return KILN_NO_MEMORY;
    cluster_details *details = kiln_grow(&collector->allocator, table->details,
                                         &table->detail_capacity, count, sizeof *details);
    if (!details)
        return KILN_NO_MEMORY;
    table->details = details;
    KILN_ATOMIC(uint8_t) *marks =
        kiln_grow(&collector->allocator, table->marks, &table->mark_capacity, count, 1);
    if (!marks)
        return KILN_NO_MEMORY;
    table->marks = marks;
    if (!grow_held(collector, count))
        return KILN_NO_MEMORY;
    return kiln_asset_owners_reserve(collector->assets, count);
}

kiln_status kiln_cluster_take(kiln_collector *collector, uint32_t *ret_number)
{
    cluster_table *table = &collector->clusters;
    uint32_t number = table->first_free;
    if (number == CLUSTER_NONE) {
        if (table->count == INT32_MAX || reserve(collector, table->count + 1) != KILN_OK)
            return KILN_NO_MEMORY;
        number = table->count++;
        table->items[number] = (cluster_record){0};
        table->details[number] = (cluster_details){.next_free = CLUSTER_NONE};
    }
    cluster_details *c = &table->details[number];
    table->first_free = c->next_free;
    table->live++;
    c->version++;
    atomic_store_explicit(&table->marks[number], MARK_NONE, memory_order_relaxed);
    atomic_store_explicit(&table->items[number].alone, 0, memory_order_relaxed);
    *ret_number = number;
    return KILN_OK;
}

void kiln_cluster_release(kiln_collector *collector, uint32_t number)
{
    cluster_table *table = &collector->clusters;
    cluster_details *c = &table->details[number];
    c->version++;
    table->live--;
    atomic_store_explicit(&table->marks[number], MARK_NONE, memory_order_relaxed);
    /* A number that is used for 2^31 clusters is retired: its versions would repeat. */
    if (c->version == 0)
        return;
    c->next_free = table->first_free;
    table->first_free = number;
}

/* ---- lists ---- */

static void unlink_from(cluster_table *table, cluster_link *link)
{
    if (link->to == CLUSTER_NONE)
        return;
    if (link->before)
        link->before->next = link->next;
    else
        table->details[link->to].referrers = link->next;
    if (link->next)
        link->next->before = link->before;
}

static void link_to(cluster_table *table, uint32_t from, uint32_t to, cluster_link *link)
{
    cluster_details *target = &table->details[to];
    *link = (cluster_link){from, to, target->referrers, NULL};
    if (target->referrers)
        target->referrers->before = link;
    target->referrers = link;
}

_Static_assert(sizeof(cluster_mutable) % 8 == 0 && _Alignof(cluster_link) <= 8,
               "links are stored after mutables");

kiln_status kiln_cluster_allocate(const kiln_collector *collector, const cluster_lists *lists,
                                  cluster_memory *ret_memory)
{
    const kiln_allocator *allocator = &collector->allocator;
    const size_t members = lists->member_count * sizeof(uint64_t),
                 outside = outside_size(lists->mutable_count, lists->reference_count);
    cluster_memory memory = {0};
    if (members)
        memory.members = allocator->alloc(allocator->ctx, members, 8);
    if (outside && (memory.members || !members))
        memory.outside = allocator->alloc(allocator->ctx, outside, 8);
    if ((outside && !memory.outside) || (members && !memory.members)) {
        if (memory.members)
            allocator->free(allocator->ctx, memory.members, members);
        return KILN_NO_MEMORY;
    }
    if (members)
        memcpy(memory.members, lists->members, members);
    *ret_memory = memory;
    return KILN_OK;
}

static void set_near(const kiln_collector *collector, cluster_record *c)
{
    const kiln_assets *assets = collector->assets;
    const uint64_t space = c->root >> 32 << 32;
    c->near[0] = CLUSTER_NONE;
    if (space == 0 || c->mutable_count > NEAR_MOST)
        return;
    const uint32_t count = asset_index_count(assets->mounts[(space >> 32) - 1]);
    for (uint32_t i = 0; i < c->mutable_count; i++)
        if (c->outside[i].edge >> 32 << 32 != space || (uint32_t)c->outside[i].edge >= count)
            return;
    for (uint32_t i = 0; i < NEAR_MOST; i++)
        c->near[i] = i < c->mutable_count ? (uint32_t)c->outside[i].edge : (uint32_t)c->root;
}

void kiln_cluster_set_lists(kiln_collector *collector, uint32_t number, const cluster_lists *lists,
                            const cluster_memory *memory)
{
    cluster_table *table = &collector->clusters;
    cluster_record *c = &table->items[number];
    for (uint32_t i = 0; i < c->link_count; i++)
        unlink_from(table, &cluster_links(c)[i]);
    free_lists(collector, number);
    table->details[number].members = memory->members;
    c->outside = memory->outside;
    c->member_count = lists->member_count;
    c->mutable_count = lists->mutable_count;
    c->link_count = lists->reference_count;
    if (c->mutable_count)
        memcpy(c->outside, lists->mutables, c->mutable_count * sizeof *c->outside);
    set_near(collector, c);
    for (uint32_t i = 0; i < c->link_count; i++)
        link_to(table, number, lists->references[i], &cluster_links(c)[i]);
}

/* ---- held clusters ---- */

void kiln_cluster_hold(kiln_collector *collector, uint32_t number, uint32_t slot)
{
    cluster_table *table = &collector->clusters;
    assert(!cluster_is_held(table, number));
    table->held[number / 64] |= UINT64_C(1) << number % 64;
    table->details[number].slot = slot;
    collector->assets->marks->settled[slot / 64] |= UINT64_C(1) << slot % 64;
}

void kiln_cluster_unhold(kiln_collector *collector, uint32_t number)
{
    cluster_table *table = &collector->clusters;
    const uint32_t slot = table->details[number].slot;
    assert(cluster_is_held(table, number));
    table->held[number / 64] &= ~(UINT64_C(1) << number % 64);
    collector->assets->marks->settled[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

/* ---- dissolving ---- */

void kiln_cluster_disown(const kiln_collector *collector, uint32_t number, uint64_t node)
{
    const struct asset_marks *marks = collector->assets->marks;
    int32_t *word = asset_owner_at(collector->assets, node);
    /* The asset may have left the cluster before, and another asset may have its node now. */
    if (!word || *word != asset_member_word(number))
        return;
    *word = 0;
    KILN_ATOMIC(uint8_t) *mark = asset_mark_at(collector->assets, node);
    /* A marked cluster also covers a member whose own mark is from an earlier cycle. */
    if (cluster_is_marked(&collector->clusters, number, marks->color))
        atomic_store_explicit(mark, marks->color, memory_order_relaxed);
    else if (atomic_load_explicit(mark, memory_order_relaxed) == MARK_MEMBER)
        atomic_store_explicit(mark, marks->color ^ MARK_A ^ MARK_B, memory_order_relaxed);
}

/* Visits the next item of the cluster's lists. Returns false if there is none. */
static bool dissolve_item(const kiln_collector *collector, cluster_table *table, uint32_t number)
{
    const cluster_record *c = &table->items[number];
    const cluster_details *details = &table->details[number];
    cluster_link *referrer = details->referrers;
    if (referrer) {
        kiln_asset_queue_put(collector->assets->marks, referrer->from);
        unlink_from(table, referrer);
        referrer->to = CLUSTER_NONE;
        return true;
    }
    if (table->dissolved_links < c->link_count) {
        unlink_from(table, &cluster_links(c)[table->dissolved_links++]);
        return true;
    }
    if (table->dissolved_members < c->member_count) {
        kiln_cluster_disown(collector, number, details->members[table->dissolved_members++]);
        return true;
    }
    return false;
}

/* Marking roots may have passed the slot without having reached the cluster yet. So a held asset in
 * the slot is recorded as held again, which makes the cycle mark it. */
static void release_slot(kiln_collector *collector, uint32_t number)
{
    const asset_entry *entry =
        entry_at(collector->assets, collector->clusters.details[number].slot);
    kiln_cluster_unhold(collector, number);
    if (collector->stage == STAGE_ROOTS && entry->blob && kiln_collect_is_held(entry))
        kiln_asset_marks_held(collector->assets, entry);
}

static void finish_dissolving(kiln_collector *collector, uint32_t number)
{
    int32_t *word = asset_owner_at(collector->assets, collector->clusters.items[number].root);
    if (word && *word == asset_root_word(number))
        *word = 0;
    free_lists(collector, number);
    if (cluster_is_held(&collector->clusters, number))
        release_slot(collector, number);
    kiln_asset_queue_leave(collector->assets->marks, number);
    kiln_cluster_release(collector, number);
    collector->stats.dissolved_clusters++;
}

bool kiln_cluster_dissolve_queued(kiln_collector *collector, uint64_t deadline)
{
    enum { ITEMS_PER_CHECK = 1024 };
    cluster_table *table = &collector->clusters;
    uint32_t items = 0;
    for (;;) {
        if (table->dissolving == CLUSTER_NONE) {
            uint32_t next = kiln_asset_queue_take(collector->assets->marks);
            if (next == ASSET_QUEUE_END)
                return true;
            table->dissolving = next;
            table->dissolved_links = table->dissolved_members = 0;
        }
        if (!dissolve_item(collector, table, table->dissolving)) {
            finish_dissolving(collector, table->dissolving);
            table->dissolving = CLUSTER_NONE;
        }
        if (++items % ITEMS_PER_CHECK == 0 && kiln_collect_now(collector) >= deadline)
            return false;
    }
}

void kiln_cluster_queue_all(const kiln_collector *collector)
{
    for (uint32_t i = 0; i < collector->clusters.count; i++)
        if (cluster_exists(&collector->clusters, i))
            kiln_asset_queue_put(collector->assets->marks, i);
}
