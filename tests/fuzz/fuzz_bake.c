/* YAML from anywhere under a schema that has every feature, whose path is in KILN_FUZZ_SCHEMA. */
#include "bake_input.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bake_input("KILN_FUZZ_SCHEMA", data, size);
    return 0;
}
