/* Ranges of frames are read through a cache of one frame per file, because a writer reads one
 * payload after another, each from the beginning to the end. */
#include "shipped_payload.h"

#include "bake_memory.h"

#include <errno.h>
#include <kiln/payload_unpack.h>
#include <string.h>

bool bake_shipped_is_payload(const shipped_file *file, uint32_t number)
{
    const kiln_index_asset *asset = kiln_index_asset_at(file->index, number);
    return strcmp(kiln_string_get(&kiln_index_type_at(file->index, asset->type)->name),
                  KILN_PAYLOAD_TYPE_NAME) == 0;
}

static kiln_status view_payload(shipped_file *file, uint32_t number, shipped_payload *made,
                                kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(file->index, number);
    const kiln_index_member *member = kiln_index_member_at(file->index, asset->member);
    const unsigned char *blob;
    kiln_index_frame frame;
    kiln_file_head head = {file->file.data, (size_t)file->size, file->size};
    kiln_payload_read_args args = {&frame, kiln_string_get(&asset->name), &file->allocator};
    kiln_status status = kiln_index_frame_read(&head, false, &frame, reterr);
    if (!status)
        status = bake_shipped_blob(file, asset->member, &blob, reterr);
    if (status)
        return status;
    /* The file holds only one decompressed blob, so keep a copy. */
    made->blob = (kiln_buffer){NULL, (size_t)member->size, file->allocator};
    made->blob.data = file->allocator.alloc(file->allocator.ctx, made->blob.size, KILN_ALIGN_MAX);
    if (!made->blob.data)
        return KILN_NO_MEMORY;
    memcpy(made->blob.data, blob, made->blob.size);
    return kiln_payload_view_read(kiln_buffer_span(&made->blob), &args, &made->view, reterr);
}

kiln_status bake_shipped_payload_view(shipped_file *file, uint32_t number,
                                      shipped_payload *ret_payload, kiln_error *reterr)
{
    shipped_payload made = {.file = file};
    kiln_status status = view_payload(file, number, &made, reterr);
    if (status)
        bake_shipped_payload_fini(&made);
    else
        *ret_payload = made;
    return status;
}

/* Makes room for a frame. */
static bool reserve_frame(shipped_file *file, uint32_t size)
{
    if (size <= file->frame_room)
        return true;
    bake_free(file->frame);
    file->frame = bake_alloc(size);
    file->frame_room = file->frame ? size : 0;
    file->frame_place = 0;
    return file->frame != NULL;
}

kiln_status bake_shipped_payload(shipped_file *file, uint32_t number, shipped_payload *ret_payload,
                                 kiln_error *reterr)
{
    shipped_payload made;
    kiln_status status = bake_shipped_payload_view(file, number, &made, reterr);
    if (status)
        return status;
    status = kiln_payload_check(&made.view, file->index, file->file.data, &file->allocator, reterr);
    if (!status && !reserve_frame(file, made.view.payload->frame_size))
        status = KILN_NO_MEMORY;
    if (status)
        bake_shipped_payload_fini(&made);
    else
        *ret_payload = made;
    return status;
}

/* Decompresses frame `i` unless it was decompressed last. */
static bool load_frame(shipped_payload *p, uint32_t i)
{
    shipped_file *file = p->file;
    const kiln_array *frames = &p->view.payload->frames;
    const kiln_payload_frame *rows = kiln_relative_get(frames, frames->offset);
    const uint64_t place = p->view.place + rows[i].place;
    kiln_payload_unpack_args args = {.file = file->file.data, .decompressor = file->context};
    if (file->frame_place == place)
        return true;
    file->frame_place = 0;
    if (kiln_payload_unpack(&p->view, i, &args, file->frame, NULL)) {
        errno = ENOMEM; /* the frame was checked before */
        return false;
    }
    file->frame_place = place;
    return true;
}

bool bake_shipped_payload_data(void *ctx, uint64_t offset, void *memory, size_t size)
{
    shipped_payload *p = ctx;
    const uint32_t frame_size = p->view.payload->frame_size;
    unsigned char *to = memory;
    if (frame_size == 0) {
        memcpy(memory, p->file->file.data + p->view.place + offset, size);
        return true;
    }
    while (size > 0) {
        uint32_t i = (uint32_t)(offset / frame_size), skipped = (uint32_t)(offset % frame_size);
        uint32_t left = kiln_payload_frame_bytes(p->view.payload, i) - skipped;
        size_t taken = size < left ? size : left;
        if (!load_frame(p, i))
            return false;
        memcpy(to, p->file->frame + skipped, taken);
        to += taken;
        offset += taken;
        size -= taken;
    }
    return true;
}

void bake_shipped_payload_fini(shipped_payload *payload)
{
    kiln_buffer_fini(&payload->blob);
    memset(payload, 0, sizeof *payload);
}
