#include "run_types.h"

#include "bake_memory.h"

#include <stdio.h>
#include <string.h>

bake_result bake_run_append_types(bake_run *run, bake_types_function *append, const char *purpose)
{
    kiln_allocator allocator = bake_memory_allocator();
    kiln_types *types;
    kiln_error error;
    char what[64];
    memset(&error, 0, sizeof error);
    kiln_status status = append(run->schema->types, &allocator, &types, &error);
    if (status && status != KILN_NO_MEMORY) {
        snprintf(what, sizeof what, "types of %s", purpose);
        return bake_fail_bug(&run->failure, what, status, &error);
    }
    if (status || !bake_schema_replace_types(run->schema, types))
        return bake_fail_memory(&run->failure);
    return BAKE_OK;
}
