#include "insp_file.h"

#include "insp_index.h"
#include "insp_memory.h"
#include "insp_unpack.h"

#include <kiln/scene.h>
#include <kiln/type_table.h>
#include <string.h>

bool insp_blob_payload(const unsigned char *blob, uint64_t size, kiln_blob_header *ret_header,
                       uint64_t *ret_at, uint64_t *ret_size)
{
    uint64_t at, left;
    if (size < KILN_HEADER_SIZE || memcmp(blob, "KILN", 4) != 0)
        return false;
    memcpy(ret_header, blob, sizeof *ret_header);
    at = kiln_header_payload_at(ret_header);
    if (at > size)
        at = size;
    left = size - at;
    *ret_at = at;
    *ret_size = ret_header->payload_size < left ? ret_header->payload_size : left;
    return true;
}

bool insp_file_member(const insp_file *file, uint32_t member, const unsigned char **ret_data,
                      uint64_t *ret_size)
{
    const insp_member *at = insp_member_at(file, member);
    if (!at || !at->in_place)
        return false;
    *ret_data = file->data + at->place;
    *ret_size = at->stored_size;
    return true;
}

insp_text insp_kind_word(insp_text name)
{
    const char *slash = name.length ? memchr(name.data, '/', name.length) : NULL;
    if (slash)
        name.length = (uint32_t)(slash - name.data);
    return name;
}

static kiln_status create_types(insp_file *file)
{
    kiln_types *fixed = NULL;
    kiln_status status = kiln_types_create_builtin(insp_allocator(), &fixed, NULL);
    if (!status)
        status = kiln_types_with_scene(fixed, insp_allocator(), &file->builtin, NULL);
    kiln_types_destroy(fixed);
    return status;
}

kiln_status insp_file_init(insp_file *file, const char *path, unsigned char *data, size_t size)
{
    uint64_t payload_at = 0, payload_size = 0;
    kiln_blob_header checked;
    kiln_status status;
    *file = (insp_file){.path = path, .data = data, .size = size, .table_member = KILN_ASSET_NONE};
    status = create_types(file);
    if (status)
        return status;
    file->has_header = insp_blob_payload(data, size, &file->header, &payload_at, &payload_size);
    file->header_error.status = kiln_header_read(data, size, &checked, &file->header_error);
    if (!file->has_header)
        return KILN_OK;
    if (kiln_header_kind(&file->header) == KILN_BLOB_INDEX)
        return insp_index_read(file, payload_at, payload_size);
    if (kiln_header_kind(&file->header) == KILN_BLOB_TYPE_TABLE)
        return insp_index_types(file, data, size);
    return KILN_OK;
}

void insp_file_fini(insp_file *file)
{
    kiln_types_destroy(file->types);
    kiln_types_destroy(file->builtin);
    insp_unpacking_destroy(file->unpacking);
    insp_free(file->assets);
    insp_free(file->members);
    insp_free(file->type_names);
    insp_free(file->names);
    insp_free(file->data);
    *file = (insp_file){0};
}

uint32_t insp_asset_type(const insp_file *file, const insp_asset *asset)
{
    const insp_type_name *type = insp_type_name_at(file, asset->type_name);
    return type ? type->type : KILN_TYPE_NONE;
}

insp_text insp_asset_type_name(const insp_file *file, const insp_asset *asset)
{
    const insp_type_name *type = insp_type_name_at(file, asset->type_name);
    insp_text none = {"?", 1};
    return type ? type->name : none;
}

kiln_status insp_asset_root(const insp_file *file, const insp_asset *asset, kiln_value *ret_value)
{
    const unsigned char *blob;
    uint64_t size, payload_at, payload_size;
    kiln_blob_header header;
    uint32_t type = insp_asset_type(file, asset);
    kiln_status status;
    if (!insp_file_member(file, asset->member, &blob, &size))
        return KILN_NOT_FOUND;
    if (type == KILN_TYPE_NONE)
        return KILN_NO_TYPES;
    status = insp_file_blob(file, asset->member, &blob, &size);
    if (status)
        return status;
    if (!insp_blob_payload(blob, size, &header, &payload_at, &payload_size))
        return size < KILN_HEADER_SIZE ? KILN_H_TRUNCATED : KILN_H_MAGIC;
    return kiln_value_root(file->types, type, blob + payload_at, (size_t)payload_size, ret_value);
}

const insp_asset *insp_file_asset(const insp_file *file, const char *name, size_t length)
{
    uint32_t i;
    for (i = 0; i < file->asset_count; i++)
        if (file->assets[i].name.length == length &&
            memcmp(file->assets[i].name.data, name, length) == 0)
            return &file->assets[i];
    return NULL;
}

const insp_name *insp_file_name(const insp_file *file, uint64_t id)
{
    uint32_t low = 0, high = file->name_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (file->names[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->name_count && file->names[low].id == id ? &file->names[low] : NULL;
}
