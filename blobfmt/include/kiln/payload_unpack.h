/* Decompresses single frames of a payload, for the other rooms. Programs read payloads with
 * <kiln/payloads.h>, or check them with kiln_payload_check: this header is not installed, because
 * programs cannot create a decompressor. */
#ifndef KILN_PAYLOAD_UNPACK_H
#define KILN_PAYLOAD_UNPACK_H

#include <kiln/compression.h>
#include <kiln/payload.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_payload_unpack_args {
    const void *file;                /* the bytes of the file */
    kiln_decompressor *decompressor; /* required */
    bool skip_hash;                  /* do not check P4 */
} kiln_payload_unpack_args;

/* Decompresses frame `i` to `memory`, which has room for kiln_payload_frame_bytes, and checks its
 * hash (P4). I17: it is not one zstd frame of that size. The offset in `reterr` is that of the
 * frame in the file. NO_MEMORY. Safe on hostile bytes. */
kiln_status kiln_payload_unpack(const kiln_payload_view *view, uint32_t i,
                                const kiln_payload_unpack_args *args, void *memory,
                                kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
