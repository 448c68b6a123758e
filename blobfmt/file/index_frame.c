/* Checks the frame of an index when a file is opened, and its entries when they are first used.
 *
 * Opening a file must not read all of a large index. The frame is the part that every lookup relies
 * on: the header, the bounds and counts of the arrays, and the types, which are few.
 * FORMAT.md section 10, "Using an index before all of it is checked", lists what must be checked,
 * and when. The rules for single entries are here; index_check.c uses them, too. */
#include <kiln/blob_header.h>
#include <kiln/compression.h>
#include <kiln/path.h>

#include "builtin_types.h"
#include "index_directory.h"
#include "index_rules.h"
#include "utf8.h"

#include <string.h>

kiln_status kiln_index_fail(const kiln_index_frame *frame, kiln_status status, const void *at,
                            index_part part, kiln_error *reterr)
{
    kiln_path path = {{0}, 0};
    const unsigned char *place = at, *file = frame->file;
    kiln_path_add_name(&path, part.list, strlen(part.list));
    if (part.number != INDEX_NO_NUMBER)
        kiln_path_add_number(&path, part.number);
    if (part.field)
        kiln_path_add_name(&path, part.field, strlen(part.field));
    return kiln_fail(reterr, status, (uint64_t)(place - file), path.text);
}

/* An array of the index: the offset of its field, and the size and alignment of its elements. */
typedef struct list_form {
    const char *name;
    size_t at;
    uint32_t size;
    uint32_t align;
} list_form;

#define LIST(name, type)                                                                           \
    {                                                                                              \
#name, offsetof(kiln_index, name), sizeof(type), _Alignof(type)                            \
    }

static const list_form lists[] = {
    LIST(ids, kiln_id),
    LIST(assets, kiln_index_asset),
    LIST(directory, uint32_t),
    LIST(types, kiln_index_type),
    LIST(members, kiln_index_member),
    LIST(imports, kiln_index_import),
    LIST(edge_starts, uint32_t),
    LIST(edges, uint32_t),
    LIST(dictionaries, uint32_t),
};

static kiln_status check_list(const kiln_index_frame *frame, const list_form *form,
                              kiln_error *reterr)
{
    const kiln_array *list =
        (const void *)((const unsigned char *)(const void *)frame->index + form->at);
    index_part part = {form->name, INDEX_NO_NUMBER, NULL};
    if (list->offset == 0 || list->count == 0)
        return list->offset == list->count
                   ? KILN_OK
                   : kiln_index_fail(frame, KILN_V_EMPTY, list, part, reterr);
    if (!kiln_index_is_inside(frame, list, list->offset, (uint64_t)form->size * list->count))
        return kiln_index_fail(frame, KILN_V_BOUNDS, list, part, reterr);
    return (form->at + list->offset) % form->align == 0
               ? KILN_OK
               : kiln_index_fail(frame, KILN_V_MISALIGNED, list, part, reterr);
}

static kiln_status check_lists(const kiln_index_frame *frame, kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; i++)
        status = check_list(frame, &lists[i], reterr);
    return status;
}

static kiln_status check_type_name(const kiln_index_frame *frame, const kiln_string *name,
                                   index_part part, kiln_error *reterr)
{
    if (name->offset == 0 || name->length == 0)
        return name->offset == name->length
                   ? KILN_OK
                   : kiln_index_fail(frame, KILN_V_EMPTY, name, part, reterr);
    if (!kiln_index_is_inside(frame, name, name->offset, (uint64_t)name->length + 1))
        return kiln_index_fail(frame, KILN_V_BOUNDS, name, part, reterr);
    const char *text = kiln_string_get(name);
    if (text[name->length])
        return kiln_index_fail(frame, KILN_V_STRING_END, text + name->length, part, reterr);
    size_t valid = kiln_utf8_valid_prefix(text, name->length);
    return valid == name->length
               ? KILN_OK
               : kiln_index_fail(frame, text[valid] ? KILN_V_STRING_UTF8 : KILN_V_STRING_NUL,
                                 text + valid, part, reterr);
}

static kiln_status check_types(const kiln_index_frame *frame, kiln_error *reterr)
{
    for (uint32_t i = 0; i < frame->index->types.count; i++) {
        const kiln_index_type *type = kiln_index_type_at(frame->index, i);
        index_part part = {"types", i, "name"};
        kiln_status status = check_type_name(frame, &type->name, part, reterr);
        if (status)
            return status;
        if (i > 0 && strcmp(kiln_string_get(&type[-1].name), kiln_string_get(&type->name)) >= 0)
            return kiln_index_fail(frame, KILN_I_TYPES, type, part, reterr);
    }
    return KILN_OK;
}

