/* Checks whether bytes from any source are a valid blob of a type.
 *
 * After KILN_OK every access to the whole value stays within the blob, and reads only values that
 * its type allows. So accessors need no checks, as long as the bytes do not change. Every payload
 * byte must belong to exactly one object of one type, or be zero padding, so each object is visited
 * once: time and memory are linear in the payload, whatever the bytes are. At most KILN_DEPTH_MAX
 * objects are nested. The C stack that is used is bounded (about 1 MiB at worst). FORMAT.md section
 * 9 numbers the rules.
 *
 * A payload whose objects are in canonical order, flagged or not, is verified several times faster
 * than others and than invalid ones. Any number of threads may verify at once. */
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
    bool skip_hash;                  /* the caller checked H8 and H9 already */
    bool check_canonical; /* check C1 of a blob that is flagged canonical; default true */
    /* Check less in less time. After KILN_OK accesses to the whole value stay within the blob and
     * aligned, strings end, and numbers have allowed values. But text may have NULs or not be
     * UTF-8, map keys may be in any order, so that look-ups miss them, and objects may overlap.
     * This is enough to read a blob in place without passing it on; kiln_canonicalize and
     * kiln_canonical_check need all rules. Still linear: if this check does not decide quickly, or
     * if `on_ref` is set, all rules are checked. Default false. */
    bool bounds_only;
    /* Called once for each reference field of each object, in any order, during verification, which
     * may still fail afterwards. `offset` is that of the field, in bytes from the header. NULL, the
     * default: not called. */
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset);
    void *on_ref_ctx;
    uint32_t cookie; /* private: set by kiln_verify_def_default */
} kiln_verify_def;

kiln_verify_def kiln_verify_def_default(void);

/* Checks the blob that is exactly the `size` bytes at `blob`: rules H1 to H11, V1 to V19, C1.
 * `blob` must be at a multiple of its alignment (H7). BAD_ARGUMENT: the definition breaks its
 * contract. NO_MEMORY, BIG_ENDIAN_HOST. Safe on hostile bytes. */
kiln_status kiln_verify(const kiln_verify_def *def, const void *blob, size_t size,
                        kiln_error *reterr);

/* Checks the V rules alone, for a payload without a header whose root has any type. `payload.data`
 * must be aligned for it. Safe on hostile bytes. */
kiln_status kiln_verify_image(const kiln_types *types, uint32_t type, kiln_span payload,
                              const kiln_allocator *allocator, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
