#include "blob_input.h"

#include "blob_patch.h"
#include "random_types.h"
#include "test_types.h"

#include <kiln/type_table.h>
#include <stdlib.h>
#include <string.h>

static kiln_types *fixed, *builtin, *chosen;
static uint64_t chosen_seed;

static void end(void)
{
    kiln_types_destroy(fixed);
    kiln_types_destroy(builtin);
    kiln_types_destroy(chosen);
}

static void prepare(void)
{
    if (fixed)
        return;
    fixed = test_types_create(NULL);
    if (kiln_types_create_builtin(NULL, &builtin, NULL))
        abort();
    atexit(end);
}

const kiln_types *blob_input_types(void)
{
    prepare();
    return fixed;
}

const kiln_types *blob_input_builtin(void)
{
    prepare();
    return builtin;
}

const kiln_types *blob_input_random(const unsigned char *seed)
{
    uint64_t number;
    prepare();
    memcpy(&number, seed, sizeof number);
    if (!chosen || number != chosen_seed) {
        kiln_types_destroy(chosen);
        chosen = random_types_create(number);
        chosen_seed = number;
    }
    return chosen;
}

void blob_input_rehash(unsigned char *blob, size_t size)
{
    kiln_blob_header header;
    if (kiln_header_read(blob, size, &header, NULL) == KILN_OK)
        patched_rehash(blob);
}
