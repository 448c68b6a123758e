/* Checks the rules K1 to K6, which relate a cluster plan to the index.
 *
 * insp_check.c has already checked the plan's blob as a value of its type, so errors of the blob
 * are not reported again. */
#include "insp_plan_check.h"

#include "insp_memory.h"
#include "insp_plan.h"
#include "insp_unpack.h"

#include <kiln/cluster_plan.h>

static kiln_status check_numbers(insp_check *check, const insp_asset *asset)
{
    const insp_file *file = check->file;
    const insp_type_name *type = insp_type_name_at(file, asset->type_name);
    const insp_member *member = insp_asset_member(file, asset);
    const kiln_cluster_plan *plan;
    const unsigned char *blob;
    uint64_t size;
    kiln_error error = {.offset = offsetof(kiln_blob_header, layout)};
    kiln_status status;
    if (!type || !member)
        return KILN_OK;
    /* Checks H10 against the format's own type, even if the file describes a different
     * kiln.Clusters. */
    if (type->layout != KILN_CLUSTERS_LAYOUT)
        return insp_add_asset_finding(check, asset, KILN_H_LAYOUT, &error, member->place);
    status = insp_file_blob(file, asset->member, &blob, &size);
    if (status)
        return status == KILN_NO_MEMORY ? status : KILN_OK;
    status = kiln_cluster_plan_read(file->index, (kiln_span){blob, (size_t)size}, insp_allocator(),
                                    &plan, &error);
    if (kiln_status_rule(status)[0] != 'K' && status != KILN_NO_MEMORY)
        return KILN_OK;
    return insp_add_asset_finding(check, asset, status, &error, member->place);
}

kiln_status insp_check_plan(insp_check *check)
{
    const insp_file *file = check->file;
    const insp_asset *asset = insp_plan_asset(file);
    kiln_error error = {.status = KILN_OK};
    kiln_status status;
    if (!file->index)
        return KILN_OK;
    status = kiln_cluster_plan_check_names(file->index, file->data, &error);
    status = insp_add_finding(check, "index", KILN_ASSET_NONE, status, &error, 0);
    if (status || !asset)
        return status;
    return check_numbers(check, asset);
}
