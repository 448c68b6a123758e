/* Payloads of a file that is written: kiln/payload.h.
 *
 * The data are read twice, because the index comes first in the file and states sizes and hashes.
 * The first pass hashes the data and, with frames, compresses them and discards the result. The
 * second pass does the same and writes the bytes. Equal data and one version of libzstd give equal
 * frames, so the sizes in the index are correct unless the data have changed; the hashes show
 * that. Memory is bounded by the size of a frame. */
#include "file_payloads.h"

#include "hash.h"
#include "index_rules.h"
#include "number_sort.h"

#include <errno.h>
#include <kiln/compression.h>
#include <kiln/limits.h>
#include <string.h>

enum {
    PART = 1 << 18,
    LEVEL_DEFAULT = 3,
    FRAMES_MAX = KILN_PAYLOAD_MAX / sizeof(kiln_payload_frame) /* no blob holds more */
};

/* One pass over the data of a payload. */
typedef struct pass {
    const kiln_payload_args *args;
    kiln_allocator allocator;
    uint32_t part;               /* bytes of data read at a time: a frame, or PART */
    uint32_t frame_size;         /* 0: plain */
    unsigned char *data, *frame; /* `part` bytes each; `frame` is NULL without frames */
    kiln_compressor *compressor;
    kiln_write_function *write; /* NULL in the first pass */
    void *write_ctx;
    vector *frames; /* of kiln_payload_frame: in the first pass, unless the data are plain */
    hash_stream content, stored;
    uint64_t stored_size;
    uint64_t stored_max; /* in the second pass: bytes that the index states for the frames */
    kiln_error *reterr;
} pass;

/* Room for a zstd frame of data that cannot be compressed; ZSTD_COMPRESSBOUND is lower. */
static size_t frame_room(uint32_t part)
{
    return part + part / 128 + 512;
}

static kiln_status pass_init(pass *p)
{
    const kiln_allocator *a = &p->allocator;
    p->part = p->frame_size ? p->frame_size : PART;
    p->data = a->alloc(a->ctx, p->part, 16);
    kiln_status status = p->data ? KILN_OK : KILN_NO_MEMORY;
    if (!status && p->frame_size) {
        p->frame = a->alloc(a->ctx, frame_room(p->part), 16);
        int level = p->args->level ? p->args->level : LEVEL_DEFAULT;
        status =
            p->frame ? kiln_compressor_create(a, level, NULL, 0, &p->compressor) : KILN_NO_MEMORY;
    }
    kiln_hash_stream_begin(&p->content);
    kiln_hash_stream_begin(&p->stored);
    return status ? kiln_fail(p->reterr, status, 0, NULL) : KILN_OK;
}

static void pass_fini(pass *p)
{
    const kiln_allocator *a = &p->allocator;
    kiln_compressor_destroy(p->compressor);
    if (p->frame)
        a->free(a->ctx, p->frame, frame_room(p->part));
    if (p->data)
        a->free(a->ctx, p->data, p->part);
}

static kiln_status put(pass *p, const void *bytes, size_t size)
{
    errno = 0;
    return !p->write || p->write(p->write_ctx, bytes, size)
               ? KILN_OK
               : kiln_fail_system(p->reterr, errno, NULL);
}

/* Compresses `size` bytes of data to one frame. */
static kiln_status put_frame(pass *p, size_t size)
{
    size_t stored = 0;
    kiln_status status = kiln_compress(p->compressor, (kiln_span){p->data, size}, p->frame,
                                       frame_room(p->part), &stored);
    if (!status && p->frames && p->frames->count == FRAMES_MAX)
        status = KILN_TOO_LARGE;
    kiln_payload_frame *row =
        !status && p->frames ? kiln_vector_push(p->frames, &p->allocator, 1, sizeof *row) : NULL;
    if (!status && p->frames && !row)
        status = KILN_NO_MEMORY;
    if (status)
        return kiln_fail(p->reterr, status, 0, NULL);
    /* Data that have changed must not overrun the place of the member. */
    if (p->write && stored > p->stored_max - p->stored_size)
        return kiln_fail(p->reterr, KILN_CHANGED, 0, NULL);
    if (row)
        *row = (kiln_payload_frame){p->stored_size, kiln_hash64(p->data, size, 0)};
    kiln_hash_stream_add(&p->stored, p->frame, stored);
    p->stored_size += stored;
    return put(p, p->frame, stored);
}

