#include "cached_file.h"

#include "bake_memory.h"
#include "hash_equal.h"
#include "shipped_file.h"
#include "shipped_payload.h"

#include <kiln/blob_header.h>
#include <kiln/payload_unpack.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <string.h>

/* Verifies the blob of an asset as a value of its type. */
static kiln_status check_asset(shipped_file *file, uint32_t number, kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(file->index, number);
    const kiln_index_type *type = kiln_index_type_at(file->index, asset->type);
    const char *name = kiln_string_get(&type->name);
    const kiln_types *types = file->types ? file->types : file->builtin;
    kiln_verify_def def = kiln_verify_def_default();
    const unsigned char *blob;
    kiln_status status = bake_shipped_blob(file, asset->member, &blob, reterr);
    if (status)
        return status;
    def.type = kiln_types_find(types, name);
    if (def.type == KILN_TYPE_NONE) {
        types = file->builtin;
        def.type = kiln_types_find(types, name);
    }
    if (def.type == KILN_TYPE_NONE)
        return KILN_OK;
    def.types = types;
    def.allocator = &file->allocator;
    def.skip_hash = true;
    def.check_canonical = false;
    return kiln_verify(&def, blob, (size_t)kiln_index_member_at(file->index, asset->member)->size,
                       reterr);
}

/* ---- payloads ---- */

enum { PART_SIZE = 1 << 16 };

/* A file that is checked. */
typedef struct checked_file {
    shipped_file file; /* in memory, without the data of payloads */
    const bake_cache_source *source;
    uint32_t *types; /* by member: the type of the last asset that was checked, plus 1 */
} checked_file;

/* Hashes a range of the file. */
static kiln_status hash_range(const bake_cache_source *source, uint64_t at, uint64_t size,
                              kiln_hash128 *ret_hash)
{
    hash_stream stream;
    unsigned char *buffer = bake_alloc(PART_SIZE);
    kiln_status status = buffer ? KILN_OK : KILN_NO_MEMORY;
    kiln_hash_stream_begin(&stream);
    while (size > 0 && !status) {
        size_t part = size < PART_SIZE ? (size_t)size : PART_SIZE;
        status = bake_cache_source_read(source, at, buffer, part) ? KILN_OK : KILN_IO;
        if (!status)
            kiln_hash_stream_add(&stream, buffer, part);
        at += part;
        size -= part;
    }
    if (!status)
        *ret_hash = kiln_hash_stream_end128(&stream);
    bake_free(buffer);
    return status;
}

/* Memory for one frame. */
typedef struct frame_memory {
    unsigned char *stored, *data;
    size_t room; /* of `stored` */
} frame_memory;

/* Reads and decompresses frame `i`. */
static kiln_status unpack(const checked_file *c, const kiln_payload_view *view, uint32_t i,
                          frame_memory *memory)
{
    const kiln_array *array = &view->payload->frames;
    const kiln_payload_frame *frames = kiln_relative_get(array, array->offset);
    uint64_t at = frames[i].place;
    uint64_t end = i + 1 < array->count ? frames[i + 1].place : view->stored_size;
    /* No compressor makes data so much larger. */
    if (end - at > memory->room)
        return KILN_TOO_LARGE;
    if (!bake_cache_source_read(c->source, view->place + at, memory->stored, (size_t)(end - at)))
        return KILN_IO;
    /* The frame is at the beginning of this memory: its place in the file becomes 0, modulo 2^64.
     */
    kiln_payload_view moved = *view;
    moved.place = UINT64_C(0) - at;
    kiln_payload_unpack_args args = {.file = memory->stored, .decompressor = c->file.context};
    return kiln_payload_unpack(&moved, i, &args, memory->data, NULL);
}

static kiln_status check_frames(const checked_file *c, const kiln_payload_view *view,
                                frame_memory *memory, kiln_hash128 *ret_content)
{
    hash_stream stream;
    kiln_status status = KILN_OK;
    kiln_hash_stream_begin(&stream);
    for (uint32_t i = 0; i < view->payload->frames.count && !status; i++) {
        status = unpack(c, view, i, memory);
        if (!status)
            kiln_hash_stream_add(&stream, memory->data, kiln_payload_frame_bytes(view->payload, i));
    }
    *ret_content = kiln_hash_stream_end128(&stream);
    return status;
}

/* The hash of the uncompressed data, after all checks of frames. */
static kiln_status hash_frames(const checked_file *c, const kiln_payload_view *view,
                               kiln_hash128 *ret_content)
{
    const kiln_index_member *member = kiln_index_member_at(c->file.index, view->member);
    size_t size = view->payload->frame_size;
    frame_memory memory = {.room = size + size / 8 + 1024};
    kiln_hash128 stored;
    memory.stored = bake_alloc(memory.room);
    memory.data = bake_alloc(size);
    kiln_status status = memory.stored && memory.data ? KILN_OK : KILN_NO_MEMORY;
    if (!status)
        status = hash_range(c->source, view->place, view->stored_size, &stored);
    if (!status && !bake_hash_equal(stored, member->stored))
        status = KILN_I_STORED;
    if (!status)
        status = check_frames(c, view, &memory, ret_content);
    bake_free(memory.stored);
    bake_free(memory.data);
    return status;
}

