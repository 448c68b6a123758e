/* A kiln file that was baked earlier, read whole: its index, its types, its blobs.
 *
 * Nothing in it is trusted: each function checks what it hands out, all but the values inside
 * blobs, which kiln_verify knows. */
#ifndef BAKE_SHIPPED_FILE_H
#define BAKE_SHIPPED_FILE_H

#include "bake_run.h"

#include <kiln/compression.h>
#include <kiln/index.h>

typedef struct shipped_file {
    const char *path;
    kiln_allocator allocator;
    kiln_buffer file; /* a copy that is aligned as a mapping is; longer by a byte */
    uint64_t size;
    kiln_types *builtin;
    kiln_types *types; /* of the type table; NULL without */
    const kiln_index *index;
    kiln_decompressor *context;
    kiln_dictionary **dictionaries;
    kiln_buffer blob; /* the last one that was decompressed */
} shipped_file;

/* Reads the file at `path`; checks index, gaps and the type table. OK; CANNOT where it cannot be
 * read; BAD_INPUT after a report under `rule` where it is no sound kiln file. The file is to be
 * ended whatever comes of it. */
bake_result bake_shipped_read(shipped_file *file, bake_run *run, const char *path,
                              const char *rule);
void bake_shipped_fini(shipped_file *file);

/* The blob of member `number`, all of which is checked but its values; it stays until the next
 * call. */
kiln_status bake_shipped_blob(shipped_file *file, uint32_t number, const unsigned char **ret_blob,
                              kiln_error *reterr);

/* Reports what is wrong with the file, at its first line. */
bake_result bake_shipped_refuse(const shipped_file *file, bake_run *run, const char *rule,
                                kiln_status status, const kiln_error *error);

#endif