static kiln_status pass_run(pass *p)
{
    for (uint64_t at = 0; at < p->args->size;) {
        uint64_t left = p->args->size - at;
        size_t size = left < p->part ? (size_t)left : p->part;
        errno = 0;
        if (!p->args->read(p->args->ctx, at, p->data, size))
            return kiln_fail_system(p->reterr, errno, NULL);
        kiln_hash_stream_add(&p->content, p->data, size);
        kiln_status status = p->frame_size ? put_frame(p, size) : put(p, p->data, size);
        if (status)
            return status;
        at += size;
    }
    return KILN_OK;
}

/* ---- the first pass ---- */

static bool args_are_valid(const kiln_payload_args *args)
{
    uint32_t frame = args->frame_size;
    return (args->read || args->size == 0) && (args->alignment & (args->alignment - 1)) == 0 &&
           args->alignment <= KILN_PAYLOAD_ALIGN_MAX && (frame & (frame - 1)) == 0 &&
           (frame == 0 || (frame >= KILN_PAYLOAD_FRAME_MIN && frame <= KILN_PAYLOAD_FRAME_MAX)) &&
           args->level >= 0 && args->level <= KILN_COMPRESSION_LEVEL_MAX;
}

static uint8_t align_log2_of(uint32_t alignment)
{
    uint8_t log2 = KILN_ALIGN_LOG2_MIN;
    while (UINT32_C(1) << log2 < alignment)
        log2++;
    return log2;
}

static uint32_t hash_of_payload(const hash_table *table, const kiln_hash128 *content)
{
    return hash_of_number(table, content->low);
}

static bool is_payload(const kiln_file_writer *writer, uint32_t number, const kiln_hash128 *content)
{
    return kiln_hash128_compare(&((const writer_payload *)writer->payloads.items)[number].content,
                                content) == 0;
}

HASH_TABLE(payloads_by_content, const kiln_file_writer *, const kiln_hash128 *, hash_of_payload,
           is_payload)

/* A builder that has failed remembers it, so only the last call is checked, by its caller. */
static void fill(kiln_builder *builder, const writer_payload *payload, const vector *frames)
{
    kiln_payload *root = kiln_builder_root(builder, sizeof *root, _Alignof(kiln_payload));
    if (!root)
        return;
    root->content_low = payload->content.low;
    root->content_high = payload->content.high;
    root->size = payload->args.size;
    root->frame_size = payload->frame_size;
    if (!payload->frame_size)
        return;
    kiln_payload_frame *rows = kiln_builder_array(builder, &root->frames, (uint32_t)frames->count,
                                                  sizeof *rows, _Alignof(kiln_payload_frame));
    if (rows)
        memcpy(rows, frames->items, frames->count * sizeof *rows);
}

static kiln_status add_asset(kiln_file_writer *writer, const writer_payload *payload,
                             const vector *frames, kiln_error *reterr)
{
    char name[KILN_PAYLOAD_NAME_SIZE];
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = writer->types;
    def.allocator = &writer->allocator;
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    fill(builder, payload, frames);
    kiln_payload_name(payload->content, name);
    status = kiln_writer_build_payload(writer, name, builder, reterr);
    kiln_builder_destroy(builder);
    return status;
}

