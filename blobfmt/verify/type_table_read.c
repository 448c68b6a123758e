/* Reads a type table (FORMAT.md section 7) into the list of types that it describes.
 *
 * A table is redundant: it contains the descriptions, and values that follow from them (sizes,
 * offsets, hashes). The list is created only from the descriptions, by kiln_types_create, which
 * checks rules T1 to T8. Then check_row compares the values in the table with the computed ones
 * (T5, T9).
 *
 * The table is verified as a blob first. Its objects may be shared, so copies of the strings could
 * take much more memory than the table; a budget limits this (L3). */
#include <kiln/type_table.h>

#include <kiln/verify.h>

#include "arena.h"
#include "builtin_types.h"
#include "table_size.h"
#include "type_list.h"

#include <string.h>

_Static_assert(offsetof(kiln_table_member, value) == 32, "FORMAT.md 7: member");
_Static_assert(offsetof(kiln_table_type, layout) == 24, "FORMAT.md 7: type");
_Static_assert(offsetof(kiln_table_type, kind) == 68, "FORMAT.md 7: type");

enum { READ_BLOCK = 16384 };

/* A verified table that is being read. */
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

/* The number of bytes in copies of all strings of a type or member; unfolded_texts in table_size.c
 * computes the same. */
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

static bool member_matches(const kiln_table_member *row, const kiln_member *member)
{
    bool no_min = !(member->flags & KILN_MEMBER_HAS_MIN),
         no_max = !(member->flags & KILN_MEMBER_HAS_MAX);
    return row->reserved == 0 && row->type == member->type && !(no_min && row->min) &&
           !(no_max && row->max);
}

/* Checks everything in the table that is not part of the description: names and parts that do not
 * apply to the kind (T2, T3), the computed layout (T5), and the hash (T9). */
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
        if (!member_matches(&members[i], member))
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
        kiln_status status = kiln_types_set_default(
            types, number, i, (kiln_span){kiln_bytes_get(image), image->count}, reterr);
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
    r.budget = table_unfolded_max(header.payload_size);
    kiln_arena_init(&r.memory, allocator, READ_BLOCK);
    status = read_rows(&r, allocator, ret_types, reterr);
    kiln_arena_fini(&r.memory);
    return status;
}
