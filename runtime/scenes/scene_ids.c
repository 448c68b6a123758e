/* The ids of an instance, as spans.
 *
 * An instance must identify its entities exactly, even after many of their indices have been
 * reused. An 8-byte handle for each entity could be larger than its row, so consecutive ids form a
 * span. The entities of a block that was taken whole all have the same version, which their span
 * stores once. Other spans store a version per entity. `starts` stores the span of every 8,192nd
 * entity, so the search for a span begins near it. */
#include "scene_object.h"

#include "id_blocks.h"
#include "id_hidden.h"

#include <string.h>

/* The version of the entities in the block if it was taken whole; else 0. */
static uint32_t whole_version(const kiln_world *world, uint32_t index)
{
    const kiln_id_block *block =
        atomic_load_explicit(&world->ids.blocks[index / KILN_BLOCK_ENTITIES], memory_order_acquire);
    return atomic_load_explicit(&block->unborn, memory_order_acquire) ? id_block_version(block) : 0;
}

static bool push_span(kiln_world *world, kiln_list *list, const scene_span *span)
{
    if (!kiln_list_grow(&world->allocator, list, sizeof *span))
        return false;
    ((scene_span *)list->items)[list->count++] = *span;
    return true;
}

/* Splits a run at block boundaries. Each piece becomes a span, with a single version if its block
 * was taken whole. */
static bool add_run(kiln_world *world, kiln_list *list, kiln_id_run run, scene_ids *ids)
{
    while (run.count > 0) {
        uint32_t left = KILN_BLOCK_ENTITIES - run.first % KILN_BLOCK_ENTITIES;
        scene_span span = {ids->count, left < run.count ? left : run.count, run.first, 0, 0, 0};
        span.version = whole_version(world, run.first);
        if (!span.version) {
            span.versions = ids->version_count;
            ids->version_count += span.count;
        }
        if (!push_span(world, list, &span))
            return false;
        ids->count += span.count;
        run.first += span.count;
        run.count -= span.count;
    }
    return true;
}

/* Stores the versions that the entities will have: the versions in their records plus 1. */
static void read_versions(const kiln_world *world, scene_ids *ids)
{
    for (uint32_t i = 0; i < ids->span_count; i++) {
        const scene_span *span = &ids->spans[i];
        const kiln_record *records = kiln_id_record(&world->ids, span->index);
        for (uint32_t k = 0; !span->version && k < span->count; k++)
            ids->versions[span->versions + k] = KILN_LOAD_RELAXED(&records[k].version) + 1;
    }
}

static uint32_t start_count(const scene_ids *ids)
{
    return (ids->count + KILN_BLOCK_ENTITIES - 1) / KILN_BLOCK_ENTITIES;
}

static void set_starts(scene_ids *ids)
{
    uint32_t span = 0;
    for (uint32_t i = 0; i < start_count(ids); i++) {
        while (i * KILN_BLOCK_ENTITIES - ids->spans[span].start >= ids->spans[span].count)
            span++;
        ids->starts[i] = span;
    }
}

static kiln_status make_spans(kiln_world *world, const kiln_id_runs *runs, scene_ids *ids)
{
    kiln_list list = {0};
    bool is_made = true;
    for (uint32_t i = 0; i < runs->runs.count && is_made; i++)
        is_made = add_run(world, &list, ((const kiln_id_run *)runs->runs.items)[i], ids);
    ids->span_count = list.count;
    if (is_made && ids->count) {
        ids->spans = world_alloc(world, list.count * sizeof *ids->spans);
        ids->starts = world_alloc(world, start_count(ids) * sizeof *ids->starts);
        is_made = ids->spans && ids->starts;
    }
    if (is_made && ids->version_count) {
        ids->versions = world_alloc(world, ids->version_count * sizeof *ids->versions);
        is_made = ids->versions != NULL;
    }
    if (is_made && ids->count) {
        memcpy(ids->spans, list.items, list.count * sizeof *ids->spans);
        read_versions(world, ids);
        set_starts(ids);
    }
    kiln_list_fini(&world->allocator, &list, sizeof(scene_span));
    return is_made ? KILN_OK : KILN_NO_MEMORY;
}

kiln_status kiln_scene_ids_take(kiln_world *world, uint32_t count, uint32_t empty,
                                kiln_id_runs *runs, scene_ids *ret_ids)
{
    scene_ids ids = {0};
    kiln_status status = kiln_id_could_hold(&world->ids, count) ? KILN_OK : KILN_LIMIT;
    /* Any thread may destroy an empty entity, so empty entities never get whole blocks. */
    for (uint32_t left = empty; left > 0 && !status;) {
        kiln_id_run run;
        status = kiln_id_runs_take_more(&world->ids, runs, left, &run);
        if (!status)
            left -= run.count;
    }
    if (!status)
        status = kiln_id_runs_add(&world->ids, count - empty, runs);
    if (!status)
        status = make_spans(world, runs, &ids);
    if (status) {
        kiln_scene_ids_fini(world, &ids);
        kiln_id_runs_release(&world->ids, runs);
        runs->runs.count = 0;
    } else {
        *ret_ids = ids;
    }
    return status;
}

static bool make_arrays(const kiln_world *world, scene_ids *ids)
{
    ids->spans = world_alloc(world, ids->span_count * sizeof *ids->spans);
    ids->starts = world_alloc(world, start_count(ids) * sizeof *ids->starts);
    ids->versions = world_alloc(world, ids->version_count * sizeof *ids->versions);
    return ids->spans && ids->starts && ids->versions;
}

kiln_status kiln_scene_ids_make(kiln_world *world, const kiln_entity *entities, uint32_t count,
                                scene_ids *ret_ids)
{
    scene_ids ids = {.count = count, .version_count = count, .span_count = count > 0};
    for (uint32_t i = 1; i < count; i++)
        ids.span_count += entities[i].index != entities[i - 1].index + 1;
    if (count > 0 && !make_arrays(world, &ids)) {
        kiln_scene_ids_fini(world, &ids);
        return KILN_NO_MEMORY;
    }
    uint32_t span = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || entities[i].index != entities[i - 1].index + 1)
            ids.spans[span++] = (scene_span){i, 0, entities[i].index, 0, i, 0};
        ids.spans[span - 1].count++;
        ids.versions[i] = entities[i].version;
    }
    set_starts(&ids);
    *ret_ids = ids;
    return KILN_OK;
}

void kiln_scene_ids_fini(kiln_world *world, scene_ids *ids)
{
    world_free(world, ids->spans, ids->span_count * sizeof *ids->spans);
    world_free(world, ids->starts, start_count(ids) * sizeof *ids->starts);
    world_free(world, ids->versions, ids->version_count * sizeof *ids->versions);
    memset(ids, 0, sizeof *ids);
}
