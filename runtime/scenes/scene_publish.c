/* Finishes a load: publishes or releases everything.
 *
 * Publishing lists the filled chunks, and appends the tails to partly filled chunks of their
 * archetypes, so that many small scenes share chunks. Chunks for the tails are claimed first. After
 * that, only setting names can fail, and then the scene is unloaded again. */
#include "removal.h"
#include "scene_load.h"
#include "scene_words.h"

#include <string.h>

/* Claims chunks for the tails. */
static kiln_status claim_tails(kiln_scene_loading *loading)
{
    kiln_scene_instance *instance = loading->instance;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < instance->part_count && !status; i++) {
        scene_part *part = &instance->parts[i];
        uint32_t rows = part_tail(part);
        if (!part->archetype || rows == 0)
            continue;
        uint32_t needed = kiln_rows_chunks_needed(loading->world, part->archetype, rows);
        /* Other parts may append rows to the same archetype, so room in its open chunk is ignored.
         */
        if (loading->parts_may_merge)
            needed = rows / part->archetype->capacity + 1;
        status = kiln_archetype_claim(loading->world, part->archetype, needed, &loading->chains[i]);
    }
    return status;
}

static void release_tails(kiln_scene_loading *loading)
{
    const kiln_scene_instance *instance = loading->instance;
    for (uint32_t i = 0; loading->chains && i < instance->part_count; i++) {
        if (loading->chains[i])
            kiln_archetype_release_chain(loading->world, instance->parts[i].archetype,
                                         loading->chains[i]);
        loading->chains[i] = 0;
    }
}

static void publish_chunks(kiln_scene_loading *loading, const scene_part *part)
{
    for (uint32_t i = 0; i < part->own_chunks; i++) {
        uint32_t number = loading->instance->chunks[part->first_chunk + i];
        kiln_chunk *chunk = &loading->world->tables.chunks[number];
        chunk->ticks[0] = current_tick(loading->world);
        part->archetype->rows += chunk->count;
        kiln_archetype_list(loading->world, part->archetype, chunk);
    }
}

/* Whether a chunk of the archetype already has rows of the instance. Only the last own chunk of a
 * part may have room. */
static bool is_in_chunk(const kiln_scene_instance *instance, const archetype *a, uint32_t number)
{
    for (uint32_t i = 0; i < instance->part_count; i++) {
        const scene_part *part = &instance->parts[i];
        uint32_t last = part->first_chunk + part->own_chunks;
        if (part->archetype == a && (part->last_chunk == number ||
                                     (part->own_chunks && instance->chunks[last - 1] == number)))
            return true;
    }
    return false;
}

/* Counts a chunk to which rows of the part's tail were appended. */
static void count_chunk(kiln_scene_instance *instance, scene_part *part, uint32_t number)
{
    if (part->last_chunk == number)
        return;
    instance->tail_chunks += !is_in_chunk(instance, part->archetype, number);
    part->last_chunk = number;
}

/* Appends as many rows of the tail as possible to the archetype's open chunk, and returns their
 * number. `columns` is the beginning of the tail's columns. */
static uint32_t append_some(kiln_scene_loading *loading, scene_part *part, uint32_t *chain,
                            uint32_t done, const unsigned char *columns)
{
    kiln_world *world = loading->world;
    uint32_t rows = part_tail(part);
    kiln_chunk *chunk = kiln_archetype_next(world, part->archetype, chain);
    uint32_t row = chunk->count, room = chunk->capacity - row;
    uint32_t entity = part->rows->first_entity + part->rows->rows - rows + done;
    kiln_id_run run =
        scene_run_at(&loading->instance->ids, entity, room < rows - done ? room : rows - done);
    kiln_row first = {chunk, row};
    for (uint32_t i = 0; i < part->column_count; i++) {
        const scene_column *column = &part->columns[i];
        memcpy(row_at(first, column->component, column->size),
               columns + (size_t)done * column->size, (size_t)run.count * column->size);
        columns += tail_column_size(part, column);
    }
    kiln_rows_append_run(part->archetype, chunk, run);
    count_chunk(loading->instance, part, chunk_number(world, chunk));
    chunk->ticks[0] = current_tick(world);
    kiln_rows_begin_taken(world, run, make_place(chunk_number(world, chunk), row), NULL, false);
    return run.count;
}

static void begin_empty(const kiln_scene_loading *loading, const scene_part *part)
{
    const scene_ids *ids = &loading->instance->ids;
    for (uint32_t i = 0; i < part->rows->rows;) {
        kiln_id_run run = scene_run_at(ids, part->rows->first_entity + i, part->rows->rows - i);
        kiln_record *records = kiln_id_record(&loading->world->ids, run.first);
        kiln_id_touch(records, run.count);
        for (uint32_t k = 0; k < run.count; k++)
            kiln_id_revive(&records[k]);
        i += run.count;
    }
}

