/* Claims the chunks of an instance and maps as many of them as possible.
 *
 * A chunk can be mapped only if the world needs exactly the bytes of its image in the file: the
 * same columns at the same offsets, and no words. Images are adjacent in the file, so a few calls
 * of mmap map them into pairs of mega chunks. All other chunks are claimed anywhere and filled by
 * copying, with the same result. */
#include "scene_load.h"

#include <string.h>

/* A direct part has as many chunks as in the file; any other part has as many as its rows
 * completely fill. If the scene has too few images to map, no part stays direct. */
void kiln_scene_count_chunks(kiln_scene_loading *loading)
{
    kiln_scene_instance *instance = loading->instance;
    uint32_t images = 0;
    for (uint32_t i = 0; i < instance->part_count; i++)
        images += instance->parts[i].is_direct ? instance->parts[i].rows->whole : 0;
    loading->has_images = images >= KILN_SCENE_MAPPED_MIN;
    for (uint32_t i = 0; i < instance->part_count; i++) {
        scene_part *part = &instance->parts[i];
        part->first_chunk = instance->chunk_count;
        part->own_chunks = 0;
        part->is_direct = part->is_direct && loading->has_images;
        if (part->is_direct)
            part->own_chunks = part->rows->whole;
        else if (part->archetype)
            part->own_chunks = part->rows->rows / part->archetype->capacity;
        instance->chunk_count += part->own_chunks;
    }
}

/* Claims the part's chunks from `first` on, anywhere. */
static kiln_status claim_chunks(kiln_scene_loading *loading, const scene_part *part, uint32_t first)
{
    kiln_world *world = loading->world;
    uint32_t chain = 0;
    kiln_status status =
        kiln_archetype_claim(world, part->archetype, part->own_chunks - first, &chain);
    for (uint32_t i = first; i < part->own_chunks && !status; i++) {
        kiln_chunk *chunk = &world->tables.chunks[chain];
        loading->instance->chunks[part->first_chunk + i] = chain;
        chain = chunk->order;
        chunk->order = CHUNK_UNLISTED;
    }
    return status;
}

/* Uses the chunks of `run` for the part's images from `image` on. On failure the chunks are
 * released. */
static kiln_status adopt(kiln_scene_loading *loading, const scene_part *part, uint32_t image,
                         kiln_chunk_run run)
{
    kiln_world *world = loading->world;
    uint32_t chain = 0;
    kiln_status status = kiln_archetype_adopt(world, part->archetype, run, &chain);
    for (uint32_t i = 0; i < run.count && !status; i++) {
        uint32_t at = part->first_chunk + image - part->rows->first_image + i;
        loading->instance->chunks[at] = run.first + i;
        world->tables.chunks[run.first + i].order = CHUNK_UNLISTED;
    }
    return status;
}

/* Images with words are copied, because resolving the words would write to more pages than mapping
 * saves. */
static void map_images(kiln_scene_loading *loading, scene_part *part, uint32_t image,
                       kiln_chunk_run run)
{
    const kiln_scene_source *source = loading->instance->source;
    uint64_t offset = source->images_at + (uint64_t)image * KILN_CHUNK_SIZE;
    bool maps =
        loading->maps && !part->has_words && part->mapped == image - part->rows->first_image;
    if (maps && kiln_chunk_map_file(&loading->world->chunks, run, source->file, offset)) {
        part->mapped += run.count;
        loading->instance->mapped += run.count;
    }
}

static void release_run(kiln_world *world, kiln_chunk_run run)
{
    for (uint32_t i = 0; i < run.count; i++) {
        kiln_chunk_run one = {run.first + i, 1};
        kiln_chunk_release(&world->chunks, one);
    }
}

/* Claims two mega chunks for the images from `first` on, if the world's limit allows it. */
static kiln_status claim_pair(kiln_scene_loading *loading, uint32_t first, uint32_t count,
                              bool *ret_has_pair)
{
    kiln_scene_instance *instance = loading->instance;
    kiln_chunk_run pair;
    kiln_status status = kiln_chunk_claim_pair(&loading->world->chunks, count, &pair);
    *ret_has_pair = status != KILN_LIMIT;
    if (status)
        return status == KILN_LIMIT ? KILN_OK : status;
    for (uint32_t i = 0; i < instance->part_count; i++) {
        scene_part *part = &instance->parts[i];
        uint32_t begin = part->rows->first_image, end = begin + part->rows->whole;
        begin = begin > first ? begin : first;
        end = end < first + count ? end : first + count;
        if (begin >= end)
            continue;
        kiln_chunk_run run = {pair.first + (begin - first), end - begin};
        if (status || !part->is_direct) {
            release_run(loading->world, run);
            continue;
        }
        map_images(loading, part, begin, run);
        status = adopt(loading, part, begin, run);
    }
    return status;
}

/* Claims chunks anywhere for the images from `image` on, for which no pair was available. These
 * images are copied. */
static kiln_status claim_rest(kiln_scene_loading *loading, uint32_t image)
{
    const kiln_scene_instance *instance = loading->instance;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < instance->part_count && !status; i++) {
        const scene_part *part = &instance->parts[i];
        uint32_t done = 0;
        if (part->is_direct && part->rows->first_image < image)
            done = image - part->rows->first_image;
        if (done < part->own_chunks)
            status = claim_chunks(loading, part, done);
    }
    return status;
}

kiln_status kiln_scene_claim_chunks(kiln_scene_loading *loading)
{
    kiln_scene_instance *instance = loading->instance;
    size_t size = ((size_t)instance->chunk_count + 1) * sizeof *instance->chunks;
    instance->chunks = world_alloc(loading->world, size);
    if (!instance->chunks)
        return KILN_NO_MEMORY;
    memset(instance->chunks, 0, size);
    kiln_status status = KILN_OK;
    if (!kiln_chunk_could_hold(&loading->world->chunks, instance->chunk_count))
        status = KILN_LIMIT;
    uint32_t images = loading->has_images ? instance->source->view.images_count : 0;
    uint32_t done = 0;
    while (done < images && !status) {
        uint32_t left = images - done;
        uint32_t some = left < 2 * KILN_MEGA_CHUNKS ? left : 2 * KILN_MEGA_CHUNKS;
        bool has_pair = true;
        status = claim_pair(loading, done, some, &has_pair);
        if (!has_pair)
            break;
        done += some;
    }
    return status ? status : claim_rest(loading, done);
}
