/* Scenes and prefabs under a schema whose components have every kind of field, whose path is in
 * KILN_FUZZ_SCENE_SCHEMA. */
#include "bake_input.h"
#include "fuzz_target.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *schema = getenv("KILN_FUZZ_SCENE_SCHEMA");
    if (!schema)
        abort();
    bake_input_scenes(schema, data, size);
    return 0;
}
