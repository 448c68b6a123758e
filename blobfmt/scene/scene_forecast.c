/* What loading a scene takes, from its description alone. */
#include "scene_columns.h"

enum { RECORD_BYTES = 16, PAIR = 2 };

static uint64_t divide_up(uint64_t number, uint32_t by)
{
    return (number + by - 1) / by;
}

kiln_scene_forecast kiln_scene_get_forecast(const kiln_scene_view *view)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < view->archetype_count; i++)
        used += (uint64_t)view->archetypes[i].rows * view->archetypes[i].row_size;
    /* A world makes mega chunks in pairs; other chunks fill what those of the images have left. */
    uint64_t megas = PAIR * divide_up(view->chunks, PAIR * KILN_MEGA_CHUNKS);
    uint64_t blocks = divide_up(view->entities, KILN_BLOCK_ENTITIES);
    kiln_scene_forecast forecast = {.entities = view->entities,
                                    .blocks = (uint32_t)blocks,
                                    .chunks = view->chunks,
                                    .mega_chunks = (uint32_t)megas,
                                    .block_bytes = blocks * KILN_BLOCK_ENTITIES * RECORD_BYTES,
                                    .chunk_bytes = megas * KILN_MEGA_SIZE,
                                    .waste = (uint64_t)view->chunks * KILN_CHUNK_SIZE - used};
    return forecast;
}