static void publish(kiln_scene_loading *loading)
{
    kiln_scene_instance *instance = loading->instance;
    const unsigned char *tail = loading->tails;
    loading->world->structure++;
    for (uint32_t i = 0; i < instance->part_count; i++) {
        scene_part *part = &instance->parts[i];
        if (!part->archetype) {
            begin_empty(loading, part);
            continue;
        }
        publish_chunks(loading, part);
        for (uint32_t done = 0, rows = part_tail(part); done < rows;)
            done += append_some(loading, part, &loading->chains[i], done, tail);
        for (uint32_t k = 0; k < part->column_count; k++)
            tail += tail_column_size(part, &part->columns[k]);
    }
}

static void free_loading(kiln_scene_loading *loading)
{
    kiln_world *world = loading->world;
    const kiln_scene_instance *instance = loading->instance;
    if (loading->tails)
        world_free(world, loading->tails, loading->tails_size);
    world_free(world, loading->chains, instance->part_count * sizeof *loading->chains + 1);
    world_free(world, loading->imports, loading->import_count * sizeof *loading->imports);
    kiln_id_runs_fini(&world->ids, &loading->runs);
    world->batches--;
    world_free(world, loading, sizeof *loading);
}

static kiln_status set_names(kiln_scene_instance *instance, kiln_error *reterr)
{
    const kiln_scene *scene = instance->source->scene;
    const kiln_scene_name *name =
        scene->names.count ? kiln_relative_get(&scene->names, scene->names.offset) : NULL;
    for (uint32_t i = 0; i < scene->names.count; i++) {
        kiln_status status =
            kiln_entity_set_name(instance->world, kiln_scene_entity(instance, name[i].entity),
                                 kiln_string_get(&name[i].name));
        if (status)
            return kiln_fail(reterr, status, 0, NULL);
    }
    return KILN_OK;
}

kiln_status kiln_scene_load_end(kiln_scene_loading *loading, kiln_scene_instance **ret_instance,
                                kiln_error *reterr)
{
    kiln_scene_instance *instance = loading->instance;
    if (loading->has_failed || loading->part < instance->part_count || !ret_instance ||
        IS_REMOVING(loading->world))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = claim_tails(loading);
    if (status) {
        kiln_scene_load_cancel(loading);
        return kiln_fail(reterr, status, 0, NULL);
    }
    publish(loading);
    /* Not earlier, because the world may have been removed from its collector since the load began.
     * Until now, the source has held the assets. */
    kiln_scene_pin_words(instance->world, instance->source);
    release_tails(loading);
    bool names = loading->set_names;
    free_loading(loading);
    kiln_scenes_add(instance);
    instance->tick = kiln_world_tick(instance->world);
    status = names ? set_names(instance, reterr) : KILN_OK;
    if (status)
        kiln_scene_unload(instance);
    else
        *ret_instance = instance;
    return status;
}

static void release_ids(const kiln_scene_loading *loading, uint32_t entity, uint32_t count)
{
    while (count > 0) {
        kiln_id_run run = scene_run_at(&loading->instance->ids, entity, count);
        kiln_id_release(&loading->world->ids, run);
        entity += run.count;
        count -= run.count;
    }
}

/* Destroys the entities of the part that were created, and releases its chunks and all other
 * ids. */
static void cancel_part(const kiln_scene_loading *loading, const scene_part *part)
{
    kiln_world *world = loading->world;
    const kiln_scene_instance *instance = loading->instance;
    uint32_t entity = part->rows->first_entity;
    for (uint32_t i = 0; i < part->own_chunks; i++) {
        uint32_t rows = scene_own_rows(part, i);
        uint32_t number = instance->chunks ? instance->chunks[part->first_chunk + i] : 0;
        kiln_chunk *chunk = &world->tables.chunks[number];
        if (number && chunk->count)
            kiln_rows_end(world, chunk);
        else if (instance->ids.count)
            release_ids(loading, entity, rows);
        if (number) {
            part->archetype->unlisted--;
            kiln_archetype_release(world, part->archetype, chunk);
        }
        entity += rows;
    }
    if (instance->ids.count)
        release_ids(loading, entity, part_tail(part));
}

void kiln_scene_load_cancel(kiln_scene_loading *loading)
{
    if (!loading)
        return;
    kiln_scene_instance *instance = loading->instance;
    release_tails(loading);
    kiln_id_runs_reveal(&loading->world->ids, &loading->runs);
    for (uint32_t i = 0; i < instance->part_count; i++)
        cancel_part(loading, &instance->parts[i]);
    free_loading(loading);
    kiln_scene_instance_free(instance);
}
