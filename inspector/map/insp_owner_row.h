/* The same for the chunks of a scene, where a byte belongs to a component of an entity. */
#ifndef INSP_OWNER_ROW_H
#define INSP_OWNER_ROW_H

#include "insp_owner.h"

/* Searches the rows of the scenes whose chunks are in the member; leaves INSP_OWNED_UNKNOWN if the
 * place is in none. KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_owners_of_row(insp_owners *owners, const insp_file *file, uint32_t member,
                               uint64_t at);

/* The beginning of a path in a scene's map: `#` and the entity's name, or its number. Cut if it
 * does not fit. */
void insp_owner_entity(insp_text name, uint32_t number, char *out, size_t size);

#endif
