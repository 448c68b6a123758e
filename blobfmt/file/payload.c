/* Payload assets: their type, their rules, and the bytes of payload members.
 *
 * The rules of a payload asset bound each frame before it is decompressed, so a forged asset can
 * demand one frame of memory at most. */
#include "arena.h"
#include "hash.h"
#include "index_rules.h"
#include "type_join.h"

#include <kiln/blob_header.h>
#include <kiln/limits.h>
#include <kiln/payload_unpack.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

/* ---- types ---- */

/* Indices in `descriptions`. */
enum { PAYLOAD_U32, PAYLOAD_U64, PAYLOAD_FRAME, PAYLOAD_FRAMES, PAYLOAD_ROOT, PAYLOAD_TYPE_COUNT };

static const kiln_member frame_fields[] = {
    {.name = "place", .type = PAYLOAD_U64, .doc = "Offset of the zstd frame in the member."},
    {.name = "hash", .type = PAYLOAD_U64, .doc = "XXH3-64 of the data in the frame."},
};
static const kiln_member root_fields[] = {
    {.name = "content_low", .type = PAYLOAD_U64, .doc = "XXH3-128 of the data, low 64 bits."},
    {.name = "content_high", .type = PAYLOAD_U64, .doc = "XXH3-128 of the data, high 64 bits."},
    {.name = "size", .type = PAYLOAD_U64, .doc = "Bytes of data."},
    {.name = "frames", .type = PAYLOAD_FRAMES, .doc = "Empty if the data are stored plain."},
    {.name = "frame_size",
     .type = PAYLOAD_U32,
     .doc = "Bytes of data in each frame but the last; 0 if the data are stored plain."},
};

static const kiln_type descriptions[PAYLOAD_TYPE_COUNT] = {
    [PAYLOAD_U32] = {.kind = KILN_KIND_U32},
    [PAYLOAD_U64] = {.kind = KILN_KIND_U64},
    [PAYLOAD_FRAME] = {.kind = KILN_KIND_STRUCT,
                       .name = "kiln.PayloadFrame",
                       .members = frame_fields,
                       .member_count = sizeof frame_fields / sizeof *frame_fields},
    [PAYLOAD_FRAMES] = {.kind = KILN_KIND_ARRAY, .element = PAYLOAD_FRAME},
    [PAYLOAD_ROOT] = {.kind = KILN_KIND_STRUCT,
                      .name = KILN_PAYLOAD_TYPE_NAME,
                      .members = root_fields,
                      .member_count = sizeof root_fields / sizeof *root_fields,
                      .flags = KILN_TYPE_ASSET},
};

kiln_status kiln_types_with_payloads(const kiln_types *types, const kiln_allocator *allocator,
                                     kiln_types **ret_types, kiln_error *reterr)
{
    static const type_addition addition = {
        .types = descriptions,
        .count = PAYLOAD_TYPE_COUNT,
        .root = PAYLOAD_ROOT,
        .layout = KILN_PAYLOAD_LAYOUT,
    };
    return kiln_types_join(types, &addition, allocator, ret_types, reterr);
}

/* ---- reading ---- */

static kiln_status check_values(kiln_span blob, const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *types = NULL;
    kiln_status status = kiln_types_with_payloads(NULL, allocator, &types, reterr);
    if (status)
        return status;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = kiln_types_find(types, KILN_PAYLOAD_TYPE_NAME);
    def.allocator = allocator;
    def.check_canonical = false; /* not needed for safety */
    status = kiln_verify(&def, blob.data, blob.size, reterr);
    kiln_types_destroy(types);
    return status;
}

static kiln_status fail_frame(uint32_t i, kiln_error *reterr)
{
    char path[40];
    (void)snprintf(path, sizeof path, "frames[%u].place", (unsigned)i);
    return kiln_fail(reterr, KILN_P_FRAMES, 0, path);
}

static const kiln_payload_frame *frames_of(const kiln_payload *payload)
{
    return kiln_relative_get(&payload->frames, payload->frames.offset);
}

static uint64_t frame_end(const kiln_payload_view *view, uint32_t i)
{
    return i + 1 < view->payload->frames.count ? frames_of(view->payload)[i + 1].place
                                               : view->stored_size;
}

/* Checks P3. */
static kiln_status check_frames(const kiln_payload_view *view, kiln_error *reterr)
{
    const kiln_payload *payload = view->payload;
    const uint32_t size = payload->frame_size;
    if (size == 0)
        return payload->frames.count == 0 ? KILN_OK : kiln_fail(reterr, KILN_P_FRAMES, 0, "frames");
    if (size < KILN_PAYLOAD_FRAME_MIN || size > KILN_PAYLOAD_FRAME_MAX || (size & (size - 1)))
        return kiln_fail(reterr, KILN_P_FRAMES, 0, "frame_size");
    if (payload->frames.count != payload->size / size + (payload->size % size != 0))
        return kiln_fail(reterr, KILN_P_FRAMES, 0, "frames");
    const kiln_payload_frame *frames = frames_of(payload);
    for (uint32_t i = 0; i < payload->frames.count; i++) {
        uint64_t end = frame_end(view, i);
        uint32_t bytes = kiln_payload_frame_bytes(payload, i);
        if ((i == 0 && frames[i].place != 0) || frames[i].place >= end || end > view->stored_size ||
            (bytes - 1) / KILN_COMPRESSION_RATIO >= end - frames[i].place)
            return fail_frame(i, reterr);
    }
    return KILN_OK;
}

