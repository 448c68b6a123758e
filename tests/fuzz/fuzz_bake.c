/* Arbitrary YAML for a schema that has every feature. KILN_FUZZ_SCHEMA is the path of the schema.
 */
#include "bake_input.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bake_input("KILN_FUZZ_SCHEMA", data, size);
    return 0;
}
