#include "cached_file.h"

#include "bake_memory.h"
#include "shipped_file.h"
#include "shipped_payload.h"

#include <kiln/verify.h>
#include <string.h>

/* Verifies the blob of an asset as a value of its type. */
static kiln_status check_asset(shipped_file *file, uint32_t number, kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(file->index, number);
    const kiln_index_type *type = kiln_index_type_at(file->index, asset->type);
    const char *name = kiln_string_get(&type->name);
    const kiln_types *types = file->types ? file->types : file->builtin;
    kiln_verify_def def = kiln_verify_def_default();
    const unsigned char *blob;
    kiln_status status = bake_shipped_blob(file, asset->member, &blob, reterr);
    if (status)
        return status;
    def.type = kiln_types_find(types, name);
    if (def.type == KILN_TYPE_NONE) {
        types = file->builtin;
        def.type = kiln_types_find(types, name);
    }
    if (def.type == KILN_TYPE_NONE)
        return KILN_OK;
    def.types = types;
    def.allocator = &file->allocator;
    def.skip_hash = true;
    def.check_canonical = false;
    return kiln_verify(&def, blob, (size_t)kiln_index_member_at(file->index, asset->member)->size,
                       reterr);
}

/* Checks the data of a payload asset. */
static kiln_status check_payload(shipped_file *file, uint32_t number, kiln_error *reterr)
{
    shipped_payload payload;
    kiln_status status = bake_shipped_payload(file, number, &payload, reterr);
    if (!status)
        bake_shipped_payload_fini(&payload);
    return status;
}

/* Equal assets share a member, which is then checked once. */
static kiln_status check_assets(shipped_file *file, kiln_error *reterr)
{
    uint32_t count = kiln_index_asset_count(file->index);
    uint32_t *types = bake_alloc_array(file->index->members.count + (size_t)1, sizeof *types);
    kiln_status status = types ? KILN_OK : KILN_NO_MEMORY;
    for (uint32_t i = 0; i < count && !status; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(file->index, i);
        if (types[asset->member] == asset->type + 1)
            continue;
        types[asset->member] = asset->type + 1;
        status = check_asset(file, i, reterr);
        if (!status && bake_shipped_is_payload(file, i))
            status = check_payload(file, i, reterr);
    }
    bake_free(types);
    return status;
}

kiln_status bake_cached_file_check(kiln_buffer *bytes, uint64_t size)
{
    shipped_file file;
    kiln_error error = {.status = KILN_OK};
    /* The file is only lent. */
    kiln_buffer lent = *bytes;
    kiln_status status = bake_shipped_open(&file, &lent, size, &error);
    if (!status)
        status = check_assets(&file, &error);
    memset(&file.file, 0, sizeof file.file);
    bake_shipped_fini(&file);
    return status;
}
