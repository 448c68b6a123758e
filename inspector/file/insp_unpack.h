/* The blobs of members, which a file may hold compressed.
 *
 * One blob at a time is decompressed and kept, until another one is asked for; so whatever a file
 * holds, it is looked at in the memory that its largest member takes. */
#ifndef INSP_UNPACK_H
#define INSP_UNPACK_H

#include "insp_file.h"

/* The blob of a member, at a multiple of its alignment, whose size the index states. I_PLACE: its
 * bytes are not in the file; I5, I7, I17 or I18: they are no blob; NO_MEMORY. It is gone with the
 * next call, or with the file. */
kiln_status insp_file_blob(const insp_file *file, uint32_t member, const unsigned char **ret_blob,
                           uint64_t *ret_size);

/* The blob that insp_file_blob has just given of a compressed member becomes the caller's, for
 * insp_free; NULL for that of another member, which lies in the file. */
unsigned char *insp_file_keep_blob(const insp_file *file, uint32_t member);

/* The root value of an asset, good until another one's is asked for. NOT_FOUND: its bytes are not
 * in the file; NO_TYPES; NO_MEMORY; else I, H or V rules. */
kiln_status insp_asset_root(const insp_file *file, const insp_asset *asset, kiln_value *ret_value);

/* What decompressing needs, for a file whose members were read; NULL without memory. */
insp_unpacking *insp_unpacking_create(const insp_file *file, const kiln_value *dictionaries,
                                      uint32_t count);
/* NULL is fine. */
void insp_unpacking_destroy(insp_unpacking *unpacking);

#endif
