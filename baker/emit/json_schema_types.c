/* The definitions of named types in a JSON Schema, with all forms of unions and structs. */
#include "json_schema_writer.h"

#include "colour.h"

#include <stdio.h>
#include <string.h>

/* ---- unions ---- */

static bool any_valueless(const kiln_type *of)
{
    for (uint32_t m = 0; m < of->member_count; m++)
        if (of->members[m].type == KILN_TYPE_NONE)
            return true;
    return false;
}

static void write_alternative(json_schema *s, const char *name, const kiln_member *member,
                              bool is_was)
{
    if (member->type != KILN_TYPE_NONE) {
        bake_js_field(s, name, member, is_was, false);
        return;
    }
    bake_json_open(&s->json, name, '{');
    bake_json_text(&s->json, "type", "null");
    if (*member->doc)
        bake_json_text(&s->json, "description", member->doc);
    bake_json_close(&s->json, '{');
}

/* Writes a mapping with one key, the alternative. */
static void write_one_key(json_schema *s, const kiln_type *of)
{
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "properties", '{');
    for (uint32_t m = 0; m < of->member_count; m++) {
        write_alternative(s, of->members[m].name, &of->members[m], false);
        for (uint32_t w = 0; w < of->members[m].was_count; w++)
            write_alternative(s, of->members[m].was[w], &of->members[m], true);
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_number(&s->json, "minProperties", 1);
    bake_json_number(&s->json, "maxProperties", 1);
}

/* Writes the forms that every union has into an open list: a mapping with one key, or just a
 * name. */
static void write_common_forms(json_schema *s, const kiln_type *of)
{
    bake_json_open(&s->json, NULL, '{');
    write_one_key(s, of);
    bake_json_close(&s->json, '{');
    if (!any_valueless(of))
        return;
    bake_json_open(&s->json, NULL, '{');
    bake_js_names(s, of, true);
    bake_json_close(&s->json, '{');
}

/* Writes the condition that a key names this alternative. */
static void write_if_named_by(json_schema *s, const char *key, const kiln_member *member)
{
    kiln_type only = {.members = member, .member_count = 1};
    bake_json_open(&s->json, "if", '{');
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, key, '{');
    bake_js_names(s, &only, false);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

static void write_union_by_key(json_schema *s, const kiln_type *of, const char *key)
{
    bake_json_open(&s->json, "if", '{');
    bake_json_text(&s->json, "type", "object");
    bake_js_required(s, key);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "then", '{');
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, key, '{');
    bake_js_names(s, of, false);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "allOf", '[');
    for (uint32_t m = 0; m < of->member_count; m++) {
        const json_extra extra = {.by = key};
        bake_json_open(&s->json, NULL, '{');
        write_if_named_by(s, key, &of->members[m]);
        /* An alternative without a value has no key except the one that names it. */
        bake_json_open(&s->json, "then", '{');
        if (of->members[m].type == KILN_TYPE_NONE)
            bake_json_number(&s->json, "maxProperties", 1);
        else
            bake_js_struct(s, bake_js_unwrapped(s, of->members[m].type, NULL), &extra);
        bake_json_close(&s->json, '{');
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "else", '{');
    bake_json_open(&s->json, "anyOf", '[');
    write_common_forms(s, of);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

static void write_union_forms(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_type_info *info = &s->schema->info[type];
    if (info->forms & BAKE_BY_KEY) {
        write_union_by_key(s, of, info->by);
        return;
    }
    bake_json_open(&s->json, "anyOf", '[');
    write_common_forms(s, of);
    /* JSON Schema cannot describe tags, so accept untagged values of all alternatives. */
    for (uint32_t m = 0; m < of->member_count && (info->forms & BAKE_BY_TAG); m++)
        if (of->members[m].type != KILN_TYPE_NONE)
            bake_js_value(s, NULL, of->members[m].type, NULL);
    bake_json_close(&s->json, '[');
}

/* ---- other forms of structs ---- */

/* Names of the definitions for colours with and without an alpha channel. */
static const char colour[] = "colour", opaque[] = "colour-opaque";

static void write_colour_definition(json_schema *s, const char *name, bool is_opaque)
{
    bake_json_open(&s->json, name, '{');
    bake_json_text(&s->json, "type", "string");
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "pattern",
                   is_opaque
                       ? "^#(?:[0-9a-fA-F]{3}[fF]?|[0-9a-fA-F]{6}(?:[fF]{2})?)$"
                       : "^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$");
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    /* Editors complete the names in `enum`. The pattern below accepts them in any letter case. */
    bake_json_open(&s->json, "enum", '[');
    for (size_t i = 0; i < BAKE_COLOURS; i++)
        if (!is_opaque || strcmp(bake_colour_name(i), "transparent") != 0)
            bake_json_text(&s->json, NULL, bake_colour_name(i));
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    bake_js_begin_pattern(s);
    for (size_t i = 0; i < BAKE_COLOURS; i++) {
        const char *word = bake_colour_name(i);
        if (is_opaque && strcmp(word, "transparent") == 0)
            continue;
        bake_c_put(&s->text, i ? "|" : "");
        bake_js_put_any_case(s, word);
    }
    bake_js_end_pattern(s, "pattern");
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

