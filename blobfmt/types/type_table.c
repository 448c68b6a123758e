#include <kiln/type_table.h>

#include <kiln/builder.h>
#include <kiln/verify.h>

#include "arena.h"
#include "builtin_types.h"
#include "table_build.h"
#include "type_list.h"

#include <string.h>

_Static_assert(offsetof(kiln_table_member, value) == 32, "FORMAT.md 7: member");
_Static_assert(offsetof(kiln_table_type, layout) == 24, "FORMAT.md 7: type");
_Static_assert(offsetof(kiln_table_type, kind) == 68, "FORMAT.md 7: type");

enum { READ_BLOCK = 16384 };
/* Texts that a hostile table shares a thousand times are copied a thousand times: this bounds the
 * sum. FORMAT.md section 11. */
static uint64_t unfolded_max(uint64_t payload_size)
{
    return KILN_UNFOLDED_BASE + KILN_UNFOLDED_FACTOR * payload_size;
}

/* A verified table on its way to a list. */
typedef struct table_reader {
    const kiln_type_table *table;
    const kiln_table_type *rows;
    arena memory;
    uint64_t budget;
} table_reader;

static bool spend(table_reader *r, uint64_t bytes)
{
    if (bytes > r->budget)
        return false;
    r->budget -= bytes;
    return true;
}

static const char *const *read_names(table_reader *r, const kiln_array *names)
{
    const kiln_string *from = kiln_relative_get(names, names->offset);
    const char **list =
        kiln_arena_alloc(&r->memory, sizeof *list * names->count + 1, _Alignof(char *));
    for (uint32_t i = 0; list && i < names->count; i++)
        list[i] = kiln_string_get(&from[i]);
    return list;
}

/* What the texts of a type or member cost when they are copied. */
static uint64_t text_bytes(const kiln_string *name, const kiln_string *doc, const kiln_array *was)
{
    const kiln_string *names = kiln_relative_get(was, was->offset);
    uint64_t bytes =
        (uint64_t)name->length + doc->length + 2 + (uint64_t)was->count * KILN_UNFOLDED_WAS;
    for (uint32_t i = 0; i < was->count; i++)
        bytes += names[i].length;
    return bytes;
}

static kiln_status read_members(table_reader *r, const kiln_table_type *row, kiln_type *type)
{
    uint32_t count = row->members.count;
    if (!spend(r, (uint64_t)count * KILN_UNFOLDED_MEMBER))
        return KILN_L_UNFOLDED;
    kiln_member *members =
        kiln_arena_alloc_zeroed(&r->memory, count * sizeof *members + 1, _Alignof(kiln_member));
    if (!members)
        return KILN_NO_MEMORY;
    const kiln_table_member *from = kiln_relative_get(&row->members, row->members.offset);
    for (uint32_t i = 0; i < count; i++) {
        if (!spend(r, text_bytes(&from[i].name, &from[i].doc, &from[i].was) +
                          from[i].default_image.count))
            return KILN_L_UNFOLDED;
        members[i].name = kiln_string_get(&from[i].name);
        members[i].doc = kiln_string_get(&from[i].doc);
        members[i].was = read_names(r, &from[i].was);
        members[i].was_count = from[i].was.count;
        members[i].type = from[i].type;
        members[i].flags = from[i].flags;
        members[i].value = from[i].value;
        members[i].min = from[i].min;
        members[i].max = from[i].max;
        if (!members[i].was)
            return KILN_NO_MEMORY;
    }
    type->members = members;
    type->member_count = count;
    return KILN_OK;
}

static kiln_status read_type(table_reader *r, const kiln_table_type *row, kiln_type *type)
{
    if (!spend(r, KILN_UNFOLDED_TYPE + text_bytes(&row->name, &row->doc, &row->was)))
        return KILN_L_UNFOLDED;
    memset(type, 0, sizeof *type);
    type->name = kiln_string_get(&row->name);
    type->doc = kiln_string_get(&row->doc);
    type->was = read_names(r, &row->was);
    type->was_count = row->was.count;
    type->flags = row->flags;
    type->kind = (kiln_kind)row->kind;
    type->base = (kiln_kind)row->base;
    type->element = row->element;
    type->key = row->key;
    type->count = row->count;
    type->align_at = row->align_at;
    return type->was ? read_members(r, row, type) : KILN_NO_MEMORY;
}

static bool member_agrees(const kiln_table_member *row, const kiln_member *member)
{
    bool no_min = !(member->flags & KILN_MEMBER_HAS_MIN),
         no_max = !(member->flags & KILN_MEMBER_HAS_MAX);
    return row->reserved == 0 && row->type == member->type && !(no_min && row->min) &&
           !(no_max && row->max);
}

/* What the table states beyond what the list was made from: names and parts that do not apply (T2,
 * T3), computed layout (T5), hash (T9). */
