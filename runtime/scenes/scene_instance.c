/* The instances of a world: finding their entities, and unloading them.
 *
 * Unloading has a fast path. A chunk that still has exactly the loaded rows is released without
 * reading them. If all entities of a whole block are in such chunks, they are destroyed together.
 * So unloading an untouched scene costs little per chunk, and nothing per entity in whole blocks.
 * All other entities are destroyed one by one. */
#include "removal.h"
#include "rows.h"
#include "scene_load.h"

#include <string.h>

/* ---- the instances of a world ---- */

kiln_scene_instance *kiln_scenes_next(const kiln_world *world, const kiln_scene_instance *after)
{
    kiln_scene_instance *next = after ? after->next : world->scenes;
    while (next && next->is_detached)
        next = next->next;
    return next;
}

kiln_entity kiln_scenes_find(const kiln_world *world, const char *scene, const char *entity)
{
    kiln_scene_instance *instance = NULL;
    while ((instance = kiln_scenes_next(world, instance)) != NULL) {
        if (strcmp(instance->source->name, scene) == 0)
            return kiln_scene_find(instance, entity);
    }
    return kiln_entity_null();
}

void kiln_scene_instance_free(kiln_scene_instance *instance)
{
    kiln_world *world = instance->world;
    kiln_scene_source *source = instance->source;
    kiln_scene_source **former = instance->former.items;
    if (instance->before) {
        *instance->before = instance->next;
        if (instance->next)
            instance->next->before = instance->before;
    }
    kiln_scene_match_fini(instance);
    kiln_scene_ids_fini(world, &instance->ids);
    world_free(world, instance->chunks,
               ((size_t)instance->chunk_count + 1) * sizeof *instance->chunks);
    for (uint32_t i = 0; i < instance->former.count; i++)
        kiln_scene_source_drop(former[i]);
    kiln_list_fini(&world->allocator, &instance->former, sizeof *former);
    world_free(world, instance, sizeof *instance);
    kiln_scene_source_drop(source);
}

/* Called when all entities are dead, so detached instances are no longer needed. */
static void free_detached(kiln_world *world)
{
    kiln_scene_instance *next;
    for (kiln_scene_instance *at = world->scenes; at; at = next) {
        next = at->next;
        if (at->is_detached)
            kiln_scene_instance_free(at);
    }
}

static void free_all(kiln_world *world)
{
    while (world->scenes)
        kiln_scene_instance_free(world->scenes);
}

void kiln_scenes_add(kiln_scene_instance *instance)
{
    static const kiln_world_hooks hooks = {free_detached, free_all};
    kiln_world *world = instance->world;
    world->hooks = &hooks;
    instance->next = world->scenes;
    instance->before = &world->scenes;
    if (world->scenes)
        world->scenes->before = &instance->next;
    world->scenes = instance;
}

/* ---- entities ---- */

kiln_entity kiln_scene_entity(const kiln_scene_instance *instance, uint32_t number)
{
    if (number >= instance->ids.count)
        return kiln_entity_null();
    const scene_span *span = scene_span_of(&instance->ids, number);
    kiln_entity entity = scene_span_entity(&instance->ids, span, number);
    return kiln_entity_exists(instance->world, entity) ? entity : kiln_entity_null();
}

kiln_entity kiln_scene_find(const kiln_scene_instance *instance, const char *name)
{
    uint32_t number =
        name ? kiln_scene_find_name(instance->source->scene, name, strlen(name)) : UINT32_MAX;
    return kiln_scene_entity(instance, number);
}

/* The number of living entities among `count` entities of a span, from `at` on. The records of a
 * pure block need not be read. */
static uint32_t count_in_span(const kiln_scene_instance *instance, const scene_span *span,
                              uint32_t at, uint32_t count)
{
    if (span->version && kiln_id_is_pure(&instance->world->ids, span->index, span->version))
        return count;
    uint32_t living = 0;
    for (uint32_t i = 0; i < count; i++)
        living += kiln_entity_exists(instance->world,
                                     scene_span_entity(&instance->ids, span, span->start + at + i));
    return living;
}

