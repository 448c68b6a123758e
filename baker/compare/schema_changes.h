/* The differences between the older and the newer form of a type, as changes of its finding. Part:
 * schema_change_writing.c, for what only schemas contain. */
#ifndef BAKE_SCHEMA_CHANGES_H
#define BAKE_SCHEMA_CHANGES_H

#include "schema_compare.h"

/* Adds the differences of the two types of a finding, without those of their parts. */
void bake_schema_changes(const schema_comparison *comparison, schema_finding *finding);

/* schema_change_writing.c: adds what changed in how values are written, how they are inherited and
 * how assets are named. `numbers` has the older member of each newer one, or KILN_TYPE_NONE. */
void bake_schema_writing_changes(const schema_comparison *comparison, schema_finding *finding,
                                 const uint32_t *numbers);

#endif
