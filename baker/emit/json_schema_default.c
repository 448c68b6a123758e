/* Defaults in a JSON Schema: as canonical YAML has them, those that JSON can have. */
#include "json_schema_writer.h"

#include <kiln/value.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Larger defaults help nobody who looks at one. */
enum { ITEMS_MAX = 64, DEPTH_MAX = 8 };

static bool is_shown(const kiln_value *value, unsigned depth);

static bool are_shown(const kiln_value *value, unsigned depth)
{
    kiln_value child;
    uint32_t count = kiln_value_count(value);
    if (count > ITEMS_MAX || depth > DEPTH_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (kiln_value_at(value, i, &child) || !is_shown(&child, depth + 1))
            return false;
    return true;
}

/* References are ids, whose names are not known here. */
static bool is_shown(const kiln_value *value, unsigned depth)
{
    double number;
    switch (value->of->kind) {
    case KILN_KIND_REF:
    case KILN_KIND_BYTES:
    case KILN_KIND_MAP:
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA:
        return kiln_value_count(value) == 0 && value->of->kind == KILN_KIND_MAP;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        number = kiln_value_float(value);
        return number - number == 0;
    default:
        return are_shown(value, depth);
    }
}

static void show(json_schema *s, const char *key, const kiln_value *value);

static void show_children(json_schema *s, const char *key, const kiln_value *value)
{
    bool is_struct = value->of->kind == KILN_KIND_STRUCT;
    kiln_value child;
    bake_json_open(&s->json, key, is_struct ? '{' : '[');
    for (uint32_t i = 0; i < kiln_value_count(value); i++)
        if (!kiln_value_at(value, i, &child))
            show(s, is_struct ? value->of->members[i].name : NULL, &child);
    bake_json_close(&s->json, is_struct ? '{' : '[');
}

static void show_flags(json_schema *s, const char *key, const kiln_value *value)
{
    uint64_t bits = kiln_value_uint(value), left = bits;
    bake_json_open(&s->json, key, '[');
    for (uint32_t m = 0; m < value->of->member_count; m++) {
        uint64_t flag = value->of->members[m].value;
        if ((bits & flag) == flag && (left & flag)) {
            bake_json_text(&s->json, NULL, value->of->members[m].name);
            left &= ~flag;
        }
    }
    bake_json_close(&s->json, '[');
}

static void show_union(json_schema *s, const char *key, const kiln_value *value)
{
    const kiln_member *member = kiln_value_member(value);
    kiln_value child;
    if (!member) {
        bake_json_null(&s->json, key);
    } else if (kiln_value_count(value) == 0 || kiln_value_at(value, 0, &child)) {
        bake_json_text(&s->json, key, member->name);
    } else {
        bake_json_open(&s->json, key, '{');
        show(s, member->name, &child);
        bake_json_close(&s->json, '{');
    }
}

static void show_text(json_schema *s, const char *key, const kiln_value *value)
{
    const char *text = "";
    uint32_t length = 0;
    s->text.size = 0;
    if (!kiln_value_text(value, &text, &length))
        bake_c_put_bytes(&s->text, text, length);
    bake_c_put_bytes(&s->text, "", 1);
    bake_json_text(&s->json, key, s->text.failed ? "" : s->text.data);
}

static void show(json_schema *s, const char *key, const kiln_value *value)
{
    char token[40];
    kiln_value child;
    kiln_kind kind = value->of->kind;
    if (value->of->flags & KILN_TYPE_TRANSPARENT) {
        if (!kiln_value_at(value, 0, &child))
            show(s, key, &child);
    } else if (kind == KILN_KIND_BOOL) {
        bake_json_bool(&s->json, key, kiln_value_uint(value) != 0);
    } else if (kiln_kind_is_integer(kind)) {
        if (kiln_kind_is_signed(kind))
            snprintf(token, sizeof token, "%" PRId64, kiln_value_int(value));
        else
            snprintf(token, sizeof token, "%" PRIu64, kiln_value_uint(value));
        bake_json_raw(&s->json, key, token);
    } else if (kiln_kind_is_float(kind)) {
        snprintf(token, sizeof token, kind == KILN_KIND_F32 ? "%.9g" : "%.17g",
                 kiln_value_float(value));
        bake_json_raw(&s->json, key, token);
    } else if (kind == KILN_KIND_STRING) {
        show_text(s, key, value);
    } else if (kind == KILN_KIND_ENUM) {
        bake_json_text(&s->json, key,
                       kiln_value_member(value) ? kiln_value_member(value)->name : "");
    } else if (kind == KILN_KIND_FLAGS) {
        show_flags(s, key, value);
    } else if (kind == KILN_KIND_UNION) {
        show_union(s, key, value);
    } else if (kind == KILN_KIND_OPTIONAL) {
        if (kiln_value_count(value) == 0 || kiln_value_at(value, 0, &child))
            bake_json_null(&s->json, key);
        else
            show(s, key, &child);
    } else if (kind == KILN_KIND_MAP) {
        bake_json_open(&s->json, key, '{');
        bake_json_close(&s->json, '{');
    } else {
        show_children(s, key, value);
    }
}

void bake_js_default(json_schema *s, const kiln_member *field)
{
    kiln_value value;
    if (!field->default_image ||
        kiln_value_root(s->types, kiln_types_default_type(s->types, field->type),
                        field->default_image, field->default_size, &value) ||
        !is_shown(&value, 0))
        return;
    show(s, "default", &value);
}
