/* Measures the members of a file one after another, so that at most one of them is decompressed. */
#include "insp_usage.h"

#include "insp_glob.h"
#include "insp_memory.h"
#include "insp_payload.h"
#include "insp_scene.h"
#include "insp_unpack.h"

#include <stdlib.h>
#include <string.h>

const char *insp_usage_part_name(insp_usage_part part)
{
    static const char *const names[INSP_USAGE_PARTS] = {
        "index",   "type_table", "dictionaries", "headers",  "values", "strings", "shared",
        "padding", "untyped",    "compressed",   "payloads", "gaps",   "unused"};
    return names[part];
}

/* ---- lists ---- */

static insp_text text_of(const char *word)
{
    return (insp_text){word, (uint32_t)strlen(word)};
}

static int compare_rows(const void *a, const void *b)
{
    const insp_usage_row *left = a, *right = b;
    int order;
    if (left->total != right->total)
        return left->total > right->total ? -1 : 1;
    order = insp_text_compare(left->name, right->name);
    return order ? order : insp_text_compare(left->field, right->field);
}

/* Moves the first row of a heap down to its place. The first row of a heap is its last one in the
 * order of the list. */
static void sift_down(insp_usage_row *rows, size_t count)
{
    size_t at = 0, next;
    while ((next = 2 * at + 1) < count) {
        insp_usage_row row = rows[at];
        if (next + 1 < count && compare_rows(&rows[next + 1], &rows[next]) > 0)
            next++;
        if (compare_rows(&row, &rows[next]) >= 0)
            return;
        rows[at] = rows[next];
        rows[next] = row;
        at = next;
    }
}

static void sift_up(insp_usage_row *rows, size_t at)
{
    for (; at > 0; at = (at - 1) / 2) {
        insp_usage_row row = rows[at], *parent = &rows[(at - 1) / 2];
        if (compare_rows(&row, parent) <= 0)
            return;
        rows[at] = *parent;
        *parent = row;
    }
}

static kiln_status add_row(insp_usage_list *list, const insp_usage_row *row, size_t most)
{
    insp_usage_row *grown;
    list->all++;
    list->all_bytes += row->bytes;
    if (list->count < most) {
        grown = insp_grow(list->rows, &list->capacity, list->count + 1, sizeof *list->rows);
        if (!grown)
            return KILN_NO_MEMORY;
        list->rows = grown;
        list->rows[list->count] = *row;
        sift_up(list->rows, list->count++);
    } else if (compare_rows(row, &list->rows[0]) < 0) {
        list->rows[0] = *row;
        sift_down(list->rows, list->count);
    }
    return KILN_OK;
}

/* ---- members ---- */

/* Blobs with types of the file and with built-in types are counted separately, because the numbers
 * of their types differ; and so are those that are compressed, because only the others add to the
 * parts of the file. */
enum { OWN_TYPES, BUILTIN_TYPES, PACKED_OWN_TYPES, PACKED_BUILTIN_TYPES, WALKS };

typedef struct measure {
    insp_usage *usage;
    const insp_file *file;
    const insp_usage_args *args;
    /* By member. */
    unsigned char *counted; /* the lists that contain its bytes */
    unsigned char *wanted;  /* whether any of its assets matches */
    uint32_t *first;        /* an asset, by its number; KILN_ASSET_NONE: none */
    uint32_t *assets;       /* number of assets */
    insp_usage_walk walks[WALKS];
} measure;

static bool is_wanted(const measure *m, const insp_asset *asset)
{
    const insp_usage_args *args = m->args;
    uint32_t i = 0;
    while (i < args->pattern_count &&
           !insp_glob_asset(args->patterns[i], asset->name.data, asset->name.length))
        i++;
    return !args->pattern_count || i < args->pattern_count;
}

