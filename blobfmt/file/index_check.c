/* Checks all rules of an index, and single members: FORMAT.md sections 9 and 10.
 *
 * The index is verified as a blob first, so its lists can be read without checks. Each check_
 * function may rely on the checks before it. For example, member numbers are checked (I5) before
 * used members are marked. Work is linear in the index. Programs that only open a file use
 * index_frame.c instead, which checks entries on first use. */
#include <kiln/blob_header.h>
#include <kiln/payload.h>
#include <kiln/verify.h>

#include "arena.h"
#include "builtin_types.h"
#include "index_directory.h"
#include "index_rules.h"
#include "lower_bound.h"

#include <assert.h>
#include <string.h>

/* An index that is being checked. Errors name a field, such as `members[3].place`, and its offset
 * in the file. */
typedef struct checker {
    kiln_index_frame frame;
    const kiln_index *index;
    kiln_allocator allocator;
    kiln_error *reterr;
} checker;

#define NO_NUMBER INDEX_NO_NUMBER

static kiln_status fail(const checker *c, kiln_status status, const void *at, const char *list,
                        uint64_t number, const char *field)
{
    index_part part = {list, number, field};
    return kiln_index_fail(&c->frame, status, at, part, c->reterr);
}

static const void *elements(const kiln_array *array)
{
    return kiln_relative_get(array, array->offset);
}

static bool name_has_id(const kiln_string *name, kiln_id id)
{
    return kiln_index_name_has_id(kiln_string_get(name), name->length, id);
}

/* Checks I2, I3 and I5 of all assets, and that their members are blobs (I7). */
static kiln_status check_assets(const checker *c)
{
    const kiln_index *index = c->index;
    uint32_t count = index->ids.count;
    const kiln_id *ids = elements(&index->ids);
    if (index->assets.count != count)
        return fail(c, KILN_I_IDS, &index->assets, "assets", NO_NUMBER, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const kiln_string *name = &kiln_index_asset_at(index, i)->name;
        kiln_status status = kiln_index_check_entry(&c->frame, i, c->reterr);
        if (status)
            return status;
        if (!name_has_id(name, ids[i]))
            return fail(c, KILN_I_NAME, name, "assets", i, "name");
        uint32_t member = kiln_index_asset_at(index, i)->member;
        if (kiln_index_member_is_payload(kiln_index_member_at(index, member)))
            return fail(c, KILN_I_COMPRESSION, kiln_index_member_at(index, member), "members",
                        member, NULL);
    }
    return KILN_OK;
}

/* Checks I4. The last number belongs to no bucket: it is the count of all ids. */
static kiln_status check_directory(const checker *c)
{
    const kiln_index *index = c->index;
    const kiln_id *ids = elements(&index->ids);
    const uint32_t *directory = elements(&index->directory);
    uint32_t count = index->ids.count, below = 0;
    unsigned bits = kiln_index_directory_bits(count);
    if (index->directory.count != kiln_index_directory_count(count))
        return fail(c, KILN_I_DIRECTORY, &index->directory, "directory", NO_NUMBER, NULL);
    for (uint32_t bucket = 0; bucket < index->directory.count; bucket++) {
        while (below < count && (bucket >> bits || kiln_index_bucket(ids[below], bits) < bucket))
            below++;
        if (directory[bucket] != below)
            return fail(c, KILN_I_DIRECTORY, &directory[bucket], "directory", bucket, NULL);
    }
    return KILN_OK;
}

/* Whether `next` may follow `before` (I22). */
static bool payloads_are_ordered(const kiln_index_member *before, const kiln_index_member *next)
{
    if (!kiln_index_member_is_payload(before))
        return true;
    return kiln_index_member_is_payload(next) &&
           kiln_hash128_compare(&before->content, &next->content) < 0;
}

/* Checks I6, I7 and I22. The last member must end where the file ends. */
static kiln_status check_members(const checker *c)
{
    const kiln_index *index = c->index;
    uint64_t end = c->frame.index_size;
    for (uint32_t i = 0; i < index->members.count; i++) {
        kiln_status status = kiln_index_check_record(&c->frame, i, end, c->reterr);
        if (status)
            return status;
        const kiln_index_member *member = kiln_index_member_at(index, i);
        if (i > 0 && !payloads_are_ordered(member - 1, member))
            return fail(c, KILN_I_PAYLOADS, &member->content, "members", i, "content");
        end = member->place + member->stored_size;
    }
    return end == c->frame.file_size
               ? KILN_OK
               : fail(c, KILN_I_PLACE, &index->file_size, "file_size", NO_NUMBER, NULL);
}

