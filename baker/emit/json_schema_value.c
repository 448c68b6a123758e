/* Values in a JSON Schema. Unnamed types are written in place. Named types are references to their
 * definitions (json_schema_types.c), so recursive types work and the recursion here ends. */
#include "json_schema_writer.h"

#include <stdio.h>

static void write_reference(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    char path[320];
    snprintf(path, sizeof path, "#/definitions/%s%s", of->name,
             s->is_partial && bake_js_has_partial(of) ? "-partial" : "");
    bake_json_text(&s->json, "$ref", path);
}

/* Writes the type of a list or map. Null means an empty one, so null is valid only if the range
 * allows that. */
static void write_collection_type(json_schema *s, const kiln_member *field, const char *type,
                                  const char *type_or_null)
{
    if (!field || !(field->flags & KILN_MEMBER_HAS_MIN) || field->min == 0)
        bake_js_types(s, type_or_null);
    else
        bake_json_text(&s->json, "type", type);
}

static void write_list(json_schema *s, const kiln_type *of, const kiln_member *field)
{
    write_collection_type(s, field, "array", "array null");
    bake_js_value(s, "items", of->element, NULL);
    bake_js_lengths(s, field, "minItems", "maxItems", 1);
}

/* Writes the schema of a list. If the field is `single`, a single element is valid, too. */
static void write_list_or_single(json_schema *s, const kiln_type *of, const kiln_member *field)
{
    /* A range that excludes lists of one element also excludes the single form. */
    bool is_single = field && (field->flags & KILN_MEMBER_SINGLE) &&
                     (!(field->flags & KILN_MEMBER_HAS_MIN) || field->min <= 1) &&
                     (!(field->flags & KILN_MEMBER_HAS_MAX) || field->max >= 1);
    if (!is_single) {
        write_list(s, of, field);
        return;
    }
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    write_list(s, of, field);
    bake_json_close(&s->json, '{');
    bake_js_value(s, NULL, of->element, NULL);
    bake_json_close(&s->json, '[');
}

/* Returns the additional form of a field, or NULL. */
static const bake_member_form *form_of(const json_schema *s, const kiln_member *field)
{
    for (size_t i = 0; field && i < s->schema->form_count; i++) {
        const bake_member_form *form = &s->schema->forms[i];
        if (&kiln_types_get(s->types, form->type)->members[form->member] == field)
            return form;
    }
    return NULL;
}

/* Writes the scalar form of a fixed array: comma-separated elements, or hex digits. */
static void write_fixed_text(json_schema *s, uint32_t type, bool is_hex)
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

static void write_fixed(json_schema *s, uint32_t type, const kiln_member *field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_member_form *form = form_of(s, field);
    bool is_text = bake_js_is_one_text(s, of->element), is_hex = form && form->is_hex;
    /* Editors see a single number, and hex digits without letters, as a number. Several elements
     * with commas are always a string. */
    bake_js_types_or_null(s, !is_text                   ? "array"
                             : of->count == 1 || is_hex ? "array " JS_SCALARS
                                                        : "array string");
    bake_js_value(s, "items", of->element, NULL);
    bake_json_number(&s->json, "minItems", of->count);
    bake_json_number(&s->json, "maxItems", of->count);
    if (is_text)
        write_fixed_text(s, type, is_hex);
}

static void write_map(json_schema *s, uint32_t type, const kiln_member *field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    write_collection_type(s, field, "object", "object null");
    bake_json_open(&s->json, "propertyNames", '{');
    if (kiln_types_get(s->types, of->key)->kind == KILN_KIND_STRING) {
        bake_json_number(&s->json, "maxLength", KILN_MAP_KEY_MAX);
        /* In scenes, such keys are entity names, so any string is valid. */
    } else if (!s->is_partial || !(s->schema->info[type].forms & BAKE_ENTITY)) {
        bake_js_begin_pattern(s);
        bake_js_put_text(s, of->key, NULL, false);
        bake_js_end_pattern(s, "pattern");
    }
    bake_json_close(&s->json, '{');
    bake_js_value(s, "additionalProperties", of->element, NULL);
    bake_js_lengths(s, field, "minProperties", "maxProperties", 1);
}

static void write_optional(json_schema *s, const kiln_type *of, const kiln_member *field)
{
    bake_json_open(&s->json, "anyOf", '[');
    bake_js_of_type(s, NULL, "null");
    bake_js_value(s, NULL, of->element, field);
    /* The baker reads an empty id as null. */
    if (kiln_types_get(s->types, of->element)->kind == KILN_KIND_REF) {
        bake_json_open(&s->json, NULL, '{');
        bake_json_text(&s->json, "const", "");
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '[');
}

static void write_named_type(json_schema *s, uint32_t type)
{
    if (!bake_js_take_null(s)) {
        write_reference(s, type);
        return;
    }
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    write_reference(s, type);
    bake_json_close(&s->json, '{');
    bake_js_of_type(s, NULL, "null");
    bake_json_close(&s->json, '[');
}

/* Writes a reference, or `{key: number}` with an optional file guid and ignored keys. */
static void write_local_reference(json_schema *s, uint32_t type, const bake_member_form *form)
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

/* Writes a value into the open schema. Only unnamed types need `field`, because ranges and `single`
 * do not apply to named types. */
void bake_js_content(json_schema *s, uint32_t type, const kiln_member *field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_member_form *form = form_of(s, field);
    if (form && form->local && (of->kind == KILN_KIND_REF || of->kind == KILN_KIND_OPTIONAL)) {
        write_local_reference(s, type, form);
        return;
    }
    if (*of->name) {
        write_named_type(s, type);
        return;
    }
    switch (of->kind) {
    case KILN_KIND_ARRAY:
        write_list_or_single(s, of, field);
        break;
    case KILN_KIND_FIXED:
        write_fixed(s, type, field);
        break;
    case KILN_KIND_MAP:
        write_map(s, type, field);
        break;
    case KILN_KIND_OPTIONAL:
        write_optional(s, of, field);
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
