#include <kiln/index.h>

#include <kiln/blob_header.h>
#include <kiln/path.h>
#include <kiln/verify.h>

#include "arena.h"
#include "builtin_types.h"
#include "hash.h"
#include "index_directory.h"
#include "utf8.h"

#include <string.h>

_Static_assert(offsetof(kiln_index_member, compression) == 56, "FORMAT.md 10: member");
_Static_assert(offsetof(kiln_index, type_table) == 80, "FORMAT.md 10: index");

kiln_id kiln_asset_id(const char *name, size_t length)
{
    return kiln_hash64(name, length, 0);
}

static bool is_kind_byte(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

bool kiln_asset_name_is_valid(const char *name, size_t length)
{
    size_t slash = 0;
    while (slash < length && is_kind_byte(name[slash]))
        slash++;
    if (slash == 0 || slash + 1 >= length || name[slash] != '/')
        return false;
    for (size_t i = slash; i < length; i++)
        if ((unsigned char)name[i] < 0x20)
            return false;
    return kiln_utf8_valid_prefix((const unsigned char *)name, length) == length;
}

unsigned kiln_index_directory_bits(uint32_t assets)
{
    unsigned bits = 0;
    while (UINT64_C(1) << bits < assets)
        bits++;
    return bits;
}

static uint32_t bucket_of(kiln_id id, unsigned bits)
{
    return bits ? (uint32_t)(id >> (64 - bits)) : 0;
}

void kiln_index_directory_fill(uint32_t *directory, const kiln_id *ids, uint32_t assets)
{
    unsigned bits = kiln_index_directory_bits(assets);
    uint32_t below = 0;
    for (uint32_t bucket = 0; bucket < 1u << bits; bucket++) {
        while (below < assets && bucket_of(ids[below], bits) < bucket)
            below++;
        directory[bucket] = below;
    }
    directory[1u << bits] = assets;
}

/* An index under check. Errors name the field, `members[3].place`, and its offset in the file. */
typedef struct checker {
    const unsigned char *file;
    const kiln_index *index;
    uint64_t file_size;
    kiln_allocator allocator;
    kiln_error *reterr;
} checker;

#define NO_NUMBER UINT64_MAX

static kiln_status fail(const checker *c, kiln_status status, const void *at, const char *list,
                        uint64_t number, const char *field)
{
    kiln_path path = {{0}, 0};
    kiln_path_add_name(&path, list, strlen(list));
    if (number != NO_NUMBER)
        kiln_path_add_number(&path, number);
    if (field)
        kiln_path_add_name(&path, field, strlen(field));
    return kiln_fail(c->reterr, status, (uint64_t)((const unsigned char *)at - c->file), path.text);
}

static const void *elements(const kiln_array *array)
{
    return kiln_relative_get(array, array->offset);
}

static bool name_has_id(const kiln_string *name, kiln_id id)
{
    const char *text = kiln_string_get(name);
    return kiln_asset_name_is_valid(text, name->length) && kiln_asset_id(text, name->length) == id;
}

/* I2 to I5. */
static kiln_status check_assets(const checker *c)
{
    const kiln_index *index = c->index;
    uint32_t count = index->ids.count;
    const kiln_id *ids = elements(&index->ids);
    if (index->assets.count != count)
        return fail(c, KILN_I_IDS, &index->assets, "assets", NO_NUMBER, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        if (ids[i] == 0 || (i > 0 && ids[i] <= ids[i - 1]))
            return fail(c, KILN_I_IDS, &ids[i], "ids", i, NULL);
        if (!name_has_id(&asset->name, ids[i]))
            return fail(c, KILN_I_NAME, &asset->name, "assets", i, "name");
        if (asset->type >= index->types.count)
            return fail(c, KILN_I_NUMBER, &asset->type, "assets", i, "type");
        if (asset->member >= index->members.count)
            return fail(c, KILN_I_NUMBER, &asset->member, "assets", i, "member");
    }
    return KILN_OK;
}

static kiln_status check_directory(const checker *c)
{
    const kiln_index *index = c->index;
    const kiln_id *ids = elements(&index->ids);
    const uint32_t *directory = elements(&index->directory);
    uint32_t count = index->ids.count, below = 0;
    unsigned bits = kiln_index_directory_bits(count);
    if (index->directory.count != (count ? (UINT64_C(1) << bits) + 1 : 0))
        return fail(c, KILN_I_DIRECTORY, &index->directory, "directory", NO_NUMBER, NULL);
    for (uint32_t bucket = 0; bucket < index->directory.count; bucket++) {
        while (below < count && (bucket >> bits || bucket_of(ids[below], bits) < bucket))
            below++;
        if (directory[bucket] != below)
            return fail(c, KILN_I_DIRECTORY, &directory[bucket], "directory", bucket, NULL);
    }
    return KILN_OK;
}

static bool hash_is_zero(const kiln_hash128 *hash)
{
    return hash->low == 0 && hash->high == 0;
}

/* I7. */
static bool sizes_are_possible(const kiln_index *index, const kiln_index_member *member)
{
    uint64_t largest = KILN_PAYLOAD_MAX + (UINT64_C(1) << KILN_ALIGN_LOG2_MAX);
    if (member->reserved || member->stored_size == 0 || member->size <= KILN_HEADER_SIZE ||
        member->size > largest)
        return false;
    if (member->compression == KILN_COMPRESSION_NONE)
        return member->size == member->stored_size && hash_is_zero(&member->stored) &&
               member->dictionary == 0;
    return member->compression == KILN_COMPRESSION_ZSTD &&
           member->dictionary <= index->dictionaries.count;
}

/* I6, I7 and the end of I1. */
static kiln_status check_members(const checker *c, uint64_t index_end)
{
    const kiln_index *index = c->index;
    uint64_t end = index_end;
    for (uint32_t i = 0; i < index->members.count; i++) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        if (!sizes_are_possible(index, member))
            return fail(c, KILN_I_COMPRESSION, member, "members", i, NULL);
        if (member->align_log2 < KILN_ALIGN_LOG2_MIN || member->align_log2 > KILN_ALIGN_LOG2_MAX ||
            member->place % (UINT64_C(1) << member->align_log2) != 0 || member->place < end ||
            member->place > c->file_size || member->stored_size > c->file_size - member->place)
            return fail(c, KILN_I_PLACE, &member->place, "members", i, "place");
        end = member->place + member->stored_size;
    }
    return end == c->file_size
               ? KILN_OK
               : fail(c, KILN_I_PLACE, &index->file_size, "file_size", NO_NUMBER, NULL);
}

