/* The data of the payloads of a shipped file. */
#ifndef BAKE_SHIPPED_PAYLOAD_H
#define BAKE_SHIPPED_PAYLOAD_H

#include "shipped_file.h"

#include <kiln/payload.h>

/* The data of one payload, as a source for kiln_file_writer_payload. */
typedef struct shipped_payload {
    shipped_file *file;
    kiln_payload_view view;
    kiln_buffer blob; /* owns the payload asset that `view` refers to */
} shipped_payload;

/* Whether asset `number` is a payload asset. */
bool bake_shipped_is_payload(const shipped_file *file, uint32_t number);
/* Checks the payload asset `number` and all of its data. On failure `ret_payload` is untouched. A
 * file needs memory for one frame, however many of its payloads are in use. */
kiln_status bake_shipped_payload(shipped_file *file, uint32_t number, shipped_payload *ret_payload,
                                 kiln_error *reterr);
/* Like bake_shipped_payload, but does not check or read the data, and needs no memory for a
 * frame. */
kiln_status bake_shipped_payload_view(shipped_file *file, uint32_t number,
                                      shipped_payload *ret_payload, kiln_error *reterr);
/* A kiln_payload_source; `ctx` is a shipped_payload. */
bool bake_shipped_payload_data(void *ctx, uint64_t offset, void *memory, size_t size);
void bake_shipped_payload_fini(shipped_payload *payload);

#endif