void bake_js_colour_definitions(json_schema *s)
{
    bool any = false;
    for (uint32_t t = 0; t < kiln_types_count(s->types); t++)
        any = any || (s->schema->info[t].forms & BAKE_COLOUR);
    if (!any)
        return;
    write_colour_definition(s, colour, false);
    write_colour_definition(s, opaque, true);
}

/* Whether a mapping with a tag can be a value of the type. JSON Schema cannot describe the tag. */
static bool accepts_tagged_mapping(const json_schema *s, uint32_t type)
{
    for (;;) {
        type = bake_js_unwrapped(s, type, NULL);
        const kiln_type *of = kiln_types_get(s->types, type);
        const bake_type_info *info = &s->schema->info[type];
        if (of->kind == KILN_KIND_OPTIONAL)
            type = of->element;
        else if (of->kind == KILN_KIND_STRUCT && (info->forms & BAKE_SHORT))
            type = of->members[info->short_field].type;
        else
            return of->kind == KILN_KIND_UNION && (info->forms & BAKE_BY_TAG);
    }
}

/* Writes the short form, the value of one field, if all other fields can be left out. */
static void write_short_form(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_type_info *info = &s->schema->info[type];
    const kiln_member *field = &of->members[info->short_field];
    for (uint32_t m = 0; m < of->member_count; m++)
        if (m != info->short_field && !s->is_partial && !bake_js_may_be_missing(s, type, m))
            return;
    bake_json_open(&s->json, NULL, '{');
    bake_json_open(&s->json, "allOf", '[');
    bake_js_member_value(s, type, info->short_field);
    bake_json_close(&s->json, '[');
    /* The baker always reads a mapping, and a list for tuples, as the struct itself. Accepting them
     * here would hide errors, because `anyOf` is satisfied by any form. */
    bool no_mapping = !accepts_tagged_mapping(s, field->type),
         no_list = (info->forms & BAKE_TUPLE) != 0;
    bool no_null = !bake_type_has_empty(s->types, field->type);
    if (no_mapping || no_list || no_null) {
        char names[24];
        snprintf(names, sizeof names, "%s%s%s", no_mapping ? "object " : "",
                 no_list ? "array " : "", no_null ? "null" : "");
        bake_json_open(&s->json, "not", '{');
        bake_js_types(s, names);
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '{');
}

/* Writes all forms of a struct: a mapping or list, a colour, the short form. */
static void write_struct_forms(json_schema *s, uint32_t type)
{
    static const json_extra none = {.by = NULL};
    uint32_t forms = s->schema->info[type].forms;
    if (!(forms & (BAKE_COLOUR | BAKE_SHORT))) {
        bake_js_struct(s, type, &none);
        return;
    }
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    bake_js_struct(s, type, &none);
    bake_json_close(&s->json, '{');
    if (forms & BAKE_COLOUR)
        bake_js_refer(s, NULL, kiln_types_get(s->types, type)->member_count > 3 ? colour : opaque);
    if (forms & BAKE_SHORT)
        write_short_form(s, type);
    bake_json_close(&s->json, '[');
}

void bake_js_definition(json_schema *s, const char *key, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    bake_json_open(&s->json, key, '{');
    if (*of->doc)
        bake_json_text(&s->json, "description", of->doc);
    if (s->is_partial && (s->schema->info[type].forms & BAKE_ENTITY)) {
        bake_js_entity(s); /* an entity name in scenes; otherwise a number */
    } else if (of->flags & KILN_TYPE_TRANSPARENT) {
        s->or_null = s->schema->info[type].forms & BAKE_LITERAL;
        /* Draft 07 ignores keywords next to `$ref`, hence `allOf`. */
        bake_json_open(&s->json, "allOf", '[');
        bake_js_value(s, NULL, of->members[0].type, &of->members[0]);
        bake_json_close(&s->json, '[');
    } else if (of->kind == KILN_KIND_STRUCT) {
        write_struct_forms(s, type);
    } else if (of->kind == KILN_KIND_UNION) {
        write_union_forms(s, type);
    } else {
        bake_js_scalar(s, type, NULL);
    }
    bake_json_close(&s->json, '{');
}
