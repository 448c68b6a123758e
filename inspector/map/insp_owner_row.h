/* Finds the owner of a byte in the chunks of a scene, which is a component of an entity. */
#ifndef INSP_OWNER_ROW_H
#define INSP_OWNER_ROW_H

#include "insp_owner.h"

/* Searches the rows of all scenes whose chunks are in the member. Leaves INSP_OWNED_UNKNOWN if none
 * contains the byte. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_owners_of_row(insp_owners *owners, const insp_file *file, uint32_t member,
                               uint64_t at);

/* Formats the first step of a path in a scene: `#` and the entity's name or number. Truncates it if
 * it does not fit. */
void insp_owner_entity(insp_text name, uint32_t number, char *out, size_t size);

#endif