/* Finds out which assets the members have. */
static bool find_assets(measure *m)
{
    const insp_file *file = m->file;
    uint32_t i, members = file->member_count;
    m->counted = insp_alloc_array(members, 1);
    m->wanted = insp_alloc_array(members, 1);
    m->first = insp_alloc_array(members, sizeof *m->first);
    m->assets = insp_alloc_array(members, sizeof *m->assets);
    if (!m->counted || !m->wanted || !m->first || !m->assets)
        return false;
    for (i = 0; i < members; i++)
        m->first[i] = KILN_ASSET_NONE;
    for (i = 0; i < file->asset_count; i++) {
        const insp_asset *asset = insp_numbered_asset(file, i);
        if (asset->member >= members)
            continue;
        if (!m->assets[asset->member]++)
            m->first[asset->member] = i;
        m->wanted[asset->member] |= is_wanted(m, asset);
    }
    return true;
}

/* The walk for a member of assets, and the number of their type in it; NULL if the file does not
 * describe the type. */
static insp_usage_walk *walk_of(measure *m, uint32_t member, uint32_t *ret_type)
{
    const insp_asset *asset = insp_numbered_asset(m->file, m->first[member]);
    int first = insp_member_at(m->file, member)->compression ? PACKED_OWN_TYPES : OWN_TYPES;
    if (!asset)
        return NULL;
    *ret_type = insp_builtin_type(m->file, asset);
    if (*ret_type != KILN_TYPE_NONE)
        return &m->walks[first + 1];
    *ret_type = insp_asset_type(m->file, asset);
    return *ret_type != KILN_TYPE_NONE ? &m->walks[first] : NULL;
}

static insp_usage_part part_of(const insp_file *file, uint32_t number)
{
    const insp_member *member = insp_member_at(file, number);
    const unsigned char *blob;
    uint64_t size, at, payload;
    kiln_blob_header header;
    if (number == file->table_member)
        return INSP_USAGE_TYPE_TABLE;
    if (insp_member_is_payload(member))
        return INSP_USAGE_PAYLOADS;
    if (member->compression != KILN_COMPRESSION_NONE)
        return INSP_USAGE_COMPRESSED;
    if (insp_file_member(file, number, &blob, &size) &&
        insp_blob_payload(blob, size, &header, &at, &payload) &&
        kiln_header_kind(&header) == KILN_BLOB_DICTIONARY)
        return INSP_USAGE_DICTIONARIES;
    return INSP_USAGE_VALUES;
}

/* Measures the blob of a member of assets. */
static kiln_status measure_blob(measure *m, uint32_t number)
{
    insp_usage *usage = m->usage;
    const insp_member *member = insp_member_at(m->file, number);
    bool is_packed = member->compression != KILN_COMPRESSION_NONE;
    const unsigned char *blob;
    uint64_t size, at, payload;
    uint32_t type;
    kiln_blob_header header;
    insp_usage_walk *walk = walk_of(m, number, &type);
    kiln_status status = insp_file_blob(m->file, number, &blob, &size);
    if (status == KILN_NO_MEMORY)
        return status;
    if (status || !walk || !insp_blob_payload(blob, size, &header, &at, &payload)) {
        if (!is_packed)
            usage->parts[INSP_USAGE_UNTYPED] += member->stored_size;
        return KILN_OK;
    }
    if (!is_packed) {
        usage->parts[INSP_USAGE_HEADERS] += KILN_HEADER_SIZE;
        usage->parts[INSP_USAGE_PADDING] += member->stored_size - KILN_HEADER_SIZE - payload;
    }
    return insp_usage_walk_add(walk, type, blob + at, payload, m->assets[number] > 1);
}

