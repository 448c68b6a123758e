/* An arbitrary schema; the data for it follows after a line `===`. */
#include "bake_input.h"
#include "fuzz_target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char line[] = "\n===\n";
    size_t end = size, skip = size;
    for (size_t i = 0; i + sizeof line - 1 <= size && end == size; i++) {
        if (memcmp(data + i, line, sizeof line - 1) == 0) {
            end = i + 1;
            skip = i + sizeof line - 1;
        }
    }
    bake_input_with_schema(data, end, data + skip, size - skip);
    return 0;
}