/* Adds the payload, or raises the alignment of an equal one. */
static kiln_status add_payload(kiln_file_writer *writer, const writer_payload *payload,
                               const vector *frames, kiln_error *reterr)
{
    if (!hash_table_reserve(&writer->payloads_by_content, &writer->allocator))
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    hash_slot *slot =
        payloads_by_content_slot(&writer->payloads_by_content, writer, &payload->content);
    if (!hash_slot_is_empty(slot)) {
        writer_payload *same = (writer_payload *)writer->payloads.items + hash_slot_number(slot);
        if (same->align_log2 < payload->align_log2)
            same->align_log2 = payload->align_log2;
        return KILN_OK;
    }
    writer_payload *row = kiln_vector_push(&writer->payloads, &writer->allocator, 1, sizeof *row);
    if (!row)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    *row = *payload;
    kiln_status status = add_asset(writer, payload, frames, reterr);
    if (status)
        writer->payloads.count--;
    else
        hash_table_put(&writer->payloads_by_content, slot, (uint32_t)writer->payloads.count - 1);
    return status;
}

kiln_status kiln_file_writer_payload(kiln_file_writer *writer, const kiln_payload_args *args,
                                     kiln_hash128 *ret_content, kiln_error *reterr)
{
    const kiln_type *of = kiln_types_get(writer->types, writer->payload_type);
    if (!of || of->layout != KILN_PAYLOAD_LAYOUT || !args_are_valid(args))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    vector frames = {0};
    pass p = {.args = args,
              .allocator = writer->allocator,
              .frame_size = args->size ? args->frame_size : 0,
              .frames = &frames,
              .reterr = reterr};
    kiln_status status = pass_init(&p);
    if (!status)
        status = pass_run(&p);
    if (!status) {
        writer_payload made = {.args = *args,
                               .content = kiln_hash_stream_end128(&p.content),
                               .stored_size = args->size,
                               .align_log2 = align_log2_of(args->alignment)};
        if (p.frame_size && p.stored_size < args->size) {
            made.frame_size = p.frame_size;
            made.stored_size = p.stored_size;
            made.stored = kiln_hash_stream_end128(&p.stored);
        }
        status = add_payload(writer, &made, &frames, reterr);
        if (!status && ret_content)
            *ret_content = made.content;
    }
    pass_fini(&p);
    kiln_vector_fini(&frames, &writer->allocator, sizeof(kiln_payload_frame));
    return status;
}

/* ---- the second pass ---- */

static int compare_payloads(const void *ctx, uint32_t a, uint32_t b)
{
    const writer_payload *payloads = ctx;
    return kiln_hash128_compare(&payloads[a].content, &payloads[b].content);
}

uint32_t kiln_writer_order_payloads(const kiln_file_writer *writer, uint32_t *ret_order)
{
    const writer_payload *payloads = writer->payloads.items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < writer->payloads.count; i++)
        if (payloads[i].args.size)
            ret_order[count++] = i;
    kiln_number_sort(ret_order, count, compare_payloads, payloads);
    return count;
}

kiln_status kiln_writer_put_payload(const kiln_file_writer *writer, const writer_payload *payload,
                                    kiln_write_function *write, void *ctx, kiln_error *reterr)
{
    pass p = {.args = &payload->args,
              .allocator = writer->allocator,
              .frame_size = payload->frame_size,
              .write = write,
              .write_ctx = ctx,
              .stored_max = payload->stored_size,
              .reterr = reterr};
    kiln_status status = pass_init(&p);
    if (!status)
        status = pass_run(&p);
    if (!status) {
        /* Equal data give equal frames, so the hash of the data covers them. */
        kiln_hash128 content = kiln_hash_stream_end128(&p.content);
        bool is_same = kiln_hash128_compare(&content, &payload->content) == 0 &&
                       (!p.frame_size || p.stored_size == payload->stored_size);
        status = is_same ? KILN_OK : kiln_fail(reterr, KILN_CHANGED, 0, NULL);
    }
    pass_fini(&p);
    return status;
}
