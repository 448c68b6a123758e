/* Rows of a hex dump for data that are compressed with zstd. */
#ifndef INSP_HEX_ZSTD_H
#define INSP_HEX_ZSTD_H

#include "insp_hex_view.h"

/* Prints the bytes from `at` to `end` as zstd frames (RFC 8878, section 3.1.1): the header of a
 * frame, the header and the content of each block, and the checksum. Bytes that are not part of a
 * frame are printed as such. */
void insp_hex_put_frames(insp_hex_view *v, uint64_t at, uint64_t end);

#endif
