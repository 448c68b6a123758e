/* The payloads of a file: large data that are stored in members without a blob header. */
#ifndef INSP_PAYLOAD_H
#define INSP_PAYLOAD_H

#include "insp_file.h"

#include <kiln/payload.h>

static inline bool insp_member_is_payload(const insp_member *member)
{
    return member->compression == KILN_COMPRESSION_PAYLOAD ||
           member->compression == KILN_COMPRESSION_FRAMES;
}

/* Whether the index states that the asset has the type kiln.Payload. */
bool insp_is_payload(const insp_file *file, const insp_asset *asset);

/* The payload member of a payload asset, by its name; NULL if there is none or the index is
 * broken. */
const insp_member *insp_payload_member(const insp_file *file, const insp_asset *asset);

/* Checks a payload asset of a file whose index is valid: the rules of kiln_payload_view_read. The
 * view is valid until another blob is decompressed. The offset of an error is relative to the
 * asset's blob, except for rules of the index. */
kiln_status insp_payload_view(const insp_file *file, const insp_asset *asset,
                              kiln_payload_view *ret_view, kiln_error *reterr);

#endif
