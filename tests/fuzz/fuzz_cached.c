/* A kiln file from a cache, after an ignored byte. The check of such files accepts every valid file
 * that is small enough, whether it is in memory or read in parts. */
#include "blob_patch.h"
#include "fuzz_target.h"

#include "cached_file.h"
#include "whole_file.h"

#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 22 };

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static bool read_part(void *ctx, uint64_t offset, void *memory, size_t size)
{
    const patched *file = ctx;
    if (offset > file->size || size > file->size - offset)
        return false;
    memcpy(memory, file->data + offset, size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static kiln_types *builtin;
    kiln_error error;
    if (size < 2)
        return 0;
    require(builtin || !kiln_types_create_builtin(NULL, &builtin, NULL), "no memory");
    patched file = patched_copy(data + 1, size - 1);
    const bake_cache_source whole = {.data = file.data, .size = file.size};
    const bake_cache_source parts = {.size = file.size, .read = read_part, .ctx = &file};
    kiln_status status = bake_cached_file_check(&whole, MOST);
    require(bake_cached_file_check(&parts, MOST) == status, "parts are judged differently");
    if (status && status != KILN_TOO_LARGE)
        require(whole_file_check(builtin, file.data, file.size, &error) != KILN_OK,
                "a valid file was refused");
    patched_fini(&file);
    return 0;
}
