/* Writes the payload of a scene's chunks: FORMAT.md section 14.
 *
 * A builder would make another copy of the rows. This blob has only three objects, so its canonical
 * form is written directly: the root, the images at the first multiple of 4,096, and the tails
 * after them.
 *
 * While rows are copied, their words are translated from the writer's numbers to the file's
 * numbers. */
#include "scene_writer_finish.h"

enum { IMAGES_LOG2 = 12, TAILS_LOG2 = 6 };

/* A column that is being copied into the file. */
typedef struct column_copy {
    const kiln_component_desc *component;
    const unsigned char *from;
    unsigned char *to;
    uint32_t rows;
} column_copy;

/* Translates an entity word. False if it refers to nothing. */
static bool translate_entity(scene_finish_state *f, uint64_t *word)
{
    uint32_t number = scene_word_number(*word), source = scene_word_source(*word);
    if (source == KILN_SCENE_NULL) {
        number = 0;
    } else if (source == KILN_SCENE_LOCAL) {
        if (number >= f->writer->entities)
            return false;
        number = kiln_scene_final_entity(f, number);
    } else {
        if (number != 0 || source - KILN_SCENE_IMPORT >= f->writer->imports.count)
            return false;
        source = f->import_ranks[source - KILN_SCENE_IMPORT] + KILN_SCENE_IMPORT;
    }
    *word = number | (uint64_t)source << 32;
    return true;
}

static bool translate_asset(scene_finish_state *f, uint64_t *word)
{
    if (*word > f->writer->assets.count)
        return false;
    *word = *word ? f->asset_ranks[*word - 1] + UINT64_C(1) : 0;
    return true;
}

static bool translate_words(scene_finish_state *f, const column_copy *column, uint32_t place,
                            bool (*change)(scene_finish_state *f, uint64_t *word))
{
    unsigned char *at = column->to + place;
    for (uint32_t i = 0; i < column->rows; i++, at += column->component->size) {
        uint64_t word = scene_read_word(at);
        if (!change(f, &word))
            return false;
        memcpy(at, &word, sizeof word);
    }
    return true;
}

static kiln_status copy_column(scene_finish_state *f, const column_copy *column)
{
    const kiln_component_desc *component = column->component;
    size_t bytes = (size_t)component->size * column->rows;
    bool good = true;
    if (bytes)
        memcpy(column->to, column->from, bytes);
    for (uint32_t i = 0; i < component->entity_count && good; i++)
        good = translate_words(f, column, component->entity_places[i], translate_entity);
    for (uint32_t i = 0; i < component->asset_count && good; i++)
        good = translate_words(f, column, component->asset_places[i], translate_asset);
    return good ? KILN_OK : kiln_fail(f->reterr, KILN_DANGLING, 0, component->name);
}

/* Copies a chunk to `to`, where its columns are at `offsets`. */
static kiln_status copy_chunk(scene_finish_state *f, const scene_archetype *archetype,
                              uint32_t chunk, unsigned char *to, const uint32_t *offsets)
{
    uint32_t left = archetype->rows - chunk * archetype->rows_per_chunk;
    bool is_last = archetype->chunks.count == (size_t)chunk + 1;
    const uint32_t *from_offsets = is_last ? archetype->last_offsets : archetype->offsets;
    const unsigned char *from = ((unsigned char *const *)archetype->chunks.items)[chunk];
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < archetype->component_count && !status; i++) {
        column_copy column = {
            &scene_component_at(f->writer, archetype->components[i])->desc.component,
            from + from_offsets[i], to + offsets[i],
            left < archetype->rows_per_chunk ? left : archetype->rows_per_chunk};
        status = copy_column(f, &column);
    }
    return status;
}

static kiln_status copy_archetype(scene_finish_state *f, const scene_archetype *archetype,
                                  unsigned char **image, unsigned char **tail)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < archetype->chunks.count && !status; i++) {
        uint32_t left = archetype->rows - i * archetype->rows_per_chunk, trimmed = 0;
        bool is_full = left >= archetype->rows_per_chunk;
        if (!is_full)
            trimmed = scene_place_columns(archetype->sizes, archetype->component_count, left,
                                          f->trimmed_offsets);
        if (is_full || trimmed > KILN_SCENE_TRIMMED_MAX) {
            status = copy_chunk(f, archetype, i, *image, archetype->offsets);
            *image += KILN_CHUNK_SIZE;
        } else {
            status = copy_chunk(f, archetype, i, *tail, f->trimmed_offsets);
            *tail += trimmed;
        }
    }
    return status;
}

/* Allocates the blob and zeroes it, because bytes that no row uses must be zero (S9). */
static kiln_status make_blob(scene_finish_state *f, uint32_t align_log2, uint64_t payload_size,
                             uint32_t payload_at)
{
    kiln_allocator a = f->writer->allocator;
    size_t size = (size_t)(payload_at + payload_size);
    unsigned char *data = a.alloc(a.ctx, size, (size_t)1 << align_log2);
    if (!data)
        return kiln_fail(f->reterr, KILN_NO_MEMORY, 0, NULL);
    memset(data, 0, size);
    f->chunks = (kiln_buffer){data, size, a};
    f->chunks_align_log2 = align_log2;
    return KILN_OK;
}

kiln_status kiln_scene_store_chunks(scene_finish_state *f)
{
    uint64_t images_size = f->images_count * KILN_CHUNK_SIZE;
    uint32_t align_log2 = images_size ? IMAGES_LOG2 : TAILS_LOG2, align = 1u << align_log2;
    uint64_t tails_at = align + images_size, payload_size = tails_at + f->tails_size;
    if (images_size + f->tails_size == 0)
        return KILN_OK;
    if (payload_size > KILN_PAYLOAD_MAX)
        return kiln_fail(f->reterr, KILN_TOO_LARGE, 0, NULL);
    kiln_status status = make_blob(f, align_log2, payload_size, align);
    if (status)
        return status;
    kiln_scene_chunks *root = (kiln_scene_chunks *)(void *)(f->chunks.data + align);
    if (images_size) {
        root->images.offset = align;
        root->images.count = (uint32_t)images_size;
    }
    if (f->tails_size) {
        root->tails.offset = (uint32_t)tails_at - (uint32_t)offsetof(kiln_scene_chunks, tails);
        root->tails.count = (uint32_t)f->tails_size;
    }
    unsigned char *image = (unsigned char *)root + align, *tail = (unsigned char *)root + tails_at;
    for (uint32_t i = 0; i < f->archetype_count && !status; i++)
        status = copy_archetype(f, scene_archetype_at(f->writer, f->archetypes[i]), &image, &tail);
    return status;
}
