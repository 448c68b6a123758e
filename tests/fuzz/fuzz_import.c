/* The output and exit of an importer. The first byte selects how the importer ended (64 or more:
 * with success) and the rule of the schema, the second its exit code or signal. The rest is its
 * output, or its standard error. The output is used as YAML of a file and as bytes of values, with
 * the schema whose path is in KILN_FUZZ_IMPORT_SCHEMA. */
#include "bake_input.h"
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>

/* A copy with a NUL after it, as program.h promises. */
static char *copy(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { KINDS = BAKE_PROGRAM_REFUSED + 1, MOSTLY_GOOD = 64, ERRORS_MAX = 4096 };
    if (size < 2)
        return 0;
    bake_program_end end = {.kind = BAKE_PROGRAM_EXITED};
    char *text = copy(data + 2, size - 2);
    if (data[0] < MOSTLY_GOOD) {
        end.kind = (bake_program_end_kind)(data[0] % KINDS);
        end.code = data[1];
    }
    if (end.kind == BAKE_PROGRAM_EXITED && end.code == 0) {
        end.output = text;
        end.size = size - 2;
    } else {
        end.errors = text;
        end.errors_size = size - 2 < ERRORS_MAX ? size - 2 : ERRORS_MAX;
        end.is_errors_cut = data[0] & 32;
    }
    bake_input_imported("KILN_FUZZ_IMPORT_SCHEMA", data[0] & 128 ? "t.table" : "t.text", &end);
    free(text);
    return 0;
}
