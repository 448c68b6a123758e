/* Checks a scene before it is written, with the code that readers use, so a writer never produces a
 * scene that they reject. The same pass clears padding in rows, so hashes can be computed only
 * after it. */
#include "scene_check.h"
#include "scene_writer_finish.h"

/* The offset of the payload in the chunks' blob. It equals the alignment, which is greater than 32.
 */
static size_t payload_at(const scene_finish_state *f)
{
    return (size_t)1 << f->chunks_align_log2;
}

/* The root of the data, whose header check_args has read. Before the file writer verifies the data,
 * only the counts of its arrays are used, so invalid data does no harm here. */
static kiln_status find_data(const scene_finish_state *f, const void **ret_data)
{
    const kiln_buffer *blob = f->args->data;
    const kiln_type *type = kiln_types_get(f->args->types, f->args->data_type);
    kiln_blob_header header;
    *ret_data = NULL;
    if (!blob || !blob->size)
        return KILN_OK;
    memcpy(&header, blob->data, sizeof header);
    if (!type || type->kind != KILN_KIND_STRUCT)
        return kiln_fail(f->reterr, KILN_BAD_ARGUMENT, 0, NULL);
    if (header.payload_size < type->size || header.layout != type->layout)
        return kiln_fail(f->reterr, KILN_H_LAYOUT, 0, NULL);
    *ret_data = blob->data + kiln_header_payload_at(&header);
    return KILN_OK;
}

static void write_headers(const scene_finish_state *f, const kiln_blob_header *header,
                          kiln_scene *scene)
{
    kiln_blob_header chunks;
    if (!f->chunks.size)
        return;
    kiln_header_write(f->chunks.data, f->chunks_align_log2 | KILN_FLAG_CANONICAL,
                      f->chunks.size - payload_at(f), KILN_SCENE_CHUNKS_LAYOUT);
    memcpy(&chunks, f->chunks.data, sizeof chunks);
    scene->chunks_hash = chunks.hash;
    kiln_header_write(f->scene.data, header->flags & ~KILN_FLAG_KIND_MASK, header->payload_size,
                      header->layout);
}

kiln_status kiln_scene_seal(scene_finish_state *f)
{
    kiln_blob_header header;
    memcpy(&header, f->scene.data, sizeof header);
    kiln_scene *scene = (kiln_scene *)(void *)(f->scene.data + kiln_header_payload_at(&header));
    kiln_scene_view_args view_args = {.scene = scene, .allocator = &f->writer->allocator};
    if (f->chunks.size)
        view_args.chunks = (const void *)(f->chunks.data + payload_at(f));
    kiln_scene_view view;
    kiln_scene_check_args check_args = {.view = &view,
                                        .types = f->args->types,
                                        .data_type = f->args->data_type,
                                        .allocator = &f->writer->allocator};
    kiln_status status = find_data(f, &check_args.data);
    if (!status)
        status = kiln_scene_view_init(&view_args, &view, f->reterr);
    if (status)
        return status;
    status = kiln_scene_check_clearing(&check_args, f->reterr);
    kiln_scene_view_fini(&view);
    if (!status)
        write_headers(f, &header, scene);
    return status;
}
