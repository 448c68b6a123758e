/* Scenes and prefabs under a schema whose components have every kind of field, whose path is in
 * KILN_FUZZ_SCENE_SCHEMA. */
#include "bake_input.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bake_input_scenes("KILN_FUZZ_SCENE_SCHEMA", data, size);
    return 0;
}
