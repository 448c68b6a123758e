/* Prints the values of an object as rows of a hex dump.
 *
 * Numbers in a list share rows, each with as many numbers as fit. Every other value without parts
 * has its own row, next to its name. Fields are visited in the order of their offsets, and the
 * bytes between two fields are padding. */
#include "insp_hex_value.h"

#include "insp_escape.h"
#include "insp_format.h"
#include "insp_print.h"
#include "insp_run_printer.h"
#include "insp_scalar.h"

#include <inttypes.h>
#include <string.h>

enum { PREVIEW = 40 };

static void put_path(insp_hex_view *v, const kiln_path *path)
{
    insp_put_style(v->out, INSP_STYLE_NAME);
    insp_put_escaped(v->out, path->text, path->length);
    insp_put_style(v->out, INSP_STYLE_PLAIN);
}

static void put_scalar(insp_hex_view *v, const kiln_value *value)
{
    insp_printer p;
    insp_run_printer(v->run, v->map->file, &p);
    p.out = v->out;
    p.format = &insp_format_tree;
    p.flow = 1;
    p.depth = 1;
    insp_print(&p, value);
}

/* Offsets and hashes are easier to read in hexadecimal. */
static void put_hexadecimal(insp_hex_view *v, const kiln_value *value)
{
    uint64_t number = kiln_kind_is_unsigned(value->of->kind) ? kiln_value_uint(value) : 0;
    if (number > 0xff)
        insp_putf(v->out, " (0x%" PRIx64 ")", number);
}

/* Prints the target of a relative field. */
static void put_target(insp_hex_view *v, const kiln_value *value)
{
    const unsigned char *target;
    const kiln_member *member = kiln_value_member(value);
    uint64_t size;
    kiln_status status = kiln_value_target(value, &target, &size);
    uint32_t tag, count, shown;
    memcpy(&tag, value->data, sizeof tag);
    if (value->of->kind == KILN_KIND_UNION) {
        insp_putf(v->out, "tag %" PRIu32 " ", tag);
        if (member)
            insp_put_escaped(v->out, member->name, strlen(member->name));
        else
            insp_put(v->out, tag ? "(unknown)" : "(unset)");
        insp_put(v->out, status || target ? " " : "");
    }
    if (status) {
        insp_put_styled(v->out, INSP_STYLE_BROKEN, "-> outside the payload (V2)");
        return;
    }
    if (!target) {
        insp_put(v->out, value->of->kind == KILN_KIND_UNION      ? ""
                         : value->of->kind == KILN_KIND_OPTIONAL ? "null"
                                                                 : "empty");
        return;
    }
    insp_putf(v->out, "-> 0x%" PRIx64, (uint64_t)(target - v->data));
    if (value->of->kind == KILN_KIND_OPTIONAL || value->of->kind == KILN_KIND_UNION)
        return;
    memcpy(&count, value->data + 4, sizeof count);
    if (value->of->kind == KILN_KIND_STRING) {
        shown = count > PREVIEW ? PREVIEW : count;
        insp_put_char(v->out, ' ');
        insp_put_quoted(v->out, (const char *)target, shown);
        insp_put(v->out, shown < count ? " .." : "");
    } else {
        insp_putf(v->out, ", %" PRIu32 " %s%s", count,
                  value->of->kind == KILN_KIND_BYTES ? "byte" : "value", count == 1 ? "" : "s");
    }
}

static bool is_relative(kiln_kind kind)
{
    return kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES || kind == KILN_KIND_ARRAY ||
           kind == KILN_KIND_MAP || kind == KILN_KIND_OPTIONAL || kind == KILN_KIND_UNION;
}

/* Prints the start of a row of numbers: the path and type of a fixed array, and the index of the
 * row's first value if there are several. */
static void put_run_head(insp_hex_view *v, const kiln_value *whole, const kiln_path *path,
                         uint64_t number, uint64_t count)
{
    if (whole) {
        put_path(v, path);
        insp_put(v->out, ": ");
        insp_put_style(v->out, INSP_STYLE_TYPE);
        insp_put_type(v->out, whole->types, whole->type);
        insp_put_style(v->out, INSP_STYLE_PLAIN);
        insp_put(v->out, " = ");
    }
    if (number || (!whole && count > 1))
        insp_putf(v->out, "[%" PRIu64 "] ", number);
}

/* Prints values without parts, as many in a row as fit. `whole` is the fixed array that contains
 * them, or NULL. */
