/* An existing kiln file: its index, its types, its blobs.
 *
 * Nothing in the file is trusted: each function checks what it returns, except the values inside
 * blobs, which are for kiln_verify. */
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
    kiln_buffer file; /* an aligned copy, longer by a byte, so that it is never empty */
    uint64_t size;
    kiln_types *builtin;
    kiln_types *types; /* of the type table; NULL if the file has none */
    const kiln_index *index;
    kiln_decompressor *context;
    kiln_dictionary **dictionaries;
    kiln_buffer blob; /* the one decompressed last */
} shipped_file;

/* Reads the file; checks index, gaps and the type table. OK; CANNOT if it cannot be read; BAD_INPUT
 * after a report if it is not a valid kiln file. Call bake_shipped_fini whatever is returned. */
bake_result bake_shipped_read(shipped_file *file, const shipped_file_def *def);
void bake_shipped_fini(shipped_file *file);

/* The blob of member `number`, checked except for its values. It is valid until the next call. */
kiln_status bake_shipped_blob(shipped_file *file, uint32_t number, const unsigned char **ret_blob,
                              kiln_error *reterr);

/* Reports what is wrong with the file, at its first line. */
bake_result bake_shipped_refuse(const shipped_file *file, kiln_status status,
                                const kiln_error *error);

#endif
