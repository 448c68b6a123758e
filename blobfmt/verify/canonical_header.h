/* The first step of both rewriting into canonical form and checking for it. */
#ifndef KILN_CANONICAL_HEADER_H
#define KILN_CANONICAL_HEADER_H

#include <kiln/blob_header.h>
#include <kiln/canonical.h>

/* Reads the blob's header. KILN_BAD_ARGUMENT if the payload cannot be a value of the type. */
static inline kiln_status canonical_read_header(const kiln_canonical_args *args,
                                                kiln_blob_header *ret_header, kiln_error *reterr)
{
    kiln_status status = kiln_header_read(args->blob.data, args->blob.size, ret_header, reterr);
    if (status)
        return status;
    const kiln_type *root = kiln_types_get(args->types, args->type);
    if (!root || root->kind != KILN_KIND_STRUCT || root->size > ret_header->payload_size)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    return KILN_OK;
}

#endif