static void put_run(insp_hex_view *v, const kiln_value *first, uint64_t count,
                    const kiln_value *whole, const kiln_path *path)
{
    uint32_t size = first->of->size, per_row = size ? INSP_HEX_ROW / size : 0;
    uint64_t at = (uint64_t)(first->data - v->data), i, k;
    kiln_value value = *first;
    for (i = 0; i < count && per_row && !v->run->out.error; i += per_row) {
        uint64_t row = count - i < per_row ? count - i : per_row;
        if (!insp_hex_begin_row(v, at + i * size, at + (i + row) * size))
            continue;
        put_run_head(v, whole, path, i, count);
        for (k = 0; k < row; k++) {
            value.data = first->data + (i + k) * size;
            insp_put(v->out, k ? ", " : "");
            put_scalar(v, &value);
        }
        insp_hex_end_row(v);
    }
}

static void put_leaf(insp_hex_view *v, const kiln_value *value, const kiln_path *path)
{
    uint64_t at = (uint64_t)(value->data - v->data);
    if (!insp_hex_begin_row(v, at, at + value->of->size))
        return;
    put_path(v, path);
    insp_put(v->out, path->length ? ": " : "");
    insp_put_style(v->out, INSP_STYLE_TYPE);
    insp_put_type(v->out, value->types, value->type);
    insp_put_style(v->out, INSP_STYLE_PLAIN);
    insp_put(v->out, is_relative(value->of->kind) ? " " : " = ");
    if (is_relative(value->of->kind))
        put_target(v, value);
    else {
        put_scalar(v, value);
        put_hexadecimal(v, value);
    }
    insp_hex_end_row(v);
}

static bool is_single(const kiln_type *type)
{
    return !type->has_pointers && type->kind != KILN_KIND_STRUCT && type->kind != KILN_KIND_FIXED;
}

/* Prints the fields of a value in order, with the padding before each. */
static void put_value(insp_hex_view *v, const kiln_value *value, const kiln_path *path)
{
    uint64_t at = (uint64_t)(value->data - v->data);
    uint32_t i, count = kiln_value_count(value);
    kiln_value inner;
    if (!insp_hex_is_selected(v, at, at + value->of->size)) {
        v->cursor = at + value->of->size;
        return;
    }
    insp_hex_put_gap(v, at, "padding");
    if (value->of->kind == KILN_KIND_FIXED &&
        is_single(kiln_types_get(value->types, value->of->element)) &&
        kiln_value_at(value, 0, &inner) == KILN_OK) {
        put_run(v, &inner, count, value, path);
    } else if (value->of->kind == KILN_KIND_STRUCT || value->of->kind == KILN_KIND_FIXED) {
        for (i = 0; i < count && !v->run->out.error; i++) {
            kiln_path inner_path = *path;
            if (kiln_value_at(value, i, &inner) != KILN_OK)
                continue;
            if (value->of->kind == KILN_KIND_FIXED)
                kiln_path_add_number(&inner_path, i);
            else if (!(value->of->flags & KILN_TYPE_TRANSPARENT))
                kiln_path_add_name(&inner_path, value->of->members[i].name,
                                   strlen(value->of->members[i].name));
            put_value(v, &inner, &inner_path);
        }
    } else {
        put_leaf(v, value, path);
    }
    insp_hex_put_gap(v, at + value->of->size, "padding");
}

void insp_hex_put_values(insp_hex_view *v, const insp_object *object)
{
    kiln_value first = insp_map_value(v->map, object, 0);
    uint64_t stride = insp_map_stride(v->map, object);
    uint32_t i;
    kiln_path path = {{0}, 0};
    if (object->kind == INSP_OBJECT_VALUES && is_single(first.of)) {
        put_run(v, &first, object->count, NULL, &path);
        return;
    }
    for (i = 0; i < object->count && stride && !v->run->out.error; i++) {
        kiln_value value = insp_map_value(v->map, object, i);
        path.length = 0;
        path.text[0] = '\0';
        if (!insp_hex_is_selected(v, object->at + stride * i, object->at + stride * (i + 1)))
            continue;
        v->cursor = object->at + stride * i;
        if (object->kind == INSP_OBJECT_ENTRIES) {
            kiln_value key = insp_map_key(v->map, object, i);
            kiln_path key_path = {"(key)", 5};
            kiln_path_add_number(&key_path, i);
            put_value(v, &key, &key_path);
            kiln_path_add_key(&path, &key);
        } else if (object->is_list) {
            kiln_path_add_number(&path, i);
        }
        put_value(v, &value, &path);
        insp_hex_put_gap(v, object->at + stride * (i + 1), "padding");
    }
}
