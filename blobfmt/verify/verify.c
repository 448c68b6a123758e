/* The entry points of the verifier: check the header, then pick an engine for the payload.
 *
 * With bounds_only, bounds.c runs first. If it does not accept the payload, and in all other cases,
 * the sweep runs, because most payloads are in canonical order. If the sweep leaves the payload
 * undecided, verify_judge.c decides. Only verify_judge.c reports broken rules, so errors do not
 * depend on the choice of engine. */
#include <kiln/verify.h>

#include <kiln/canonical.h>

#include "bounds.h"
#include "def_cookie.h"
#include "sweep.h"

static kiln_status verify_payload(const payload_def *def, kiln_error *reterr)
{
    switch (kiln_sweep(def)) {
    case SWEEP_VALID:
        return KILN_OK;
    case SWEEP_NO_MEMORY:
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    default:
        return kiln_judge(def, reterr);
    }
}

kiln_verify_def kiln_verify_def_default(void)
{
    kiln_verify_def def = {.type = KILN_TYPE_NONE, .check_canonical = true, .cookie = DEF_COOKIE};
    return def;
}

/* Checks all H rules, in the order of FORMAT.md section 9. The hash comes last: it reads all bytes,
 * which would be wasted on a blob of a different type. */
static kiln_status check_header(const kiln_verify_def *def, const void *blob, size_t size,
                                kiln_blob_header *header, kiln_error *reterr)
{
    const kiln_type *root = kiln_types_get(def->types, def->type);
    kiln_status status = kiln_header_read(blob, size, header, reterr);
    if (status)
        return status;
    if (kiln_header_blob_size(header) != size)
        return kiln_fail(reterr, KILN_H_TRAILING, kiln_header_blob_size(header), NULL);
    uint32_t align = kiln_header_align(header);
    if ((uintptr_t)blob % align != 0 || root->align > align)
        return kiln_fail(reterr, KILN_H_MISALIGNED, 0, NULL);
    if (kiln_header_kind(header) != def->kind)
        return kiln_fail(reterr, KILN_H_KIND, offsetof(kiln_blob_header, flags), NULL);
    if (header->layout != root->layout)
        return kiln_fail(reterr, KILN_H_LAYOUT, offsetof(kiln_blob_header, layout), NULL);
    return def->skip_hash ? KILN_OK : kiln_header_check_hash(blob, header, reterr);
}

kiln_status kiln_verify(const kiln_verify_def *def, const void *blob, size_t size,
                        kiln_error *reterr)
{
    kiln_status status = kiln_host_check();
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    const kiln_type *root =
        def_is_set(def->cookie) && def->types ? kiln_types_get(def->types, def->type) : NULL;
    if (!root || root->kind != KILN_KIND_STRUCT)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_blob_header header;
    status = check_header(def, blob, size, &header, reterr);
    if (status)
        return status;
    uint32_t payload_at = kiln_header_payload_at(&header);
    payload_def payload = {.types = def->types,
                           .type = def->type,
                           .payload = (const unsigned char *)blob + payload_at,
                           .size = (uint32_t)header.payload_size,
                           .align = kiln_header_align(&header),
                           .allocator = def->allocator,
                           .base = payload_at,
                           .on_ref = def->on_ref,
                           .on_ref_ctx = def->on_ref_ctx};
    if (def->bounds_only && !def->on_ref && kiln_bounds_hold(&payload))
        return KILN_OK;
    status = verify_payload(&payload, reterr);
    if (!status && def->check_canonical && (header.flags & KILN_FLAG_CANONICAL))
        status = kiln_canonical_check(&(kiln_canonical_args){.types = def->types,
                                                             .type = def->type,
                                                             .blob = {blob, size},
                                                             .allocator = def->allocator},
                                      reterr);
    return status;
}

kiln_status kiln_verify_image(const kiln_types *types, uint32_t type, kiln_span payload,
                              const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_status status = kiln_host_check();
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    if (!kiln_types_get(types, type) || payload.size == 0 || payload.size > KILN_PAYLOAD_MAX)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    /* FORMAT.md section 7: an image has an alignment of 4,096. Offsets are checked relative to its
     * first byte, whose address in memory does not matter. */
    payload_def def = {.types = types,
                       .type = type,
                       .payload = payload.data,
                       .size = (uint32_t)payload.size,
                       .align = UINT32_C(1) << KILN_ALIGN_LOG2_MAX,
                       .allocator = allocator};
    return verify_payload(&def, reterr);
}
