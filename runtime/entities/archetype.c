/* Finds and creates archetypes, and plans how rows move between them.
 *
 * A set of components is sorted by name. So the same set gives the same archetype and layout in
 * every run, in whatever order the components were registered. Archetypes are not freed while the
 * world exists, so pointers to them and plans stay valid. Plans are cached: by component if one
 * component is added or removed, and in a list for all other pairs of archetypes. */
#include "lower_bound.h"
#include "query_object.h"
#include "world_object.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets of components ---- */

/* The hash does not depend on the order of the set. */
static uint32_t bucket_of(const kiln_component *components, uint32_t count)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t mixed = (components[i].number + 1) * UINT64_C(0x9E3779B97F4A7C15);
        hash += mixed ^ mixed >> 29;
    }
    return (uint32_t)(hash >> 40) % ARCHETYPE_BUCKETS;
}

static archetype *find_archetype(const kiln_world *world, const kiln_component *components,
                                 uint32_t count)
{
    uint32_t number = world->buckets[bucket_of(components, count)];
    while (number) {
        archetype *a = ((archetype **)world->archetypes.items)[number];
        if (a->component_count == count &&
            memcmp(a->components, components, count * sizeof *components) == 0)
            return a;
        number = a->same_bucket;
    }
    return NULL;
}

static int compare_names(const kiln_world *world, kiln_component a, kiln_component b)
{
    return strcmp(world_component(world, a)->desc.name, world_component(world, b)->desc.name);
}

typedef struct name_search {
    const kiln_world *world;
    kiln_component component;
} name_search;

static bool is_name_below(const void *set, size_t at, const void *key)
{
    const name_search *search = key;
    return compare_names(search->world, ((const kiln_component *)set)[at], search->component) < 0;
}

/* Inserts a component into a set that is sorted by name, unless it is already there. Returns the
 * new count. */
static uint32_t put_sorted(const kiln_world *world, kiln_component *set, uint32_t count,
                           kiln_component component)
{
    name_search search = {world, component};
    uint32_t low = (uint32_t)lower_bound(set, 0, count, is_name_below, &search);
    if (low < count && set[low].number == component.number)
        return count;
    memmove(set + low + 1, set + low, (count - low) * sizeof *set);
    set[low] = component;
    return count + 1;
}

/* ---- creating archetypes ---- */

static archetype *alloc_archetype(kiln_world *world, const kiln_component *components,
                                  uint32_t count)
{
    uint32_t limit = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (components[i].number >= limit)
            limit = components[i].number + 1;
    }
    size_t bytes = sizeof(archetype) + limit * sizeof(kiln_column) +
                   count * (sizeof(archetype_column) + sizeof(kiln_component));
    archetype *a = world_alloc(world, bytes);
    if (!a)
        return NULL;
    memset(a, 0, bytes);
    a->bytes = bytes;
    a->is_small = true;
    a->columns = (kiln_column *)(a + 1);
    a->column_limit = limit;
    a->data = (archetype_column *)(a->columns + limit);
    a->components = (kiln_component *)(a->data + count);
    a->component_count = count;
    if (count)
        memcpy(a->components, components, count * sizeof *components);
    return a;
}

/* Computes the layout; false if a row does not fit into a chunk. `sizes` and `offsets` are scratch
 * memory of the caller. */
static bool lay_out(const kiln_world *world, archetype *a, uint32_t *sizes, uint32_t *offsets)
{
    for (uint32_t i = 0; i < a->component_count; i++)
        sizes[i] = world_component(world, a->components[i])->desc.size;
    a->capacity = kiln_chunk_layout(sizes, a->component_count, offsets);
    if (a->capacity == 0)
        return false;
    for (uint32_t i = 0; i < a->column_limit; i++)
        a->columns[i].offset = KILN_NO_COLUMN;
    for (uint32_t i = 0; i < a->component_count; i++) {
        kiln_column *column = &a->columns[a->components[i].number];
        column->offset = (uint16_t)offsets[i];
        column->number = (uint16_t)(i + 1);
        column->size = sizes[i];
        if (world_component(world, a->components[i])->on_remove)
            a->has_on_remove = true;
        a->row_size += sizes[i];
        if (sizes[i]) {
            archetype_column data = {a->components[i], offsets[i], sizes[i]};
            a->data[a->data_count++] = data;
            a->is_small = a->is_small && is_small_size(sizes[i]);
        }
    }
    return true;
}

