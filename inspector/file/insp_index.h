/* Reads the index of a file into an insp_file. */
#ifndef INSP_INDEX_H
#define INSP_INDEX_H

#include "insp_file.h"

/* Finds the lists in the payload of the index, and reads the types. Violations are recorded in
 * `file`. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_index_read(insp_file *file, uint64_t payload_at, uint64_t payload_size);
/* Like insp_index_read, for the types in the blob of a type table. */
kiln_status insp_index_types(insp_file *file, const unsigned char *blob, uint64_t size);

#endif