/* Checks the data of a payload asset, as kiln_payload_check does. */
static kiln_status check_payload(checked_file *c, uint32_t number, kiln_error *reterr)
{
    shipped_payload payload;
    kiln_status status = bake_shipped_payload_view(&c->file, number, &payload, reterr);
    if (status)
        return status;
    const kiln_payload_view *view = &payload.view;
    const kiln_hash128 stated = {view->payload->content_low, view->payload->content_high};
    kiln_hash128 content = stated;
    if (view->member != KILN_MEMBER_NONE)
        status = view->payload->frame_size
                     ? hash_frames(c, view, &content)
                     : hash_range(c->source, view->place, view->stored_size, &content);
    if (!status && !bake_hash_equal(content, stated))
        status = KILN_I_CONTENT;
    bake_shipped_payload_fini(&payload);
    return status;
}

/* ---- all assets ---- */

/* Equal assets share a member, which is then checked once. `types` has one number for each member.
 */
static bool is_checked(uint32_t *types, const kiln_index_asset *asset)
{
    bool is_same = types[asset->member] == asset->type + 1;
    types[asset->member] = asset->type + 1;
    return is_same;
}

/* Subtracts the size of a member. Returns false if too little is left. */
static bool spend(const kiln_index *index, uint32_t member, uint64_t *left)
{
    uint64_t size = kiln_index_member_at(index, member)->size;
    bool is_enough = size <= *left;
    *left -= is_enough ? size : 0;
    return is_enough;
}

/* Whether all checks together read at most `most` bytes. A small file can have compressed members
 * of any size, or assets of many types that share one large member. */
static bool is_affordable(const kiln_index *index, uint32_t *types, uint64_t most)
{
    bool ok = true;
    for (uint32_t i = 0; i < index->members.count && ok; i++)
        if (kiln_index_member_is_payload(kiln_index_member_at(index, i)))
            ok = spend(index, i, &most);
    for (uint32_t i = 0; i < kiln_index_asset_count(index) && ok; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        ok = is_checked(types, asset) || spend(index, asset->member, &most);
    }
    return ok;
}

static kiln_status check_assets(checked_file *c, kiln_error *reterr)
{
    const kiln_index *index = c->file.index;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < kiln_index_asset_count(index) && !status; i++) {
        if (is_checked(c->types, kiln_index_asset_at(index, i)))
            continue;
        status = check_asset(&c->file, i, reterr);
        if (!status && bake_shipped_is_payload(&c->file, i))
            status = check_payload(c, i, reterr);
    }
    return status;
}

static kiln_status check_all(checked_file *c, uint64_t most, kiln_error *reterr)
{
    size_t count = c->file.index->members.count + (size_t)1;
    kiln_status status = KILN_NO_MEMORY;
    c->types = bake_alloc_array(count, sizeof *c->types);
    if (c->types && !is_affordable(c->file.index, c->types, most)) {
        status = KILN_TOO_LARGE;
    } else if (c->types) {
        memset(c->types, 0, count * sizeof *c->types);
        status = check_assets(c, reterr);
    }
    bake_free(c->types);
    return status;
}

/* ---- reading ---- */

/* Reads a range of the file to its place in the image. */
static kiln_status load(const bake_cache_source *source, kiln_buffer *image, uint64_t at,
                        uint64_t end)
{
    return at == end || bake_cache_source_read(source, at, (unsigned char *)image->data + at,
                                               (size_t)(end - at))
               ? KILN_OK
               : KILN_IO;
}

/* Reads everything from `at` on, after the index, except the data of payloads. Members are in the
 * order of their places. */
static kiln_status load_members(const bake_cache_source *source, kiln_buffer *image, uint64_t at,
                                const kiln_index *index)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < index->members.count && !status; i++) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        if (!kiln_index_member_is_payload(member))
            continue;
        status = load(source, image, at, member->place);
        at = member->place + member->stored_size;
    }
    return status ? status : load(source, image, at, source->size);
}

/* Reads the file into an image, which has a hole for each payload: no page of the memory there is
 * ever used. */
static kiln_status load_image(const bake_cache_source *source, kiln_buffer *image,
                              const kiln_types *builtin, kiln_error *reterr)
{
    kiln_blob_header header;
    const kiln_index *index;
    if (source->size < KILN_HEADER_SIZE)
        return KILN_H_TRUNCATED;
    kiln_status status = load(source, image, 0, KILN_HEADER_SIZE);
    if (status)
        return status;
    memcpy(&header, image->data, sizeof header);
    uint64_t end = kiln_header_blob_size(&header);
    end = end > source->size || end < KILN_HEADER_SIZE ? source->size : end;
    status = load(source, image, KILN_HEADER_SIZE, end);
    if (!status)
        status = kiln_index_check(builtin, &image->allocator,
                                  &(kiln_file_head){image->data, (size_t)end, source->size}, &index,
                                  reterr);
    return status ? status : load_members(source, image, end, index);
}

static kiln_status check_image(const bake_cache_source *source, kiln_buffer *image, uint64_t most,
                               kiln_error *reterr)
{
    checked_file c = {.source = source};
    kiln_status status = bake_shipped_open(&c.file, image, source->size, reterr);
    if (!status)
        status = check_all(&c, most, reterr);
    bake_shipped_fini(&c.file);
    return status;
}

kiln_status bake_cached_file_check(const bake_cache_source *source, uint64_t most)
{
    kiln_error error = {.status = KILN_OK};
    kiln_types *builtin = NULL;
    kiln_buffer image = {NULL, source->size + 1, bake_memory_allocator()};
    image.data = image.allocator.alloc(image.allocator.ctx, image.size, KILN_ALIGN_MAX);
    if (!image.data)
        return KILN_NO_MEMORY;
    kiln_status status = kiln_types_create_builtin(&image.allocator, &builtin, &error);
    if (!status)
        status = load_image(source, &image, builtin, &error);
    kiln_types_destroy(builtin);
    if (!status)
        status = check_image(source, &image, most, &error);
    kiln_buffer_fini(&image);
    return status;
}