/* `components` is sorted by name, without duplicates. Everything that can fail comes first; once
 * memory is reserved, the archetype is added to all lists. */
static kiln_status make_archetype(kiln_world *world, const kiln_component *components,
                                  uint32_t count, archetype **ret_archetype)
{
    if (world->layouts.count == UINT32_MAX || count >= UINT16_MAX)
        return KILN_LIMIT;
    size_t scratch_size = (count + 1) * 2 * sizeof(uint32_t);
    uint32_t *scratch = world_alloc(world, scratch_size);
    archetype *a = alloc_archetype(world, components, count);
    kiln_status status = KILN_OK;
    if (!scratch || !a || !kiln_list_grow(&world->allocator, &world->archetypes, sizeof a) ||
        !kiln_list_grow(&world->allocator, &world->layouts, sizeof &a->layout))
        status = KILN_NO_MEMORY;
    else if (!lay_out(world, a, scratch, scratch + count))
        status = KILN_L_ROW;
    world_free(world, scratch, scratch_size);
    if (status) {
        kiln_archetype_free(world, a);
        return status;
    }
    uint32_t *bucket = &world->buckets[bucket_of(components, count)];
    a->number.number = world->archetypes.count;
    chunk_layout layout = {a, a->columns, world->layouts.count, a->capacity};
    a->layout = layout;
    ((const chunk_layout **)world->layouts.items)[world->layouts.count++] = &a->layout;
    if (count) {
        a->same_bucket = *bucket;
        *bucket = a->number.number;
    }
    ((archetype **)world->archetypes.items)[world->archetypes.count++] = a;
    *ret_archetype = a;
    return KILN_OK;
}

kiln_status kiln_archetype_make_null(kiln_world *world)
{
    archetype *a;
    return make_archetype(world, NULL, 0, &a);
}

/* Finds or creates the archetype of a set. A new one is added to the queries that match it. */
static kiln_status find_or_make(kiln_world *world, const kiln_component *components, uint32_t count,
                                archetype **ret_archetype)
{
    *ret_archetype = count ? find_archetype(world, components, count)
                           : ((archetype **)world->archetypes.items)[0];
    if (*ret_archetype)
        return KILN_OK;
    if (!kiln_queries_reserve(world))
        return KILN_NO_MEMORY;
    kiln_status status = make_archetype(world, components, count, ret_archetype);
    if (!status)
        kiln_queries_match(world, *ret_archetype);
    return status;
}

kiln_status kiln_archetype_register(kiln_world *world, const kiln_component *components,
                                    uint32_t count, kiln_archetype *ret_archetype)
{
    if (!world_has_components(world, components, count))
        return MISUSE("unknown component");
    size_t bytes = ((size_t)count + 1) * sizeof(kiln_component);
    kiln_component *set = world_alloc(world, bytes);
    if (!set)
        return KILN_NO_MEMORY;
    uint32_t sorted = 0;
    for (uint32_t i = 0; i < count; i++)
        sorted = put_sorted(world, set, sorted, components[i]);
    archetype *a;
    kiln_status status = find_or_make(world, set, sorted, &a);
    world_free(world, set, bytes);
    if (!status)
        *ret_archetype = a->number;
    return status;
}

void kiln_archetype_free(kiln_world *world, archetype *a)
{
    if (!a)
        return;
    world_free(world, a->edges, a->edge_limit * sizeof *a->edges);
    while (a->plans) {
        move_plan *plan = a->plans;
        a->plans = plan->next;
        world_free(world, plan, plan->bytes);
    }
    while (a->variants) {
        archetype_variant *variant = a->variants;
        a->variants = variant->next;
        world_free(world, variant, variant->bytes);
    }
    while (a->cuts) {
        archetype_cut *cut = a->cuts;
        a->cuts = cut->next;
        world_free(world, cut, cut->bytes);
    }
    while (a->slabs) {
        side_slab *slab = a->slabs;
        a->slabs = slab->next;
        world_free(world, slab, slab->bytes);
    }
    world_free(world, a->chunks, a->chunk_room * sizeof *a->chunks);
    world_free(world, a, a->bytes);
}

