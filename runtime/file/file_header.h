/* The header of a member's blob, which must agree with the index, and where the blob is stored. */
#ifndef KILN_FILE_HEADER_H
#define KILN_FILE_HEADER_H

#include "file_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Checks the header of a blob, all but its layout, against its member, whose record was checked,
 * and for kind `kind`; and its hash if `check_hash` is set. */
kiln_status kiln_file_check_blob_header(const kiln_index_member *member, const unsigned char *blob,
                                        kiln_blob_kind kind, bool check_hash, kiln_error *reterr);

/* The same for member `number` with a check of its record. A compressed member is an error: type
 * tables and dictionaries, which this is for, are stored plain. */
kiln_status kiln_file_check_header(const kiln_file *file, uint32_t number, kiln_blob_kind kind,
                                   bool check_hash, kiln_error *reterr);

/* Adds the member's place to an error's offset, so that it counts from the first byte of the file.
 * An error that is not about bytes, a lack of memory, has no offset. */
void kiln_file_shift_error(kiln_error *reterr, uint64_t place);

/* The offset of the payload in a blob, computed from the index, with which the header agrees. */
static inline uint32_t kiln_file_payload_at(const kiln_index_member *member)
{
    uint32_t align = UINT32_C(1) << member->align_log2;
    return align > KILN_HEADER_SIZE ? align : (uint32_t)KILN_HEADER_SIZE;
}

/* The stored bytes of a member, in the file. */
static inline const unsigned char *kiln_file_member_bytes(const kiln_file *file,
                                                          const kiln_index_member *member)
{
    return file->source.data + member->place;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