/* Checks I9. */
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

/* Checks I10. */
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

/* Checks the order of types (I13), the dictionaries (I5, I7), and the scalar fields (I5). */
static kiln_status check_lists(const checker *c)
{
    const kiln_index *index = c->index;
    for (uint32_t i = 1; i < index->types.count; i++) {
        const kiln_index_type *type = kiln_index_type_at(index, i);
        if (strcmp(kiln_string_get(&type[-1].name), kiln_string_get(&type->name)) >= 0)
            return fail(c, KILN_I_TYPES, type, "types", i, "name");
    }
    const uint32_t *dictionaries = elements(&index->dictionaries);
    for (uint32_t i = 0; i < index->dictionaries.count; i++) {
        if (dictionaries[i] >= index->members.count ||
            (i > 0 && dictionaries[i] <= dictionaries[i - 1]))
            return fail(c, KILN_I_NUMBER, &dictionaries[i], "dictionaries", i, NULL);
        const kiln_index_member *member = kiln_index_member_at(index, dictionaries[i]);
        if (member->compression)
            return fail(c, KILN_I_COMPRESSION, member, "members", dictionaries[i], NULL);
    }
    if (index->type_table > index->members.count)
        return fail(c, KILN_I_NUMBER, &index->type_table, "type_table", NO_NUMBER, NULL);
    return index->reserved ? fail(c, KILN_I_NUMBER, &index->reserved, "reserved", NO_NUMBER, NULL)
                           : KILN_OK;
}

/* Marks an entry as used. Its number has been checked (I5). */
static void mark(unsigned char *used, size_t size, uint32_t number)
{
    assert(number < size);
    (void)size;
    used[number] = 1;
}

/* Which members, types and imports the index uses, one byte each. */
typedef struct usage {
    unsigned char *members, *types, *imports;
} usage;

/* A payload asset uses the payload member with the hash in its name. */
static bool payload_is_used(const kiln_index *index, const kiln_index_member *member)
{
    char name[KILN_PAYLOAD_NAME_SIZE];
    kiln_payload_name(member->content, name);
    uint32_t asset = kiln_index_find_name(index, name, sizeof name - 1);
    if (asset == KILN_ASSET_NONE)
        return false;
    uint32_t type = kiln_index_asset_at(index, asset)->type;
    return strcmp(kiln_string_get(&kiln_index_type_at(index, type)->name),
                  KILN_PAYLOAD_TYPE_NAME) == 0;
}

static void mark_used(const kiln_index *index, const usage *used)
{
    const uint32_t *edges = elements(&index->edges);
    const uint32_t *dictionaries = elements(&index->dictionaries);
    for (uint32_t i = 0; i < index->assets.count; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        mark(used->members, index->members.count, asset->member);
        mark(used->types, index->types.count, asset->type);
    }
    for (uint32_t i = 0; i < index->dictionaries.count; i++)
        mark(used->members, index->members.count, dictionaries[i]);
    if (index->type_table)
        mark(used->members, index->members.count, index->type_table - 1);
    /* Payload members are last (I22). */
    for (uint32_t i = index->members.count; i-- > 0;) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        if (!kiln_index_member_is_payload(member))
            break;
        if (payload_is_used(index, member))
            mark(used->members, index->members.count, i);
    }
    for (uint32_t i = 0; i < index->edges.count; i++)
        if (edges[i] >= index->assets.count)
            mark(used->imports, index->imports.count, edges[i] - index->assets.count);
    /* I19: an asset of the file must not be an import, even if edges refer to the import. */
    for (uint32_t i = 0; i < index->imports.count; i++)
        if (kiln_index_find(index, kiln_index_import_at(index, i)->id) != KILN_ASSET_NONE)
            used->imports[i] = 0;
}

static bool find_unused(const unsigned char *used, uint32_t count, uint32_t *ret_number)
{
    const unsigned char *unused = memchr(used, 0, count);
    if (unused)
        *ret_number = (uint32_t)(unused - used);
    return unused != NULL;
}

