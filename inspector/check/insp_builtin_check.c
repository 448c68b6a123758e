#include "insp_builtin_check.h"

#include "insp_unpack.h"

#include <stddef.h>

kiln_status insp_check_builtin(insp_check *check, const insp_asset *asset,
                               const insp_builtin_rules *rules)
{
    const insp_file *file = check->file;
    const insp_type_name *type = insp_type_name_at(file, asset->type_name);
    const insp_member *member = insp_asset_member(file, asset);
    const unsigned char *blob;
    uint64_t size;
    kiln_error error = {.offset = offsetof(kiln_blob_header, layout)};
    kiln_status status;
    if (!type || !member)
        return KILN_OK;
    /* Checks H10 against the format's own type, even if the file describes a different type of that
     * name. */
    if (type->layout != rules->layout)
        return insp_add_asset_finding(check, asset, KILN_H_LAYOUT, &error, member->place);
    status = insp_file_blob(file, asset->member, &blob, &size);
    if (status)
        return status == KILN_NO_MEMORY ? status : KILN_OK;
    status = rules->read(file, (kiln_span){blob, (size_t)size}, &error);
    if (kiln_status_rule(status)[0] != rules->letter && status != KILN_NO_MEMORY)
        return KILN_OK;
    return insp_add_asset_finding(check, asset, status, &error, member->place);
}
