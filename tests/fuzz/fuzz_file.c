/* Arbitrary bytes, opened as a file with the functions that programs use. The bits of the first
 * byte select the verification level, the source and whether the program has types. Everything in
 * the file is read, also the data of payloads. */
#include "blob_input.h"
#include "blob_patch.h"
#include "fuzz_target.h"
#include "value_walk.h"

#include <kiln/file.h>
#include <kiln/payloads.h>
#include <kiln/type_table.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD_MAX = 1 << 16 };

static volatile size_t touched;

/* Reads every byte of a root of an open file, whether or not the rest of its index is valid. */
static const void *read_root(kiln_file *file, kiln_asset asset, uint32_t *ret_type)
{
    const kiln_types *types = blob_input_types();
    const char *name = kiln_file_asset_name(file, asset), *type = kiln_file_asset_type(file, asset);
    touched += strlen(name) + strlen(type) + kiln_file_find(file, name).number +
               kiln_file_find_id(file, kiln_file_asset_id(file, asset)).number;
    *ret_type = kiln_types_find(types, type);
    if (*ret_type == KILN_TYPE_NONE)
        return NULL;
    kiln_root_type root_type = {type, kiln_types_get(types, *ret_type)->layout};
    kiln_error error;
    const unsigned char *root = kiln_file_root(file, asset, &root_type, &error);
    for (uint32_t i = 0; root && i < kiln_types_get(types, *ret_type)->size; i++)
        touched += root[i];
    return root;
}

/* Checks everything that a verified index guarantees, and the whole value. */
static void read_asset(kiln_file *file, const kiln_index *index, kiln_asset asset)
{
    uint32_t type;
    if (kiln_file_find(file, kiln_file_asset_name(file, asset)).number != asset.number ||
        kiln_file_find_id(file, kiln_file_asset_id(file, asset)).number != asset.number)
        abort();
    const void *root = read_root(file, asset, &type);
    if (!root)
        return;
    const kiln_index_member *member =
        kiln_index_member_at(index, kiln_index_asset_at(index, asset.number - 1)->member);
    kiln_blob_header header = {.flags = member->align_log2};
    size_t payload = (size_t)member->size - kiln_header_payload_at(&header);
    if (walk_verified(blob_input_types(), type, root, payload))
        abort();
}

/* Reads ranges of the data of a payload, and all plain data. The bytes that are read at the level
 * deep have the content hash. */
static void read_payload(kiln_file *file, kiln_asset asset, bool is_deep)
{
    static unsigned char bytes[PAYLOAD_MAX];
    kiln_payload_data data;
    if (kiln_payload_open(file, asset, &data, NULL))
        return;
    size_t size = data.size < PAYLOAD_MAX ? (size_t)data.size : PAYLOAD_MAX;
    for (uint64_t i = 0; data.data && i < data.size; i++)
        touched += ((const unsigned char *)data.data)[i];
    if (data.size && kiln_payload_read(&data, data.size, bytes, 1, NULL) != KILN_BAD_ARGUMENT)
        abort();
    (void)kiln_payload_read(&data, data.size - size, bytes, size, NULL);
    (void)kiln_payload_read(&data, data.size / 3, bytes, size / 2, NULL);
    if (kiln_payload_read(&data, 0, bytes, size, NULL) || size != data.size || !is_deep)
        return;
    const kiln_payload *root = data.root;
    kiln_hash128 content = kiln_content_hash(bytes, size);
    /* Frames are verified by their own hashes, which a forged asset can state. */
    if (!data.frame_size &&
        (content.low != root->content_low || content.high != root->content_high))
        abort();
}

static void read_file(kiln_file *file, unsigned way)
{
    uint32_t type;
    /* At a lower verification level the caller vouches for the content, so roots are read only at
     * the level deep. */
    bool is_deep = (way & 1) != 0;
    for (uint32_t i = 0; (way & 16) && is_deep && i < kiln_file_asset_count(file); i++)
        (void)read_root(file, kiln_file_asset_at(file, i), &type);
    for (uint32_t i = 0; i < kiln_file_asset_count(file); i++)
        read_payload(file, kiln_file_asset_at(file, i), is_deep);
    (void)kiln_file_verify(file, way & 8 ? KILN_VERIFY_HASH : KILN_VERIFY_DEEP, NULL);
    const kiln_index *index = kiln_file_index(file, NULL);
    for (uint32_t i = 0; index && is_deep && i < kiln_file_asset_count(file); i++)
        read_asset(file, index, kiln_file_asset_at(file, i));
}

static kiln_buffer program_types(void)
{
    kiln_buffer table = {0};
    if (kiln_type_table_write(NULL, blob_input_types(), &table, NULL))
        abort();
    return table;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static kiln_buffer table;
    if (size < BLOB_HEAD)
        return 0;
    if (!table.data)
        table = program_types();
    patched bytes = patched_copy(data + BLOB_HEAD, size - BLOB_HEAD);
    blob_input_rehash(bytes.data, bytes.size);
    kiln_file_def def = kiln_file_def_default();
    def.data = bytes.data;
    def.size = bytes.size;
    def.level = data[1] & 1 ? KILN_VERIFY_DEEP : KILN_VERIFY_NONE;
    def.source = data[1] & 2 ? KILN_SOURCE_COPY : KILN_SOURCE_MAP;
    if (data[1] & 4) {
        def.types = table.data;
        def.types_size = table.size;
    }
    kiln_file *file = NULL;
    if (kiln_file_open(&def, &file, NULL) == KILN_OK) {
        read_file(file, data[1]);
        kiln_file_close(file);
    }
    patched_fini(&bytes);
    return 0;
}
