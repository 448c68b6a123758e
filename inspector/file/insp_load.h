/* Creates an insp_file from the bytes of a file. */
#ifndef INSP_LOAD_H
#define INSP_LOAD_H

#include "insp_file.h"

/* Takes ownership of `data`, which must be aligned to 4096 and allocated with insp_memory.h.
 * Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_file_init(insp_file *file, const char *path, unsigned char *data, size_t size);
void insp_file_fini(insp_file *file);

#endif
