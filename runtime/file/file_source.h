/* The bytes of an open file: a mapping, private memory, or the program's memory.
 *
 *     mapped             mapped by mmap, released by munmap
 *     owned != NULL      from the allocator; `data` is in it, aligned to 4096 bytes or more
 *     neither            the program's memory; outlives the file
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
    size_t reserved; /* bytes of address space of an aligned mapping; 0: `size` */
    bool mapped;
    bool has_descriptor; /* `descriptor` of the mapped file is open, so that chunks can be mapped
                            again */
    int descriptor;
} kiln_file_source;

/* Opens the bytes that `def` specifies; there must be at least one byte. On failure nothing is
 * leaked and `ret_source` is untouched; after KILN_IO errno has the reason. */
kiln_status kiln_file_source_init(const kiln_file_def *def, const kiln_allocator *allocator,
                                  kiln_file_source *ret_source, kiln_error *reterr);
/* Moves the bytes of a mapping or of private memory to an address that is a multiple of `align`,
 * which is at least the page size. The descriptor of a mapping must be open. On failure nothing
 * changes. NO_MEMORY; after KILN_IO errno has the reason. */
kiln_status kiln_file_source_align(kiln_file_source *source, size_t align,
                                   const kiln_allocator *allocator);
/* Closes the descriptor of a file whose chunks will not be mapped again. */
void kiln_file_source_close_descriptor(kiln_file_source *source);
/* Releases the bytes. Preserves errno. */
void kiln_file_source_fini(kiln_file_source *source, const kiln_allocator *allocator);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
