/* The header of a member's blob, which must agree with the index, and where the blob is stored. */
#ifndef KILN_FILE_HEADER_H
#define KILN_FILE_HEADER_H

#include "file_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Checks the header of a blob, except its layout, against the record of its member, which must
 * already be checked. The blob must be of kind `kind`. If `check_hash` is set, also checks its
 * hash. */
kiln_status kiln_file_check_blob_header(const kiln_index_member *member, const unsigned char *blob,
                                        kiln_blob_kind kind, bool check_hash, kiln_error *reterr);

/* Checks the header of member `number` in the same way, and also its record. For type tables and
 * dictionaries, which are never compressed: a compressed member is an error. */
kiln_status kiln_file_check_header(const kiln_file *file, uint32_t number, kiln_blob_kind kind,
                                   bool check_hash, kiln_error *reterr);

/* Adds the member's location to an error's offset, so that it counts from the first byte of the
 * file. KILN_NO_MEMORY has no offset and is left unchanged. */
void kiln_file_shift_error(kiln_error *reterr, uint64_t place);

/* The offset of the payload in a blob, computed from the index, which agrees with the header. */
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