static uint32_t count_living(const kiln_scene_instance *instance)
{
    uint32_t living = 0;
    for (uint32_t i = 0; i < instance->ids.span_count; i++) {
        const scene_span *span = &instance->ids.spans[i];
        living += count_in_span(instance, span, 0, span->count);
    }
    return living;
}

kiln_scene_info kiln_scene_get_info(const kiln_scene_instance *instance)
{
    kiln_scene_info info = {instance->source->name, instance->ids.count, count_living(instance),
                            instance->chunk_count + instance->tail_chunks, instance->mapped};
    return info;
}

/* ---- unloading ---- */

/* Whether the chunk still has exactly the loaded rows in the same order, and all of their entities
 * are alive. */
static bool is_untouched(const kiln_scene_instance *instance, const scene_part *part,
                         uint32_t number, uint32_t entity, uint32_t rows)
{
    const kiln_world *world = instance->world;
    const kiln_chunk *chunk = &world->tables.chunks[number];
    if (chunk->columns == NULL || chunk->archetype != part->archetype->number.number ||
        chunk->count != rows || !chunk->is_run || !chunk_is_listed(chunk))
        return false;
    while (rows > 0) {
        const scene_span *span = scene_span_of(&instance->ids, entity);
        uint32_t at = entity - span->start, left = span->count - at;
        uint32_t some = left < rows ? left : rows;
        if (count_in_span(instance, span, at, some) < some ||
            chunk->first + (chunk->count - rows) != span->index + at)
            return false;
        entity += some;
        rows -= some;
    }
    return true;
}

/* Called for `count` entities of a span, from `at` on. */
typedef void piece_action(kiln_scene_instance *instance, scene_span *span, uint32_t at,
                          uint32_t count);

static void visit_pieces(kiln_scene_instance *instance, uint32_t entity, uint32_t count,
                         piece_action *action)
{
    while (count > 0) {
        scene_span *span =
            &instance->ids.spans[scene_span_of(&instance->ids, entity) - instance->ids.spans];
        uint32_t at = entity - span->start, left = span->count - at;
        uint32_t some = left < count ? left : count;
        action(instance, span, at, some);
        entity += some;
        count -= some;
    }
}

static void count_released(kiln_scene_instance *instance, scene_span *span, uint32_t at,
                           uint32_t count)
{
    (void)instance;
    (void)at;
    span->released += count;
}

/* Whether all entities of a pure block were in released chunks, so that they can be destroyed
 * together. */
static bool is_released_block(const kiln_scene_instance *instance, const scene_span *span)
{
    return span->released == KILN_BLOCK_ENTITIES && span->version &&
           kiln_id_is_pure(&instance->world->ids, span->index, span->version);
}

/* Destroys entities whose chunks were released, except those of blocks that are later destroyed as
 * a whole. */
static void end_released(kiln_scene_instance *instance, scene_span *span, uint32_t at,
                         uint32_t count)
{
    kiln_id_run run = {span->index + at, count};
    if (!is_released_block(instance, span))
        kiln_id_end_run(&instance->world->ids, run);
}

/* Destroys the entities that are still alive, wherever their rows are now. */
static void end_living(kiln_scene_instance *instance, scene_span *span, uint32_t at, uint32_t count)
{
    enum { AT_ONCE = 64 };
    kiln_entity entities[AT_ONCE];
    for (uint32_t done = 0, some; done < count; done += some) {
        some = count - done < AT_ONCE ? count - done : (uint32_t)AT_ONCE;
        for (uint32_t i = 0; i < some; i++)
            entities[i] = scene_span_entity(&instance->ids, span, span->start + at + done + i);
        kiln_entity_destroy_many(instance->world, entities, some);
    }
}

typedef void chunk_action(kiln_scene_instance *instance, const scene_part *part, uint32_t *number,
                          uint32_t entity, uint32_t rows);

/* Calls the on_remove callbacks for a chunk that will be released. They cannot change rows, so the
 * chunk remains untouched. */
