/* Appends built-in types to those of the schema. */
#ifndef BAKE_RUN_TYPES_H
#define BAKE_RUN_TYPES_H

#include "bake_run.h"

/* kiln_types_with_scene, or another function of blobfmt with the same contract. */
typedef kiln_status bake_types_function(const kiln_types *types, const kiln_allocator *allocator,
                                        kiln_types **ret_types, kiln_error *reterr);

/* Replaces the schema's types with the result of `append`. The schema has no types with these
 * names, because the namespace `kiln` is reserved. `purpose` describes the types in the message of
 * a failure. Call it before creating any object that uses the types. */
bake_result bake_run_append_types(bake_run *run, bake_types_function *append, const char *purpose);

#endif