/* Checks that the lengths of arrays match one another, and the scalar fields. */
static kiln_status check_counts(const kiln_index_frame *frame, kiln_error *reterr)
{
    const kiln_index *index = frame->index;
    index_part part = {"file_size", INDEX_NO_NUMBER, NULL};
    if (index->file_size != frame->file_size)
        return kiln_index_fail(frame, KILN_I_FILE_SIZE, &index->file_size, part, reterr);
    part.list = "assets";
    if (index->assets.count != index->ids.count)
        return kiln_index_fail(frame, KILN_I_IDS, &index->assets, part, reterr);
    part.list = "directory";
    if (index->directory.count != kiln_index_directory_count(index->ids.count))
        return kiln_index_fail(frame, KILN_I_DIRECTORY, &index->directory, part, reterr);
    part.list = "edge_starts";
    if (index->edge_starts.count != (index->edges.count ? (uint64_t)index->ids.count + 1 : 0))
        return kiln_index_fail(frame, KILN_I_EDGES, &index->edge_starts, part, reterr);
    part.list = "type_table";
    if (index->type_table > index->members.count)
        return kiln_index_fail(frame, KILN_I_NUMBER, &index->type_table, part, reterr);
    part.list = "reserved";
    return index->reserved ? kiln_index_fail(frame, KILN_I_NUMBER, &index->reserved, part, reterr)
                           : KILN_OK;
}

static kiln_status check_header(const void *file, size_t available, bool check_hash,
                                kiln_blob_header *ret_header, kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = kiln_header_read(file, available, &header, reterr);
    if (status)
        return status;
    if ((uintptr_t)file % kiln_header_align(&header) != 0)
        return kiln_fail(reterr, KILN_H_MISALIGNED, 0, NULL);
    if (kiln_header_kind(&header) != KILN_BLOB_INDEX)
        return kiln_fail(reterr, KILN_H_KIND, offsetof(kiln_blob_header, flags), NULL);
    if (header.layout != BUILTIN_INDEX_LAYOUT)
        return kiln_fail(reterr, KILN_H_LAYOUT, offsetof(kiln_blob_header, layout), NULL);
    if (header.payload_size < sizeof(kiln_index))
        return kiln_fail(reterr, KILN_V_ROOT, kiln_header_payload_at(&header), NULL);
    *ret_header = header;
    return check_hash ? kiln_header_check_hash(file, &header, reterr) : KILN_OK;
}

kiln_status kiln_index_frame_read(const kiln_file_head *head, bool check_hash,
                                  kiln_index_frame *ret_frame, kiln_error *reterr)
{
    kiln_blob_header header = {0};
    kiln_status status = check_header(head->data, head->size, check_hash, &header, reterr);
    if (status)
        return status;
    const unsigned char *payload =
        (const unsigned char *)head->data + kiln_header_payload_at(&header);
    kiln_index_frame frame = {(const void *)payload, head->data, head->file_size,
                              kiln_header_blob_size(&header)};
    status = check_lists(&frame, reterr);
    if (!status)
        status = check_counts(&frame, reterr);
    if (!status)
        status = check_types(&frame, reterr);
    if (!status)
        *ret_frame = frame;
    return status;
}

/* Whether I2 and I5 hold for all entries. The loops have no early exit, so that compilers can
 * vectorize them. Only if a check fails does the caller search for the broken entry. */
static bool entries_are_valid(const kiln_index *index)
{
    const kiln_id *ids = kiln_relative_get(&index->ids, index->ids.offset);
    const kiln_index_asset *assets = kiln_relative_get(&index->assets, index->assets.offset);
    uint32_t count = index->ids.count, types = index->types.count, members = index->members.count;
    unsigned wrong = count > 0 && ids[0] == 0;
    for (uint32_t i = 1; i < count; i++)
        wrong |= ids[i] <= ids[i - 1];
    for (uint32_t i = 0; i < count; i++)
        wrong |= (unsigned)(assets[i].type >= types) | (unsigned)(assets[i].member >= members);
    return !wrong;
}

kiln_status kiln_index_check_entry(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr)
{
    const kiln_index *index = frame->index;
    const kiln_id *id = (const kiln_id *)kiln_relative_get(&index->ids, index->ids.offset) + number;
    const kiln_index_asset *asset = kiln_index_asset_at(index, number);
    index_part part = {"ids", number, NULL};
    if (*id == 0 || (number > 0 && *id <= id[-1]))
        return kiln_index_fail(frame, KILN_I_IDS, id, part, reterr);
    part.list = "assets";
    part.field = "type";
    if (asset->type >= index->types.count)
        return kiln_index_fail(frame, KILN_I_NUMBER, &asset->type, part, reterr);
    part.field = "member";
    return asset->member < index->members.count
               ? KILN_OK
               : kiln_index_fail(frame, KILN_I_NUMBER, &asset->member, part, reterr);
}

kiln_status kiln_index_check_entries(const kiln_index_frame *frame, kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    if (!entries_are_valid(frame->index))
        for (uint32_t i = 0; i < frame->index->ids.count && !status; i++)
            status = kiln_index_check_entry(frame, i, reterr);
    return status;
}

bool kiln_index_name_has_id(const char *text, size_t length, kiln_id id)
{
    return kiln_asset_name_is_valid(text, length) && kiln_asset_id(text, length) == id;
}