/* Checks I6, I7 and P2. */
static kiln_status find_member(const kiln_payload *payload, const kiln_index_frame *frame,
                               kiln_payload_view *view, kiln_error *reterr)
{
    const kiln_hash128 content = {payload->content_low, payload->content_high};
    const kiln_hash128 empty = kiln_content_hash(NULL, 0);
    uint32_t number = kiln_payload_find(frame->index, content);
    if (payload->size == 0)
        return number == KILN_MEMBER_NONE && payload->frame_size == 0 &&
                       kiln_hash128_compare(&content, &empty) == 0
                   ? KILN_OK
                   : kiln_fail(reterr, KILN_P_MEMBER, 0, "size");
    if (number == KILN_MEMBER_NONE)
        return kiln_fail(reterr, KILN_P_MEMBER, 0, "content_low");
    kiln_status status = kiln_index_check_record(frame, number, frame->index_size, reterr);
    if (status)
        return status;
    const kiln_index_member *member = kiln_index_member_at(frame->index, number);
    if (member->size != payload->size)
        return kiln_fail(reterr, KILN_P_MEMBER, 0, "size");
    if ((payload->frame_size != 0) != (member->compression == KILN_COMPRESSION_FRAMES))
        return kiln_fail(reterr, KILN_P_MEMBER, 0, "frame_size");
    view->member = number;
    view->place = member->place;
    view->stored_size = member->stored_size;
    return KILN_OK;
}

kiln_status kiln_payload_view_read(kiln_span blob, const kiln_payload_read_args *args,
                                   kiln_payload_view *ret_view, kiln_error *reterr)
{
    char right[KILN_PAYLOAD_NAME_SIZE];
    kiln_status status = check_values(blob, args->allocator, reterr);
    if (status)
        return status;
    const kiln_payload *payload =
        (const void *)((const unsigned char *)blob.data + kiln_header_payload_at(blob.data));
    kiln_payload_view view = {.payload = payload, .member = KILN_MEMBER_NONE};
    kiln_payload_name((kiln_hash128){payload->content_low, payload->content_high}, right);
    if (args->name && strcmp(args->name, right) != 0)
        return kiln_fail(reterr, KILN_P_NAME, 0, args->name);
    status = find_member(payload, args->frame, &view, reterr);
    if (!status)
        status = check_frames(&view, reterr);
    if (!status)
        *ret_view = view;
    return status;
}

/* ---- data ---- */

kiln_status kiln_payload_unpack(const kiln_payload_view *view, uint32_t i,
                                const kiln_payload_unpack_args *args, void *memory,
                                kiln_error *reterr)
{
    const kiln_payload_frame *frame = frames_of(view->payload) + i;
    uint32_t bytes = kiln_payload_frame_bytes(view->payload, i);
    uint64_t place = view->place + frame->place;
    kiln_span stored = {(const unsigned char *)args->file + place,
                        (size_t)(frame_end(view, i) - frame->place)};
    kiln_status status = kiln_decompress(args->decompressor, NULL, stored, memory, bytes);
    if (!status && !args->skip_hash && kiln_hash64(memory, bytes, 0) != frame->hash)
        status = KILN_P_HASH;
    return status ? kiln_fail(reterr, status, place, NULL) : KILN_OK;
}

/* Checks every frame, and the hash of all data. */
static kiln_status check_data(const kiln_payload_view *view, const kiln_payload_unpack_args *args,
                              unsigned char *memory, kiln_error *reterr)
{
    const kiln_payload *payload = view->payload;
    const kiln_hash128 stated = {payload->content_low, payload->content_high};
    hash_stream stream;
    kiln_hash_stream_begin(&stream);
    for (uint32_t i = 0; i < payload->frames.count; i++) {
        kiln_status status = kiln_payload_unpack(view, i, args, memory, reterr);
        if (status)
            return status;
        kiln_hash_stream_add(&stream, memory, kiln_payload_frame_bytes(payload, i));
    }
    kiln_hash128 content = kiln_hash_stream_end128(&stream);
    return kiln_hash128_compare(&content, &stated) == 0
               ? KILN_OK
               : kiln_fail(reterr, KILN_I_CONTENT, view->place, NULL);
}

static kiln_status check_packed(const kiln_payload_view *view, const void *file,
                                const kiln_allocator *allocator, kiln_error *reterr)
{
    const kiln_allocator a = allocator_or_default(allocator);
    const uint32_t size = view->payload->frame_size;
    kiln_payload_unpack_args args = {.file = file};
    unsigned char *memory = a.alloc(a.ctx, size, 16);
    kiln_status status = memory ? kiln_decompressor_create(&a, &args.decompressor) : KILN_NO_MEMORY;
    status = status ? kiln_fail(reterr, status, 0, NULL) : check_data(view, &args, memory, reterr);
    kiln_decompressor_destroy(args.decompressor);
    if (memory)
        a.free(a.ctx, memory, size);
    return status;
}

kiln_status kiln_payload_check(const kiln_payload_view *view, const kiln_index *index,
                               const void *file, const kiln_allocator *allocator,
                               kiln_error *reterr)
{
    if (view->member == KILN_MEMBER_NONE)
        return KILN_OK;
    if (view->payload->frame_size) {
        kiln_status status = kiln_index_check_stored(index, view->member, file, reterr);
        return status ? status : check_packed(view, file, allocator, reterr);
    }
    const kiln_hash128 stated = {view->payload->content_low, view->payload->content_high};
    kiln_hash128 content =
        kiln_content_hash((const unsigned char *)file + view->place, (size_t)view->stored_size);
    return kiln_hash128_compare(&content, &stated) == 0
               ? KILN_OK
               : kiln_fail(reterr, KILN_I_CONTENT, view->place, NULL);
}
