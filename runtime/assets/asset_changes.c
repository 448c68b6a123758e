/* First finds the changes, by comparing what each id leads to before and after the replacement.
 * Then finds the loaded assets that depend on a change. A pass over the references of all loaded
 * assets finds the direct dependents. Only if there are any, a second pass lists for each loaded
 * asset which others refer to it, and a breadth-first search finds the indirect dependents. So the
 * work is linear in the references of loaded assets, and usually one pass. */
#include "asset_changes.h"

#include "asset_entry.h"
#include "asset_redirects.h"
#include "asset_slots.h"

#include <string.h>

/* ---- changes ---- */

static kiln_status name_change(asset_changes *c, kiln_id id)
{
    if (id == 0)
        return KILN_OK;
    kiln_status status = kiln_key_table_reserve(&c->by_id, 1);
    if (status == KILN_OK)
        kiln_key_table_set(&c->by_id, kiln_key_table_put(&c->by_id, id), c->all.count);
    return status;
}

static kiln_status add_change(asset_changes *c, const asset_change *change)
{
    asset_change *added = kiln_list_push(&c->assets->allocator, &c->all, sizeof *added);
    if (!added)
        return KILN_NO_MEMORY;
    *added = *change;
    c->is_too_long = c->all.count > KILN_REPLACED_EVENTS;
    return name_change(c, change->id);
}

/* Compares what an id leads to before and after the replacement. */
static kiln_status look_at(asset_changes *c, kiln_id id)
{
    const asset_mount *old = c->versions->old, *fresh = c->versions->fresh;
    asset_found before, after;
    if (!kiln_asset_find(c->assets, NULL, id, &before))
        before.mount = NULL;
    if (!kiln_asset_find(c->assets, c->view, id, &after))
        after.mount = NULL;
    if (before.slot != ASSET_NONE && !entry_at(c->assets, before.slot)->blob->mount)
        return KILN_OK; /* an added blob */
    if ((before.mount != old && after.mount != fresh) || (!before.mount && !after.mount))
        return KILN_OK;
    if (before.mount == old && after.mount == fresh &&
        kiln_asset_versions_are_equal(c->versions, before.number, after.number))
        return KILN_OK;
    asset_change change = {.kind = KILN_REPLACED_CHANGED, .id = id};
    if (!before.mount)
        change.kind = KILN_REPLACED_ADDED;
    else if (!after.mount)
        change.kind = KILN_REPLACED_REMOVED;
    change.mount = after.mount ? after.mount : before.mount;
    change.number = after.mount ? after.number : before.number;
    change.name = kiln_asset_index_name(change.mount, change.number);
    return add_change(c, &change);
}

static kiln_status find_changes(asset_changes *c)
{
    const asset_mount *old = c->versions->old, *fresh = c->versions->fresh;
    const bool is_aligned = c->versions->is_aligned;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < asset_index_count(fresh) && !c->is_too_long && !status; i++)
        /* A forged index may have an id twice. */
        if (!(is_aligned && kiln_asset_versions_are_equal(c->versions, i, i)) &&
            asset_is_found(fresh, i))
            status = look_at(c, kiln_index_id(fresh->file->index, i));
    for (uint32_t i = 0; !is_aligned && i < asset_index_count(old) && !c->is_too_long && !status;
         i++) {
        kiln_id id = kiln_index_id(old->file->index, i);
        if (asset_is_found(old, i) && kiln_asset_number_in(fresh, id) == ASSET_NONE)
            status = look_at(c, id);
    }
    return status;
}

/* ---- references ---- */

/* The references of an asset. */
typedef struct edge_list {
    const kiln_index *index; /* NULL for an added blob */
    const uint32_t *edges;
    const kiln_id *ids;
    uint32_t count;
} edge_list;

static edge_list edges_of(const asset_change *change)
{
    edge_list list = {0};
    if (change->kind == KILN_REPLACED_REMOVED)
        return list;
    if (change->blob) {
        list.ids = change->blob->refs;
        list.count = change->blob->ref_count;
    } else if (kiln_index_check_edges(&change->mount->file->frame, change->number, NULL) ==
               KILN_OK) {
        list.index = change->mount->file->index;
        list.edges = kiln_index_edges(list.index, change->number, &list.count);
        list.count = list.edges ? list.count : 0;
    }
    return list;
}

/* The id of an edge, after redirects. */
static kiln_id edge_id(const asset_changes *c, const edge_list *list, uint32_t i)
{
    kiln_id id = list->index ? kiln_index_edge_id(list->index, list->edges[i]) : list->ids[i];
    asset_found found;
    char text[KILN_PATH_SIZE];
    if (asset_redirect_of(c->redirects, id) && !kiln_key_table_get(&c->by_id, id) &&
        !kiln_asset_find(c->assets, c->view, id, &found))
        kiln_asset_redirects_follow(c->assets, c->redirects, c->view, id, &id, text);
    return id;
}

