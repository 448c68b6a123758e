/* Checks payload assets against their members. insp_check.c has already checked the blobs of the
 * assets, so only rules that relate a blob to the index or the data are reported here. */
#include "insp_payload_check.h"

#include "insp_memory.h"
#include "insp_payload.h"

#include <stddef.h>

static kiln_status check_payload(insp_check *check, const insp_asset *asset)
{
    const insp_file *file = check->file;
    const insp_type_name *type = insp_type_name_at(file, asset->type_name);
    const insp_member *member = insp_asset_member(file, asset);
    kiln_error error = {.offset = offsetof(kiln_blob_header, layout)};
    kiln_payload_view view;
    kiln_status status;
    if (!type || !member)
        return KILN_OK;
    /* Checks H10 against the format's own type, even if the file describes a different type of that
     * name. */
    if (type->layout != KILN_PAYLOAD_LAYOUT)
        return insp_add_asset_finding(check, asset, KILN_H_LAYOUT, &error, member->place);
    status = insp_payload_view(file, asset, &view, &error);
    if (status && kiln_status_rule(status)[0] != 'P' && status != KILN_NO_MEMORY)
        return KILN_OK;
    if (status)
        return insp_add_asset_finding(check, asset, status, &error, member->place);
    status = kiln_payload_check(&view, file->index, file->data, insp_allocator(), &error);
    return insp_add_asset_finding(check, asset, status, &error, 0);
}

kiln_status insp_check_payloads(insp_check *check)
{
    const insp_file *file = check->file;
    kiln_status status = KILN_OK;
    uint32_t i;
    for (i = 0; file->index && i < file->asset_count && !status; i++)
        if (insp_is_payload(file, insp_asset_at(file, i)))
            status = check_payload(check, insp_asset_at(file, i));
    return status;
}
