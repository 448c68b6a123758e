#include "asset_make.h"

#include "asset_blob.h"
#include "asset_layers.h"
#include "file_member.h"

#include <kiln/blob_header.h>
#include <stdio.h>
#include <string.h>

uint32_t kiln_asset_program_type(const kiln_assets *assets, const char *name)
{
    uint32_t found = assets->types ? kiln_types_find(assets->types, name) : KILN_TYPE_NONE;
    bool is_struct =
        found != KILN_TYPE_NONE && kiln_types_get(assets->types, found)->kind == KILN_KIND_STRUCT;
    return is_struct ? found : KILN_TYPE_NONE;
}

/* Puts the asset's name before what went wrong in it. */
static kiln_status fail_in(const asset_mount *mount, uint32_t number, const kiln_error *error,
                           kiln_error *reterr)
{
    char path[2 * KILN_PATH_SIZE];
    snprintf(path, sizeof(path), "%s%s%s", kiln_asset_index_name(mount, number),
             error->path[0] ? ": " : "", error->path);
    return kiln_fail(reterr, error->status, error->offset, path);
}

/* Uses the member where it lies. */
static kiln_status make_mapped(asset_mount *mount, uint32_t number, kiln_file_level level,
                               asset_blob *blob, kiln_error *reterr)
{
    kiln_status status = kiln_file_check_asset(mount->file, number, level, NULL, reterr);
    if (status != KILN_OK)
        return status;
    const kiln_index *index = mount->file->index;
    const kiln_index_member *member =
        kiln_index_member_at(index, kiln_index_asset_at(index, number)->member);
    blob->bytes = kiln_file_member_bytes(mount->file, member);
    blob->size = (size_t)member->size;
    blob->memory = KILN_ASSET_MAPPED;
    return KILN_OK;
}

static kiln_file_level level_of(const kiln_assets *assets, const asset_mount *mount,
                                const kiln_index_type *type)
{
    if (mount->file->tier == KILN_TIER_NONE)
        return LEVEL_HEADER;
    if (mount->file->tier == KILN_TIER_HASH)
        return LEVEL_HASH;
    uint32_t program = kiln_asset_program_type(assets, kiln_string_get(&type->name));
    bool is_same =
        program != KILN_TYPE_NONE && kiln_types_get(assets->types, program)->layout == type->layout;
    return is_same ? LEVEL_TRUSTED : LEVEL_VALUES;
}

kiln_status kiln_asset_make(kiln_assets *assets, asset_mount *mount, uint32_t number,
                            asset_blob **ret_blob, kiln_error *reterr)
{
    const kiln_index *index = mount->file->index;
    const kiln_index_type *type = kiln_asset_index_type(mount, number);
    asset_blob *blob = kiln_asset_blob_create(assets);
    if (!blob)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    blob->mount = mount;
    blob->key = kiln_asset_blob_member_key(mount, kiln_index_asset_at(index, number)->member);
    blob->name = "";
    blob->type = kiln_string_get(&type->name);
    blob->layout = type->layout;
    kiln_error error = {0};
    kiln_status status = make_mapped(mount, number, level_of(assets, mount, type), blob, &error);
    if (status != KILN_OK) {
        kiln_asset_blob_free(assets, blob);
        return fail_in(mount, number, &error, reterr);
    }
    blob->root = kiln_asset_blob_root_of(blob->bytes);
    *ret_blob = blob;
    return KILN_OK;
}

void kiln_asset_make_end_mount(kiln_assets *assets, asset_mount *mount)
{
    (void)assets;
    (void)mount;
}
