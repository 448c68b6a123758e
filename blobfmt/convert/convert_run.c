/* Runs a conversion: allocates memory, scans the older payload, and writes the newer one.
 *
 * The older blob must be valid; its offsets are followed unchecked. All sizes are known after the
 * scan, so the newer blob is allocated once, and each of its bytes is written once, including
 * padding. The newer blob is not verified, because a conversion turns valid values into valid
 * values. */
#include "convert_run.h"

#include <kiln/blob_header.h>
#include <kiln/path.h>
#include <string.h>

enum { BYTES_PER_OBJECT = 128 };

static void *allocate(convert_run *r, size_t count, size_t size)
{
    return r->allocator.alloc(r->allocator.ctx, count * size, size);
}

static void release(convert_run *r, void *memory, size_t count, size_t size)
{
    if (memory)
        r->allocator.free(r->allocator.ctx, memory, count * size);
}

/* Allocates everything whose size depends on the payload size, and room for an estimated number of
 * objects. */
static bool begin(convert_run *r)
{
    const kiln_conversion *c = r->c;
    r->align = 1u << KILN_ALIGN_LOG2_MIN;
    r->text_first = UINT32_MAX;
    r->block_count = (r->from_size >> CONVERT_BLOCK_LOG2) + 1;
    r->bit_words = r->block_count / 64 + 1;
    r->text_words = c->has_texts ? r->from_size / 64 + 1 : 0;
    r->blocks = allocate(r, r->block_count, sizeof *r->blocks);
    r->block_bits = allocate(r, r->bit_words, sizeof *r->block_bits);
    r->text_bits = c->has_texts ? allocate(r, r->text_words, sizeof *r->text_bits) : NULL;
    r->image_places =
        c->images.count ? allocate(r, c->images.count, sizeof *r->image_places) : NULL;
    r->order = c->sort_max ? allocate(r, c->sort_max, sizeof *r->order) : NULL;
    if (!r->blocks || !r->block_bits || (c->has_texts && !r->text_bits) ||
        (c->images.count && !r->image_places) || (c->sort_max && !r->order))
        return convert_stop(r, KILN_NO_MEMORY, 0);
    /* Enough for most payloads. Unused memory is never touched. */
    if (!kiln_vector_reserve(&r->objects, &r->allocator, r->from_size / BYTES_PER_OBJECT + 1,
                             sizeof(convert_object)) ||
        !kiln_vector_reserve(&r->names, &r->allocator, r->from_size / BYTES_PER_OBJECT + 1,
                             sizeof(uint32_t)))
        return convert_stop(r, KILN_NO_MEMORY, 0);
    memset(r->blocks, 0, r->block_count * sizeof *r->blocks);
    memset(r->block_bits, 0, r->bit_words * sizeof *r->block_bits);
    if (r->text_bits)
        memset(r->text_bits, 0, r->text_words * sizeof *r->text_bits);
    for (size_t i = 0; i < c->images.count; i++)
        r->image_places[i] = UINT32_MAX;
    return true;
}

static void end(convert_run *r)
{
    release(r, r->blocks, r->block_count, sizeof *r->blocks);
    release(r, r->block_bits, r->bit_words, sizeof *r->block_bits);
    release(r, r->text_bits, r->text_words, sizeof *r->text_bits);
    release(r, r->text_ranks, r->text_words, sizeof *r->text_ranks);
    release(r, r->image_places, r->c->images.count, sizeof *r->image_places);
    release(r, r->order, r->c->sort_max, sizeof *r->order);
    kiln_vector_fini(&r->objects, &r->allocator, sizeof(convert_object));
    kiln_vector_fini(&r->spans, &r->allocator, sizeof(convert_span));
    kiln_vector_fini(&r->names, &r->allocator, sizeof(uint32_t));
}

/* Clears the padding from `*at`, the end of the bytes written so far, to `place`, where `size`
 * bytes follow. */
static void pad(const convert_run *r, uint32_t *at, uint32_t place, uint32_t size)
{
    if (place > *at)
        memset(r->to + *at, 0, place - *at);
    *at = place + size;
}

static bool write_objects(convert_run *r, uint32_t *at)
{
    for (size_t i = 0; i < r->spans.count; i++) {
        const convert_span *span = CONVERT_ITEM(const convert_span, r->spans, i);
        const convert_row *row = convert_row_of(r, convert_object_at(r, span->object));
        pad(r, at, span->place, row->to_size * span->count);
        if (row->box_size)
            pad(r, at, (uint32_t)convert_boxes(span, row), row->box_size * span->count);
        if (!kiln_convert_write_span(r, span))
            return false;
    }
    return true;
}