static kiln_status measure_member(measure *m, uint32_t number)
{
    insp_usage *usage = m->usage;
    const insp_member *member = insp_member_at(m->file, number);
    insp_usage_part part = part_of(m->file, number);
    usage->size += member->stored_size;
    if (part != INSP_USAGE_VALUES)
        usage->parts[part] += member->stored_size;
    if (part != INSP_USAGE_VALUES && part != INSP_USAGE_COMPRESSED)
        return KILN_OK;
    if (part == INSP_USAGE_COMPRESSED) {
        usage->compressed_members++;
        usage->compressed_size += member->size;
        usage->compressed_stored += member->stored_size;
    }
    if (m->assets[number] > 1) {
        usage->sharing_assets += m->assets[number] - 1;
        usage->saved_by_assets += (m->assets[number] - 1) * member->stored_size;
    }
    return measure_blob(m, number);
}

/* Measures all members. Without patterns, also counts the bytes between them, and those after the
 * last one. Members that overlap the index or one another, as in a broken file, are left out. */
static kiln_status measure_members(measure *m, uint64_t end)
{
    insp_usage *usage = m->usage;
    uint32_t i;
    kiln_status status = KILN_OK;
    for (i = 0; i < m->file->member_count && !status; i++) {
        const insp_member *member = insp_member_at(m->file, i);
        if (!member->in_place || member->place < end)
            continue;
        if (!m->args->pattern_count) {
            usage->parts[INSP_USAGE_GAPS] += member->place - end;
            usage->size += member->place - end;
        }
        end = member->place + member->stored_size;
        if (!m->args->pattern_count || m->wanted[i])
            status = measure_member(m, i);
    }
    if (!m->args->pattern_count) {
        usage->parts[INSP_USAGE_UNUSED] += m->file->size - end;
        usage->size += m->file->size - end;
    }
    return status;
}

/* ---- rows ---- */

static kiln_status add_fields(insp_usage_list *list, const insp_usage_walk *walk,
                              const insp_usage_walk *more, size_t most)
{
    uint32_t type, i, types = walk->types ? kiln_types_count(walk->types) : 0;
    kiln_status status = KILN_OK;
    for (type = 0; type < types; type++) {
        const kiln_type *of = kiln_types_get(walk->types, type);
        for (i = 0; of->kind == KILN_KIND_STRUCT && i < of->member_count && !status; i++) {
            const insp_field_usage *field = insp_usage_walk_field(walk, type, i);
            const insp_field_usage *other = more ? insp_usage_walk_field(more, type, i) : field;
            insp_usage_row row = {.name = text_of(of->name), .field = text_of(of->members[i].name)};
            row.shared = field->shared + (more ? other->shared : 0);
            row.bytes = field->own + (more ? other->own : 0) + row.shared;
            row.total = field->total + (more ? other->total : 0);
            row.unpacked = row.bytes;
            if (row.bytes || row.total)
                status = add_row(list, &row, most);
        }
    }
    return status;
}

enum { COUNTED_FOR_ASSETS = 1, COUNTED_FOR_SCENES = 2 };

/* The row of one asset. The bytes of a member belong to the first asset in the list that has it. */
static insp_usage_row asset_row(measure *m, const insp_asset *asset, unsigned char list)
{
    const insp_member *member = insp_asset_member(m->file, asset);
    const insp_member *payload = insp_payload_member(m->file, asset);
    insp_usage_row row = {.name = asset->name, .assets = 1};
    if (!member || !member->in_place)
        return row;
    row.shared = m->assets[asset->member] > 1 ? member->stored_size : 0;
    if (!(m->counted[asset->member] & list)) {
        row.bytes = member->stored_size;
        row.unpacked = member->size;
        m->counted[asset->member] |= list;
    }
    if (payload && payload->in_place) {
        row.bytes += payload->stored_size;
        row.unpacked += payload->size;
    }
    row.total = row.bytes;
    return row;
}

static void add_to(insp_usage_row *sum, const insp_usage_row *row)
{
    sum->assets += row->assets;
    sum->bytes += row->bytes;
    sum->total += row->bytes;
    sum->shared += row->shared;
    sum->unpacked += row->unpacked;
}

