#include "whole_file.h"

#include "value_walk.h"

#include <kiln/blob_header.h>
#include <kiln/payload.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdlib.h>

static kiln_status check_asset(const kiln_index *index, uint32_t number, const kiln_types *types,
                               const unsigned char *data, kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(index, number);
    const kiln_index_member *member = kiln_index_member_at(index, asset->member);
    const unsigned char *blob = data + member->place;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type =
        kiln_types_find(types, kiln_string_get(&kiln_index_type_at(index, asset->type)->name));
    kiln_status status = kiln_verify(&def, blob, (size_t)member->size, reterr);
    if (status)
        return status;
    kiln_blob_header header;
    if (kiln_header_read(blob, (size_t)member->size, &header, reterr))
        abort();
    status = walk_verified(types, def.type, blob + kiln_header_payload_at(&header),
                           (size_t)header.payload_size);
    /* Every value that a verifier accepts can be traversed. */
    if (status)
        abort();
    return KILN_OK;
}

/* Checks payload assets and their data; a member that is not a blob has no other check. */
static kiln_status check_payloads(const kiln_index *index, const unsigned char *data, size_t size,
                                  kiln_error *reterr)
{
    kiln_index_frame frame;
    kiln_file_head head = {data, size, size};
    kiln_status status = kiln_index_frame_read(&head, false, &frame, reterr);
    for (uint32_t i = 0; !status && i < kiln_index_asset_count(index); i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        const kiln_index_member *member = kiln_index_member_at(index, asset->member);
        const kiln_payload_read_args args = {&frame, kiln_string_get(&asset->name), NULL};
        const kiln_span blob = {data + member->place, (size_t)member->size};
        kiln_payload_view view;
        if (kiln_index_type_at(index, asset->type)->layout != KILN_PAYLOAD_LAYOUT)
            continue;
        status = kiln_payload_view_read(blob, &args, &view, reterr);
        if (!status)
            status = kiln_payload_check(&view, index, data, NULL, reterr);
    }
    return status;
}

static kiln_status check_values(const kiln_index *index, const unsigned char *data,
                                kiln_error *reterr)
{
    const kiln_index_member *table = kiln_index_member_at(index, index->type_table - 1);
    kiln_types *types = NULL;
    kiln_status status =
        kiln_type_table_read(NULL, data + table->place, (size_t)table->size, &types, reterr);
    if (!status)
        status = kiln_index_check_types(index, types, reterr);
    for (uint32_t i = 0; !status && i < kiln_index_asset_count(index); i++)
        status = check_asset(index, i, types, data, reterr);
    kiln_types_destroy(types);
    return status;
}

kiln_status whole_file_check(const kiln_types *builtin, const void *data, size_t size,
                             kiln_error *reterr)
{
    const kiln_index *index;
    kiln_status status =
        kiln_index_check(builtin, NULL, &(kiln_file_head){data, size, size}, &index, reterr);
    if (!status)
        status = kiln_index_check_gaps(index, data, reterr);
    for (uint32_t i = 0; !status && i < index->members.count; i++)
        if (!kiln_index_member_is_payload(kiln_index_member_at(index, i)))
            status = kiln_index_check_member(index, i, data, true, reterr);
    if (!status)
        status = check_payloads(index, data, size, reterr);
    if (!status && index->type_table)
        status = check_values(index, data, reterr);
    return status;
}
