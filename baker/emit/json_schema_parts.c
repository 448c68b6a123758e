/* What stands everywhere in a JSON Schema. */
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
