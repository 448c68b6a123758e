/* Compares the world with the model. */
#include "entity_history.h"

#include <string.h>

static bool matches_component(history *h, const model_entity *entity, uint32_t c)
{
    const unsigned char *bytes = kiln_entity_read(h->world, entity->entity, h->components[c]);
    CHECK(h, !h->readers[c].columns || kiln_reader_read(&h->readers[c], entity->entity) == bytes);
    if (!(entity->set >> c & 1) || !bytes)
        return !(entity->set >> c & 1) && !bytes;
    CHECK(h, kiln_entity_has(h->world, entity->entity, h->components[c]));
    CHECK(h, (uintptr_t)bytes % model_components[c].alignment == 0);
    return entity_model_is_value(c, entity->values[c], bytes);
}

bool history_matches(history *h, const model_entity *entity)
{
    if (!kiln_entity_exists(h->world, entity->entity))
        return false;
    CHECK(h, kiln_entity_same(entity->entity, kiln_entity_at(h->world, entity->entity.index)));
    kiln_row row = kiln_entity_row(h->world, entity->entity);
    kiln_archetype archetype = kiln_entity_archetype(h->world, entity->entity);
    CHECK(h, (archetype.number != 0) == (row.chunk != NULL));
    if (row.chunk) {
        CHECK(h, archetype.number == row.chunk->archetype);
        /* Rows of an appender are counted when it takes more chunks or is closed. */
        CHECK(h, row.row < row.chunk->count || entity->batch > HISTORY_BATCHES);
        CHECK(h, row.row < row.chunk->capacity && row.chunk->count <= row.chunk->capacity);
        CHECK(h, kiln_chunk_index(row.chunk, row.row) == entity->entity.index);
        CHECK(h, (uintptr_t)row.chunk->data % KILN_CHUNK_ALIGN == 0);
    }
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
        if (!matches_component(h, entity, c))
            return false;
    const char *name = kiln_entity_name(h->world, entity->entity);
    const char *expected = model_names[entity->name];
    return name && expected ? strcmp(name, expected) == 0 : name == expected;
}

void history_check_entity(history *h, const model_entity *entity)
{
    CHECK(h, history_matches(h, entity));
}

static void check_numbers(history *h)
{
    kiln_world_stats stats;
    kiln_world_get_stats(h->world, &stats);
    uint64_t bare = 0;
    for (uint32_t i = 0; i < h->model.count; i++)
        bare += h->model.entities[i].set == 0;
    CHECK(h, stats.live == h->model.count);
    CHECK(h, stats.empty == bare);
    CHECK(h, stats.retired == 0);
    CHECK(h, stats.live + stats.free == (uint64_t)stats.blocks * KILN_BLOCK_ENTITIES);
    CHECK(h, stats.blocks <= h->def->max_blocks);
    CHECK(h, stats.mega_chunks <= h->def->max_mega_chunks);
    CHECK(h, stats.free_mega_chunks <= stats.mega_chunks);
    CHECK(h, stats.chunks <= stats.mega_chunks * KILN_MEGA_CHUNKS);
    CHECK(h, stats.components == MODEL_COMPONENTS);
    CHECK(h, stats.archetypes == kiln_archetype_count(h->world));
    CHECK(h, stats.block_bytes >= (uint64_t)stats.blocks * KILN_BLOCK_ENTITIES * 16);
}

/* Every entity occurs once, in ascending order, and nothing else occurs. */
static void check_iteration(history *h)
{
    uint32_t count = 0;
    kiln_entity entity = kiln_entity_next(h->world, 0);
    for (uint32_t least = 0; !kiln_entity_is_null(entity); count++) {
        CHECK(h, entity.index >= least);
        CHECK(h, entity_model_find(&h->model, entity) != NULL);
        least = entity.index + 1;
        entity = kiln_entity_next(h->world, least);
    }
    CHECK(h, count == h->model.count);
    CHECK(h, kiln_entity_is_null(kiln_entity_next(h->world, KILN_ENTITY_MAX)));
    CHECK(h, kiln_entity_is_null(kiln_entity_next(h->world, UINT32_MAX)));
}

static uint32_t set_of(history *h, const kiln_archetype_info *info)
{
    uint32_t set = 0, least = 0;
    for (uint32_t i = 0; i < info->component_count; i++) {
        uint32_t c = 0;
        while (h->components[c].number != info->components[i].number)
            CHECK(h, ++c < MODEL_COMPONENTS);
        /* The model numbers components in the order of their names. */
        CHECK(h, c >= least);
        least = c + 1;
        set |= 1u << c;
    }
    return set;
}

static void check_archetypes(history *h)
{
    static uint32_t rows[MODEL_SETS];
    uint32_t chunks = 0, count = kiln_archetype_count(h->world);
    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0; i < h->model.count; i++)
        rows[h->model.entities[i].set] += h->model.entities[i].batch == 0;
    for (uint32_t number = 1; number <= count; number++) {
        kiln_archetype archetype = {number};
        kiln_archetype_info info;
        CHECK(h, kiln_archetype_get(h->world, archetype, &info));
        uint32_t set = set_of(h, &info), row_size = 0;
        for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
            row_size += set >> c & 1 ? model_components[c].size : 0;
        CHECK(h, set != 0 && info.row_size == row_size);
        CHECK(h, info.rows_per_chunk == entity_model_chunk_rows(set));
        CHECK(h, info.rows == rows[set]);
        CHECK(h, info.chunks >= history_chunks_for(set, info.rows) && info.chunks <= info.rows);
        CHECK(h, !h->def->is_one_by_one || info.chunks == history_chunks_for(set, info.rows));
        CHECK(h, info.waste == (uint64_t)info.chunks * KILN_CHUNK_SIZE - info.rows * row_size);
        chunks += info.chunks;
        rows[set] = UINT32_MAX; /* no other archetype has this set */
    }
    for (uint32_t i = 0; i < HISTORY_BATCHES; i++)
        chunks += h->batches[i].batch ? h->batches[i].parts : 0;
    for (uint32_t i = 0; i < HISTORY_APPENDERS; i++)
        chunks += h->appenders[i].open.world ? h->appenders[i].chunks : 0;
    kiln_world_stats stats;
    kiln_world_get_stats(h->world, &stats);
    CHECK(h, stats.chunks == chunks);
    for (uint32_t set = 1; set < MODEL_SETS; set++)
        CHECK(h, rows[set] == 0 || rows[set] == UINT32_MAX);
    kiln_archetype_info info;
    kiln_archetype null = {0}, next = {count + 1};
    CHECK(h, !kiln_archetype_get(h->world, null, &info));
    CHECK(h, !kiln_archetype_get(h->world, next, &info));
}

void history_check_all(history *h)
{
    CHECK(h, kiln_world_is_valid(h->world));
    for (uint32_t i = 0; i < h->model.count; i++)
        history_check_entity(h, &h->model.entities[i]);
    for (uint32_t i = 0; i < h->model.stale_count && i < MODEL_STALE; i++)
        CHECK(h, !kiln_entity_exists(h->world, h->model.stale[i]));
    check_numbers(h);
    check_iteration(h);
    check_archetypes(h);
    for (uint32_t i = 0; i < HISTORY_QUERIES; i++)
        if (h->queries[i].query)
            history_check_query(h, &h->queries[i]);
}
