/* Payloads of an open file.
 *
 * The values of a payload asset are always checked against the format's own type, because all later
 * reads rely on its frames. The verdict of a payload member states whether the hash of plain data
 * has been checked. */
#define _POSIX_C_SOURCE 200809L

#include "file_payload.h"

#include "file_header.h"
#include "file_member.h"
#include "file_unpack.h"

#include <kiln/payload_unpack.h>
#include <kiln/payloads.h>
#include <string.h>

bool kiln_file_is_payload(const kiln_file *file, uint32_t number)
{
    const kiln_index_type *type =
        kiln_index_type_at(file->index, kiln_index_asset_at(file->index, number)->type);
    return strcmp(kiln_string_get(&type->name), KILN_PAYLOAD_TYPE_NAME) == 0;
}

/* Checks the blob of a payload asset, which stays valid until the file is closed. */
static kiln_status read_view(kiln_file *file, uint32_t number, kiln_payload_view *ret_view,
                             kiln_error *reterr)
{
    kiln_file_level level = file->level == KILN_VERIFY_NONE ? LEVEL_HEADER : LEVEL_HASH;
    kiln_status status = kiln_file_prepare_asset(file, number, level, reterr);
    if (status != KILN_OK)
        return status;
    const uint32_t member = kiln_index_asset_at(file->index, number)->member;
    const kiln_index_member *record = kiln_index_member_at(file->index, member);
    const char *name = kiln_index_asset_name(&file->frame, number);
    if (!name)
        return kiln_fail(reterr, KILN_I_NAME, 0, NULL);
    const kiln_payload_read_args args = {&file->frame, name, &file->allocator};
    const kiln_span blob = {kiln_file_blob(file, member), (size_t)record->size};
    status = kiln_payload_view_read(blob, &args, ret_view, reterr);
    /* Errors of the index have other positions. */
    if (status != KILN_OK && status != KILN_I_COMPRESSION && status != KILN_I_PLACE)
        kiln_file_shift_error(reterr, record->place);
    return status;
}

/* Checks the hash of plain data once. Threads that check at once reach the same verdict. */
static kiln_status check_plain(kiln_file *file, const kiln_payload_view *view, kiln_error *reterr)
{
    _Atomic(kiln_verdict) *verdict = kiln_file_verdict(file, view->member);
    kiln_verdict now = atomic_load_explicit(verdict, memory_order_acquire);
    if (now == LEVEL_NONE) {
        kiln_status status =
            kiln_payload_check(view, file->index, file->source.data, &file->allocator, NULL);
        now = status == KILN_OK ? LEVEL_HASH : VERDICT_BAD;
        atomic_store_explicit(verdict, now, memory_order_release);
    }
    return now == LEVEL_HASH ? KILN_OK : kiln_fail(reterr, KILN_I_CONTENT, view->place, NULL);
}

kiln_status kiln_payload_open(kiln_file *file, kiln_asset asset, kiln_payload_data *ret_data,
                              kiln_error *reterr)
{
    if (asset.number == 0 || asset.number > kiln_index_asset_count(file->index))
        return kiln_fail(reterr, KILN_NOT_FOUND, 0, NULL);
    const uint32_t number = asset.number - 1;
    if (!kiln_index_asset_is_valid(file->index, number))
        return kiln_fail(reterr, KILN_I_NUMBER, 0, NULL);
    if (!kiln_file_is_payload(file, number))
        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, kiln_file_asset_name(file, asset));
    kiln_payload_view view;
    kiln_status status = read_view(file, number, &view, reterr);
    if (status != KILN_OK)
        return status;
    const bool is_plain = view.member != KILN_MEMBER_NONE && view.payload->frame_size == 0;
    if (is_plain && file->level != KILN_VERIFY_NONE)
        status = check_plain(file, &view, reterr);
    if (status != KILN_OK)
        return status;
    *ret_data = (kiln_payload_data){
        .data = is_plain ? file->source.data + view.place : NULL,
        .size = view.payload->size,
        .frame_size = view.payload->frame_size,
        .root = view.payload,
        .file = file,
        .view = view,
    };
    return KILN_OK;
}

/* A range of data that is read from frames. */
typedef struct frame_reader {
    const kiln_payload_data *data;
    kiln_decompressor *context;
    unsigned char *scratch; /* one frame; allocated for the first frame that is needed in part */
    unsigned char *to;
    uint64_t at, end; /* the range that is left */
    kiln_error *reterr;
} frame_reader;

static kiln_status read_frame(frame_reader *r)
{
    kiln_file *file = r->data->file;
    const kiln_payload_view *view = &r->data->view;
    const uint32_t size = view->payload->frame_size, i = (uint32_t)(r->at / size);
    const uint32_t bytes = kiln_payload_frame_bytes(view->payload, i);
    const uint32_t skipped = (uint32_t)(r->at % size);
    const uint64_t left = r->end - r->at;
    const uint32_t taken = left < bytes - skipped ? (uint32_t)left : bytes - skipped;
    if (taken < bytes && !r->scratch)
        r->scratch = file->allocator.alloc(file->allocator.ctx, size, 16);
    if (taken < bytes && !r->scratch)
        return kiln_fail(r->reterr, KILN_NO_MEMORY, 0, NULL);
    const kiln_payload_unpack_args args = {.file = file->source.data,
                                           .decompressor = r->context,
                                           .skip_hash = file->level == KILN_VERIFY_NONE};
    kiln_status status =
        kiln_payload_unpack(view, i, &args, taken < bytes ? r->scratch : r->to, r->reterr);
    if (status != KILN_OK)
        return status;
    if (taken < bytes)
        memcpy(r->to, r->scratch + skipped, taken);
    r->to += taken;
    r->at += taken;
    return KILN_OK;
}

static kiln_status read_frames(const kiln_payload_data *data, uint64_t offset, void *memory,
                               size_t size, kiln_error *reterr)
{
    kiln_file *file = data->file;
    frame_reader r = {
        .data = data, .to = memory, .at = offset, .end = offset + size, .reterr = reterr};
    kiln_status status = kiln_file_take_context(file, &r.context, reterr);
    if (status != KILN_OK)
        return status;
    while (r.at < r.end && status == KILN_OK)
        status = read_frame(&r);
    kiln_file_return_context(file, r.context);
    if (r.scratch)
        file->allocator.free(file->allocator.ctx, r.scratch, data->view.payload->frame_size);
    return status;
}

kiln_status kiln_payload_read(const kiln_payload_data *data, uint64_t offset, void *memory,
                              size_t size, kiln_error *reterr)
{
    if (offset > data->size || size > data->size - offset)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    if (size == 0)
        return KILN_OK;
    if (data->frame_size)
        return read_frames(data, offset, memory, size, reterr);
    memcpy(memory, (const unsigned char *)data->data + offset, size);
    return KILN_OK;
}

/* ---- for kiln_file_verify ---- */

static kiln_status check_payload(kiln_file *file, uint32_t number, bool check_data,
                                 kiln_error *reterr)
{
    kiln_payload_view view;
    kiln_status status = read_view(file, number, &view, reterr);
    if (status != KILN_OK || !check_data)
        return status;
    return kiln_payload_check(&view, file->index, file->source.data, &file->allocator, reterr);
}

kiln_status kiln_file_check_payloads(kiln_file *file, bool check_data, kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < kiln_index_asset_count(file->index) && status == KILN_OK; i++)
        if (kiln_file_is_payload(file, i))
            status = check_payload(file, i, check_data, reterr);
    return status;
}
