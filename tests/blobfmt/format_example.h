/* The one complete file that FORMAT.md shows byte by byte, and the printing of it. */
#ifndef FORMAT_EXAMPLE_H
#define FORMAT_EXAMPLE_H

#include <kiln/allocator.h>
#include <kiln/types.h>

/* Number of the asset's type in the list. */
extern const uint32_t format_example_root;
/* The types of the example; NULL when they cannot be made. */
kiln_types *format_example_types(void);
/* The file, written through the library; empty when it cannot be made. */
kiln_buffer format_example_file(const kiln_types *types);

/* Writes lines `offset  bytes  what they are` for all bytes of the example into `text`; false when
 * it does not fit. */
bool format_example_print(const kiln_types *types, const kiln_buffer *file, char *text,
                          size_t size);

#endif