/* I9. */
static kiln_status check_imports(const checker *c)
{
    for (uint32_t i = 0; i < c->index->imports.count; i++) {
        const kiln_index_import *import = kiln_index_import_at(c->index, i);
        if (import->id == 0 || (i > 0 && import[-1].id >= import->id) ||
            !name_has_id(&import->name, import->id))
            return fail(c, KILN_I_IMPORTS, import, "imports", i, NULL);
    }
    return KILN_OK;
}

/* I10. */
static kiln_status check_edges(const checker *c)
{
    const kiln_index *index = c->index;
    const uint32_t *starts = elements(&index->edge_starts), *edges = elements(&index->edges);
    uint64_t nodes = (uint64_t)index->ids.count + index->imports.count;
    uint32_t count = index->edge_starts.count;
    if (count != (index->edges.count ? (uint64_t)index->ids.count + 1 : 0))
        return fail(c, KILN_I_EDGES, &index->edge_starts, "edge_starts", NO_NUMBER, NULL);
    for (uint32_t i = 0; i < count; i++) {
        bool is_first = i == 0, is_last = i + 1 == count;
        if ((is_first && starts[i] != 0) || (!is_first && starts[i] < starts[i - 1]) ||
            starts[i] > index->edges.count || (is_last && starts[i] != index->edges.count))
            return fail(c, KILN_I_EDGES, &starts[i], "edge_starts", i, NULL);
        for (uint32_t e = is_first ? 0 : starts[i - 1]; e < starts[i]; e++)
            if (edges[e] >= nodes || (e > starts[i - 1] && edges[e] <= edges[e - 1]))
                return fail(c, KILN_I_EDGES, &edges[e], "edges", e, NULL);
    }
    return KILN_OK;
}

