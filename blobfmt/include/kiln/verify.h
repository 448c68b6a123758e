/* Decides whether bytes from anywhere are a valid blob of a type.
 *
 * After KILN_OK, accesses to the whole value stay in bounds and see only values that its type
 * allows, so they need no checks. This holds as long as the bytes do not change. Every payload byte
 * must belong to exactly one object of one type or be zero padding, so each object is visited once:
 * time and memory are linear in the payload, whatever the bytes. At most KILN_DEPTH_MAX objects
 * nest; the use of the C stack is bounded (at most about 1 MiB). FORMAT.md section 9 numbers the
 * rules.
 *
 * Blobs in the order of canonical form, flagged or not, are verified several times faster than
 * others and than invalid ones. */
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
    uint32_t type;                   /* required: the root's type */
    const kiln_allocator *allocator; /* NULL: the C library's */
    kiln_blob_kind kind;             /* default KILN_BLOB_ASSET */
    bool skip_hash;                  /* do not check H8, because the caller has just done so */
    bool check_canonical;            /* also rule C1, for a blob flagged canonical; default true */
    /* Proves less in less time. After KILN_OK, accesses to the whole value stay in bounds and
     * aligned, strings end with a NUL, and numbers have allowed values. But text may be malformed
     * UTF-8 or contain NULs, map keys may be in any order, so that look-ups miss them, and objects
     * may overlap. This is enough to read a value in place. Work is still linear: if the fast check
     * cannot decide, or if `on_ref` is set, all rules are checked. Do not pass such a blob to
     * kiln_canonicalize or kiln_canonical_check, which require that all rules hold. */
    bool bounds_only;
    /* Called once for each reference field of each object, in an unspecified order, during
     * verification, which may still fail afterwards. `offset` is that of the field, from the
     * header. NULL: not called. */
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset);
    void *on_ref_ctx;
    uint32_t cookie; /* private: set by kiln_verify_def_default */
} kiln_verify_def;

kiln_verify_def kiln_verify_def_default(void);

/* Checks the blob that consists of exactly the `size` bytes at `blob`: rules H1 to H11, V1 to V19,
 * C1. `blob` must be at a multiple of max(16, its alignment) (H7). Safe on hostile bytes. */
kiln_status kiln_verify(const kiln_verify_def *def, const void *blob, size_t size,
                        kiln_error *reterr);

/* Checks only the V rules, for a payload without a header whose root may have any type.
 * `payload.data` must be aligned for it. */
kiln_status kiln_verify_image(const kiln_types *types, uint32_t type, kiln_span payload,
                              const kiln_allocator *allocator, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
