/* Any text: libyaml must accept what the quick YAML reader accepts, with the same tree. */
#include "fuzz_target.h"
#include "readers_agree.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool taken;
    if (!readers_agree((const char *)data, size, &taken))
        abort();
    return 0;
}
