/* The one way to write a value: equal values give equal bytes.
 *
 * Equal objects (same type, count, alignment, bytes, and children that are equal in this sense) are
 * one object; objects lie in one published order; padding is zero; NaNs have one pattern. FORMAT.md
 * section 8. Work and memory are linear in the blob. */
#ifndef KILN_CANONICAL_H
#define KILN_CANONICAL_H

#include <kiln/allocator.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rewrites a *verified* blob of root type `type` in canonical form, flagged so; the caller ends
 * `ret_blob`. Its kind is kept. */
kiln_status kiln_canonicalize(const kiln_types *types, uint32_t type, const void *blob, size_t size,
                              const kiln_allocator *allocator, kiln_buffer *ret_blob,
                              kiln_error *reterr);

/* KILN_OK when the *verified* blob is the bytes that kiln_canonicalize would write,
 * KILN_C_CANONICAL with the first place that differs otherwise. */
kiln_status kiln_canonical_check(const kiln_types *types, uint32_t type, const void *blob,
                                 size_t size, const kiln_allocator *allocator, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