/* ---- dependents ---- */

/* The assets that refer to one. */
typedef struct referrer {
    uint32_t slot;
    uint32_t next; /* position plus 1; 0 for the last */
} referrer;

typedef struct search {
    asset_changes *c;
    uint8_t *is_done; /* by slot: not loaded, detached, or affected */
    uint32_t slots;
    kiln_list referrers;
    kiln_key_table by_target; /* id -> position in `referrers` plus 1 */
} search;

static asset_change dependent_of(const asset_entry *entry)
{
    return (asset_change){.kind = KILN_REPLACED_DEPENDENT,
                          .id = entry->id,
                          .mount = asset_current_mount(entry->blob),
                          .blob = entry->blob->mount ? NULL : entry->blob,
                          .number = entry->number,
                          .name = entry->name};
}

static kiln_status add_dependent(search *s, uint32_t slot)
{
    const asset_entry *entry = entry_at(s->c->assets, slot);
    const asset_change change = dependent_of(entry);
    s->is_done[slot] = true;
    kiln_status status = add_change(s->c, &change);
    for (uint32_t i = 0; i < entry->alias_count && status == KILN_OK; i++)
        status = name_change(s->c, entry->aliases[i].id);
    return status;
}

static kiln_status add_referrer(search *s, kiln_id target, uint32_t slot)
{
    kiln_status status = kiln_key_table_reserve(&s->by_target, 1);
    referrer *added = status == KILN_OK
                          ? kiln_list_push(&s->c->assets->allocator, &s->referrers, sizeof *added)
                          : NULL;
    if (!added)
        return KILN_NO_MEMORY;
    uint32_t cell = kiln_key_table_put(&s->by_target, target);
    *added = (referrer){slot, (uint32_t)kiln_key_table_value(&s->by_target, cell)};
    kiln_key_table_set(&s->by_target, cell, s->referrers.count);
    return KILN_OK;
}

/* Adds the asset if it refers to an affected one. Otherwise, with `lists`, lists its references. */
static kiln_status look_at_entry(search *s, uint32_t slot, bool lists)
{
    const asset_change change = dependent_of(entry_at(s->c->assets, slot));
    const edge_list edges = edges_of(&change);
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < edges.count && status == KILN_OK; i++) {
        kiln_id id = edge_id(s->c, &edges, i);
        if (id && kiln_key_table_get(&s->c->by_id, id))
            return add_dependent(s, slot);
        if (id && lists)
            status = add_referrer(s, id, slot);
    }
    return status;
}

static kiln_status look_at_entries(search *s, bool lists)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < s->slots && status == KILN_OK && !s->c->is_too_long; i++)
        if (!s->is_done[i])
            status = look_at_entry(s, i, lists);
    return status;
}

static kiln_status follow_referrers(search *s, kiln_id id)
{
    const referrer *referrers = s->referrers.items;
    kiln_status status = KILN_OK;
    uint64_t at = id ? kiln_key_table_get(&s->by_target, id) : 0;
    for (; at && status == KILN_OK; at = referrers[at - 1].next)
        if (!s->is_done[referrers[at - 1].slot])
            status = add_dependent(s, referrers[at - 1].slot);
    return status;
}

/* Follows the lists of referrers from all dependents, breadth first. An asset with several names
 * has a list for each. */
static kiln_status search_all(search *s, uint32_t first)
{
    asset_changes *c = s->c;
    kiln_status status = look_at_entries(s, true);
    for (uint32_t i = first; i < c->all.count && status == KILN_OK && !c->is_too_long; i++) {
        const asset_change *change = (const asset_change *)c->all.items + i;
        const kiln_id id = change->id;
        uint32_t cell, known = id ? kiln_asset_ids_find(c->assets, id, &cell) : ASSET_NONE;
        status = follow_referrers(s, id);
        if (known == ASSET_NONE || known_at(c->assets, known)->slot == ASSET_NONE)
            continue;
        const asset_entry *entry = entry_at(c->assets, known_at(c->assets, known)->slot);
        for (uint32_t k = 0; k < entry->alias_count && status == KILN_OK; k++)
            status = follow_referrers(s, entry->aliases[k].id);
    }
    return status;
}

static void find_done(const search *s)
{
    const kiln_assets *assets = s->c->assets;
    for (uint32_t i = 0; i < s->slots; i++) {
        const asset_entry *entry = entry_at(assets, i);
        s->is_done[i] = !entry->blob || entry->is_detached ||
                        (entry->id && kiln_key_table_get(&s->c->by_id, entry->id));
    }
}

