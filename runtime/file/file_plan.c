#define _POSIX_C_SOURCE 200809L

#include "file_plan.h"

#include "file_header.h"
#include "file_unpack.h"

#include <kiln/cluster_plan.h>

/* Checks the plan in the blob of a member, whether the blob is in the file or was decompressed. */
static kiln_status check_blob(const kiln_file *file, const kiln_index_member *member,
                              const unsigned char *blob, kiln_error *reterr)
{
    const kiln_cluster_plan *plan;
    kiln_span bytes = {blob, (size_t)member->size};
    kiln_status status =
        kiln_cluster_plan_read(file->index, bytes, &file->allocator, &plan, reterr);
    if (status != KILN_OK)
        kiln_file_shift_error(reterr, member->place);
    return status;
}

kiln_status kiln_file_check_plan(kiln_file *file, kiln_error *reterr)
{
    const kiln_index *index = file->index;
    kiln_status status = kiln_cluster_plan_check_names(index, file->source.data, reterr);
    uint32_t number = kiln_cluster_plan_find(index);
    if (status != KILN_OK || number == KILN_ASSET_NONE)
        return status;
    uint32_t member = kiln_index_asset_at(index, number)->member;
    const kiln_index_member *record = kiln_index_member_at(index, member);
    if (!kiln_file_is_packed(file, member))
        return check_blob(file, record, kiln_file_blob(file, member), reterr);
    kiln_unpacked made = {NULL, 0};
    status = kiln_file_decompress(file, member, false, &file->allocator, &made, reterr);
    if (status != KILN_OK)
        return status;
    status = check_blob(file, record, made.blob, reterr);
    file->allocator.free(file->allocator.ctx, made.blob, made.size);
    return status;
}