/* The order of I13, and what is left of I5. */
static kiln_status check_lists(const checker *c)
{
    const kiln_index *index = c->index;
    for (uint32_t i = 1; i < index->types.count; i++) {
        const kiln_index_type *type = kiln_index_type_at(index, i);
        if (strcmp(kiln_string_get(&type[-1].name), kiln_string_get(&type->name)) >= 0)
            return fail(c, KILN_I_TYPES, type, "types", i, "name");
    }
    const uint32_t *dictionaries = elements(&index->dictionaries);
    for (uint32_t i = 0; i < index->dictionaries.count; i++)
        if (dictionaries[i] >= index->members.count)
            return fail(c, KILN_I_NUMBER, &dictionaries[i], "dictionaries", i, NULL);
    if (index->type_table > index->members.count)
        return fail(c, KILN_I_NUMBER, &index->type_table, "type_table", NO_NUMBER, NULL);
    return index->reserved ? fail(c, KILN_I_NUMBER, &index->reserved, "reserved", NO_NUMBER, NULL)
                           : KILN_OK;
}

/* I14. */
static kiln_status check_used(const checker *c)
{
    const kiln_index *index = c->index;
    const kiln_allocator *a = &c->allocator;
    size_t size = index->members.count;
    if (size == 0)
        return KILN_OK;
    unsigned char *used = a->alloc(a->ctx, size, 1);
    if (!used)
        return kiln_fail(c->reterr, KILN_NO_MEMORY, 0, NULL);
    memset(used, 0, size);
    for (uint32_t i = 0; i < index->assets.count; i++)
        used[kiln_index_asset_at(index, i)->member] = 1;
    const uint32_t *dictionaries = elements(&index->dictionaries);
    for (uint32_t i = 0; i < index->dictionaries.count; i++)
        used[dictionaries[i]] = 1;
    if (index->type_table)
        used[index->type_table - 1] = 1;
    const unsigned char *unused = memchr(used, 0, size);
    uint32_t number = unused ? (uint32_t)(unused - used) : 0;
    bool is_unused = unused != NULL;
    a->free(a->ctx, used, size);
    return is_unused ? fail(c, KILN_I_UNUSED, kiln_index_member_at(index, number), "members",
                            number, NULL)
                     : KILN_OK;
}

kiln_status kiln_index_check(const kiln_types *builtin, const kiln_allocator *allocator,
                             const void *file, size_t available, uint64_t file_size,
                             const kiln_index **ret_index, kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = kiln_header_read(file, available, &header, reterr);
    if (status)
        return status;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = builtin;
    def.type = BUILTIN_INDEX;
    def.allocator = allocator;
    def.kind = KILN_BLOB_INDEX;
    def.check_canonical = false;
    uint64_t index_size = kiln_header_blob_size(&header);
    status = kiln_verify(&def, file, (size_t)index_size, reterr);
    if (status)
        return status;
    checker c = {file, NULL, file_size, allocator_or_default(allocator), reterr};
    c.index = (const void *)(c.file + kiln_header_payload_at(&header));
    if (c.index->file_size != file_size)
        return fail(&c, KILN_I_FILE_SIZE, &c.index->file_size, "file_size", NO_NUMBER, NULL);
    if ((status = check_assets(&c)) || (status = check_directory(&c)) ||
        (status = check_members(&c, index_size)) || (status = check_imports(&c)) ||
        (status = check_edges(&c)) || (status = check_lists(&c)) || (status = check_used(&c)))
        return status;
    *ret_index = c.index;
    return KILN_OK;
}

kiln_status kiln_index_check_gaps(const kiln_index *index, const void *file, kiln_error *reterr)
{
    kiln_blob_header header;
    const unsigned char *bytes = file;
    memcpy(&header, file, sizeof header);
    uint64_t at = kiln_header_blob_size(&header);
    for (uint32_t i = 0; i < index->members.count; i++) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        for (; at < member->place; at++)
            if (bytes[at])
                return kiln_fail(reterr, KILN_I_GAP, at, NULL);
        at = member->place + member->stored_size;
    }
    return KILN_OK;
}

