/* Creating, clearing, destroying and checking a world.
 *
 * A world consists of stores (ids, chunks, archetypes, names) that refer to one another by number.
 * Clearing visits chunks, blocks and names, but not entities (see id_store.h), unless on_remove
 * callbacks are set. Destroying first calls the on_remove callbacks and the hook of the scenes,
 * because both still use the world. */
#include "archetype_chunks.h"
#include "column_tables.h"
#include "def_cookie.h"
#include "id_counts.h"
#include "query_object.h"
#include "removal.h"
#include "world_object.h"

#include <string.h>

kiln_world_def kiln_world_def_default(void)
{
    kiln_world_def def = {.max_blocks = KILN_BLOCK_MAX,
                          .max_mega_chunks = KILN_MEGA_MAX,
                          .max_free_bytes = SIZE_MAX,
                          .huge_pages = KILN_HUGE_PAGES_AUTO,
                          .cookie = DEF_COOKIE};
    return def;
}

static bool def_is_valid(const kiln_world_def *def)
{
    return def && def_is_set(def->cookie) && def->max_blocks >= 1 &&
           def->max_blocks <= KILN_BLOCK_MAX && def->max_mega_chunks >= 1 &&
           def->max_mega_chunks <= KILN_MEGA_MAX;
}

/* The table of chunks has an entry for every possible number. The system provides pages only for
 * entries that are used. */
static size_t chunk_table_size(const kiln_world *world)
{
    return ((size_t)world->chunks.max * KILN_MEGA_CHUNKS + 1) * sizeof(kiln_chunk);
}

static kiln_status init_world(kiln_world *world, const kiln_world_def *def)
{
    kiln_status status = kiln_id_store_init(&world->ids, def);
    if (!status)
        status = kiln_chunk_store_init(&world->chunks, def);
    if (status)
        return status;
    world->tables.blocks = world->ids.records;
    world->tables.chunks = world->pages.map(world->pages.ctx, chunk_table_size(world), 4096, false);
    /* Component number 0 is null. */
    if (!world->tables.chunks ||
        !kiln_list_grow(&world->allocator, &world->components, sizeof(void *)))
        return KILN_NO_MEMORY;
    ((kiln_component_entry **)world->components.items)[world->components.count++] = NULL;
    return kiln_archetype_make_null(world);
}

kiln_status kiln_world_create(const kiln_world_def *def, kiln_world **ret_world)
{
    if (!def_is_valid(def))
        return MISUSE("definition with a value out of range");
    kiln_allocator allocator = def->allocator ? *def->allocator : kiln_allocator_default();
    kiln_world *world = allocator.alloc(allocator.ctx, sizeof *world, 64);
    if (!world)
        return KILN_NO_MEMORY;
    memset(world, 0, sizeof *world);
    world->allocator = allocator;
    world->pages = def->pages ? *def->pages : kiln_page_source_default();
    atomic_store(&world->tables.tick, 1);
    kiln_world_def own = *def;
    own.allocator = &world->allocator;
    own.pages = &world->pages;
    kiln_status status = init_world(world, &own);
    if (status)
        kiln_world_destroy(world);
    else
        *ret_world = world;
    return status;
}

/* Calls the on_remove callbacks for all rows. */
static void report_all(kiln_world *world)
{
    for (uint32_t i = 1; world->removers && i < world->archetypes.count; i++)
        kiln_removal_report_all(world, ((archetype **)world->archetypes.items)[i], NULL);
}

void kiln_world_destroy(kiln_world *world)
{
    if (!world)
        return;
    assert(world->queries.count == 0 && world->batches == 0 && !world->is_removing);
    report_all(world);
    if (world->hooks)
        world->hooks->on_destroy(world);
    kiln_names_fini(world);
    for (uint32_t i = 0; i < world->archetypes.count; i++)
        kiln_archetype_free(world, ((archetype **)world->archetypes.items)[i]);
    kiln_list_fini(&world->allocator, &world->archetypes, sizeof(void *));
    kiln_list_fini(&world->allocator, &world->layouts, sizeof(void *));
    for (uint32_t i = 1; i < world->components.count; i++) {
        kiln_component_entry *entry = ((kiln_component_entry **)world->components.items)[i];
        world_free(world, entry, entry->size);
    }
    kiln_list_fini(&world->allocator, &world->components, sizeof(void *));
    kiln_list_fini(&world->allocator, &world->queries, sizeof(void *));
    kiln_column_tables_fini(world);
    if (world->tables.chunks)
        world->pages.unmap(world->pages.ctx, world->tables.chunks, chunk_table_size(world));
    kiln_chunk_store_fini(&world->chunks);
    kiln_id_store_fini(&world->ids);
    world->allocator.free(world->allocator.ctx, world, sizeof *world);
}

