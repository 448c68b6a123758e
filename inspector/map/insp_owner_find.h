/* From a place in a file to the values whose bytes are stored there. */
#ifndef INSP_OWNER_FIND_H
#define INSP_OWNER_FIND_H

#include "insp_owner.h"

/* KILN_OK or KILN_NO_MEMORY; call insp_owners_fini in both cases. The work is bounded by the size
 * of the file, whatever its bytes. */
kiln_status insp_owners_find(insp_owners *owners, const insp_map *map, uint64_t at);

#endif
