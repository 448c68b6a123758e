/* What loading a scene takes, from its description alone. */
#include "scene_columns.h"

enum { RECORD_BYTES = 16, MEGA_PAIR = 2 };

static uint64_t divide_up(uint64_t number, uint32_t by)
{
    return (number + by - 1) / by;
}

kiln_scene_forecast kiln_scene_get_forecast(const kiln_scene_view *view)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < view->archetype_count; i++)
        used += (uint64_t)view->archetypes[i].rows * view->archetypes[i].row_size;
    /* The other chunks fill what the scene's own mega chunks have left; a world makes its own in
     * pairs. */
    bool has_own = view->images_count >= KILN_SCENE_OWN_LEAST;
    uint64_t own = has_own ? divide_up(view->images_count, KILN_MEGA_CHUNKS) : 0;
    uint64_t room = own * KILN_MEGA_CHUNKS;
    uint64_t more = view->chunks > room ? view->chunks - room : 0;
    uint64_t megas = own + MEGA_PAIR * divide_up(more, MEGA_PAIR * KILN_MEGA_CHUNKS);
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
