/* The blobs of members, which can be compressed.
 *
 * One decompressed blob at a time is cached. So showing a file needs at most the memory of its
 * largest member, whatever it contains. */
#ifndef INSP_UNPACK_H
#define INSP_UNPACK_H

#include "insp_file.h"

/* The blob of a member, aligned, with the size that the index states. I_PLACE: its bytes are not in
 * the file; I5, I7, I17 or I18: they are not a blob; NO_MEMORY. It is valid until the next call, or
 * as long as the file. */
kiln_status insp_file_blob(const insp_file *file, uint32_t member, const unsigned char **ret_blob,
                           uint64_t *ret_size);

/* Transfers ownership of the blob that insp_file_blob returned last, if its member is compressed:
 * the caller releases it with insp_free. NULL for other members, whose blobs are in the file. */
unsigned char *insp_file_take_blob(const insp_file *file, uint32_t member);

/* The root value of an asset, valid until the next call for another asset. NOT_FOUND: its bytes are
 * not in the file; NO_TYPES; NO_MEMORY; else I, H or V rules. */
kiln_status insp_asset_root(const insp_file *file, const insp_asset *asset, kiln_value *ret_value);

/* Creates the state for decompression, for a file whose members were read; NULL if memory ran out.
 */
insp_unpacking *insp_unpacking_create(const insp_file *file, const kiln_value *dictionaries,
                                      uint32_t count);
/* Accepts NULL. */
void insp_unpacking_destroy(insp_unpacking *unpacking);

#endif