/* Checks I14, I19 and I20. */
static kiln_status check_used(const checker *c)
{
    const kiln_index *index = c->index;
    const kiln_allocator *a = &c->allocator;
    uint32_t members = index->members.count, types = index->types.count;
    uint32_t imports = index->imports.count, number = 0;
    size_t size = (size_t)members + types + imports;
    if (size == 0)
        return KILN_OK;
    usage used = {.members = a->alloc(a->ctx, size, 1)};
    if (!used.members)
        return kiln_fail(c->reterr, KILN_NO_MEMORY, 0, NULL);
    memset(used.members, 0, size);
    used.types = used.members + members;
    used.imports = used.types + types;
    mark_used(index, &used);
    kiln_status status = KILN_OK;
    if (find_unused(used.members, members, &number))
        status =
            fail(c, KILN_I_UNUSED, kiln_index_member_at(index, number), "members", number, NULL);
    else if (find_unused(used.imports, imports, &number))
        status = fail(c, KILN_I_IMPORT_UNUSED, kiln_index_import_at(index, number), "imports",
                      number, NULL);
    else if (find_unused(used.types, types, &number))
        status =
            fail(c, KILN_I_TYPE_UNUSED, kiln_index_type_at(index, number), "types", number, NULL);
    a->free(a->ctx, used.members, size);
    return status;
}

kiln_status kiln_index_check(const kiln_types *builtin, const kiln_allocator *allocator,
                             const kiln_file_head *head, const kiln_index **ret_index,
                             kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = kiln_header_read(head->data, head->size, &header, reterr);
    if (status)
        return status;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = builtin;
    def.type = BUILTIN_INDEX;
    def.allocator = allocator;
    def.kind = KILN_BLOB_INDEX;
    def.check_canonical = false;
    uint64_t index_size = kiln_header_blob_size(&header);
    status = kiln_verify(&def, head->data, (size_t)index_size, reterr);
    if (status)
        return status;
    const unsigned char *payload =
        (const unsigned char *)head->data + kiln_header_payload_at(&header);
    kiln_index_frame frame = {(const void *)payload, head->data, head->file_size, index_size};
    checker c = {frame, frame.index, allocator_or_default(allocator), reterr};
    if (c.index->file_size != head->file_size)
        return fail(&c, KILN_I_FILE_SIZE, &c.index->file_size, "file_size", NO_NUMBER, NULL);
    if ((status = check_assets(&c)) || (status = check_directory(&c)) ||
        (status = check_members(&c)) || (status = check_imports(&c)) ||
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
    if (entry->compression != KILN_COMPRESSION_NONE)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, entry->place, NULL);
    return kiln_index_check_blob(index, member, (const unsigned char *)file + entry->place,
                                 check_content, reterr);
}

kiln_status kiln_index_check_stored(const kiln_index *index, uint32_t member, const void *file,
                                    kiln_error *reterr)
{
    const kiln_index_member *entry = kiln_index_member_at(index, member);
    kiln_hash128 stored =
        kiln_content_hash((const unsigned char *)file + entry->place, (size_t)entry->stored_size);
    return stored.low == entry->stored.low && stored.high == entry->stored.high
               ? KILN_OK
               : kiln_fail(reterr, KILN_I_STORED, entry->place, NULL);
}

/* Whether the member is a dictionary. A checked index has them in ascending order. */
static bool is_dictionary(const kiln_index *index, uint32_t member)
{
    size_t at;
    return find_u32(elements(&index->dictionaries), index->dictionaries.count, member, &at);
}

kiln_status kiln_index_check_blob(const kiln_index *index, uint32_t member, const void *blob,
                                  bool check_content, kiln_error *reterr)
{
    const kiln_index_member *entry = kiln_index_member_at(index, member);
    kiln_blob_header header;
    kiln_status status = kiln_header_read(blob, (size_t)entry->size, &header, reterr);
    if (!status && (kiln_header_blob_size(&header) != entry->size ||
                    kiln_header_align(&header) != 1u << entry->align_log2))
        status = kiln_fail(reterr, KILN_I_MEMBER, 0, NULL);
    kiln_blob_kind kind = index->type_table == member + 1 ? KILN_BLOB_TYPE_TABLE
                          : is_dictionary(index, member)  ? KILN_BLOB_DICTIONARY
                                                          : KILN_BLOB_ASSET;
    if (!status && kiln_header_kind(&header) != kind)
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

kiln_status kiln_index_check_edges_used(const kiln_index *index, const void *file, uint32_t number,
                                        kiln_id_span ids, kiln_error *reterr)
{
    kiln_index_frame frame = {.index = index, .file = file};
    const uint32_t *all = elements(&index->edges);
    uint32_t edge_count;
    const uint32_t *edges = kiln_index_edges(index, number, &edge_count);
    for (uint32_t i = 0; i < edge_count; i++) {
        index_part part = {"edges", (uint64_t)(edges + i - all), NULL};
        size_t at;
        if (!find_u64(ids.ids, ids.count, kiln_index_edge_id(index, edges[i]), &at))
            return kiln_index_fail(&frame, KILN_I_EDGE_UNUSED, &edges[i], part, reterr);
    }
    return KILN_OK;
}
