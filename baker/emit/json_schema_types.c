/* Values of all types in a JSON Schema. */
#include "json_schema_writer.h"

#include <stdio.h>
#include <string.h>

void bake_js_reference(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    char path[320];
    snprintf(path, sizeof path, "#/definitions/%s%s", of->name,
             s->is_partial && bake_js_has_partial(of) ? "-partial" : "");
    bake_json_text(&s->json, "$ref", path);
}

/* No elements is what null says too, unless there have to be some. */
static bool may_be_empty(const kiln_member *field)
{
    return !field || !(field->flags & KILN_MEMBER_HAS_MIN) || field->min == 0;
}

static void list(json_schema *s, const kiln_type *of, const kiln_member *field)
{
    if (may_be_empty(field))
        bake_js_types(s, "array null");
    else
        bake_json_text(&s->json, "type", "array");
    bake_js_value(s, "items", of->element, NULL);
    bake_js_lengths(s, field, "minItems", "maxItems", 1);
}

/* A list, or one element of it where the field says so. */
static void list_or_single(json_schema *s, const kiln_type *of, const kiln_member *field)
{
    bool is_single = field && (field->flags & KILN_MEMBER_SINGLE) &&
                     (!(field->flags & KILN_MEMBER_HAS_MIN) || field->min <= 1) &&
                     (!(field->flags & KILN_MEMBER_HAS_MAX) || field->max >= 1);
    if (!is_single) {
        list(s, of, field);
        return;
    }
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    list(s, of, field);
    bake_json_close(&s->json, '{');
    bake_js_value(s, NULL, of->element, NULL);
    bake_json_close(&s->json, '[');
}

const bake_member_form *bake_js_form_of(const json_schema *s, const kiln_member *field)
{
    for (size_t i = 0; field && i < s->schema->form_count; i++) {
        const bake_member_form *form = &s->schema->forms[i];
        if (&kiln_types_get(s->types, form->type)->members[form->member] == field)
            return form;
    }
    return NULL;
}

/* What texts a fixed array may be: its elements with commas between, or digits of its bytes. */
static void fixed_text(json_schema *s, uint32_t type, bool is_hex)
{
    char count[40];
    bake_js_begin_pattern(s);
    if (is_hex) {
        snprintf(count, sizeof count, "[0-9a-fA-F]{%u}",
                 2 * (unsigned)kiln_types_get(s->types, type)->count);
        bake_c_put(&s->text, count);
    } else {
        bake_js_put_text(s, type, NULL, false);
    }
    bake_js_end_pattern(s, "pattern");
}

static void fixed(json_schema *s, uint32_t type, const kiln_member *field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_member_form *form = bake_js_form_of(s, field);
    bool is_text = bake_js_is_one_text(s, of->element), is_hex = form && form->is_hex;
    bake_js_types_or_null(s, !is_text                   ? "array"
                             : of->count == 1 || is_hex ? "array " JS_SCALARS
                                                        : "array string");
    bake_js_value(s, "items", of->element, NULL);
    bake_json_number(&s->json, "minItems", of->count);
    bake_json_number(&s->json, "maxItems", of->count);
    if (is_text)
        fixed_text(s, type, is_hex);
}

static void map(json_schema *s, uint32_t type, const kiln_member *field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    if (may_be_empty(field))
        bake_js_types(s, "object null");
    else
        bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "propertyNames", '{');
    if (kiln_types_get(s->types, of->key)->kind == KILN_KIND_STRING) {
        bake_json_number(&s->json, "maxLength", KILN_MAP_KEY_MAX);
    } else if (!s->is_partial || !(s->schema->info[type].forms & BAKE_ENTITY)) {
        bake_js_begin_pattern(s);
        bake_js_put_text(s, of->key, NULL, false);
        bake_js_end_pattern(s, "pattern");
    }
    bake_json_close(&s->json, '{');
    bake_js_value(s, "additionalProperties", of->element, NULL);
    bake_js_lengths(s, field, "minProperties", "maxProperties", 1);
}

