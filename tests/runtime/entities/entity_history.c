#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include "entity_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void history_fail(const history *h, const char *what, const char *file, int line)
{
    fail_msg("%s:%d: %s\n  history '%s', seed %llu, step %llu: %s", file, line, what, h->def->name,
             (unsigned long long)h->seed, (unsigned long long)h->step, h->operation);
}

uint32_t history_random(history *h, uint32_t below)
{
    h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((h->random >> 32) * below >> 32);
}

uint64_t history_value(history *h)
{
    uint64_t high = history_random(h, UINT32_MAX);
    return history_random(h, 8) == 0 ? 0 : high << 32 | history_random(h, UINT32_MAX);
}

/* Large components are rare, so that most chunks have many rows. */
static uint32_t any_set(history *h)
{
    uint32_t set = history_random(h, MODEL_SETS) & history_random(h, MODEL_SETS) & 0xff;
    if (history_random(h, 12) == 0)
        set |= 1u << 8;
    if (history_random(h, 40) == 0)
        set = (set & MODEL_TAGS) | 1u << 9;
    return set;
}

uint32_t history_set(history *h)
{
    return history_random(h, 8) == 0 ? any_set(h) : h->sets[history_random(h, HISTORY_SETS)];
}

uint32_t history_chunks_for(uint32_t set, uint64_t rows)
{
    uint32_t capacity = entity_model_chunk_rows(set);
    return set == 0 ? 0 : (uint32_t)((rows + capacity - 1) / capacity);
}

bool history_is_done(history *h, kiln_status status, uint64_t ids, uint64_t chunks)
{
    if (status == KILN_OK)
        return true;
    if (status == KILN_NO_MEMORY) {
        CHECK(h, h->memory.failed > 0);
        return false;
    }
    CHECK(h, status == KILN_LIMIT);
    kiln_world_stats stats;
    kiln_world_get_stats(h->world, &stats);
    uint64_t places =
        stats.free + (uint64_t)(h->def->max_blocks - stats.blocks) * KILN_BLOCK_ENTITIES;
    for (uint32_t i = 0; i < HISTORY_BATCHES; i++)
        places -= h->batches[i].batch ? h->batches[i].count - h->batches[i].filled : 0;
    for (uint32_t i = 0; i < HISTORY_APPENDERS; i++)
        places -= h->appenders[i].open.count - h->appenders[i].open.used;
    CHECK(h, ids > places ||
                 stats.chunks + chunks > (uint64_t)h->def->max_mega_chunks * KILN_MEGA_CHUNKS);
    return false;
}

model_entity *history_entity(history *h)
{
    for (int tries = 0; tries < 8 && h->model.count > 0; tries++) {
        model_entity *entity = &h->model.entities[history_random(h, h->model.count)];
        if (entity->batch == 0)
            return entity;
    }
    return NULL;
}

kiln_entity history_nobody(history *h)
{
    kiln_entity entity = {history_random(h, UINT32_MAX), history_random(h, UINT32_MAX)};
    uint32_t kind = history_random(h, 4);
    if (kind == 0 && h->model.stale_count > 0) {
        uint32_t known = h->model.stale_count < MODEL_STALE ? h->model.stale_count : MODEL_STALE;
        entity = h->model.stale[history_random(h, known)];
    } else if (kind == 1 && h->model.count > 0) {
        entity = h->model.entities[history_random(h, h->model.count)].entity;
        entity.version += 1 + history_random(h, 4);
    } else if (kind == 2) {
        entity.index %= h->def->max_blocks * KILN_BLOCK_ENTITIES;
        entity.version = history_random(h, 3);
    }
    return entity_model_find(&h->model, entity) ? kiln_entity_null() : entity;
}

bool history_archetype(history *h, uint32_t set, kiln_archetype *ret_archetype)
{
    kiln_component components[2 * MODEL_COMPONENTS];
    uint32_t count = 0;
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++) {
        for (uint32_t times = set >> c & 1 ? 1 + history_random(h, 8) / 7 : 0; times > 0; times--)
            components[count++] = h->components[c];
    }
    /* In random order. */
    for (uint32_t i = count; i > 1; i--) {
        uint32_t at = history_random(h, i);
        kiln_component swapped = components[at];
        components[at] = components[i - 1];
        components[i - 1] = swapped;
    }
    kiln_status status = kiln_archetype_register(h->world, components, count, ret_archetype);
    if (!history_is_done(h, status, 0, 0))
        return false;
    CHECK(h, (ret_archetype->number == 0) == (set == 0));
    return true;
}

history_touch *history_touch_of(history *h, const kiln_chunk *chunk)
{
    uint32_t number = (uint32_t)(chunk - kiln_world_get_tables(h->world)->chunks);
    if (number >= h->touch_room) {
        uint32_t room = number + 1024;
        h->touches = realloc(h->touches, room * sizeof *h->touches);
        if (!h->touches)
            abort();
        memset(h->touches + h->touch_room, 0, (room - h->touch_room) * sizeof *h->touches);
        h->touch_room = room;
    }
    return &h->touches[number];
}

