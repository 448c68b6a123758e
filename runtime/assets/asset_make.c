/* Makes the bytes of one asset, without the table's lock.
 *
 * The result is the member in place in the mapped file, a decompressed copy, or a value converted
 * to the program's layout. Only assets whose layout differs from the program's are converted. A
 * type that the program does not have is loaded as it is in the file. */
#include "asset_make.h"

#include "asset_blob.h"
#include "asset_conversions.h"
#include "asset_layers.h"
#include "asset_types.h"
#include "file_header.h"
#include "file_member.h"
#include "file_unpack.h"

#include <assert.h>
#include <kiln/blob_header.h>
#include <kiln/convert.h>
#include <stdio.h>
#include <string.h>

kiln_status kiln_asset_fail_in(const asset_mount *mount, uint32_t number, const kiln_error *error,
                               kiln_error *reterr)
{
    char path[2 * KILN_PATH_SIZE];
    snprintf(path, sizeof(path), "%s%s%s", kiln_asset_index_name(mount, number),
             error->path[0] ? ": " : "", error->path);
    return kiln_fail(reterr, error->status, error->offset, path);
}

/* The verification level for the asset. For deep verification it equals kiln_file_deep_level, but
 * needs no second lookup of the program's type. */
static kiln_file_level level_of(const asset_mount *mount, bool is_program_layout)
{
    if (mount->file->level != KILN_VERIFY_DEEP)
        return kiln_file_root_level(mount->file);
    return is_program_layout ? LEVEL_TRUSTED : LEVEL_VALUES;
}

/* The hash in a blob's header, which may be wrong if the blob was not verified. */
static uint64_t hash_of(const unsigned char *blob)
{
    uint64_t hash;
    memcpy(&hash, blob + offsetof(kiln_blob_header, hash), sizeof hash);
    return hash;
}

/* Sets the blob's bytes: the member in place, or a decompressed copy. */
static kiln_status get_bytes(kiln_assets *assets, asset_mount *mount, uint32_t number,
                             kiln_file_level level, asset_blob *blob, kiln_error *reterr)
{
    const kiln_index *index = mount->file->index;
    uint32_t member_number = kiln_index_asset_at(index, number)->member;
    if (kiln_file_is_packed(mount->file, member_number)) {
        kiln_unpacked unpacked;
        kiln_status status =
            kiln_file_unpack(mount->file, number, level, &assets->allocator, &unpacked, reterr);
        if (status != KILN_OK)
            return status;
        blob->bytes = blob->owned = unpacked.blob;
        blob->size = blob->owned_size = unpacked.size;
        blob->memory = KILN_ASSET_UNPACKED;
        blob->hash = hash_of(blob->bytes);
        return KILN_OK;
    }
    kiln_status status = kiln_file_check_asset(mount->file, number, level, NULL, reterr);
    if (status != KILN_OK)
        return status;
    const kiln_index_member *member = kiln_index_member_at(index, member_number);
    blob->bytes = kiln_file_member_bytes(mount->file, member);
    blob->size = (size_t)member->size;
    blob->memory = KILN_ASSET_MAPPED;
    blob->hash = hash_of(blob->bytes);
    return KILN_OK;
}

/* Replaces the bytes, which were verified, with a value in the program's layout. */
static kiln_status convert(kiln_assets *assets, const kiln_conversion *conversion, asset_blob *blob,
                           kiln_error *reterr)
{
    kiln_buffer made;
    kiln_asset_blob_prove(blob);
    kiln_status status = kiln_conversion_run(conversion, (kiln_span){blob->bytes, blob->size},
                                             &assets->allocator, &made, reterr);
    if (status != KILN_OK)
        return status;
    if (blob->owned)
        assets->allocator.free(assets->allocator.ctx, blob->owned, blob->owned_size);
    blob->bytes = blob->owned = made.data;
    blob->size = blob->owned_size = made.size;
    blob->memory = KILN_ASSET_CONVERTED;
    return KILN_OK;
}

static kiln_status make(kiln_assets *assets, asset_mount *mount, uint32_t number, asset_blob *blob,
                        kiln_error *reterr)
{
    uint32_t program = kiln_asset_program_type(assets, blob->type);
    const kiln_type *wanted =
        program != KILN_TYPE_NONE ? kiln_types_get(assets->types, program) : NULL;
    bool is_same = wanted && wanted->layout == blob->layout;
    if (!wanted || is_same)
        return get_bytes(assets, mount, number, level_of(mount, is_same), blob, reterr);
    if (assets->def.forbid_conversion)
        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, NULL);
    const kiln_conversion *conversion = NULL;
    uint32_t type = kiln_index_asset_at(mount->file->index, number)->type;
    kiln_status status =
        kiln_asset_conversions_get(assets, mount, type, program, &conversion, reterr);
    if (status != KILN_OK)
        return status;
    bool is_needed = kiln_conversion_need(conversion) == KILN_CONVERT_NEEDED;
    /* Conversion requires a valid value, even if the file's verification level requires less. */
    status = get_bytes(assets, mount, number, is_needed ? LEVEL_VALUES : level_of(mount, false),
                       blob, reterr);
    if (status == KILN_OK && is_needed)
        status = convert(assets, conversion, blob, reterr);
    blob->type = wanted->name;
    blob->layout = wanted->layout;
    return status;
}

kiln_status kiln_asset_make(kiln_assets *assets, asset_mount *mount, uint32_t number,
                            asset_blob **ret_blob, kiln_error *reterr)
{
    const kiln_index_type *type = kiln_asset_index_type(mount, number);
    asset_blob *blob = kiln_asset_blob_create(assets);
    if (!blob)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    blob->mount = mount;
    blob->number = number;
    blob->key =
        kiln_asset_blob_member_key(mount, kiln_index_asset_at(mount->file->index, number)->member);
    blob->name = "";
    blob->type = kiln_string_get(&type->name);
    blob->layout = type->layout;
    /* Small members are in the cache after their verification, so their content hash costs little.
     * The first replacement of the file proves the others, and most files are never replaced. */
    enum { PROVED_AT_ONCE = 1024 };
    kiln_error error = {0};
    kiln_status status = make(assets, mount, number, blob, &error);
    if (status != KILN_OK) {
        kiln_asset_blob_free(assets, blob);
        return kiln_asset_fail_in(mount, number, &error, reterr);
    }
    if (mount->file->source.mapped && blob->size <= PROVED_AT_ONCE)
        kiln_asset_blob_prove(blob);
    blob->root = kiln_asset_blob_root_of(blob->bytes);
    *ret_blob = blob;
    return KILN_OK;
}
