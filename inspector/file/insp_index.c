/* Reads the lists of the index, even from an index that kiln_index_check rejects.
 *
 * The places of the lists are read with bounds checks, and an element is read when it is first
 * used. An absent field reads as 0 or empty. insp_file_list reads all elements and sorts them;
 * apart from sorting, its work is linear in the index. kiln_index_check runs last, and its result
 * only decides whether `index` is set. */
#include "insp_index.h"

#include "insp_memory.h"
#include "insp_unpack.h"

#include <kiln/type_table.h>
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

/* Finds a list; its count is 0 if it is not entirely in the payload. */
static insp_list list_of(const insp_file *file, const char *name)
{
    kiln_value array = field_of(&file->index_value, name), first;
    insp_list list = {NULL, 0};
    const unsigned char *target;
    uint64_t size;
    if (!array.of || kiln_value_target(&array, &target, &size) != KILN_OK)
        return list;
    list.count = kiln_value_count(&array);
    if (list.count && kiln_value_at(&array, 0, &first) == KILN_OK)
        list.elements = first.data;
    return list;
}

static kiln_status create_entries(insp_file *file)
{
    size_t names = (size_t)file->asset_count + file->import_count;
    file->assets = insp_alloc_entries(file->asset_count, sizeof *file->assets);
    file->members = insp_alloc_entries(file->member_count, sizeof *file->members);
    file->names = insp_alloc_entries(names, sizeof *file->names);
    return file->assets && file->members && file->names ? KILN_OK : KILN_NO_MEMORY;
}

static kiln_status read_type_names(insp_file *file)
{
    kiln_value array = field_of(&file->index_value, "types");
    uint32_t count = list_of(file, "types").count, i;
    file->type_names = insp_alloc_array(count, sizeof *file->type_names);
    if (!file->type_names)
        return KILN_NO_MEMORY;
    file->type_name_count = count;
    for (i = 0; i < count; i++) {
        kiln_value value = {0};
        kiln_value_at(&array, i, &value);
        file->type_names[i].name = text_of(&value, "name");
        file->type_names[i].layout = number_of(&value, "layout");
        file->type_names[i].type = KILN_TYPE_NONE;
    }
    return KILN_OK;
}

static kiln_status read_dictionaries(insp_file *file)
{
    kiln_value array = field_of(&file->index_value, "dictionaries");
    file->dictionary_count = list_of(file, "dictionaries").count;
    file->unpacking = insp_unpacking_create(file, &array, file->dictionary_count);
    return file->unpacking ? KILN_OK : KILN_NO_MEMORY;
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

/* Lookups need a frame only to be fast, so a wrong one is not an error here. The alignment of the
 * index may be too large for `data`, which does not matter to the inspector. */
static void read_frame(insp_file *file)
{
    file->index_error.status =
        kiln_index_frame_read(&(kiln_file_head){file->data, file->size, file->size}, false,
                              &file->frame, &file->index_error);
}

kiln_status insp_index_read(insp_file *file, uint64_t payload_at, uint64_t payload_size)
{
    uint32_t type = kiln_types_find(file->builtin, "kiln.Index");
    kiln_status status = kiln_value_root(file->builtin, type, file->data + payload_at,
                                         (size_t)payload_size, &file->index_value);
    if (status)
        file->index_value.of = NULL;
    file->lists =
        (insp_lists){list_of(file, "ids"),         list_of(file, "assets"),
                     list_of(file, "members"),     list_of(file, "imports"),
                     list_of(file, "edge_starts"), file->data + payload_at + payload_size};
    file->asset_count = file->lists.assets.count;
    file->member_count = file->lists.members.count;
    file->import_count = file->lists.imports.count;
    file->edge_count = list_of(file, "edges").count;
    file->stated_size = number_of(&file->index_value, "file_size");
    read_frame(file);
    if ((status = create_entries(file)) || (status = read_type_names(file)) ||
        (status = read_dictionaries(file)))
        return status;
    return read_table(file);
}