/* ---- plans for moving rows ---- */

/* The steps for shared components come first, so that copying and zeroing are loops without a
 * condition. */
static void fill_plan(move_plan *plan)
{
    plan->copied = 0;
    plan->is_small = true;
    plan->count = plan->to->data_count;
    for (uint32_t i = 0; i < plan->count; i++)
        plan->copied += archetype_has(plan->from, plan->to->data[i].component);
    uint32_t copied = 0, added = plan->copied;
    for (uint32_t i = 0; i < plan->count; i++) {
        const archetype_column *data = &plan->to->data[i];
        bool is_new = !archetype_has(plan->from, data->component);
        move_step step = {data->component, data->size, 0, (uint16_t)data->offset};
        if (!is_new)
            step.from = plan->from->columns[data->component.number].offset;
        plan->is_small = plan->is_small && (is_new || is_small_size(data->size));
        plan->steps[is_new ? added++ : copied++] = step;
    }
}

kiln_status kiln_archetype_plan_move(kiln_world *world, archetype *from, archetype *to,
                                     const move_plan **ret_plan)
{
    move_plan *plan = from->plans;
    while (plan && plan->to != to)
        plan = plan->next;
    if (!plan) {
        size_t bytes = sizeof(move_plan) + to->data_count * sizeof(move_step);
        plan = world_alloc(world, bytes);
        if (!plan)
            return KILN_NO_MEMORY;
        plan->next = from->plans;
        plan->from = from;
        plan->to = to;
        plan->bytes = bytes;
        fill_plan(plan);
        from->plans = plan;
    }
    *ret_plan = plan;
    return KILN_OK;
}

/* Edges are indexed by component. So the plan for the common case, a change of one component, takes
 * a single lookup. When the array grows, it gets room for all components of the world. */
static archetype_edge *edge_of(kiln_world *world, archetype *a, kiln_component component)
{
    if (component.number >= a->edge_limit) {
        uint32_t limit = world->components.count;
        archetype_edge *edges = world_alloc(world, limit * sizeof *edges);
        if (!edges)
            return NULL;
        memset(edges, 0, limit * sizeof *edges);
        if (a->edge_limit)
            memcpy(edges, a->edges, a->edge_limit * sizeof *edges);
        world_free(world, a->edges, a->edge_limit * sizeof *edges);
        a->edges = edges;
        a->edge_limit = limit;
    }
    return &a->edges[component.number];
}

/* Makes the plan for adding or removing the component. */
static kiln_status make_plan(kiln_world *world, archetype *a, kiln_component component, bool adds,
                             const move_plan **ret_plan)
{
    size_t bytes = ((size_t)a->component_count + 1) * sizeof(kiln_component);
    kiln_component *set = world_alloc(world, bytes);
    if (!set)
        return KILN_NO_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->component_count; i++) {
        if (adds || a->components[i].number != component.number)
            set[count++] = a->components[i];
    }
    if (adds)
        count = put_sorted(world, set, count, component);
    archetype *to;
    kiln_status status = find_or_make(world, set, count, &to);
    world_free(world, set, bytes);
    return status ? status : kiln_archetype_plan_move(world, a, to, ret_plan);
}

kiln_status kiln_archetype_plan_add(kiln_world *world, archetype *a, kiln_component component,
                                    const move_plan **ret_plan)
{
    archetype_edge *edge = edge_of(world, a, component);
    if (!edge)
        return KILN_NO_MEMORY;
    kiln_status status = edge->add ? KILN_OK : make_plan(world, a, component, true, &edge->add);
    *ret_plan = edge->add;
    return status;
}

kiln_status kiln_archetype_plan_remove(kiln_world *world, archetype *a, kiln_component component,
                                       const move_plan **ret_plan)
{
    archetype_edge *edge = edge_of(world, a, component);
    if (!edge)
        return KILN_NO_MEMORY;
    kiln_status status =
        edge->remove ? KILN_OK : make_plan(world, a, component, false, &edge->remove);
    *ret_plan = edge->remove;
    return status;
}
