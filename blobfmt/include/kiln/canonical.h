/* The canonical form of a value: equal values have equal bytes.
 *
 * Equal objects (same type, count, alignment and bytes, and children that are equal in this sense)
 * are stored once. Objects are in the order that FORMAT.md section 8 defines, padding is zero, and
 * all NaNs have the same bits. Time and memory are linear in the blob. */
#ifndef KILN_CANONICAL_H
#define KILN_CANONICAL_H

#include <kiln/allocator.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A blob that kiln_verify accepted; these functions are not safe on other bytes. The blob needs no
 * alignment. */
typedef struct kiln_canonical_args {
    const kiln_types *types; /* required */
    uint32_t type;           /* required: number of the root's type */
    kiln_span blob;
    const kiln_allocator *allocator; /* NULL: the C library's */
} kiln_canonical_args;

/* Writes the blob again in canonical form, with the flag KILN_FLAG_CANONICAL and the same kind. On
 * success the caller owns `ret_blob`; on failure it is untouched. */
kiln_status kiln_canonicalize(const kiln_canonical_args *args, kiln_buffer *ret_blob,
                              kiln_error *reterr);

/* Returns KILN_OK if the blob is flagged canonical, and kiln_canonicalize would write the same
 * alignment, gap and payload. Otherwise returns KILN_C_CANONICAL with the position of the first
 * difference. NO_MEMORY. */
kiln_status kiln_canonical_check(const kiln_canonical_args *args, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