static void report_untouched(kiln_scene_instance *instance, const scene_part *part,
                             uint32_t *number, uint32_t entity, uint32_t rows)
{
    kiln_chunk *chunk = &instance->world->tables.chunks[*number];
    if (is_untouched(instance, part, *number, entity, rows))
        removal_report(instance->world, part->archetype, NULL, chunk, 0, rows);
}

/* Releases a chunk that has not changed since it was loaded, and sets its number to 0. Its entities
 * are destroyed later, when it is known how much of each block was released. */
static void release_untouched(kiln_scene_instance *instance, const scene_part *part,
                              uint32_t *number, uint32_t entity, uint32_t rows)
{
    if (!is_untouched(instance, part, *number, entity, rows))
        return;
    kiln_chunk *chunk = &instance->world->tables.chunks[*number];
    kiln_archetype_unlist(instance->world, part->archetype, chunk);
    part->archetype->rows -= rows;
    kiln_archetype_release(instance->world, part->archetype, chunk);
    *number = 0;
    visit_pieces(instance, entity, rows, count_released);
}

static void end_released_chunk(kiln_scene_instance *instance, const scene_part *part,
                               uint32_t *number, uint32_t entity, uint32_t rows)
{
    (void)part;
    if (!*number)
        visit_pieces(instance, entity, rows, end_released);
}

static void end_changed_chunk(kiln_scene_instance *instance, const scene_part *part,
                              uint32_t *number, uint32_t entity, uint32_t rows)
{
    (void)part;
    if (*number)
        visit_pieces(instance, entity, rows, end_living);
}

/* Calls the action for each of the part's own chunks, and returns the number of rows in them. */
static uint32_t visit_chunks(kiln_scene_instance *instance, const scene_part *part,
                             chunk_action *action)
{
    uint32_t entity = part->rows->first_entity;
    for (uint32_t i = 0; i < part->own_chunks; i++) {
        uint32_t rows = scene_own_rows(part, i);
        action(instance, part, &instance->chunks[part->first_chunk + i], entity, rows);
        entity += rows;
    }
    return entity - part->rows->first_entity;
}

static void visit_all_chunks(kiln_scene_instance *instance, chunk_action *action)
{
    for (uint32_t i = 0; i < instance->part_count; i++)
        visit_chunks(instance, &instance->parts[i], action);
}

/* Destroys the entities of chunks that are as they were loaded. All on_remove callbacks are called
 * first, because they may read any entity that is alive. */
static void unload_untouched(kiln_scene_instance *instance)
{
    kiln_world *world = instance->world;
    if (world->removers)
        visit_all_chunks(instance, report_untouched);
    visit_all_chunks(instance, release_untouched);
    visit_all_chunks(instance, end_released_chunk);
    for (uint32_t i = 0; i < instance->ids.span_count; i++) {
        const scene_span *span = &instance->ids.spans[i];
        if (is_released_block(instance, span))
            kiln_id_end_pure(&world->ids, span->index);
    }
}

void kiln_scene_unload(kiln_scene_instance *instance)
{
    if (!instance)
        return;
    kiln_world *world = instance->world;
    if (IS_REMOVING(world)) {
        (void)MISUSE_REMOVING;
        return;
    }
    world->structure++;
    if (instance->is_applied)
        visit_pieces(instance, 0, instance->ids.count, end_living);
    unload_untouched(instance);
    for (uint32_t i = 0; i < instance->part_count; i++) {
        const scene_part *part = &instance->parts[i];
        uint32_t own = visit_chunks(instance, part, end_changed_chunk);
        visit_pieces(instance, part->rows->first_entity + own, part->rows->rows - own, end_living);
    }
    kiln_scene_instance_free(instance);
}

void kiln_scene_detach(kiln_scene_instance *instance)
{
    instance->is_detached = true;
}

uint32_t kiln_scenes_collect(kiln_world *world)
{
    uint32_t left = 0;
    kiln_scene_instance *next;
    for (kiln_scene_instance *at = world->scenes; at; at = next) {
        next = at->next;
        if (!at->is_detached)
            continue;
        if (count_living(at))
            left++;
        else
            kiln_scene_instance_free(at);
    }
    return left;
}
