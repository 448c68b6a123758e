/* Writes the type table that describes a list of types: FORMAT.md section 7.
 *
 * The table is an ordinary value, so a builder makes it and also puts it into canonical form.
 * type_table_read.c reads it back. */
#include "type_table_write.h"

#include <kiln/builder.h>

#include "builtin_types.h"
#include "table_size.h"

#include <string.h>

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
        /* A list may contain any `value` for a field, because callers need not clear it. Rule T7
         * requires 0. */
        if (from->kind == KILN_KIND_STRUCT)
            members[i].value = 0;
    }
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
    return kiln_builder_finish(b, BUILTIN_TYPE_TABLE,
                               KILN_FLAG_CANONICAL | kiln_kind_flags(KILN_BLOB_TYPE_TABLE),
                               ret_blob, reterr);
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

/* The limit applies to the unfolded size, not to the bytes written: a reader copies a shared string
 * once for each field that points to it. */
kiln_status kiln_type_table_write(const kiln_allocator *allocator, const kiln_types *types,
                                  kiln_buffer *ret_blob, kiln_error *reterr)
{
    kiln_buffer blob;
    kiln_blob_header header;
    kiln_status status = kiln_type_table_build(allocator, types, &blob, reterr);
    if (status)
        return status;
    memcpy(&header, blob.data, sizeof header);
    if (kiln_types_unfolded_size(types) > table_unfolded_max(header.payload_size)) {
        kiln_buffer_fini(&blob);
        return kiln_fail(reterr, KILN_L_UNFOLDED, 0, NULL);
    }
    *ret_blob = blob;
    return KILN_OK;
}