static kiln_status find_dependents(asset_changes *c)
{
    const kiln_allocator *allocator = &c->assets->allocator;
    search s = {.c = c};
    s.slots = atomic_load_explicit(&c->assets->slot_count, memory_order_relaxed);
    s.is_done = s.slots ? allocator->alloc(allocator->ctx, s.slots, 1) : NULL;
    if (!s.is_done)
        return s.slots ? KILN_NO_MEMORY : KILN_OK;
    kiln_key_table_init(&s.by_target, allocator, c->assets->seed);
    find_done(&s);
    const uint32_t direct = c->all.count;
    kiln_status status = look_at_entries(&s, false);
    if (status == KILN_OK && c->all.count > direct && !c->is_too_long)
        status = search_all(&s, direct);
    allocator->free(allocator->ctx, s.is_done, s.slots);
    kiln_list_fini(allocator, &s.referrers, sizeof(referrer));
    kiln_key_table_fini(&s.by_target);
    return status;
}

/* ---- order ---- */

/* An asset whose references are being visited. */
typedef struct order_step {
    uint32_t change, edge;
    edge_list edges;
} order_step;

static kiln_status add_event(asset_changes *c, const asset_change *change)
{
    asset_event *event = kiln_list_push(&c->assets->allocator, &c->events, sizeof *event);
    if (!event)
        return KILN_NO_MEMORY;
    *event = (asset_event){0};
    return kiln_asset_event_init(c->assets, change->kind, change->id, change->name, event);
}

/* The next unvisited asset to which the step's asset refers; NULL after the last. */
static asset_change *next_reference(asset_changes *c, order_step *step)
{
    asset_change *all = c->all.items;
    while (step->edge < step->edges.count) {
        kiln_id id = edge_id(c, &step->edges, step->edge++);
        uint64_t number = id ? kiln_key_table_get(&c->by_id, id) : 0;
        if (number && !all[number - 1].is_visited)
            return &all[number - 1];
    }
    return NULL;
}

/* Adds the events of an asset and of those to which it refers, in postorder. The steps have room
 * for all changes. */
static kiln_status add_in_order(asset_changes *c, uint32_t number, order_step *steps)
{
    asset_change *all = c->all.items;
    uint32_t depth = 0;
    kiln_status status = KILN_OK;
    all[number].is_visited = true;
    steps[depth++] = (order_step){number, 0, edges_of(&all[number])};
    while (depth > 0 && status == KILN_OK) {
        asset_change *next = next_reference(c, &steps[depth - 1]);
        if (next) {
            next->is_visited = true;
            steps[depth++] = (order_step){(uint32_t)(next - all), 0, edges_of(next)};
        } else {
            status = add_event(c, &all[steps[--depth].change]);
        }
    }
    return status;
}

static kiln_status make_events(asset_changes *c)
{
    const kiln_allocator *allocator = &c->assets->allocator;
    const uint32_t count = c->all.count;
    const asset_change *all = c->all.items;
    if (count == 0)
        return KILN_OK;
    order_step *steps =
        allocator->alloc(allocator->ctx, count * sizeof *steps, _Alignof(order_step));
    kiln_status status = steps ? KILN_OK : KILN_NO_MEMORY;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count && status == KILN_OK; i++)
            if (!all[i].is_visited && (pass == 1 || all[i].kind == KILN_REPLACED_REMOVED))
                status = add_in_order(c, i, steps);
    if (steps)
        allocator->free(allocator->ctx, steps, count * sizeof *steps);
    return status;
}

/* ---- finding and publishing ---- */

kiln_status kiln_asset_changes_find(asset_changes *changes)
{
    kiln_key_table_init(&changes->by_id, &changes->assets->allocator, changes->assets->seed);
    if (!changes->assets->events)
        return KILN_OK;
    kiln_status status = find_changes(changes);
    if (status == KILN_OK && changes->all.count > 0 && !changes->is_too_long)
        status = find_dependents(changes);
    if (status == KILN_OK && !changes->is_too_long)
        status = make_events(changes);
    return status;
}

void kiln_asset_changes_publish(asset_changes *changes, kiln_mount mount)
{
    kiln_assets *assets = changes->assets;
    asset_event *events = changes->events.items;
    if (!assets->events)
        return;
    assets->events->replacements++;
    if (changes->is_too_long)
        kiln_asset_events_drop(assets);
    for (uint32_t i = 0; i < changes->events.count && !changes->is_too_long; i++)
        kiln_asset_events_add(assets, mount, &events[i]);
}

void kiln_asset_changes_fini(asset_changes *changes)
{
    const kiln_allocator *allocator = &changes->assets->allocator;
    asset_event *events = changes->events.items;
    for (uint32_t i = 0; i < changes->events.count; i++)
        kiln_asset_event_fini(changes->assets, &events[i]);
    kiln_list_fini(allocator, &changes->events, sizeof(asset_event));
    kiln_list_fini(allocator, &changes->all, sizeof(asset_change));
    kiln_key_table_fini(&changes->by_id);
}
