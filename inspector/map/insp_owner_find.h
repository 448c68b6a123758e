/* Finds the values that own the byte at an offset of a file. */
#ifndef INSP_OWNER_FIND_H
#define INSP_OWNER_FIND_H

#include "insp_owner.h"

/* Finds the owners of the byte at `at`. Returns KILN_OK or KILN_NO_MEMORY; call insp_owners_fini in
 * both cases. The work is bounded by the file size, even for hostile files. */
kiln_status insp_owners_find(insp_owners *owners, const insp_map *map, uint64_t at);

#endif
