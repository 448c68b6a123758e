/* Loads a scene: claims everything that it needs, and fills its chunks one by one.
 *
 * kiln_scene_load_begin claims ids, chunks, and memory for rows that will be appended to other
 * chunks. Filling can be spread over frames and cancelled at any step. The chunks are added to the
 * lists of their archetypes by kiln_scene_load_end, so nothing of the scene is visible before that.
 *
 * Nothing is written to mapped chunks; the ids of their rows are stored outside the chunks. */
#define _POSIX_C_SOURCE 200809L

#include "scene_load.h"

#include "scene_words.h"

#include <string.h>
#include <time.h>

/* ---- beginning ---- */

static bool args_are_valid(const kiln_scene_load_args *args)
{
    return args && args->world && args->source && args->unknown <= KILN_UNKNOWN_DROP;
}

/* Finds the entities of other scenes to which this scene refers by name. */
kiln_status kiln_scene_find_imports(kiln_scene_loading *loading, kiln_error *reterr)
{
    const kiln_scene *scene = loading->instance->source->scene;
    uint32_t count = scene->imports.count;
    if (count == 0)
        return KILN_OK;
    loading->imports = world_alloc(loading->world, count * sizeof *loading->imports);
    if (!loading->imports)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    loading->import_count = count;
    const kiln_scene_import *import = kiln_relative_get(&scene->imports, scene->imports.offset);
    for (uint32_t i = 0; i < count; i++)
        loading->imports[i] = kiln_scenes_find(loading->world, kiln_string_get(&import[i].scene),
                                               kiln_string_get(&import[i].entity));
    return KILN_OK;
}

static kiln_status make_tails(kiln_scene_loading *loading)
{
    const kiln_scene_instance *instance = loading->instance;
    size_t size = 0;
    for (uint32_t i = 0; i < instance->part_count; i++)
        for (uint32_t k = 0; k < instance->parts[i].column_count; k++)
            size += tail_column_size(&instance->parts[i], &instance->parts[i].columns[k]);
    /* One byte more, because an allocation must not be empty even if all tails are empty. */
    loading->tails_size = size + 1;
    size_t chains = instance->part_count * sizeof *loading->chains;
    loading->chains = world_alloc(loading->world, chains + 1);
    if (!loading->chains)
        return KILN_NO_MEMORY;
    memset(loading->chains, 0, chains);
    loading->tails = loading->world->allocator.alloc(loading->world->allocator.ctx,
                                                     loading->tails_size, KILN_COLUMN_ALIGN);
    return loading->tails ? KILN_OK : KILN_NO_MEMORY;
}

/* The number of leading entities that must not get whole blocks: all entities up to the last one
 * without a row. Usually only the empty entities, which come first, have no row. If all components
 * of an archetype were dropped, its entities have no rows either. */
static uint32_t count_empty(const kiln_scene_instance *instance)
{
    uint32_t empty = 0;
    for (uint32_t i = 0; i < instance->part_count; i++) {
        const scene_part *part = &instance->parts[i];
        if (!part->archetype)
            empty = part->rows->first_entity + part->rows->rows;
    }
    return empty;
}

/* Whether several parts may become one archetype. This can happen if components were dropped or
 * renamed. */
static bool parts_may_merge(const kiln_scene_instance *instance)
{
    const kiln_scene_view *view = &instance->source->view;
    for (uint32_t i = 0; i < view->component_count; i++) {
        const scene_component *component = &instance->components[i];
        if (component->is_dropped)
            return true;
        const kiln_component_desc *desc = kiln_component_get(instance->world, component->component);
        if (strcmp(desc->name, view->components[i].name) != 0)
            return true;
    }
    return false;
}

static kiln_status prepare(kiln_scene_loading *loading, const kiln_scene_load_args *args,
                           kiln_error *reterr)
{
    kiln_scene_instance *instance = loading->instance;
    kiln_status status = kiln_scene_match(instance, args, reterr);
    if (!status)
        status = kiln_scene_find_imports(loading, reterr);
    if (status)
        return status;
    loading->parts_may_merge = parts_may_merge(instance);
    kiln_scene_count_chunks(loading);
    status = make_tails(loading);
    if (!status)
        status = kiln_scene_ids_take(loading->world, instance->source->view.entities,
                                     count_empty(instance), &loading->runs, &instance->ids);
    if (!status)
        status = kiln_scene_claim_chunks(loading);
    return status ? kiln_fail(reterr, status, 0, NULL) : KILN_OK;
}

kiln_status kiln_scene_load_begin(const kiln_scene_load_args *args,
                                  kiln_scene_loading **ret_loading, kiln_error *reterr)
{
    if (!args_are_valid(args) || !ret_loading)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_world *world = args->world;
    kiln_scene_loading *loading = world_alloc(world, sizeof *loading);
    kiln_scene_instance *instance = world_alloc(world, sizeof *instance);
    if (!loading || !instance) {
        world_free(world, loading, sizeof *loading);
        world_free(world, instance, sizeof *instance);
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    }
    memset(loading, 0, sizeof *loading);
    memset(instance, 0, sizeof *instance);
    loading->world = instance->world = world;
    loading->instance = instance;
    loading->set_names = args->set_names;
    loading->maps = args->source->file >= 0 && !args->forbid_mapping;
    instance->source = kiln_scene_source_keep(args->source);
    world->batches++;
    kiln_status status = prepare(loading, args, reterr);
    if (status)
        kiln_scene_load_cancel(loading);
    else
        *ret_loading = loading;
    return status;
}

