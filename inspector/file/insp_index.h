/* Reads the index of a file into an insp_file. */
#ifndef INSP_INDEX_H
#define INSP_INDEX_H

#include "insp_file.h"

/* Members, assets, names and types, from the payload of the index. Returns KILN_NO_MEMORY or
 * KILN_OK. What is broken in the index is recorded in `file`. */
kiln_status insp_index_read(insp_file *file, uint64_t payload_at, uint64_t payload_size);
/* The same for the types of a type table blob. */
kiln_status insp_index_types(insp_file *file, const unsigned char *blob, uint64_t size);

#endif
