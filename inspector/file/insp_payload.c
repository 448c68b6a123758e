/* Payload assets are found by type, and their data by the hash in the name of the asset. */
#include "insp_payload.h"

#include "insp_memory.h"
#include "insp_unpack.h"

#include <string.h>

bool insp_is_payload(const insp_file *file, const insp_asset *asset)
{
    return insp_text_is(insp_asset_type_name(file, asset), KILN_PAYLOAD_TYPE_NAME);
}

static bool read_digits(const char *text, uint64_t *ret_number)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = 0;
    int i;
    for (i = 0; i < 16; i++) {
        const char *digit = memchr(digits, text[i], sizeof digits - 1);
        if (!digit)
            return false;
        number = number << 4 | (uint64_t)(digit - digits);
    }
    *ret_number = number;
    return true;
}

const insp_member *insp_payload_member(const insp_file *file, const insp_asset *asset)
{
    enum { DIGITS = 32 };
    kiln_hash128 content;
    const kiln_index *index = file->index ? file->index : file->frame.index;
    if (!index || !insp_is_payload(file, asset) || asset->name.length != KILN_PAYLOAD_NAME_SIZE - 1)
        return NULL;
    if (!read_digits(asset->name.data + asset->name.length - DIGITS, &content.high) ||
        !read_digits(asset->name.data + asset->name.length - DIGITS / 2, &content.low))
        return NULL;
    return insp_member_at(file, kiln_payload_find(index, content));
}

kiln_status insp_payload_view(const insp_file *file, const insp_asset *asset,
                              kiln_payload_view *ret_view, kiln_error *reterr)
{
    kiln_index_frame frame = {file->index, file->data, file->size, 0};
    kiln_payload_read_args args = {.frame = &frame, .allocator = insp_allocator()};
    const kiln_index_asset *entry = kiln_index_asset_at(file->index, asset->number);
    const unsigned char *blob;
    uint64_t size;
    kiln_status status = insp_file_blob(file, asset->member, &blob, &size);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    frame.index_size = kiln_header_blob_size(&file->header);
    args.name = kiln_string_get(&entry->name);
    return kiln_payload_view_read((kiln_span){blob, (size_t)size}, &args, ret_view, reterr);
}
