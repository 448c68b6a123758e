/* From a place in a file to the values whose bytes are stored there. */
#ifndef INSP_OWNER_FIND_H
#define INSP_OWNER_FIND_H

#include "insp_owner.h"

/* KILN_OK or KILN_NO_MEMORY; either way ended by insp_owners_fini. The work is bounded by the
 * file's size, whatever its bytes. */
kiln_status insp_owners_find(insp_owners *owners, const insp_map *map, uint64_t at);

#endif
