/* Checks whether bytes from any source are a valid blob of a given type.
 *
 * After KILN_OK every access to any part of the value stays within the blob, and reads only values
 * that its type allows. Accessors therefore need no checks, as long as the bytes do not change.
 * Every payload byte must belong to exactly one object of one type, or be zero padding, so each
 * object is visited once: time and memory are linear in the payload for any bytes. At most
 * KILN_DEPTH_MAX objects are nested. Stack usage is bounded (about 1 MiB at worst). FORMAT.md
 * section 9 lists the rules.
 *
 * A payload whose objects are in canonical order, flagged or not, is verified several times faster
 * than any other payload. Any number of threads may verify at once. */
#ifndef KILN_VERIFY_H
#define KILN_VERIFY_H

#include <kiln/allocator.h>
#include <kiln/blob_header.h>
#include <kiln/relative.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_verify_def {
    const kiln_types *types;         /* required */
    uint32_t type;                   /* required: number of the root's type, a struct */
    const kiln_allocator *allocator; /* NULL: the C library's */
    kiln_blob_kind kind;             /* default KILN_BLOB_ASSET */
    bool skip_hash;                  /* the caller has already checked H8 and H9 */
    bool check_canonical; /* check C1 of a blob that is flagged canonical; default true */
    /* Omit checks to save time. After KILN_OK all accesses to the value stay within the blob
     * and are aligned, strings are NUL-terminated, and numbers have allowed values. But strings may
     * contain NULs or malformed UTF-8, map keys may be unsorted, so that lookups miss them, and
     * objects may overlap. This is enough to read a blob in place without passing it on;
     * kiln_canonicalize and kiln_canonical_check need all rules. If this check is inconclusive, or
     * if `on_ref` is set, all rules are checked; the work remains linear. Default false. */
    bool bounds_only;
    /* Called once for each reference field of each object, in any order, during verification, which
     * may still fail afterwards. `offset` is the offset of the field in bytes from the header.
     * NULL, the default: not called. */
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset);
    void *on_ref_ctx;
    uint32_t cookie; /* private: set by kiln_verify_def_default */
} kiln_verify_def;

kiln_verify_def kiln_verify_def_default(void);

/* Checks the blob that occupies exactly `size` bytes at `blob`: rules H1 to H11, V1 to V19, C1.
 * `blob` must be at a multiple of its alignment (H7). BAD_ARGUMENT: the definition breaks its
 * contract. NO_MEMORY, BIG_ENDIAN_HOST. Safe on hostile bytes. */
kiln_status kiln_verify(const kiln_verify_def *def, const void *blob, size_t size,
                        kiln_error *reterr);

/* Checks only the V rules, for a payload without a header whose root may have any type.
 * `payload.data` must be aligned for it. Safe on hostile bytes. */
kiln_status kiln_verify_image(const kiln_types *types, uint32_t type, kiln_span payload,
                              const kiln_allocator *allocator, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