/* ---- filling ---- */

/* Copies `count` rows of the scene's column, from `row` on, to `to`, converting them if necessary.
 */
static kiln_status copy_column(const kiln_scene_loading *loading, const scene_part *part,
                               const scene_column *column, uint32_t row, uint32_t count,
                               unsigned char *to)
{
    const kiln_scene_view *view = &loading->instance->source->view;
    uint32_t rows_per_chunk = part->rows->rows_per_chunk;
    uint32_t size = kiln_scene_column_desc(view, part->rows, column->number)->size;
    while (count > 0) {
        uint32_t chunk = row / rows_per_chunk, at = row % rows_per_chunk;
        uint32_t some = rows_per_chunk - at < count ? rows_per_chunk - at : count;
        const unsigned char *from =
            kiln_scene_column(view, part->rows, chunk, column->number) + (size_t)at * size;
        if (column->conversion) {
            kiln_status status = kiln_conversion_rows(column->conversion, from, some, to, NULL);
            if (status)
                return status;
        } else {
            memcpy(to, from, (size_t)some * size);
        }
        to += (size_t)some * column->size;
        row += some;
        count -= some;
    }
    return KILN_OK;
}

kiln_status kiln_scene_make_column(const kiln_scene_loading *loading, const scene_part *part,
                                   const scene_column *column, uint32_t row, uint32_t count,
                                   unsigned char *to, kiln_error *reterr)
{
    kiln_status status = copy_column(loading, part, column, row, count, to);
    if (status)
        return kiln_fail(reterr, status, 0, column->desc->name);
    if (!column->has_words)
        return KILN_OK;
    scene_word_rows rows = {
        loading->instance->source,     &loading->instance->ids, loading->imports, to, count,
        part->rows->first_entity + row};
    return kiln_scene_resolve_words(&rows, column, reterr);
}

/* Creates the `count` entities from number `entity` on, in the rows from `row` on. */
static void begin_rows(const kiln_scene_loading *loading, kiln_chunk *chunk, uint32_t row,
                       uint32_t entity, uint32_t count)
{
    kiln_world *world = loading->world;
    uint32_t number = chunk_number(world, chunk);
    while (count > 0) {
        kiln_id_run run = scene_run_at(&loading->instance->ids, entity, count);
        kiln_rows_set_indices(chunk, row, run);
        kiln_rows_begin_taken(world, run, make_place(number, row), NULL, false);
        row += run.count;
        entity += run.count;
        count -= run.count;
    }
}

static kiln_status fill_chunk(kiln_scene_loading *loading, const scene_part *part, uint32_t number,
                              kiln_error *reterr)
{
    kiln_world *world = loading->world;
    kiln_chunk *chunk =
        &world->tables.chunks[loading->instance->chunks[part->first_chunk + number]];
    uint32_t row = number * part->archetype->capacity, count = scene_own_rows(part, number);
    /* A chunk is mapped only if the file has its bytes and none of its columns has words. */
    uint32_t columns = number < part->mapped ? 0 : part->column_count;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < columns && !status; i++) {
        const scene_column *column = &part->columns[i];
        status = kiln_scene_make_column(loading, part, column, row, count,
                                        chunk->data + column->offset, reterr);
    }
    if (status)
        return status;
    begin_rows(loading, chunk, 0, part->rows->first_entity + row, count);
    chunk->count = count;
    chunk->ticks[0] = current_tick(world);
    return KILN_OK;
}

static kiln_status fill_tail(kiln_scene_loading *loading, const scene_part *part,
                             kiln_error *reterr)
{
    uint32_t count = part_tail(part), row = part->rows->rows - count;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; count > 0 && i < part->column_count && !status; i++) {
        const scene_column *column = &part->columns[i];
        status = kiln_scene_make_column(loading, part, column, row, count,
                                        loading->tails + loading->tails_used, reterr);
        loading->tails_used += tail_column_size(part, column);
    }
    return status;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

kiln_status kiln_scene_load_step(kiln_scene_loading *loading, uint64_t nanoseconds, bool *ret_done,
                                 kiln_error *reterr)
{
    kiln_scene_instance *instance = loading->instance;
    uint64_t start = nanoseconds < UINT64_MAX ? now() : 0;
    if (loading->has_failed)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    while (loading->part < instance->part_count) {
        scene_part *part = &instance->parts[loading->part];
        kiln_status status = KILN_OK;
        if (loading->chunk < part->own_chunks) {
            status = fill_chunk(loading, part, loading->chunk, reterr);
            loading->chunk += !status;
        } else {
            status = fill_tail(loading, part, reterr);
            loading->part++;
            loading->chunk = 0;
        }
        loading->has_failed = status != KILN_OK;
        if (status)
            return status;
        if (nanoseconds < UINT64_MAX && now() - start >= nanoseconds)
            break;
    }
    *ret_done = loading->part == instance->part_count;
    return KILN_OK;
}

kiln_status kiln_scene_load(const kiln_scene_load_args *args, kiln_scene_instance **ret_instance,
                            kiln_error *reterr)
{
    kiln_scene_loading *loading;
    bool is_done;
    if (!ret_instance)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = kiln_scene_load_begin(args, &loading, reterr);
    if (status)
        return status;
    status = kiln_scene_load_step(loading, UINT64_MAX, &is_done, reterr);
    if (!status)
        return kiln_scene_load_end(loading, ret_instance, reterr);
    kiln_scene_load_cancel(loading);
    return status;
}