kiln_status kiln_index_check_member(const kiln_index *index, uint32_t member, const void *file,
                                    bool check_content, kiln_error *reterr)
{
    const kiln_index_member *entry = kiln_index_member_at(index, member);
    const unsigned char *blob = (const unsigned char *)file + entry->place;
    kiln_blob_header header;
    if (entry->compression != KILN_COMPRESSION_NONE)
        return kiln_fail(reterr, KILN_UNSUPPORTED, entry->place, NULL);
    kiln_status status = kiln_header_read(blob, (size_t)entry->size, &header, reterr);
    if (!status && (kiln_header_blob_size(&header) != entry->size ||
                    kiln_header_align(&header) != 1u << entry->align_log2))
        status = kiln_fail(reterr, KILN_I_MEMBER, 0, NULL);
    bool is_table = index->type_table == member + 1;
    if (!status && (is_table != (kiln_header_kind(&header) == KILN_BLOB_TYPE_TABLE) ||
                    kiln_header_kind(&header) == KILN_BLOB_INDEX))
        status = kiln_fail(reterr, KILN_H_KIND, offsetof(kiln_blob_header, flags), NULL);
    if (!status && check_content) {
        kiln_hash128 content = kiln_content_hash(blob, (size_t)entry->size);
        if (content.low != entry->content.low || content.high != entry->content.high)
            status = kiln_fail(reterr, KILN_I_CONTENT, 0, NULL);
        else
            status = kiln_header_check_hash(blob, &header, reterr);
    }
    if (status && reterr)
        reterr->offset += entry->place;
    return status;
}

kiln_status kiln_index_check_types(const kiln_index *index, const kiln_types *types,
                                   kiln_error *reterr)
{
    for (uint32_t i = 0; i < index->types.count; i++) {
        const kiln_index_type *entry = kiln_index_type_at(index, i);
        const kiln_type *type =
            kiln_types_get(types, kiln_types_find(types, kiln_string_get(&entry->name)));
        if (!type || type->kind != KILN_KIND_STRUCT || type->layout != entry->layout)
            return kiln_fail(reterr, KILN_I_TYPES, 0, kiln_string_get(&entry->name));
    }
    return KILN_OK;
}

uint32_t kiln_index_find(const kiln_index *index, kiln_id id)
{
    const kiln_id *ids = elements(&index->ids);
    const uint32_t *directory = elements(&index->directory);
    if (index->ids.count == 0)
        return KILN_ASSET_NONE;
    uint32_t bucket = bucket_of(id, kiln_index_directory_bits(index->ids.count));
    uint32_t low = directory[bucket], high = directory[bucket + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ids[middle] == id)
            return middle;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return KILN_ASSET_NONE;
}

const uint32_t *kiln_index_edges(const kiln_index *index, uint32_t number, uint32_t *ret_count)
{
    const uint32_t *starts = elements(&index->edge_starts), *edges = elements(&index->edges);
    *ret_count = starts ? starts[number + 1] - starts[number] : 0;
    return edges && starts ? edges + starts[number] : NULL;
}

/* Number of an import; imports.count where there is none. */
static uint32_t find_import(const kiln_index *index, kiln_id id)
{
    uint32_t low = 0, high = index->imports.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kiln_index_import_at(index, middle)->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->imports.count && kiln_index_import_at(index, low)->id == id
               ? low
               : index->imports.count;
}

bool kiln_index_has_edge(const kiln_index *index, uint32_t number, kiln_id id)
{
    uint32_t node = kiln_index_find(index, id), count;
    if (node == KILN_ASSET_NONE) {
        uint32_t import = find_import(index, id);
        if (import == index->imports.count)
            return false;
        node = index->ids.count + import;
    }
    const uint32_t *edges = kiln_index_edges(index, number, &count);
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edges[middle] == node)
            return true;
        if (edges[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
