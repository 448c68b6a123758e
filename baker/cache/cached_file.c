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

/* Equal assets share a member, which is then checked once. `types` has one number for each member.
 */
static bool is_checked(uint32_t *types, const kiln_index_asset *asset)
{
    bool is_same = types[asset->member] == asset->type + 1;
    types[asset->member] = asset->type + 1;
    return is_same;
}

/* Subtracts the size of a member. Returns false if too little is left. */
static bool spend(const kiln_index *index, uint32_t member, uint64_t *left)
{
    uint64_t size = kiln_index_member_at(index, member)->size;
    bool is_enough = size <= *left;
    *left -= is_enough ? size : 0;
    return is_enough;
}

/* Whether all checks together read at most `most` bytes. A small file can have compressed members
 * of any size, or assets of many types that share one large member. */
static bool is_affordable(const kiln_index *index, uint32_t *types, uint64_t most)
{
    bool ok = true;
    for (uint32_t i = 0; i < index->members.count && ok; i++)
        if (kiln_index_member_is_payload(kiln_index_member_at(index, i)))
            ok = spend(index, i, &most);
    for (uint32_t i = 0; i < kiln_index_asset_count(index) && ok; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        ok = is_checked(types, asset) || spend(index, asset->member, &most);
    }
    return ok;
}

static kiln_status check_assets(shipped_file *file, uint32_t *types, kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < kiln_index_asset_count(file->index) && !status; i++) {
        if (is_checked(types, kiln_index_asset_at(file->index, i)))
            continue;
        status = check_asset(file, i, reterr);
        if (!status && bake_shipped_is_payload(file, i))
            status = check_payload(file, i, reterr);
    }
    return status;
}

static kiln_status check_all(shipped_file *file, uint64_t most, kiln_error *reterr)
{
    size_t count = file->index->members.count + (size_t)1;
    uint32_t *types = bake_alloc_array(count, sizeof *types);
    kiln_status status = KILN_NO_MEMORY;
    if (types && !is_affordable(file->index, types, most)) {
        status = KILN_TOO_LARGE;
    } else if (types) {
        memset(types, 0, count * sizeof *types);
        status = check_assets(file, types, reterr);
    }
    bake_free(types);
    return status;
}

kiln_status bake_cached_file_check(kiln_buffer *bytes, uint64_t size, uint64_t most)
{
    shipped_file file;
    kiln_error error = {.status = KILN_OK};
    /* The file is only lent. */
    kiln_buffer lent = *bytes;
    kiln_status status = bake_shipped_open(&file, &lent, size, &error);
    if (!status)
        status = check_all(&file, most, &error);
    memset(&file.file, 0, sizeof file.file);
    bake_shipped_fini(&file);
    return status;
}
