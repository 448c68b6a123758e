/* Checks the rules R1 to R4.
 *
 * insp_check.c has already checked the blob of the list as a value of its type, so errors of the
 * blob are not reported again. */
#include "insp_redirects_check.h"

#include "insp_memory.h"
#include "insp_redirects.h"
#include "insp_unpack.h"

kiln_status insp_check_redirects(insp_check *check)
{
    const insp_file *file = check->file;
    const insp_asset *asset = file->index ? insp_redirects_asset(file) : NULL;
    const insp_type_name *type = asset ? insp_type_name_at(file, asset->type_name) : NULL;
    const insp_member *member = asset ? insp_asset_member(file, asset) : NULL;
    const kiln_redirects *redirects;
    const unsigned char *blob;
    uint64_t size;
    kiln_error error = {.offset = offsetof(kiln_blob_header, layout)};
    kiln_status status;
    if (!type || !member)
        return KILN_OK;
    /* Checks H10 against the format's own type, even if the file describes a different
     * kiln.Redirects. */
    if (type->layout != KILN_REDIRECTS_LAYOUT)
        return insp_add_asset_finding(check, asset, KILN_H_LAYOUT, &error, member->place);
    status = insp_file_blob(file, asset->member, &blob, &size);
    if (status)
        return status == KILN_NO_MEMORY ? status : KILN_OK;
    status = kiln_redirects_read((kiln_span){blob, (size_t)size}, file->index, insp_allocator(),
                                 &redirects, &error);
    if (kiln_status_rule(status)[0] != 'R' && status != KILN_NO_MEMORY)
        return KILN_OK;
    return insp_add_asset_finding(check, asset, status, &error, member->place);
}
