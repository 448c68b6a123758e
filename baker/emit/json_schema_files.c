/* Documents of each file rule in a JSON Schema. */
#include "json_schema_writer.h"

#include <stdio.h>
#include <string.h>

static void ids(json_schema *s)
{
    bake_json_open(&s->json, "propertyNames", '{');
    bake_json_text(&s->json, "pattern", "^[^\\u0000-\\u001f]+$");
    bake_json_close(&s->json, '{');
}

/* The kind is the value of a key. */
static void asset_by(json_schema *s, const char *key, const bake_file_rule *rule)
{
    bake_json_open(&s->json, key, '{');
    bake_json_text(&s->json, "type", "object");
    bake_js_required(s, rule->by);
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, rule->by, '{');
    bake_json_open(&s->json, "enum", '[');
    for (size_t k = 0; k < s->schema->kind_count; k++)
        bake_json_text(&s->json, NULL, s->schema->kinds[k].name);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "allOf", '[');
    for (size_t k = 0; k < s->schema->kind_count; k++) {
        bake_json_open(&s->json, NULL, '{');
        bake_json_open(&s->json, "if", '{');
        bake_json_open(&s->json, "properties", '{');
        bake_json_open(&s->json, rule->by, '{');
        bake_json_text(&s->json, "const", s->schema->kinds[k].name);
        bake_json_close(&s->json, '{');
        bake_json_close(&s->json, '{');
        bake_json_close(&s->json, '{');
        bake_js_asset(s, "then", s->schema->kinds[k].type, rule);
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

static bool is_head(const bake_file_rule *rule, const char *key)
{
    for (uint32_t i = 0; rule && i < rule->head_count; i++)
        if (strcmp(rule->heads[i].key, key) == 0)
            return true;
    return false;
}

/* An id, which may be spelled as null is, or null. */
static void id_or_null(json_schema *s)
{
    bake_js_types(s, JS_SCALARS " null");
}

/* Lists of ids by their kinds, which need not be those of this schema. */
static void accepted(json_schema *s)
{
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "additionalProperties", '{');
    bake_js_types(s, "array null");
    bake_json_open(&s->json, "items", '{');
    id_or_null(s);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

/* Into the open schema; `rule` is NULL where no rule is meant. */
static void kinds(json_schema *s, const bake_file_rule *rule)
{
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "properties", '{');
    bake_js_heads(s, rule);
    for (size_t k = 0; k < s->schema->kind_count; k++) {
        const bake_kind *kind = &s->schema->kinds[k];
        if (is_head(rule, kind->name))
            continue;
        bake_json_open(&s->json, kind->name, '{');
        bake_js_types(s, "object null");
        ids(s);
        bake_js_asset(s, "additionalProperties", kind->type, rule && rule->patches ? rule : NULL);
        bake_json_close(&s->json, '{');
    }
    if (!rule || !rule->patches) {
        bake_js_scene_kinds(s);
        if (!is_head(rule, "accepted") && !bake_schema_kind(s->schema, "accepted", 8) &&
            !bake_schema_scene_kind(s->schema, "accepted", 8)) {
            bake_json_open(&s->json, "accepted", '{');
            accepted(s);
            bake_json_close(&s->json, '{');
        }
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
}

/* Whether objects of the class `name` may be of the kind: `Name`, or `Name.` and more. */
static bool is_of_class(const char *kind, const char *name, size_t length)
{
    return strncmp(kind, name, length) == 0 && (kind[length] == '\0' || kind[length] == '.');
}

/* Whether a kind before this one has the same class. */
static bool is_known_class(const json_schema *s, size_t count, const char *name, size_t length)
{
    for (size_t k = 0; k < count; k++)
        if (is_of_class(s->schema->kinds[k].name, name, length))
            return true;
    return false;
}

static void objects_of(json_schema *s, const char *name, size_t length)
{
    char key[JS_NAME_SIZE];
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    bake_json_open(&s->json, key, '{');
    bake_json_open(&s->json, "anyOf", '[');
    for (size_t k = 0; k < s->schema->kind_count; k++)
        if (is_of_class(s->schema->kinds[k].name, name, length))
            bake_js_asset(s, NULL, s->schema->kinds[k].type, NULL);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

/* A mapping of one key, the object's class, which alone or with more is a kind. */
static void objects(json_schema *s)
{
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "properties", '{');
    for (size_t k = 0; k < s->schema->kind_count; k++) {
        const char *name = s->schema->kinds[k].name;
        for (size_t length = 1; length <= strlen(name); length++)
            if ((name[length] == '\0' || name[length] == '.') &&
                !is_known_class(s, k, name, length))
                objects_of(s, name, length);
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_number(&s->json, "minProperties", 1);
    bake_json_number(&s->json, "maxProperties", 1);
}

static void one(json_schema *s, const bake_file_rule *rule)
{
    bake_json_open(&s->json, "anyOf", '[');
    bake_js_of_type(s, NULL, "null");
    bake_js_asset(s, NULL, rule->type, rule);
    bake_json_close(&s->json, '[');
}

/* A mapping with the name of a file, which may be an asset as well. */
static void guids(json_schema *s, const bake_file_rule *rule)
{
    bake_json_open(&s->json, "allOf", '[');
    bake_json_open(&s->json, NULL, '{');
    bake_js_types(s, "object null");
    bake_js_required(s, rule->key);
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, rule->key, '{');
    bake_js_types(s, JS_SCALARS);
    bake_json_text(&s->json, "pattern", "^[^\\u0000-\\u001f]+$");
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    if (rule->type != KILN_TYPE_NONE) {
        bake_json_open(&s->json, NULL, '{');
        one(s, rule);
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '[');
}

static void document(json_schema *s, const char *key, const bake_file_rule *rule)
{
    switch (rule->shape) {
    case BAKE_SHAPE_MAP:
        bake_js_types(s, "object null");
        ids(s);
        bake_json_open(&s->json, "properties", '{');
        bake_js_heads(s, rule);
        bake_json_close(&s->json, '{');
        if (rule->by)
            asset_by(s, "additionalProperties", rule);
        else
            bake_js_asset(s, "additionalProperties", rule->type, rule);
        break;
    case BAKE_SHAPE_LIST:
        bake_js_types(s, "array null");
        if (rule->by)
            asset_by(s, "items", rule);
        else
            bake_js_asset(s, "items", rule->type, rule);
        break;
    case BAKE_SHAPE_ONE:
        one(s, rule);
        break;
    case BAKE_SHAPE_RENAMES:
        bake_js_types(s, "object null");
        ids(s);
        bake_json_open(&s->json, "additionalProperties", '{');
        id_or_null(s);
        bake_json_close(&s->json, '{');
        break;
    case BAKE_SHAPE_ACCEPTED:
        accepted(s);
        break;
    case BAKE_SHAPE_KINDS:
        kinds(s, rule);
        break;
    case BAKE_SHAPE_SCENE:
        bake_js_scene(s, rule, key);
        break;
    case BAKE_SHAPE_PREFABS:
        bake_json_open(&s->json, "allOf", '[');
        bake_js_refer(s, NULL, "prefabs");
        bake_json_close(&s->json, '[');
        break;
    case BAKE_SHAPE_OBJECTS:
        objects(s);
        break;
    case BAKE_SHAPE_GUIDS:
        guids(s, rule);
        break;
    }
}

static void rule_definition(json_schema *s, const char *key, const bake_file_rule *rule)
{
    char text[JS_NAME_SIZE + 20];
    bake_json_open(&s->json, key, '{');
    snprintf(text, sizeof text, "Files %.280s", rule->match);
    bake_json_text(&s->json, "title", text);
    document(s, key, rule);
    bake_json_close(&s->json, '{');
}

void bake_js_documents(json_schema *s)
{
    char name[JS_NAME_SIZE];
    bake_json_open(&s->json, "kinds", '{');
    bake_json_text(&s->json, "description", "Assets by their kinds.");
    kinds(s, NULL);
    bake_json_close(&s->json, '{');
    for (size_t i = 0; i < s->schema->rule_count; i++) {
        bake_js_rule_name(name, i);
        rule_definition(s, name, &s->schema->rules[i]);
    }
}