/* The row of a scene, with its chunks and data. */
static kiln_status add_scene(measure *m, const insp_asset *scene)
{
    insp_usage_row sum = asset_row(m, scene, COUNTED_FOR_SCENES);
    int piece;
    for (piece = INSP_SCENE_CHUNKS; piece <= INSP_SCENE_DATA; piece++) {
        const insp_asset *part;
        insp_usage_row row;
        kiln_status status = insp_scene_find_part(m->file, scene, (insp_scene_piece)piece, &part);
        if (status)
            return status;
        if (!part)
            continue;
        row = asset_row(m, part, COUNTED_FOR_SCENES);
        add_to(&sum, &row);
    }
    return add_row(&m->usage->scenes, &sum, m->args->most);
}

static kiln_status add_assets(measure *m)
{
    const insp_file *file = m->file;
    uint32_t i;
    /* The last row is for assets without a type. */
    insp_usage_row *types = insp_alloc_array((size_t)file->type_name_count + 1, sizeof *types);
    kiln_status status = types ? KILN_OK : KILN_NO_MEMORY;
    for (i = 0; i < file->asset_count && !status; i++) {
        const insp_asset *asset = insp_numbered_asset(file, i);
        insp_usage_row row;
        if (!is_wanted(m, asset))
            continue;
        row = asset_row(m, asset, COUNTED_FOR_ASSETS);
        status = add_row(&m->usage->assets, &row, m->args->most);
        add_to(&types[insp_type_name_at(file, asset->type_name) ? asset->type_name
                                                                : file->type_name_count],
               &row);
        if (!status && insp_is_scene(file, asset))
            status = add_scene(m, asset);
    }
    for (i = 0; i <= file->type_name_count && !status; i++) {
        const insp_type_name *type = insp_type_name_at(file, i);
        types[i].name = type ? type->name : text_of("?");
        if (types[i].assets)
            status = add_row(&m->usage->types, &types[i], m->args->most);
    }
    insp_free(types);
    return status;
}

/* Divides the bytes of the index among its lists. */
static kiln_status add_index_rows(measure *m, const insp_usage_walk *walk)
{
    insp_usage_list *list = &m->usage->index;
    const kiln_types *types = walk->types;
    uint32_t i, index = kiln_types_find(types, "kiln.Index");
    const insp_field_usage *name =
        insp_usage_walk_field(walk, kiln_types_find(types, "kiln.IndexAsset"), 0);
    uint64_t rest = m->usage->parts[INSP_USAGE_INDEX], strings = name->own + name->shared;
    uint64_t in_rows = (uint64_t)m->file->asset_count * sizeof(kiln_string);
    const kiln_type *of = kiln_types_get(types, index);
    kiln_status status = KILN_OK;
    strings -= in_rows < strings ? in_rows : strings;
    for (i = 0; i < of->member_count && !status; i++) {
        insp_usage_row row = {.name = text_of(of->members[i].name)};
        row.bytes = insp_usage_walk_field(walk, index, i)->total;
        if (strcmp(of->members[i].name, "assets") == 0)
            row.bytes -= strings;
        if (kiln_types_get(types, of->members[i].type)->kind != KILN_KIND_ARRAY)
            continue;
        rest -= row.bytes;
        row.total = row.bytes;
        status = add_row(list, &row, SIZE_MAX);
    }
    rest -= strings;
    if (!status)
        status = add_row(
            list, &(insp_usage_row){.name = text_of("names"), .bytes = strings, .total = strings},
            SIZE_MAX);
    if (!status)
        status =
            add_row(list, &(insp_usage_row){.name = text_of("rest"), .bytes = rest, .total = rest},
                    SIZE_MAX);
    return status;
}

