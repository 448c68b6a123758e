/* Scenes and prefabs in a JSON Schema. What a component lacks its bases may have, so nothing of one
 * is required. */
#include "json_schema_writer.h"

#include <kiln/chunk_layout.h>

#include <string.h>

static void reference(json_schema *s, const char *key, const char *path)
{
    bake_json_open(&s->json, key, '{');
    bake_json_text(&s->json, "$ref", path);
    bake_json_close(&s->json, '{');
}

static void of_type(json_schema *s, const char *key, const char *type)
{
    bake_json_open(&s->json, key, '{');
    bake_json_text(&s->json, "type", type);
    bake_json_close(&s->json, '{');
}

static void text_types(json_schema *s, const char *more, const char *last)
{
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "string");
    bake_js_type(s, "number");
    bake_js_type(s, "boolean");
    if (more)
        bake_js_type(s, more);
    if (last)
        bake_js_type(s, last);
    bake_json_close(&s->json, '[');
}

static void text(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    text_types(s, NULL, NULL);
    bake_json_number(&s->json, "minLength", 1);
    bake_json_close(&s->json, '{');
}

/* One, or a list of them; null says nothing. */
static void texts(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    text_types(s, "array", "null");
    bake_json_number(&s->json, "minLength", 1);
    text(s, "items");
    bake_json_close(&s->json, '{');
}

static void name_text(json_schema *s)
{
    bake_json_open(&s->json, "name", '{');
    text_types(s, NULL, NULL);
    bake_json_text(&s->json, "pattern", "^[^/#\\u0000-\\u001f\\u007f]{1,255}$");
    bake_json_close(&s->json, '{');
}

static void list_of(json_schema *s, const char *key, const char *path)
{
    bake_json_open(&s->json, key, '{');
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "array");
    bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    reference(s, "items", path);
    bake_json_close(&s->json, '{');
}

static void map_of(json_schema *s, const char *key, const char *path)
{
    bake_json_open(&s->json, key, '{');
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "object");
    bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    reference(s, "additionalProperties", path);
    bake_json_close(&s->json, '{');
}

static bool is_component(const kiln_type *of)
{
    return *of->name && of->kind == KILN_KIND_STRUCT && !of->has_pointers;
}

/* `Item`, where no other component is called so. */
static const char *short_name(const json_schema *s, uint32_t type)
{
    const char *name = kiln_types_get(s->types, type)->name, *dot = strrchr(name, '.');
    if (!dot)
        return NULL;
    for (uint32_t t = 0; t < kiln_types_count(s->types); t++) {
        const kiln_type *of = kiln_types_get(s->types, t);
        const char *other = strrchr(of->name, '.');
        if (t != type && is_component(of) && strcmp(other ? other + 1 : of->name, dot + 1) == 0)
            return NULL;
    }
    return dot + 1;
}

static void component(json_schema *s, const char *name, uint32_t type)
{
    bake_json_open(&s->json, name, '{');
    bake_json_open(&s->json, "anyOf", '[');
    of_type(s, NULL, "null");
    bake_js_value(s, NULL, type, NULL);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

static void components(json_schema *s)
{
    bake_json_open(&s->json, "components", '{');
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "object");
    bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    bake_json_open(&s->json, "properties", '{');
    s->is_partial = true;
    for (uint32_t t = 0; t < kiln_types_count(s->types); t++) {
        const kiln_type *of = kiln_types_get(s->types, t);
        if (!is_component(of))
            continue;
        const char *name = short_name(s, t);
        component(s, of->name, t);
        if (name)
            component(s, name, t);
    }
    s->is_partial = false;
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

static void entity(json_schema *s, const char *key, bool has_name, bool is_prefab)
{
    bake_json_open(&s->json, key, '{');
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "object");
    if (is_prefab)
        bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    bake_json_open(&s->json, "properties", '{');
    if (has_name)
        name_text(s);
    texts(s, "base");
    reference(s, "components", "#/definitions/components");
    texts(s, "remove");
    list_of(s, "children", "#/definitions/entity");
    texts(s, "drop");
    if (is_prefab) {
        bake_json_open(&s->json, "abstract", '{');
        bake_json_open(&s->json, "type", '[');
        bake_js_type(s, "boolean");
        bake_js_type(s, "string");
        bake_json_close(&s->json, '[');
        bake_json_text(&s->json, "pattern", "^(?:true|True|TRUE|false|False|FALSE)$");
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

static void nested(json_schema *s)
{
    bake_json_open(&s->json, "nested-scene", '{');
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "properties", '{');
    text(s, "scene");
    name_text(s);
    map_of(s, "overrides", "#/definitions/override");
    texts(s, "drop");
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "required", '[');
    bake_json_text(&s->json, NULL, "scene");
    bake_json_close(&s->json, '[');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

void bake_js_scene_definitions(json_schema *s)
{
    components(s);
    entity(s, "entity", true, false);
    entity(s, "override", false, false);
    entity(s, "prefab", false, true);
    nested(s);
    bake_json_open(&s->json, "scene", '{');
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "object");
    bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    bake_json_open(&s->json, "properties", '{');
    map_of(s, "prefabs", "#/definitions/prefab");
    list_of(s, "entities", "#/definitions/entity");
    list_of(s, "scenes", "#/definitions/nested-scene");
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
    map_of(s, "prefabs", "#/definitions/prefab");
}
