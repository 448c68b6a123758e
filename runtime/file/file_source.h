/* The bytes of an open file: a mapping, private memory, or memory of the program.
 *
 *     mapped             made by mmap, released by munmap
 *     owned != NULL      taken from the allocator, at a multiple of 4096
 *     neither            the program's; outlives the file
 *
 * A zeroed source is empty; kiln_file_source_fini accepts it. The bytes themselves are not checked.
 */
#ifndef KILN_FILE_SOURCE_H
#define KILN_FILE_SOURCE_H

#include <kiln/blob_header.h>
#include <kiln/file.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct kiln_file_source {
    const unsigned char *data;
    size_t size;
    unsigned char *owned;
    size_t owned_size;
    bool mapped;
    bool has_descriptor; /* of a mapped one: `descriptor` is open, so that it may be mapped again */
    int descriptor;
} kiln_file_source;

/* Gets the bytes that `def` names, at least one. On failure nothing is left behind and `ret_source`
 * is untouched; after KILN_IO errno has the reason. */
kiln_status kiln_file_source_init(const kiln_file_def *def, const kiln_allocator *allocator,
                                  kiln_file_source *ret_source, kiln_error *reterr);
/* Closes the descriptor of a file whose chunks will not be mapped again. */
void kiln_file_source_close_descriptor(kiln_file_source *source);
/* Keeps errno. */
void kiln_file_source_fini(kiln_file_source *source, const kiln_allocator *allocator);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