void history_touched(history *h, const kiln_chunk *chunk, uint32_t component)
{
    history_touch_of(h, chunk)->written[component] = h->model.clock;
}

void history_arrived(history *h, const model_entity *entity)
{
    kiln_row row = kiln_entity_row(h->world, entity->entity);
    CHECK(h, (row.chunk == NULL) == (entity->set == 0));
    if (row.chunk)
        history_touch_of(h, row.chunk)->arrived = h->model.clock;
}

model_entity *history_born(history *h, kiln_entity entity, uint32_t set)
{
    CHECK(h, entity.index / KILN_BLOCK_ENTITIES < h->def->max_blocks);
    model_entity *born = entity_model_add(&h->model, entity, set);
    CHECK(h, born != NULL);
    history_arrived(h, born);
    return born;
}

void history_dies(history *h, model_entity *entity)
{
    CHECK(h, !kiln_entity_exists(h->world, entity->entity));
    entity_model_remove(&h->model, entity);
}

/* ---- creation and destruction ---- */

static bool begin_world(history *h)
{
    kiln_world_def def = world_memory_def(&h->memory);
    def.max_blocks = h->def->max_blocks;
    def.max_mega_chunks = h->def->max_mega_chunks;
    def.max_free_bytes = h->def->max_free_bytes;
    def.huge_pages = h->def->huge_pages;
    if (!history_is_done(h, kiln_world_create(&def, &h->world), 0, 0))
        return false;
    if (h->def->lent > 0) {
        size_t size = (size_t)h->def->lent * KILN_MEGA_SIZE;
        assert_int_equal(0, posix_memalign(&h->lent, KILN_CHUNK_ALIGN, size));
        memset(h->lent, 0xee, size);
        if (!history_is_done(h, kiln_world_add_memory(h->world, h->lent, h->def->lent), 0, 0))
            return false;
    }
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++) {
        /* Not registered in the order of their names. */
        uint32_t at = (c * 3 + 5) % MODEL_COMPONENTS;
        kiln_status status =
            kiln_component_register(h->world, &model_components[at], &h->components[at]);
        if (!history_is_done(h, status, 0, 0))
            return false;
    }
    return true;
}

void history_init(history *h, const history_def *def, uint64_t seed)
{
    memset(h, 0, offsetof(history, memory));
    h->def = def;
    h->seed = seed;
    h->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    h->operation = "beginning";
    h->is_growing = true;
    h->values = malloc(HISTORY_VALUES_MAX);
    assert_non_null(h->values);
    entity_model_init(&h->model);
    for (uint32_t i = 0; i < HISTORY_SETS; i++)
        h->sets[i] = i < 2 ? i : any_set(h);
    if (!begin_world(h)) {
        kiln_world_destroy(h->world);
        h->world = NULL;
    }
}

void history_fini(history *h)
{
    h->operation = "ending";
    if (h->world) {
        history_check_all(h);
        for (uint32_t i = 0; i < HISTORY_QUERIES; i++)
            kiln_query_destroy(h->queries[i].query);
        for (uint32_t i = 0; i < HISTORY_BATCHES; i++)
            kiln_batch_discard(h->batches[i].batch);
        for (uint32_t i = 0; i < HISTORY_APPENDERS; i++)
            kiln_appender_discard(&h->appenders[i].open);
        CHECK(h, kiln_world_is_valid(h->world));
        kiln_world_destroy(h->world);
    }
    CHECK(h, h->memory.heap_bytes == 0);
    CHECK(h, h->memory.page_bytes == 0);
    CHECK(h, h->memory.mapping_count == 0);
    entity_model_fini(&h->model);
    free(h->values);
    free(h->touches);
    free(h->lent);
}

static const history_operation *const operation_lists[] = {
    history_single_operations, history_bulk_operations, history_query_operations,
    history_batch_operations, history_appender_operations};
enum { LISTS = sizeof operation_lists / sizeof *operation_lists };

void history_step(history *h)
{
    uint32_t sum = 0;
    for (size_t l = 0; l < LISTS; l++)
        for (const history_operation *o = operation_lists[l]; o->name; o++)
            sum += o->is_bulk && h->def->is_one_by_one ? 0 : o->weight;
    uint32_t at = history_random(h, sum);
    for (size_t l = 0; l < LISTS; l++) {
        for (const history_operation *o = operation_lists[l]; o->name; o++) {
            uint32_t weight = o->is_bulk && h->def->is_one_by_one ? 0 : o->weight;
            if (at >= weight) {
                at -= weight;
                continue;
            }
            h->step++;
            h->operation = o->name;
            if (h->model.count >= h->def->target)
                h->is_growing = false;
            if (h->model.count <= h->def->target / 8)
                h->is_growing = true;
            o->run(h);
            return;
        }
    }
}
