/* Where members lie in a file. */
#include "file_writer_state.h"

#include <kiln/scene.h>
#include <string.h>

/* How far into a blob the whole chunks of a scene begin that a program maps; 0 in other blobs. */
static uint64_t images_in(const unsigned char *blob)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    if (header.layout != KILN_SCENE_CHUNKS_LAYOUT || kiln_header_kind(&header) != KILN_BLOB_ASSET)
        return 0;
    uint32_t at = kiln_header_payload_at(&header);
    kiln_bytes images;
    memcpy(&images, blob + at + offsetof(kiln_scene_chunks, images), sizeof images);
    bool is_mapped = images.count / KILN_CHUNK_SIZE >= KILN_SCENE_OWN_LEAST;
    return is_mapped ? at + offsetof(kiln_scene_chunks, images) + (uint64_t)images.offset : 0;
}

uint64_t kiln_writer_place(const writer_member *member, bool is_packed, uint64_t end)
{
    uint64_t into = is_packed ? 0 : images_in(member->blob);
    uint64_t align = is_packed ? 1 : UINT64_C(1) << member->align_log2;
    if (into)
        align = KILN_SCENE_IMAGES_ALIGN;
    return ((end + into + align - 1) & ~(align - 1)) - into;
}
