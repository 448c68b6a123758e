/* What a file's index says, for insp_file.c. */
#ifndef INSP_INDEX_H
#define INSP_INDEX_H

#include "insp_file.h"

/* Members, assets, names and types, from the index's payload; KILN_OK or KILN_NO_MEMORY. What is
 * wrong with the index is kept in the file. */
kiln_status insp_index_read(insp_file *file, uint64_t payload_at, uint64_t payload_size);
/* The types of a type table blob, likewise. */
kiln_status insp_index_types(insp_file *file, const unsigned char *blob, uint64_t size);

#endif
