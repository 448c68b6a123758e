/* Canonical form, in which equal values have equal bytes.
 *
 * Equal objects (same type, count, alignment and bytes, and children that are equal in this sense)
 * are stored once; the order of objects is fixed; padding is zero; NaNs have one pattern. FORMAT.md
 * section 8. Work and memory are linear in the blob. */
#ifndef KILN_CANONICAL_H
#define KILN_CANONICAL_H

#include <kiln/allocator.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A *verified* blob, and what is needed to write it in canonical form. */
typedef struct kiln_canonical_args {
    const kiln_types *types; /* required */
    uint32_t type;           /* required: of the root */
    kiln_span blob;
    const kiln_allocator *allocator; /* NULL: the C library's */
} kiln_canonical_args;

/* Writes the blob again in canonical form, with the flag KILN_FLAG_CANONICAL and the same kind; the
 * caller frees `ret_blob` (kiln_buffer_fini). */
kiln_status kiln_canonicalize(const kiln_canonical_args *args, kiln_buffer *ret_blob,
                              kiln_error *reterr);

/* KILN_OK if kiln_canonicalize would write the same bytes; otherwise KILN_C_CANONICAL with the
 * first place that differs. */
kiln_status kiln_canonical_check(const kiln_canonical_args *args, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