static kiln_status check_row(const kiln_types *types, uint32_t number, const kiln_table_type *row,
                             kiln_error *reterr)
{
    const kiln_type *type = kiln_types_get(types, number);
    bool is_named = kiln_kind_is_named(type->kind);
    if (!is_named && (row->name.length || row->doc.length || row->was.count || row->members.count))
        return kiln_type_fail(reterr, KILN_T_NAME, types, number, NULL);
    if (row->base != (uint8_t)type->base || row->reserved != 0)
        return kiln_type_fail(reterr, KILN_T_KIND, types, number, NULL);
    if (row->element != type->element || row->key != type->key || row->count != type->count)
        return kiln_type_fail(reterr, KILN_T_INDEX, types, number, NULL);
    if (row->align_at != type->align_at || row->size != type->size || row->align != type->align)
        return kiln_type_fail(reterr, KILN_T_LAYOUT, types, number, NULL);
    const kiln_table_member *members = kiln_relative_get(&row->members, row->members.offset);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        if (!member_agrees(&members[i], member))
            return kiln_type_fail(reterr, KILN_T_INDEX, types, number, member);
        if (members[i].offset != member->offset)
            return kiln_type_fail(reterr, KILN_T_LAYOUT, types, number, member);
        bool has_value = type->kind != KILN_KIND_STRUCT;
        if ((!has_value && members[i].value) || (has_value && members[i].default_image.count))
            return kiln_type_fail(reterr, KILN_T_VALUE, types, number, member);
    }
    return row->layout == type->layout ? KILN_OK
                                       : kiln_type_fail(reterr, KILN_T_HASH, types, number, NULL);
}

static kiln_status set_defaults(kiln_types *types, uint32_t number, const kiln_table_type *row,
                                kiln_error *reterr)
{
    const kiln_table_member *members = kiln_relative_get(&row->members, row->members.offset);
    for (uint32_t i = 0; i < row->members.count; i++) {
        const kiln_bytes *image = &members[i].default_image;
        if (image->count == 0)
            continue;
        kiln_status status =
            kiln_types_set_default(types, number, i, kiln_bytes_get(image), image->count, reterr);
        if (status)
            return status;
    }
    return KILN_OK;
}

static kiln_status read_rows(table_reader *r, const kiln_allocator *allocator,
                             kiln_types **ret_types, kiln_error *reterr)
{
    uint32_t count = r->table->types.count;
    kiln_types *types;
    if (count > r->budget / KILN_UNFOLDED_TYPE)
        return kiln_fail(reterr, KILN_L_UNFOLDED, 0, NULL);
    kiln_type *list = kiln_arena_alloc(&r->memory, count * sizeof *list + 1, _Alignof(kiln_type));
    kiln_status status = list ? KILN_OK : KILN_NO_MEMORY;
    for (uint32_t i = 0; i < count && !status; i++)
        status = read_type(r, &r->rows[i], &list[i]);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    status = kiln_types_create(allocator, list, count, &types, reterr);
    if (status)
        return status;
    for (uint32_t i = 0; i < count && !status; i++)
        status = check_row(types, i, &r->rows[i], reterr);
    for (uint32_t i = 0; i < count && !status; i++)
        status = set_defaults(types, i, &r->rows[i], reterr);
    if (status)
        kiln_types_destroy(types);
    else
        *ret_types = types;
    return status;
}

kiln_status kiln_type_table_read(const kiln_allocator *allocator, const void *blob, size_t size,
                                 kiln_types **ret_types, kiln_error *reterr)
{
    kiln_types *builtin;
    kiln_status status = kiln_types_create_builtin(allocator, &builtin, reterr);
    if (status)
        return status;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = builtin;
    def.type = BUILTIN_TYPE_TABLE;
    def.allocator = allocator;
    def.kind = KILN_BLOB_TYPE_TABLE;
    status = kiln_verify(&def, blob, size, reterr);
    kiln_types_destroy(builtin);
    if (status)
        return status;
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    table_reader r;
    r.table = (const void *)((const unsigned char *)blob + kiln_header_payload_at(&header));
    r.rows = kiln_relative_get(&r.table->types, r.table->types.offset);
    r.budget = unfolded_max(header.payload_size);
    kiln_arena_init(&r.memory, allocator, READ_BLOCK);
    status = read_rows(&r, allocator, ret_types, reterr);
    kiln_arena_fini(&r.memory);
    return status;
}

static void write_names(kiln_builder *b, kiln_array *field, const char *const *names,
                        uint32_t count)
{
    kiln_string *to = kiln_builder_array(b, field, count, sizeof *to, _Alignof(kiln_string));
    for (uint32_t i = 0; to && i < count; i++)
        kiln_builder_string(b, &to[i], names[i], strlen(names[i]));
}

