/* Creates an insp_file from the bytes of a file. */
#ifndef INSP_LOAD_H
#define INSP_LOAD_H

#include "insp_file.h"

/* Opens the file with these bytes, which must be aligned to 4096 and stay valid. Returns KILN_OK or
 * KILN_NO_MEMORY; call insp_file_fini in both cases. */
kiln_status insp_file_init(insp_file *file, const char *path, const unsigned char *data,
                           size_t size);
void insp_file_fini(insp_file *file);

#endif
