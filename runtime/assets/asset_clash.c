/* Ids are hashes of names, so two names can have the same id. A program's words would then lead to
 * the wrong asset; therefore one of the files is refused. */
#include "asset_clash.h"

#include "asset_entry.h"
#include "asset_types.h"

#include <stdio.h>
#include <string.h>

/* A type has two names if the program has renamed it. */
static bool is_same_type(const kiln_assets *assets, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return true;
    uint32_t type = kiln_asset_program_type(assets, a);
    return type != KILN_TYPE_NONE && type == kiln_asset_program_type(assets, b);
}

kiln_status kiln_asset_check_clash(const kiln_assets *assets, const asset_mount *mount,
                                   uint32_t number, const asset_found *found, kiln_error *reterr)
{
    const char *mine = kiln_asset_index_name(mount, number);
    const char *mine_type = kiln_string_get(&kiln_asset_index_type(mount, number)->name);
    const asset_entry *entry = found->slot != ASSET_NONE ? entry_at(assets, found->slot) : NULL;
    const char *other =
        found->mount ? kiln_asset_index_name(found->mount, found->number)
                     : kiln_asset_entry_name_of(entry, kiln_index_id(mount->file->index, number));
    const char *other_type =
        found->mount ? kiln_string_get(&kiln_asset_index_type(found->mount, found->number)->name)
                     : entry->blob->type;
    /* The other name is "" if it is damaged in the index of its file. A newer file may then correct
     * it. */
    if (other[0] && strcmp(mine, other) != 0) {
        char path[2 * KILN_PATH_SIZE];
        snprintf(path, sizeof(path), "%s, %s", mine, other);
        return kiln_fail(reterr, KILN_NAME_CLASH, 0, path);
    }
    if (!is_same_type(assets, mine_type, other_type))
        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, mine);
    return KILN_OK;
}