/* Writes the newer payload: objects, then images, then strings. */
static bool write_payload(convert_run *r)
{
    uint32_t at = 0;
    if (!write_objects(r, &at))
        return false;
    for (uint32_t i = 0; i < r->c->images.count; i++) {
        const convert_image *image = CONVERT_ITEM(const convert_image, r->c->images, i);
        if (r->image_places[i] == UINT32_MAX)
            continue;
        pad(r, &at, r->image_places[i], image->size);
        memcpy(r->to + r->image_places[i], image->bytes, image->size);
    }
    if (r->text_count)
        pad(r, &at, r->text_place, r->text_count);
    kiln_convert_write_texts(r);
    return true;
}

/* With skip_hash, the header is first written for an empty payload, to avoid hashing. */
static void write_header(const convert_run *r, void *blob, uint32_t align_log2, kiln_blob_kind kind)
{
    uint64_t layout = type_at(r->c->to, r->c->to_type)->layout;
    kiln_header_write(blob, align_log2 | kiln_kind_flags(kind), r->c->skip_hash ? 0 : r->to_size,
                      layout);
    if (!r->c->skip_hash)
        return;
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    header.payload_size = r->to_size;
    header.hash = 0;
    memcpy(blob, &header, sizeof header);
}

static bool write_blob(convert_run *r, kiln_blob_kind kind, kiln_buffer *ret_blob)
{
    uint32_t align_log2 = KILN_ALIGN_LOG2_MIN;
    while (1u << align_log2 < r->align)
        align_log2++;
    kiln_blob_header header = {.flags = (uint16_t)align_log2};
    uint32_t payload_at = kiln_header_payload_at(&header);
    kiln_buffer blob = {NULL, payload_at + (size_t)r->to_size, r->allocator};
    blob.data = r->allocator.alloc(r->allocator.ctx, blob.size, r->align);
    if (!blob.data)
        return convert_stop(r, KILN_NO_MEMORY, 0);
    r->to = blob.data + payload_at;
    if (!write_payload(r)) {
        kiln_buffer_fini(&blob);
        return false;
    }
    write_header(r, blob.data, align_log2, kind);
    *ret_blob = blob;
    return true;
}

static kiln_status fail(const convert_run *r, uint32_t payload_at, kiln_error *reterr)
{
    kiln_path path = {{0}, 0};
    if (r->status == KILN_NO_MEMORY)
        return kiln_fail(reterr, r->status, 0, NULL);
    if (reterr)
        kiln_convert_trail(r, &path);
    return kiln_fail(reterr, r->status, payload_at + (uint64_t)r->at, path.text);
}

static bool converts_rows(const kiln_conversion *c)
{
    return type_at(c->from, c->from_type)->is_component_only ||
           type_at(c->to, c->to_type)->is_component_only;
}

kiln_status kiln_conversion_run(const kiln_conversion *conversion, kiln_span blob,
                                const kiln_allocator *allocator, kiln_buffer *ret_blob,
                                kiln_error *reterr)
{
    kiln_blob_header header;
    if (converts_rows(conversion))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = kiln_header_read(blob.data, blob.size, &header, reterr);
    if (status)
        return status;
    const kiln_type *older = type_at(conversion->from, conversion->from_type);
    if (header.layout != older->layout)
        return kiln_fail(reterr, KILN_H_LAYOUT, offsetof(kiln_blob_header, layout), NULL);
    if (header.payload_size < older->size)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    uint32_t payload_at = kiln_header_payload_at(&header);
    convert_run r = {.c = conversion,
                     .allocator = allocator_or_default(allocator),
                     .from = (const unsigned char *)blob.data + payload_at,
                     .from_size = (uint32_t)header.payload_size};
    if (!begin(&r) || !kiln_convert_scan(&r) ||
        !write_blob(&r, kiln_header_kind(&header), ret_blob))
        status = fail(&r, payload_at, reterr);
    end(&r);
    return status;
}

kiln_status kiln_conversion_rows(const kiln_conversion *conversion, const void *from,
                                 uint32_t count, void *to, kiln_error *reterr)
{
    const kiln_type *older = type_at(conversion->from, conversion->from_type);
    const kiln_type *newer = type_at(conversion->to, conversion->to_type);
    uint32_t most = KILN_PAYLOAD_MAX / (older->size > newer->size ? older->size : newer->size);
    if (older->has_pointers || newer->has_pointers)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    for (uint32_t done = 0, next; done < count; done += next) {
        next = count - done < most ? count - done : most;
        convert_run r = {.c = conversion,
                         .from = (const unsigned char *)from + (size_t)done * older->size,
                         .to = (unsigned char *)to + (size_t)done * newer->size};
        if (kiln_convert_write_flat(&r, next))
            continue;
        kiln_path path = {{0}, 0};
        kiln_path_add_number(&path, (uint64_t)done + r.at / older->size);
        kiln_convert_row_trail(&r, r.at % older->size, &path);
        return kiln_fail(reterr, r.status, (uint64_t)done * older->size + r.at, path.text);
    }
    return KILN_OK;
}
