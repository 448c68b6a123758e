/* Which types can contain a value of certain types, so that a search skips all other values. */
#ifndef INSP_TYPE_REACH_H
#define INSP_TYPE_REACH_H

#include <kiln/types.h>

/* Returns an element for each type: whether `wanted` is set for the type itself, or for any type of
 * its parts, at any depth. The caller frees the array with insp_free. NULL if memory runs out.
 * Linear in the type list, also if types contain one another. */
bool *insp_type_reach(const kiln_types *types, const bool *wanted);

/* Returns the array for `wanted` kinds: bit `1 << kind` for each. */
bool *insp_type_reach_kinds(const kiln_types *types, uint32_t kinds);

#endif
