/* YAML from anywhere under a schema that has every feature, whose path is in KILN_FUZZ_SCHEMA. */
#include "bake_input.h"
#include "fuzz_target.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *schema = getenv("KILN_FUZZ_SCHEMA");
    if (!schema)
        abort();
    bake_input(schema, data, size);
    return 0;
}
