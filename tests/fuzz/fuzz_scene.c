/* Scenes and prefabs for a schema whose components have every kind of field. KILN_FUZZ_SCENE_SCHEMA
 * is the path of the schema. */
#include "bake_input.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bake_input_scenes("KILN_FUZZ_SCENE_SCHEMA", data, size);
    return 0;
}
