/* Decides whether bytes from anywhere are a valid blob of a type.
 *
 * After KILN_OK every accessor over the whole value stays in bounds and sees only values its type
 * allows; no check is needed on access. This holds as long as the bytes do not change. Every
 * payload byte must belong to exactly one object of one type or be zero padding, so each object is
 * visited once: time and memory are linear in the payload, whatever the bytes. At most
 * KILN_DEPTH_MAX objects nest; the C stack used is bounded (about 1 MiB at the very worst).
 * FORMAT.md section 9 numbers the rules.
 *
 * What is laid out in the order of canonical form, flagged or not, is verified several times faster
 * than what is not or is invalid. */
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
    bool skip_hash;                  /* the caller has just checked H8 */
    bool check_canonical;            /* also rule C1, for a blob flagged canonical; default true */
    /* Proves less in less time: after KILN_OK, accessors over the whole value stay in bounds and
     * aligned, strings end, and numbers have allowed values. Text may be no UTF-8 and hold NULs,
     * keys of maps be in any order and look-ups miss them, and objects overlap: enough for reading
     * in place what is shown to nobody else. Still linear: what is not found to be so soon, and all
     * if `on_ref` is given, is checked by all rules. Such a blob is not one that kiln_canonicalize
     * and kiln_canonical_check may be given, which want all rules to hold. */
    bool bounds_only;
    /* Called once for each reference field of each object, in no stated order, while verification
     * goes on (which may still fail afterwards). `offset` is the field's, from the header. NULL:
     * not wanted. */
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset);
    void *on_ref_ctx;
    uint32_t cookie; /* private: set by kiln_verify_def_default */
} kiln_verify_def;

kiln_verify_def kiln_verify_def_default(void);

/* Checks the blob that is exactly the `size` bytes at `blob`: rules H1 to H11, V1 to V19, C1.
 * `blob` must lie at a multiple of max(16, its alignment) (H7). Safe on hostile bytes. */
kiln_status kiln_verify(const kiln_verify_def *def, const void *blob, size_t size,
                        kiln_error *reterr);

/* The V rules alone for a payload without header, whose root is of any type. `payload.data` must
 * be aligned for it. */
kiln_status kiln_verify_image(const kiln_types *types, uint32_t type, kiln_span payload,
                              const kiln_allocator *allocator, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