kiln_status kiln_world_clear(kiln_world *world)
{
    if (world->batches)
        return MISUSE("open batch or appender");
    if (IS_REMOVING(world))
        return MISUSE_REMOVING;
    report_all(world);
    world->structure++;
    for (uint32_t i = 1; i < world->archetypes.count; i++)
        kiln_archetype_drop_chunks(world, ((archetype **)world->archetypes.items)[i]);
    kiln_id_clear(&world->ids);
    world->window.count = world->window.used = 0;
    kiln_names_fini(world);
    if (world->hooks)
        world->hooks->on_clear(world);
    return KILN_OK;
}

size_t kiln_world_trim(kiln_world *world)
{
    return kiln_chunk_trim(&world->chunks);
}

kiln_status kiln_world_add_memory(kiln_world *world, void *memory, uint32_t count)
{
    if (!memory || (uintptr_t)memory % KILN_CHUNK_ALIGN != 0)
        return MISUSE("memory is NULL or not aligned to KILN_CHUNK_ALIGN");
    return kiln_chunk_lend(&world->chunks, memory, count);
}

uint64_t kiln_world_tick(kiln_world *world)
{
    return atomic_fetch_add(&world->tables.tick, 1);
}

void kiln_world_get_stats(const kiln_world *world, kiln_world_stats *ret_stats)
{
    kiln_id_counts ids = kiln_id_count(&world->ids);
    kiln_chunk_counts chunks = kiln_chunk_count(&world->chunks);
    kiln_world_stats stats = {.live = ids.live,
                              .empty = ids.empty,
                              .free = ids.free,
                              .retired = ids.retired,
                              .blocks = ids.blocks,
                              .mega_chunks = chunks.mega_chunks,
                              .free_mega_chunks = chunks.free_mega_chunks,
                              .chunks = chunks.chunks,
                              .components = world->components.count - 1,
                              .archetypes = world->archetypes.count - 1,
                              .chunk_bytes = (uint64_t)chunks.mega_chunks * KILN_MEGA_SIZE,
                              .block_bytes =
                                  (uint64_t)ids.blocks * KILN_BLOCK_ENTITIES * sizeof(kiln_record)};
    *ret_stats = stats;
}

/* Checks that each row belongs to a living entity whose record refers to it, and that readers find
 * its columns. */
static bool rows_are_valid(const kiln_world *world, const archetype *a)
{
    for (uint32_t i = 0; i < a->chunk_count; i++) {
        uint32_t number = a->chunks[i];
        const kiln_chunk *chunk = &world->tables.chunks[number];
        if (!kiln_column_tables_match(world, chunk))
            return false;
        for (uint32_t row = 0; row < chunk->count; row++) {
            uint32_t index = kiln_chunk_index(chunk, row);
            if (kiln_entity_is_null(kiln_entity_at(world, index)) ||
                atomic_load(&kiln_id_record(&world->ids, index)->place) != make_place(number, row))
                return false;
        }
    }
    return true;
}

bool kiln_world_is_valid(const kiln_world *world)
{
    if (!kiln_id_store_is_valid(&world->ids) || !kiln_chunk_store_is_valid(&world->chunks))
        return false;
    uint64_t rows = 0, chunks = 0;
    for (uint32_t i = 0; i < world->archetypes.count; i++) {
        const archetype *a = ((archetype **)world->archetypes.items)[i];
        if (!kiln_archetype_is_valid(world, a) || !rows_are_valid(world, a))
            return false;
        rows += a->rows;
        chunks += a->chunk_count + a->unlisted;
    }
    kiln_world_stats stats;
    kiln_world_get_stats(world, &stats);
    uint32_t set_aside = world->ids.stash.count + world->window.count - world->window.used;
    /* Rows and ids of open batches and appenders, and of scenes that are being loaded, are not on
     * any list yet. */
    bool counts_agree = world->batches > 0 || (rows == stats.live - stats.empty &&
                                               kiln_id_count_held(&world->ids) == set_aside);
    return counts_agree && chunks == stats.chunks && world->tables.chunks[0].column_limit == 0 &&
           kiln_queries_are_valid(world) && kiln_names_are_valid(world);
}
