/* Helpers for all parts of the JSON Schema writer. */
#include "json_schema_writer.h"

#include <stdio.h>
#include <string.h>

void bake_js_types(json_schema *s, const char *names)
{
    char name[16];
    bake_json_open(&s->json, "type", '[');
    while (*names) {
        size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        bake_json_text(&s->json, NULL, name);
        names += length;
        names += strspn(names, " ");
    }
    bake_json_close(&s->json, '[');
}

void bake_js_types_or_null(json_schema *s, const char *names)
{
    char text[60];
    snprintf(text, sizeof text, "%s%s", names, bake_js_take_null(s) ? " null" : "");
    bake_js_types(s, text);
}

void bake_js_of_type(json_schema *s, const char *key, const char *name)
{
    bake_json_open(&s->json, key, '{');
    bake_json_text(&s->json, "type", name);
    bake_json_close(&s->json, '{');
}

void bake_js_required(json_schema *s, const char *key)
{
    bake_json_open(&s->json, "required", '[');
    bake_json_text(&s->json, NULL, key);
    bake_json_close(&s->json, '[');
}

void bake_js_refer(json_schema *s, const char *key, const char *name)
{
    char path[JS_NAME_SIZE + 20];
    snprintf(path, sizeof path, "#/definitions/%s", name);
    bake_json_open(&s->json, key, '{');
    bake_json_text(&s->json, "$ref", path);
    bake_json_close(&s->json, '{');
}

void bake_js_if_key_is(json_schema *s, const char *key, const char *value)
{
    bake_json_open(&s->json, "if", '{');
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, key, '{');
    bake_json_text(&s->json, "const", value);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

void bake_js_begin_pattern(json_schema *s)
{
    s->text.size = 0;
    /* Patterns of JSON Schema are not anchored. The group is for patterns with alternatives. */
    bake_c_put(&s->text, "^(?:");
}

void bake_js_end_pattern(json_schema *s, const char *key)
{
    bake_c_put(&s->text, ")$");
    bake_c_put_bytes(&s->text, "", 1);
    if (!s->text.failed)
        bake_json_text(&s->json, key, s->text.data);
}

void bake_js_put_escaped(json_schema *s, const char *text)
{
    for (; *text; text++) {
        /* Only these can be escaped both with and without the flag `u`. */
        if (strchr("\\^$.|?*+()[]{}/", *text))
            bake_c_put_bytes(&s->text, "\\", 1);
        bake_c_put_bytes(&s->text, text, 1);
    }
}

uint32_t bake_js_unwrapped(const json_schema *s, uint32_t type, const kiln_member **field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    while ((of->flags & KILN_TYPE_TRANSPARENT) || of->kind == KILN_KIND_DATA) {
        if (of->kind == KILN_KIND_DATA) {
            type = of->element;
        } else {
            type = of->members[0].type;
            if (field)
                *field = &of->members[0];
        }
        of = kiln_types_get(s->types, type);
    }
    return type;
}

void bake_js_rule_name(char out[JS_NAME_SIZE], size_t i)
{
    /* Type names contain no `-`, so they cannot clash. */
    snprintf(out, JS_NAME_SIZE, "files-%zu", i + 1);
}

void bake_js_bool(json_schema *s)
{
    bake_js_types_or_null(s, "boolean integer string");
    /* The baker accepts 0 and 1 as bools, but editors see them as integers. */
    bake_json_number(&s->json, "minimum", 0);
    bake_json_number(&s->json, "maximum", 1);
    bake_js_begin_pattern(s);
    bake_c_put(&s->text, JS_BOOL_PATTERN);
    bake_js_end_pattern(s, "pattern");
}
