/* A schema with the images of its defaults, which are values and so are baked. */
#ifndef BAKE_SCHEMA_DEFAULTS_H
#define BAKE_SCHEMA_DEFAULTS_H

#include "schema.h"

/* bake_schema_read, then the images of all defaults, and a check that readers accept the type table
 * of the result. Returns and fails like bake_schema_read. */
bake_result bake_schema_load(const bake_schema_def *def, bake_schema **ret_schema,
                             bake_failure *failure);

#endif
