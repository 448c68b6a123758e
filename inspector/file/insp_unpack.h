/* The blobs of members, which may be compressed.
 *
 * Only one decompressed blob is cached at a time. So apart from blobs that insp_file_take_blob
 * returned, decompression needs at most the memory of the largest member. */
#ifndef INSP_UNPACK_H
#define INSP_UNPACK_H

#include "insp_file.h"

/* Returns the blob of a member, with the size that the index states. A decompressed blob is valid
 * until the next call, any other blob while the file is open. Fails with KILN_I_PLACE if the member
 * is not in the file, with an I or H rule if it cannot be decompressed, or with KILN_NO_MEMORY. */
kiln_status insp_file_blob(const insp_file *file, uint32_t member, const unsigned char **ret_blob,
                           uint64_t *ret_size);

/* Transfers ownership of the blob that insp_file_blob returned last, if its member is compressed;
 * the caller frees it with insp_free. Returns NULL for other members, whose blobs are part of the
 * file. */
unsigned char *insp_file_take_blob(const insp_file *file, uint32_t member);

/* Returns the root value of an asset, valid until the next call for another asset. Fails with
 * KILN_NOT_FOUND if its bytes are not in the file, with KILN_NO_TYPES, KILN_NO_MEMORY, or an I, H
 * or V rule. */
kiln_status insp_asset_root(const insp_file *file, const insp_asset *asset, kiln_value *ret_value);

/* Creates the state for decompression; `file` has its counts. Returns NULL if memory runs out. */
insp_unpacking *insp_unpacking_create(const insp_file *file, const kiln_value *dictionaries,
                                      uint32_t count);
/* Creates the state for decompression of the same file in another thread. `unpacking` must not be
 * in use meanwhile. Returns NULL if memory runs out. */
insp_unpacking *insp_unpacking_copy(const insp_unpacking *unpacking);
/* Accepts NULL. */
void insp_unpacking_destroy(insp_unpacking *unpacking);

#endif
