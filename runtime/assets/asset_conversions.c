/* Compiling a conversion compares two types field by field, so it is done once per type of a
 * mounted file and shared. Loads compile without the table's lock, so `conversion_lock` is held
 * during the compilation: otherwise other loads of the same type would repeat the work. */
#include "asset_conversions.h"

#include "file_table.h"

#include <assert.h>
#include <string.h>

static kiln_status compile(kiln_assets *assets, const asset_mount *mount, const char *name,
                           uint32_t program_type, kiln_conversion **ret_conversion,
                           kiln_error *reterr)
{
    if (mount->file->index->type_table == 0)
        return kiln_fail(reterr, KILN_NO_TYPES, 0, name);
    const kiln_types *types = NULL;
    kiln_status status = kiln_file_table(mount->file, &types, reterr);
    if (status != KILN_OK)
        return status;
    kiln_conversion_def def = kiln_conversion_def_default();
    def.from = types;
    def.from_type = kiln_types_find(types, name);
    def.to = assets->types;
    def.to_type = program_type;
    def.allocator = &assets->allocator;
    def.skip_hash = true; /* the values are verified before they are converted */
    if (def.from_type == KILN_TYPE_NONE ||
        kiln_types_get(types, def.from_type)->kind != KILN_KIND_STRUCT)
        return kiln_fail(reterr, KILN_NO_TYPES, 0, name);
    return kiln_conversion_create(&def, ret_conversion, reterr);
}

static size_t conversions_bytes(const asset_mount *mount)
{
    return mount->file->index->types.count * sizeof(*mount->conversions);
}

kiln_status kiln_asset_conversions_get(kiln_assets *assets, asset_mount *mount, uint32_t type,
                                       uint32_t program_type,
                                       const kiln_conversion **ret_conversion, kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    assert(type < mount->file->index->types.count);
    pthread_mutex_lock(&assets->conversion_lock);
    if (!mount->conversions) {
        mount->conversions = assets->allocator.alloc(
            assets->allocator.ctx, conversions_bytes(mount), _Alignof(kiln_conversion *));
        if (mount->conversions)
            memset(mount->conversions, 0, conversions_bytes(mount));
        else
            status = kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    }
    if (status == KILN_OK && !mount->conversions[type]) {
        const kiln_index_type *of = kiln_index_type_at(mount->file->index, type);
        status = compile(assets, mount, kiln_string_get(&of->name), program_type,
                         &mount->conversions[type], reterr);
    }
    if (status == KILN_OK)
        *ret_conversion = mount->conversions[type];
    pthread_mutex_unlock(&assets->conversion_lock);
    return status;
}

void kiln_asset_conversions_fini(kiln_assets *assets, asset_mount *mount)
{
    if (!mount->conversions)
        return;
    for (uint32_t i = 0; i < mount->file->index->types.count; i++)
        kiln_conversion_destroy(mount->conversions[i]);
    assets->allocator.free(assets->allocator.ctx, mount->conversions, conversions_bytes(mount));
}
