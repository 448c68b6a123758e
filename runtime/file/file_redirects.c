/* Finds the list of redirects by its name and type, and checks it against the built-in type instead
 * of the file's type table, which may be absent or wrong. */
#include "file_redirects.h"

#include "file_header.h"
#include "file_member.h"

#include <string.h>

/* The number of the asset; KILN_ASSET_NONE if the file has no list. */
static uint32_t find_list(const kiln_file *file)
{
    uint32_t number =
        kiln_index_find_name(file->index, KILN_REDIRECTS_NAME, sizeof KILN_REDIRECTS_NAME - 1);
    if (number == KILN_ASSET_NONE || !kiln_index_asset_is_valid(file->index, number))
        return KILN_ASSET_NONE;
    const kiln_index_type *type =
        kiln_index_type_at(file->index, kiln_index_asset_at(file->index, number)->type);
    return strcmp(kiln_string_get(&type->name), KILN_REDIRECTS_TYPE_NAME) == 0 ? number
                                                                               : KILN_ASSET_NONE;
}

void kiln_file_redirects_fini(kiln_file_redirects *redirects, const kiln_allocator *allocator)
{
    if (redirects->unpacked.blob)
        allocator->free(allocator->ctx, redirects->unpacked.blob, redirects->unpacked.size);
    *redirects = (kiln_file_redirects){0};
}

kiln_status kiln_file_redirects_read(kiln_file *file, const kiln_allocator *allocator,
                                     kiln_file_redirects *ret_redirects, kiln_error *reterr)
{
    kiln_file_redirects made = {0};
    uint32_t number = find_list(file);
    if (number == KILN_ASSET_NONE) {
        *ret_redirects = made;
        return KILN_OK;
    }
    const uint32_t member_number = kiln_index_asset_at(file->index, number)->member;
    const kiln_index_member *member = kiln_index_member_at(file->index, member_number);
    const bool is_packed = kiln_file_is_packed(file, member_number);
    kiln_status status =
        is_packed ? kiln_file_unpack(file, number, LEVEL_HEADER, allocator, &made.unpacked, reterr)
                  : kiln_file_check_asset(file, number, LEVEL_HEADER, NULL, reterr);
    if (status != KILN_OK)
        return status;
    kiln_span blob = {made.unpacked.blob, made.unpacked.size};
    if (!is_packed)
        blob = (kiln_span){kiln_file_member_bytes(file, member), (size_t)member->size};
    status = kiln_redirects_read(blob, file->index, allocator, &made.list, reterr);
    if (status == KILN_OK) {
        *ret_redirects = made;
        return KILN_OK;
    }
    kiln_file_shift_error(reterr, member->place);
    kiln_file_redirects_fini(&made, allocator);
    return status;
}