/* Measures the index, and returns where it ends. */
static kiln_status measure_index(measure *m, uint64_t *ret_end)
{
    insp_usage *usage = m->usage;
    const insp_file *file = m->file;
    insp_usage_walk walk;
    kiln_blob_header header;
    uint64_t at, payload, size;
    kiln_status status;
    *ret_end = 0;
    if (!file->has_header)
        return KILN_OK;
    size = kiln_header_blob_size(&file->header);
    *ret_end = size < file->size ? size : file->size;
    if (kiln_header_kind(&file->header) != KILN_BLOB_INDEX) {
        usage->parts[kiln_header_kind(&file->header) == KILN_BLOB_TYPE_TABLE ? INSP_USAGE_TYPE_TABLE
                                                                             : INSP_USAGE_UNTYPED] =
            *ret_end;
        usage->size += *ret_end;
        return KILN_OK;
    }
    if (m->args->pattern_count || !insp_blob_payload(file->data, *ret_end, &header, &at, &payload))
        return KILN_OK;
    usage->parts[INSP_USAGE_INDEX] = *ret_end;
    usage->size += *ret_end;
    status = insp_usage_walk_init(&walk, file->builtin);
    if (!status)
        status = insp_usage_walk_add(&walk, kiln_types_find(file->builtin, "kiln.Index"),
                                     file->data + at, payload, false);
    if (!status)
        status = insp_usage_walk_end(&walk);
    if (!status)
        status = add_index_rows(m, &walk);
    insp_usage_walk_fini(&walk);
    return status;
}

static kiln_status end_walks(measure *m)
{
    insp_usage *usage = m->usage;
    int i;
    kiln_status status = KILN_OK;
    for (i = 0; i < WALKS && !status; i++) {
        const insp_usage_sums *sums = &m->walks[i].sums;
        if (m->walks[i].types)
            status = insp_usage_walk_end(&m->walks[i]);
        usage->sharing_fields += sums->repeats;
        usage->saved_by_fields += sums->saved;
        if (i >= PACKED_OWN_TYPES)
            continue;
        usage->parts[INSP_USAGE_VALUES] += sums->values;
        usage->parts[INSP_USAGE_STRINGS] += sums->strings;
        usage->parts[INSP_USAGE_SHARED] += sums->shared;
        usage->parts[INSP_USAGE_PADDING] += sums->padding;
    }
    for (i = 0; i < PACKED_OWN_TYPES && !status; i++)
        status = add_fields(&usage->fields, &m->walks[i], &m->walks[i + PACKED_OWN_TYPES],
                            m->args->most);
    return status;
}

static void sort_list(insp_usage_list *list)
{
    if (list->count)
        qsort(list->rows, list->count, sizeof *list->rows, compare_rows);
}

kiln_status insp_usage_init(insp_usage *usage, const insp_file *file, const insp_usage_args *args)
{
    measure m = {.usage = usage, .file = file, .args = args};
    uint64_t end;
    kiln_status status = KILN_OK;
    int i;
    *usage = (insp_usage){0};
    if (!find_assets(&m))
        status = KILN_NO_MEMORY;
    for (i = 0; i < WALKS && !status; i++) {
        const kiln_types *types = i % 2 ? file->builtin : file->types;
        if (types)
            status = insp_usage_walk_init(&m.walks[i], types);
    }
    if (!status && !(status = measure_index(&m, &end)) && !(status = measure_members(&m, end)) &&
        !(status = add_assets(&m)))
        status = end_walks(&m);
    for (i = 0; i < WALKS; i++)
        insp_usage_walk_fini(&m.walks[i]);
    insp_free(m.counted);
    insp_free(m.wanted);
    insp_free(m.first);
    insp_free(m.assets);
    sort_list(&usage->index);
    sort_list(&usage->types);
    sort_list(&usage->assets);
    sort_list(&usage->scenes);
    sort_list(&usage->fields);
    return status;
}

void insp_usage_fini(insp_usage *usage)
{
    insp_free(usage->index.rows);
    insp_free(usage->types.rows);
    insp_free(usage->assets.rows);
    insp_free(usage->scenes.rows);
    insp_free(usage->fields.rows);
    *usage = (insp_usage){0};
}