static void write_member(kiln_builder *b, kiln_table_member *to, const kiln_member *from)
{
    kiln_builder_string(b, &to->name, from->name, strlen(from->name));
    kiln_builder_string(b, &to->doc, from->doc, strlen(from->doc));
    write_names(b, &to->was, from->was, from->was_count);
    kiln_builder_bytes(b, &to->default_image, from->default_image, from->default_size, 1);
    to->value = from->value;
    to->min = from->flags & KILN_MEMBER_HAS_MIN ? from->min : 0;
    to->max = from->flags & KILN_MEMBER_HAS_MAX ? from->max : 0;
    to->type = from->type;
    to->offset = from->offset;
    to->flags = from->flags;
}

static void write_type(kiln_builder *b, kiln_table_type *to, const kiln_type *from)
{
    kiln_builder_string(b, &to->name, from->name, strlen(from->name));
    kiln_builder_string(b, &to->doc, from->doc, strlen(from->doc));
    write_names(b, &to->was, from->was, from->was_count);
    to->layout = from->layout;
    to->size = from->size;
    to->align = from->align;
    to->element = from->element;
    to->key = from->key;
    to->count = from->count;
    to->align_at = from->align_at;
    to->flags = from->flags;
    to->kind = (uint8_t)from->kind;
    to->base = (uint8_t)from->base;
    kiln_table_member *members = kiln_builder_array(b, &to->members, from->member_count,
                                                    sizeof *members, _Alignof(kiln_table_member));
    for (uint32_t i = 0; members && i < from->member_count; i++) {
        write_member(b, &members[i], &from->members[i]);
        if (from->kind == KILN_KIND_STRUCT)
            members[i].value = 0;
    }
}

/* As text_bytes. */
static uint64_t unfolded_texts(const char *name, const char *doc, const char *const *was,
                               uint32_t was_count)
{
    uint64_t bytes = strlen(name) + strlen(doc) + 2 + (uint64_t)was_count * KILN_UNFOLDED_WAS;
    for (uint32_t i = 0; i < was_count; i++)
        bytes += strlen(was[i]);
    return bytes;
}

uint64_t kiln_types_unfolded_size(const kiln_types *types)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < kiln_types_count(types); i++) {
        const kiln_type *type = kiln_types_get(types, i);
        size +=
            KILN_UNFOLDED_TYPE + unfolded_texts(type->name, type->doc, type->was, type->was_count);
        for (uint32_t m = 0; m < type->member_count; m++) {
            const kiln_member *member = &type->members[m];
            size += KILN_UNFOLDED_MEMBER + member->default_size +
                    unfolded_texts(member->name, member->doc, member->was, member->was_count);
        }
    }
    return size;
}

static kiln_status write_table(const kiln_types *types, kiln_builder *b, kiln_buffer *ret_blob,
                               kiln_error *reterr)
{
    uint32_t count = kiln_types_count(types);
    kiln_type_table *root = kiln_builder_root(b, sizeof *root, _Alignof(kiln_type_table));
    kiln_table_type *rows =
        root ? kiln_builder_array(b, &root->types, count, sizeof *rows, 8) : NULL;
    for (uint32_t i = 0; rows && i < count; i++)
        write_type(b, &rows[i], kiln_types_get(types, i));
    return kiln_builder_finish(b, BUILTIN_TYPE_TABLE, KILN_BLOB_TYPE_TABLE, true, ret_blob, reterr);
}

kiln_status kiln_type_table_build(const kiln_allocator *allocator, const kiln_types *types,
                                  kiln_buffer *ret_blob, kiln_error *reterr)
{
    kiln_types *builtin;
    kiln_builder *builder;
    kiln_status status = kiln_types_create_builtin(allocator, &builtin, reterr);
    if (status)
        return status;
    kiln_builder_def def = kiln_builder_def_default();
    def.types = builtin;
    def.allocator = allocator;
    status = kiln_builder_create(&def, &builder);
    if (status) {
        kiln_fail(reterr, status, 0, NULL);
    } else {
        status = write_table(types, builder, ret_blob, reterr);
        kiln_builder_destroy(builder);
    }
    kiln_types_destroy(builtin);
    return status;
}

/* What is shared in a table counts as often as it is named when it is read. */
kiln_status kiln_type_table_write(const kiln_allocator *allocator, const kiln_types *types,
                                  kiln_buffer *ret_blob, kiln_error *reterr)
{
    kiln_buffer blob;
    kiln_blob_header header;
    kiln_status status = kiln_type_table_build(allocator, types, &blob, reterr);
    if (status)
        return status;
    memcpy(&header, blob.data, sizeof header);
    if (kiln_types_unfolded_size(types) > unfolded_max(header.payload_size)) {
        kiln_buffer_fini(&blob);
        return kiln_fail(reterr, KILN_L_UNFOLDED, 0, NULL);
    }
    *ret_blob = blob;
    return KILN_OK;
}
