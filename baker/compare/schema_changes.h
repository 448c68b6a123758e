/* Adds the differences between the older and the newer version of a type to its finding.
 * schema_change_writing.c covers the parts of a schema that baked files do not store. */
#ifndef BAKE_SCHEMA_CHANGES_H
#define BAKE_SCHEMA_CHANGES_H

#include "schema_compare.h"

/* Adds the differences between the two types of a finding, but not those of the types that they
 * contain. */
void bake_schema_changes(const schema_comparison *comparison, schema_finding *finding);

/* schema_change_writing.c: adds changes to written forms, inheritance and asset names.
 * `older_index` maps each newer member to its older one, or to KILN_TYPE_NONE. */
void bake_schema_writing_changes(const schema_comparison *comparison, schema_finding *finding,
                                 const uint32_t *older_index);

#endif
