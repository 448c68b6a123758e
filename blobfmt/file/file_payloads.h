/* The payloads of a file that is written: file_payloads.c collects them and writes their bytes. */
#ifndef KILN_FILE_PAYLOADS_H
#define KILN_FILE_PAYLOADS_H

#include "file_writer_state.h"

#include <kiln/payload.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct writer_payload {
    kiln_payload_args args;
    kiln_hash128 content, stored; /* `stored` is 0 if the data are plain */
    uint64_t stored_size, place;
    uint32_t frame_size; /* 0: plain, even if the arguments ask for frames */
    uint8_t align_log2;
} writer_payload;

/* Sorts the numbers of the payloads that have data by their content hashes (I22). `ret_order` has
 * room for all payloads; returns the count. */
uint32_t kiln_writer_order_payloads(const kiln_file_writer *writer, uint32_t *ret_order);

/* Writes the stored bytes of a payload. CHANGED, KILN_IO, NO_MEMORY. */
kiln_status kiln_writer_put_payload(const kiln_file_writer *writer, const writer_payload *payload,
                                    kiln_write_function *write, void *ctx, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
