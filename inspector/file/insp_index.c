/* Copies the lists of the index into an insp_file, even from an index that kiln_index_check
 * rejects.
 *
 * Every read uses a bounds-checked kiln_value; an absent field reads as 0 or empty. Apart from
 * sorting, the work is linear in the index. kiln_index_check runs last, and its result only decides
 * whether `index` is set. */
#include "insp_index.h"

#include "insp_memory.h"
#include "insp_unpack.h"

#include <kiln/type_table.h>
#include <stdlib.h>
#include <string.h>

static kiln_value field_of(const kiln_value *from, const char *name)
{
    kiln_value value = {0};
    if (from->of)
        kiln_value_field(from, name, strlen(name), &value);
    return value;
}

static uint64_t number_of(const kiln_value *from, const char *name)
{
    kiln_value value = field_of(from, name);
    return value.of ? kiln_value_uint(&value) : 0;
}

static insp_text text_of(const kiln_value *from, const char *name)
{
    kiln_value value = field_of(from, name);
    insp_text text = {"", 0};
    if (value.of)
        kiln_value_text(&value, &text.data, &text.length);
    return text;
}

/* The number of elements; 0 if the array is not entirely in the payload. */
static uint32_t count_of(const kiln_value *array)
{
    const unsigned char *target;
    uint64_t size;
    if (!array->of || kiln_value_target(array, &target, &size) != KILN_OK)
        return 0;
    return kiln_value_count(array);
}

static kiln_value element_of(const kiln_value *array, uint32_t i)
{
    kiln_value value = {0};
    kiln_value_at(array, i, &value);
    return value;
}

static kiln_status read_members(insp_file *file)
{
    kiln_value array = field_of(&file->index_value, "members");
    uint64_t end = 0;
    uint32_t count = count_of(&array), i;
    file->members = insp_alloc_array(count, sizeof *file->members);
    if (!file->members)
        return KILN_NO_MEMORY;
    file->member_count = count;
    for (i = 0; i < count; i++) {
        kiln_value value = element_of(&array, i);
        insp_member *member = &file->members[i];
        member->place = number_of(&value, "place");
        member->stored_size = number_of(&value, "stored_size");
        member->size = number_of(&value, "size");
        member->compression = (uint8_t)number_of(&value, "compression");
        member->dictionary = (uint32_t)number_of(&value, "dictionary");
        member->align_log2 = (uint8_t)number_of(&value, "align_log2");
        member->asset = KILN_ASSET_NONE;
        /* Members that overlap or are out of order are not read. Otherwise an index could list the
         * same bytes a million times, and the work on all members would not be linear. */
        member->in_place = member->place >= end && member->place <= file->size &&
                           member->stored_size <= file->size - member->place;
        if (member->in_place)
            end = member->place + member->stored_size;
    }
    return KILN_OK;
}

/* Creates the state for decompression, if any member is compressed. */
static kiln_status read_dictionaries(insp_file *file)
{
    kiln_value array = field_of(&file->index_value, "dictionaries");
    uint32_t i = 0;
    file->dictionary_count = count_of(&array);
    while (i < file->member_count && file->members[i].compression == KILN_COMPRESSION_NONE)
        i++;
    if (i == file->member_count)
        return KILN_OK;
    file->unpacking = insp_unpacking_create(file, &array, file->dictionary_count);
    return file->unpacking ? KILN_OK : KILN_NO_MEMORY;
}

static kiln_status read_type_names(insp_file *file)
{
    kiln_value array = field_of(&file->index_value, "types");
    uint32_t count = count_of(&array), i;
    file->type_names = insp_alloc_array(count, sizeof *file->type_names);
    if (!file->type_names)
        return KILN_NO_MEMORY;
    file->type_name_count = count;
    for (i = 0; i < count; i++) {
        kiln_value value = element_of(&array, i);
        file->type_names[i].name = text_of(&value, "name");
        file->type_names[i].layout = number_of(&value, "layout");
        file->type_names[i].type = KILN_TYPE_NONE;
    }
    return KILN_OK;
}

static int compare_assets(const void *a, const void *b)
{
    const insp_asset *left = a, *right = b;
    int order = insp_text_compare(left->name, right->name);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

/* If an asset and an import have the same id, the asset comes first and insp_file_name finds it,
 * because KILN_ASSET_NONE is the largest number. */
static int compare_names(const void *a, const void *b)
{
    const insp_name *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->asset > right->asset) - (left->asset < right->asset);
}

