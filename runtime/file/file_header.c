/* Compares a header with the record of its member before the payload is read: kind, size and
 * alignment must agree. The layout depends on the asset, so file_check.c compares it. */
#include "file_header.h"

#include "file_unpack.h"

void kiln_file_shift_error(kiln_error *reterr, uint64_t place)
{
    if (reterr && reterr->status != KILN_NO_MEMORY)
        reterr->offset += place;
}

kiln_status kiln_file_check_blob_header(const kiln_index_member *member, const unsigned char *blob,
                                        kiln_blob_kind kind, bool check_hash, kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = kiln_header_read(blob, (size_t)member->size, &header, reterr);
    if (status == KILN_OK && (kiln_header_blob_size(&header) != member->size ||
                              (header.flags & KILN_FLAG_ALIGN_MASK) != member->align_log2))
        status = kiln_fail(reterr, KILN_I_MEMBER, 0, NULL);
    if (status == KILN_OK && kiln_header_kind(&header) != kind)
        status = kiln_fail(reterr, KILN_H_KIND, offsetof(kiln_blob_header, flags), NULL);
    if (status == KILN_OK && check_hash)
        status = kiln_header_check_hash(blob, &header, reterr);
    if (status != KILN_OK)
        kiln_file_shift_error(reterr, member->place); /* offsets so far count from the start of the
                                                       * blob */
    return status;
}

kiln_status kiln_file_check_header(const kiln_file *file, uint32_t number, kiln_blob_kind kind,
                                   bool check_hash, kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    kiln_status status = kiln_index_check_place(&file->frame, number, reterr);
    if (status != KILN_OK)
        return status;
    if (kiln_file_is_packed(file, number))
        return kiln_fail(reterr, KILN_I_COMPRESSION, member->place, NULL);
    return kiln_file_check_blob_header(member, kiln_file_member_bytes(file, member), kind,
                                       check_hash, reterr);
}
