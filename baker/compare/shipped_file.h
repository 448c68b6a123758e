/* An existing kiln file: its index, its types, its blobs.
 *
 * The file is untrusted. Each function checks the data that it returns, except the values inside
 * blobs, which kiln_verify checks. */
#ifndef BAKE_SHIPPED_FILE_H
#define BAKE_SHIPPED_FILE_H

#include "bake_result.h"
#include "diagnostics.h"
#include "gateway.h"

#include <kiln/compression.h>
#include <kiln/index.h>

/* `rule` is the word in brackets after reports about the file. */
typedef struct shipped_file_def {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    bake_failure *failure;
    const char *path;
    const char *rule;
} shipped_file_def;

typedef struct shipped_file {
    shipped_file_def def;
    kiln_allocator allocator;
    kiln_buffer file; /* an aligned copy, one byte longer so that it is never empty */
    uint64_t size;
    kiln_types *builtin;
    kiln_types *types; /* of the type table; NULL if the file has none */
    const kiln_index *index;
    kiln_decompressor *context;
    kiln_dictionary **dictionaries;
    kiln_buffer blob; /* the last one decompressed */
    /* The frame of a payload that was decompressed last (shipped_payload.c): bytes that it has room
     * for, and its place in the file; 0: none. One for all payloads, because there may be many. */
    unsigned char *frame;
    uint32_t frame_room;
    uint64_t frame_place;
} shipped_file;

/* Reads the file and checks its index, gaps, type table and dictionaries. Returns BAKE_FAILED if it
 * cannot be read, and BAKE_BAD_INPUT after a report if it is not a valid kiln file. Call
 * bake_shipped_fini even after failure. */
bake_result bake_shipped_read(shipped_file *file, const shipped_file_def *def);
void bake_shipped_fini(shipped_file *file);
/* The same for the first `size` bytes of a file that the gateway has read. */
bake_result bake_shipped_copy(shipped_file *file, const shipped_file_def *def, const char *text,
                              size_t size);
/* Checks a file in memory in the same way. Its `size` bytes are at a multiple of KILN_ALIGN_MAX.
 * Takes ownership of the buffer and zeroes it, even on failure. Reports nothing, and leaves `def`
 * zeroed. */
kiln_status bake_shipped_open(shipped_file *file, kiln_buffer *bytes, uint64_t size,
                              kiln_error *reterr);

/* Returns the blob of member `number`, after checks of everything except its values. The blob is
 * valid until the next call. */
kiln_status bake_shipped_blob(shipped_file *file, uint32_t number, const unsigned char **ret_blob,
                              kiln_error *reterr);

/* Reports what is wrong with the file, at its first line. */
bake_result bake_shipped_reject(const shipped_file *file, kiln_status status,
                                const kiln_error *error);

#endif