/* Returns the name if it is a string inside the index and has the id (I3, I9); otherwise NULL. */
static const char *valid_name(const kiln_index_frame *frame, const kiln_string *name, kiln_id id)
{
    const char *text = kiln_index_text_at(name);
    bool is_right = kiln_index_is_inside(frame, name, name->offset, (uint64_t)name->length + 1) &&
                    text[name->length] == '\0' && kiln_index_name_has_id(text, name->length, id);
    return is_right ? text : NULL;
}

const char *kiln_index_asset_name(const kiln_index_frame *frame, uint32_t number)
{
    return valid_name(frame, &kiln_index_asset_at(frame->index, number)->name,
                      kiln_index_id(frame->index, number));
}

const char *kiln_index_import_name(const kiln_index_frame *frame, uint32_t number)
{
    const kiln_index_import *import = kiln_index_import_at(frame->index, number);
    return valid_name(frame, &import->name, import->id);
}

kiln_status kiln_index_check_edges(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr)
{
    const kiln_index *index = frame->index;
    const uint32_t *starts = kiln_relative_get(&index->edge_starts, index->edge_starts.offset);
    const uint32_t *edges = kiln_relative_get(&index->edges, index->edges.offset);
    uint64_t nodes = (uint64_t)index->assets.count + index->imports.count;
    if (!starts)
        return KILN_OK;
    if (starts[number] > starts[number + 1] || starts[number + 1] > index->edges.count)
        return kiln_index_fail(frame, KILN_I_EDGES, &starts[number],
                               (index_part){"edge_starts", number, NULL}, reterr);
    for (uint32_t i = starts[number]; i < starts[number + 1]; i++)
        if (edges[i] >= nodes || (i > starts[number] && edges[i] <= edges[i - 1]))
            return kiln_index_fail(frame, KILN_I_EDGES, &edges[i], (index_part){"edges", i, NULL},
                                   reterr);
    return KILN_OK;
}

static bool hash_is_zero(const kiln_hash128 *hash)
{
    return hash->low == 0 && hash->high == 0;
}

/* Whether I7 holds for a payload member. */
static bool payload_sizes_are_valid(const kiln_index_member *member)
{
    if (member->size == 0 || member->dictionary)
        return false;
    if (member->compression == KILN_COMPRESSION_PAYLOAD)
        return member->size == member->stored_size && hash_is_zero(&member->stored);
    return member->stored_size >=
           member->size / KILN_COMPRESSION_RATIO + (member->size % KILN_COMPRESSION_RATIO != 0);
}

/* Whether I7 holds. */
static bool sizes_are_valid(const kiln_index *index, uint32_t number)
{
    const kiln_index_member *member = kiln_index_member_at(index, number);
    if (kiln_index_member_is_payload(member))
        return member->reserved == 0 && payload_sizes_are_valid(member) &&
               index->type_table != number + 1;
    uint64_t largest = KILN_PAYLOAD_MAX + (UINT64_C(1) << KILN_ALIGN_LOG2_MAX);
    if (member->reserved || member->stored_size == 0 || member->size <= KILN_HEADER_SIZE ||
        member->size > largest)
        return false;
    if (member->compression == KILN_COMPRESSION_NONE)
        return member->size == member->stored_size && hash_is_zero(&member->stored) &&
               member->dictionary == 0;
    uint64_t least = (member->size + KILN_COMPRESSION_RATIO - 1) / KILN_COMPRESSION_RATIO;
    return member->compression == KILN_COMPRESSION_ZSTD && member->stored_size >= least &&
           index->type_table != number + 1 && member->dictionary <= index->dictionaries.count;
}

kiln_status kiln_index_check_record(const kiln_index_frame *frame, uint32_t number, uint64_t end,
                                    kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(frame->index, number);
    index_part part = {"members", number, NULL};
    if (!sizes_are_valid(frame->index, number))
        return kiln_index_fail(frame, KILN_I_COMPRESSION, member, part, reterr);
    part.field = "place";
    /* A compressed member is decompressed to other memory, so its place needs no alignment. The
     * mask keeps the shift defined for a hostile align_log2, which is checked below. */
    bool is_packed = member->compression == KILN_COMPRESSION_ZSTD ||
                     member->compression == KILN_COMPRESSION_FRAMES;
    uint64_t align = is_packed ? 1 : UINT64_C(1) << (member->align_log2 & 31);
    int largest =
        kiln_index_member_is_payload(member) ? KILN_PAYLOAD_ALIGN_LOG2_MAX : KILN_ALIGN_LOG2_MAX;
    if (member->align_log2 < KILN_ALIGN_LOG2_MIN || member->align_log2 > largest ||
        member->place % align != 0 || member->place < end || member->place > frame->file_size ||
        member->stored_size > frame->file_size - member->place)
        return kiln_index_fail(frame, KILN_I_PLACE, &member->place, part, reterr);
    return KILN_OK;
}

kiln_status kiln_index_check_place(const kiln_index_frame *frame, uint32_t member,
                                   kiln_error *reterr)
{
    const kiln_index_member *record = kiln_index_member_at(frame->index, member);
    if (kiln_index_member_is_payload(record))
        return kiln_index_fail(frame, KILN_I_COMPRESSION, record,
                               (index_part){"members", member, NULL}, reterr);
    return kiln_index_check_record(frame, member, frame->index_size, reterr);
}
