/* The complete file that FORMAT.md shows byte by byte, and the code that prints it. */
#ifndef FORMAT_EXAMPLE_H
#define FORMAT_EXAMPLE_H

#include <kiln/allocator.h>
#include <kiln/types.h>

/* Index of the asset's type in the list. */
extern const uint32_t format_example_root;
/* The types of the example; NULL on failure. */
kiln_types *format_example_types(void);
/* The file, written through the library; empty on failure. */
kiln_buffer format_example_file(const kiln_types *types);

/* Writes a line `offset  bytes  meaning` for each part of the example to `text`. Returns false if
 * it does not fit. */
bool format_example_print(const kiln_types *types, const kiln_buffer *file, char *text,
                          size_t size);

#endif