static void optional(json_schema *s, const kiln_type *of, const kiln_member *field)
{
    bake_json_open(&s->json, "anyOf", '[');
    bake_js_of_type(s, NULL, "null");
    bake_js_value(s, NULL, of->element, field);
    if (kiln_types_get(s->types, of->element)->kind == KILN_KIND_REF) {
        bake_json_open(&s->json, NULL, '{');
        bake_json_text(&s->json, "const", "");
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '[');
}

static void named(json_schema *s, uint32_t type)
{
    if (!bake_js_take_null(s)) {
        bake_js_reference(s, type);
        return;
    }
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    bake_js_reference(s, type);
    bake_json_close(&s->json, '{');
    bake_js_of_type(s, NULL, "null");
    bake_json_close(&s->json, '[');
}

/* A reference, or `{key: number}`, also with the name of the file and keys of no meaning. */
static void local_or(json_schema *s, uint32_t type, const bake_member_form *form)
{
    bool or_null = bake_js_take_null(s);
    bake_json_open(&s->json, "anyOf", '[');
    bake_js_value(s, NULL, type, NULL);
    if (or_null)
        bake_js_of_type(s, NULL, "null");
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, form->local, '{');
    bake_js_types(s, "integer string");
    bake_json_close(&s->json, '{');
    if (form->file_by) {
        bake_json_open(&s->json, form->file_by, '{');
        bake_js_types(s, JS_SCALARS " null");
        bake_json_close(&s->json, '{');
    }
    for (uint32_t i = 0; i < form->beside_count; i++) {
        bake_json_open(&s->json, form->beside[i], '{');
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '{');
    bake_js_required(s, form->local);
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '[');
}

/* Enums and flag sets are defined by name; a range or `single` is the field's and not the type's,
 * but named types have none. */
void bake_js_content(json_schema *s, uint32_t type, const kiln_member *field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_member_form *form = bake_js_form_of(s, field);
    if (form && form->local && (of->kind == KILN_KIND_REF || of->kind == KILN_KIND_OPTIONAL)) {
        local_or(s, type, form);
        return;
    }
    if (*of->name) {
        named(s, type);
        return;
    }
    switch (of->kind) {
    case KILN_KIND_ARRAY:
        list_or_single(s, of, field);
        break;
    case KILN_KIND_FIXED:
        fixed(s, type, field);
        break;
    case KILN_KIND_MAP:
        map(s, type, field);
        break;
    case KILN_KIND_OPTIONAL:
        optional(s, of, field);
        break;
    case KILN_KIND_DATA:
        bake_js_content(s, of->element, field);
        break;
    default:
        bake_js_scalar(s, type, field);
    }
}

void bake_js_value(json_schema *s, const char *key, uint32_t type, const kiln_member *field)
{
    bake_json_open(&s->json, key, '{');
    bake_js_content(s, type, field);
    bake_json_close(&s->json, '{');
}

void bake_js_definition(json_schema *s, const char *key, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    bake_json_open(&s->json, key, '{');
    if (*of->doc)
        bake_json_text(&s->json, "description", of->doc);
    if (s->is_partial && (s->schema->info[type].forms & BAKE_ENTITY)) {
        bake_js_entity(s); /* in a scene; elsewhere a number */
    } else if (of->flags & KILN_TYPE_TRANSPARENT) {
        s->or_null = s->schema->info[type].forms & BAKE_LITERAL;
        /* What stands beside a reference is not looked at. */
        bake_json_open(&s->json, "allOf", '[');
        bake_js_value(s, NULL, of->members[0].type, &of->members[0]);
        bake_json_close(&s->json, '[');
    } else if (of->kind == KILN_KIND_STRUCT) {
        bake_js_forms(s, type);
    } else if (of->kind == KILN_KIND_UNION) {
        bake_js_union(s, type);
    } else {
        bake_js_scalar(s, type, NULL);
    }
    bake_json_close(&s->json, '{');
}
