/* Loads a schema and bakes the images of its defaults. */
#ifndef BAKE_SCHEMA_DEFAULTS_H
#define BAKE_SCHEMA_DEFAULTS_H

#include "schema.h"

/* Reads the schema, bakes all defaults, and checks that readers accept its type table. Returns and
 * fails like bake_schema_read. */
bake_result bake_schema_load(const bake_schema_def *def, bake_schema **ret_schema,
                             bake_failure *failure);

#endif