static kiln_status read_assets(insp_file *file)
{
    kiln_value array = field_of(&file->index_value, "assets");
    kiln_value ids = field_of(&file->index_value, "ids");
    kiln_value starts = field_of(&file->index_value, "edge_starts");
    uint32_t count = count_of(&array), id_count = count_of(&ids), start_count = count_of(&starts),
             i;
    file->assets = insp_alloc_array(count, sizeof *file->assets);
    if (!file->assets)
        return KILN_NO_MEMORY;
    file->asset_count = count;
    for (i = 0; i < count; i++) {
        kiln_value value = element_of(&array, i);
        insp_asset *asset = &file->assets[i];
        asset->name = text_of(&value, "name");
        asset->number = i;
        asset->type_name = (uint32_t)number_of(&value, "type");
        asset->member = (uint32_t)number_of(&value, "member");
        if (i < id_count) {
            value = element_of(&ids, i);
            asset->id = value.of ? kiln_value_uint(&value) : 0;
        }
        if (i + 1 < start_count) {
            kiln_value from = element_of(&starts, i), to = element_of(&starts, i + 1);
            uint64_t first = from.of ? kiln_value_uint(&from) : 0,
                     end = to.of ? kiln_value_uint(&to) : 0;
            asset->references = end > first ? (uint32_t)(end - first) : 0;
        }
    }
    qsort(file->assets, count, sizeof *file->assets, compare_assets);
    /* Iterate backwards, so that the list of each member is sorted by name. */
    for (i = count; i-- > 0;) {
        insp_asset *asset = &file->assets[i];
        insp_member *member = insp_member_at(file, asset->member);
        asset->next = KILN_ASSET_NONE;
        if (!member)
            continue;
        asset->next = member->asset;
        member->asset = i;
        member->assets++;
    }
    return KILN_OK;
}

static kiln_status read_names(insp_file *file)
{
    kiln_value array = field_of(&file->index_value, "imports");
    uint32_t imports = count_of(&array), i;
    insp_name *names = insp_alloc_array((size_t)file->asset_count + imports, sizeof *names);
    if (!names)
        return KILN_NO_MEMORY;
    for (i = 0; i < file->asset_count; i++)
        names[i] = (insp_name){file->assets[i].id, file->assets[i].name, i};
    for (i = 0; i < imports; i++) {
        kiln_value value = element_of(&array, i);
        names[file->asset_count + i] =
            (insp_name){number_of(&value, "id"), text_of(&value, "name"), KILN_ASSET_NONE};
    }
    file->names = names;
    file->import_count = imports;
    file->name_count = file->asset_count + imports;
    qsort(names, file->name_count, sizeof *names, compare_names);
    return KILN_OK;
}

static uint32_t find_type(const kiln_types *types, insp_text name)
{
    char text[KILN_NAME_MAX + 1];
    if (!types || name.length >= sizeof text || memchr(name.data, '\0', name.length))
        return KILN_TYPE_NONE;
    memcpy(text, name.data, name.length);
    text[name.length] = '\0';
    return kiln_types_find(types, text);
}

/* Copies the type table before reading it, because it must be aligned and a broken index may state
 * any place. */
kiln_status insp_index_types(insp_file *file, const unsigned char *blob, uint64_t size)
{
    unsigned char *copy = insp_alloc_unset((size_t)size, KILN_ALIGN_MAX);
    kiln_status status;
    if (!copy)
        return KILN_NO_MEMORY;
    memcpy(copy, blob, (size_t)size);
    status = kiln_type_table_read(insp_allocator(), copy, (size_t)size, &file->types,
                                  &file->types_error);
    if (status)
        file->types_error.status = status;
    insp_free(copy);
    return status == KILN_NO_MEMORY ? status : KILN_OK;
}

static kiln_status read_table(insp_file *file)
{
    uint64_t table = number_of(&file->index_value, "type_table");
    const unsigned char *blob;
    uint64_t size;
    uint32_t i;
    kiln_status status = KILN_OK;
    if (!table)
        return KILN_OK;
    file->table_member = (uint32_t)(table - 1);
    if (!insp_file_member(file, file->table_member, &blob, &size))
        kiln_fail(&file->types_error, KILN_I_PLACE, 0, NULL);
    else
        status = insp_index_types(file, blob, size);
    /* Joins the index and the type table by name, even if the layouts differ. A check of the file
     * then reports the layout, which is more useful than a missing type. */
    for (i = 0; i < file->type_name_count; i++)
        file->type_names[i].type = find_type(file->types, file->type_names[i].name);
    return status;
}

kiln_status insp_index_read(insp_file *file, uint64_t payload_at, uint64_t payload_size)
{
    uint32_t type = kiln_types_find(file->builtin, "kiln.Index");
    kiln_value edges;
    kiln_status status = kiln_value_root(file->builtin, type, file->data + payload_at,
                                         (size_t)payload_size, &file->index_value);
    if (status)
        file->index_value.of = NULL;
    edges = field_of(&file->index_value, "edges");
    file->edge_count = count_of(&edges);
    if ((status = read_members(file)) || (status = read_dictionaries(file)) ||
        (status = read_type_names(file)) || (status = read_assets(file)) ||
        (status = read_names(file)) || (status = read_table(file)))
        return status;
    status = kiln_index_check(file->builtin, insp_allocator(),
                              &(kiln_file_head){file->data, file->size, file->size}, &file->index,
                              &file->index_error);
    if (status) {
        file->index = NULL;
        file->index_error.status = status;
    }
    return status == KILN_NO_MEMORY ? status : KILN_OK;
}
