#include "file_fields.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>
#include <kiln/value.h>
#include <string.h>

enum { LONG_LIST = 24 };

static void add(file_fields *f, const kiln_value *value, size_t skip, uint32_t size,
                const char *type, const char *name, uint32_t group)
{
    assert_true(f->count < FILE_FIELDS_MAX);
    f->items[f->count++] =
        (file_field){(size_t)(value->data - f->data) + skip, size, group, type, name};
}

static void find_in(file_fields *f, const kiln_value *value, const char *type, const char *name,
                    uint32_t group);

/* The target of a relative field. */
static void find_target(file_fields *f, const kiln_value *value)
{
    uint32_t count = kiln_value_count(value), i;
    kiln_value inner;
    for (i = 0; i < count; i++) {
        bool is_taken = count <= LONG_LIST || i < 2 || i == count / 2 || i == count - 1;
        const char *type = kiln_types_get(value->types, value->of->element)->name;
        if (is_taken && kiln_value_at(value, i, &inner) == KILN_OK)
            find_in(f, &inner, type, "", f->group_count++);
    }
}

/* The fields of a struct, followed by those of their targets, so that a group stays contiguous. */
static void find_struct(file_fields *f, const kiln_value *value, uint32_t group)
{
    const kiln_type *of = value->of;
    kiln_value inner;
    uint32_t i;
    for (i = 0; i < of->member_count; i++) {
        assert_int_equal(KILN_OK, kiln_value_at(value, i, &inner));
        if (inner.of->kind == KILN_KIND_STRUCT)
            find_struct(f, &inner, group);
        else if (inner.of->has_pointers) {
            add(f, &inner, 0, 4, of->name, of->members[i].name, group);
            if (inner.of->size > 4)
                add(f, &inner, 4, 4, of->name, of->members[i].name, group);
        } else
            add(f, &inner, 0, inner.of->size, of->name, of->members[i].name, group);
    }
    for (i = 0; i < of->member_count; i++) {
        assert_int_equal(KILN_OK, kiln_value_at(value, i, &inner));
        if (inner.of->kind != KILN_KIND_STRUCT)
            find_target(f, &inner);
    }
}

static void find_in(file_fields *f, const kiln_value *value, const char *type, const char *name,
                    uint32_t group)
{
    if (value->of->kind == KILN_KIND_STRUCT)
        find_struct(f, value, group);
    else if (value->of->size <= 8 && !value->of->has_pointers)
        add(f, value, 0, value->of->size, type, name, group);
    else
        find_target(f, value);
}

/* The fields of a blob if its root has the type. */
static void find_blob(file_fields *f, const kiln_types *types, const char *type, size_t at,
                      uint32_t member)
{
    kiln_blob_header header;
    kiln_value root;
    size_t payload;
    memcpy(&header, f->data + at, sizeof header);
    payload = at + kiln_header_payload_at(&header);
    assert_true(f->blob_count < FILE_BLOBS_MAX);
    f->blobs[f->blob_count++] = (file_blob){at,           header.payload_size,       header.layout,
                                            header.flags, kiln_header_kind(&header), member};
    assert_int_equal(KILN_OK,
                     kiln_value_root(types, kiln_types_find(types, type), f->data + payload,
                                     (size_t)header.payload_size, &root));
    find_in(f, &root, type, "", f->group_count++);
}

static void add_length(file_fields *f, uint64_t length)
{
    uint32_t i = 0;
    while (i < f->length_count && f->lengths[i] != length)
        i++;
    if (i == f->length_count && i < FILE_COUNTS_MAX)
        f->lengths[f->length_count++] = length;
}

static void find_members(file_fields *f, const kiln_types *types, const kiln_index *index)
{
    uint32_t i, table = index->type_table, found = 0;
    f->members_at = (size_t)((const unsigned char *)kiln_index_member_at(index, 0) - f->data);
    for (i = 0; i < index->assets.count && found < LONG_LIST; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        const kiln_index_member *member = kiln_index_member_at(index, asset->member);
        const char *type = kiln_string_get(&kiln_index_type_at(index, asset->type)->name);
        bool is_scene = strcmp(type, KILN_SCENE_TYPE_NAME) == 0;
        if (member->compression || (!is_scene && strcmp(type, KILN_SCENE_CHUNKS_TYPE_NAME) != 0))
            continue;
        find_blob(f, types, type, (size_t)member->place, asset->member);
        found++;
    }
    if (table && !kiln_index_member_at(index, table - 1)->compression)
        find_blob(f, types, "kiln.TypeTable", (size_t)kiln_index_member_at(index, table - 1)->place,
                  table - 1);
}

void file_fields_find(file_fields *f, unsigned char *data, size_t size)
{
    const kiln_index *index = NULL;
    kiln_error error = {.status = KILN_OK};
    *f = (file_fields){.data = data, .size = size};
    assert_int_equal(KILN_OK, kiln_types_create_builtin(NULL, &f->fixed, NULL));
    assert_int_equal(KILN_OK, kiln_types_with_scene(f->fixed, NULL, &f->types, NULL));
    if (kiln_index_check(f->fixed, NULL, &(kiln_file_head){data, size, size}, &index, &error) !=
        KILN_OK)
        fail_msg("%s: %s", kiln_status_rule(error.status), error.path);
    add_length(f, index->members.count);
    add_length(f, index->types.count);
    add_length(f, index->assets.count);
    add_length(f, index->assets.count + index->imports.count);
    add_length(f, index->dictionaries.count);
    add_length(f, index->edges.count);
    find_members(f, f->types, index);
    find_blob(f, f->fixed, "kiln.Index", 0, UINT32_MAX);
}

void file_fields_fini(file_fields *f)
{
    kiln_types_destroy(f->types);
    kiln_types_destroy(f->fixed);
}

uint64_t file_field_get(const file_fields *f, const file_field *field)
{
    uint64_t value = 0;
    memcpy(&value, f->data + field->at, field->size);
    return value;
}

void file_field_set(const file_fields *f, const file_field *field, uint64_t value)
{
    memcpy(f->data + field->at, &value, field->size);
}

void file_fields_repair(const file_fields *f)
{
    uint32_t i;
    for (i = 0; i < f->blob_count; i++) {
        const file_blob *blob = &f->blobs[i];
        unsigned char *at = f->data + blob->at;
        uint32_t align = blob->flags & KILN_FLAG_ALIGN_MASK;
        size_t before = align > 5 ? (size_t)1 << align : KILN_HEADER_SIZE;
        kiln_header_write(at,
                          align | (blob->flags & KILN_FLAG_CANONICAL) |
                              kiln_kind_flags((kiln_blob_kind)blob->kind),
                          blob->size, blob->layout);
        if (blob->member != UINT32_MAX) {
            kiln_hash128 hash = kiln_content_hash(at, before + (size_t)blob->size);
            memcpy(f->data + f->members_at + blob->member * sizeof(kiln_index_member) +
                       offsetof(kiln_index_member, content),
                   &hash, sizeof hash);
        }
    }
}
