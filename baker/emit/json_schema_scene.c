/* Scenes and prefabs in a JSON Schema. What a component lacks its bases may have, so nothing of one
 * is required. */
#include "json_schema_writer.h"

#include <stdio.h>
#include <string.h>

static void text(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, JS_SCALARS);
    bake_json_number(&s->json, "minLength", 1);
    bake_json_close(&s->json, '{');
}

/* One, or a list of them; null says nothing. */
static void texts(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, JS_SCALARS " array null");
    bake_json_number(&s->json, "minLength", 1);
    text(s, "items");
    bake_json_close(&s->json, '{');
}

static void name_text(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, JS_SCALARS);
    bake_json_text(&s->json, "pattern", "^[^/#\\u0000-\\u001f\\u007f]{1,255}$");
    bake_json_close(&s->json, '{');
}

static void list_of(json_schema *s, const char *key, const char *name)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, "array null");
    bake_js_refer(s, "items", name);
    bake_json_close(&s->json, '{');
}

static void map_of(json_schema *s, const char *key, const char *name)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, "object null");
    bake_js_refer(s, "additionalProperties", name);
    bake_json_close(&s->json, '{');
}

/* ---- entities ---- */

/* The words of a rule, and what its definitions begin with. */
typedef struct scene_words {
    const bake_scene_words *words;
    const char *prefix;
} scene_words;

static void definition(char out[JS_NAME_SIZE], const scene_words *w, const char *name)
{
    snprintf(out, JS_NAME_SIZE, "%s%s", w->prefix, name);
}

typedef enum entity_kind { ENTITY, LISTED, OVERRIDE, PREFAB } entity_kind;

/* In place of the name. */
static void way(json_schema *s, const scene_words *w)
{
    bake_json_open(&s->json, w->words->way, '{');
    bake_js_types(s, JS_SCALARS);
    bake_json_text(&s->json, "pattern", "^[^#\\u0000-\\u001f\\u007f]{1,1024}$");
    bake_json_close(&s->json, '{');
}

/* It goes with neither of these. */
static void way_alone(json_schema *s, const scene_words *w)
{
    const char *const others[] = {w->words->name, w->words->children};
    bake_json_open(&s->json, "dependencies", '{');
    bake_json_open(&s->json, w->words->way, '{');
    bake_json_open(&s->json, "not", '{');
    bake_json_open(&s->json, "anyOf", '[');
    for (int i = 0; i < 2; i++) {
        bake_json_open(&s->json, NULL, '{');
        bake_js_required(s, others[i]);
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

static void entity(json_schema *s, const scene_words *w, const char *name, entity_kind kind)
{
    char text[JS_NAME_SIZE];
    bool has_way = kind == LISTED && w->words->way;
    definition(text, w, name);
    bake_json_open(&s->json, text, '{');
    bake_js_types(s, kind == PREFAB ? "object null" : "object");
    bake_json_open(&s->json, "properties", '{');
    if (kind == ENTITY || kind == LISTED)
        name_text(s, w->words->name);
    if (has_way)
        way(s, w);
    texts(s, w->words->base);
    definition(text, w, "components");
    bake_js_refer(s, w->words->components, text);
    texts(s, w->words->remove);
    definition(text, w, "entity");
    list_of(s, w->words->children, text);
    texts(s, w->words->drop);
    if (kind == PREFAB) {
        bake_json_open(&s->json, w->words->abstract, '{');
        bake_js_types(s, "boolean string");
        bake_json_text(&s->json, "pattern", "^(?:true|True|TRUE|false|False|FALSE)$");
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    if (has_way)
        way_alone(s, w);
    bake_json_close(&s->json, '{');
}

/* Entities of one base. */
static void group(json_schema *s, const scene_words *w)
{
    char text[JS_NAME_SIZE];
    definition(text, w, "group");
    bake_json_open(&s->json, text, '{');
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, w->words->group_base, '{');
    bake_js_types(s, JS_SCALARS " null");
    bake_json_close(&s->json, '{');
    definition(text, w, "listed-entity");
    list_of(s, w->words->group_entities, text);
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

static void nested(json_schema *s, const scene_words *w)
{
    char called[JS_NAME_SIZE];
    definition(called, w, "nested-scene");
    bake_json_open(&s->json, called, '{');
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "properties", '{');
    text(s, "scene");
    name_text(s, "name");
    definition(called, w, "override");
    map_of(s, "overrides", called);
    texts(s, "drop");
    bake_json_close(&s->json, '{');
    bake_js_required(s, "scene");
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

static void scene_definitions(json_schema *s, const scene_words *w)
{
    char called[JS_NAME_SIZE];
    definition(called, w, "components");
    bake_js_components(s, called, w->words->by);
    entity(s, w, "entity", ENTITY);
    entity(s, w, "listed-entity", LISTED);
    entity(s, w, "override", OVERRIDE);
    entity(s, w, "prefab", PREFAB);
    nested(s, w);
    if (w->words->group_entities)
        group(s, w);
}

static scene_words words_of(const bake_file_rule *rule, const char *name)
{
    scene_words w = {rule->words ? rule->words : &bake_scene_words_default,
                     rule->words ? name : ""};
    return w;
}

void bake_js_scene(json_schema *s, const bake_file_rule *rule, const char *name)
{
    scene_words w = words_of(rule, name);
    char called[JS_NAME_SIZE];
    /* Null is an empty document. */
    bake_js_types(s, rule == &bake_scene_rule_of_kinds ? "object" : "object null");
    bake_json_open(&s->json, "properties", '{');
    bake_js_heads(s, rule);
    definition(called, &w, "prefab");
    map_of(s, "prefabs", called);
    definition(called, &w, w.words->group_entities ? "group" : "listed-entity");
    list_of(s, w.words->entities, called);
    definition(called, &w, "nested-scene");
    list_of(s, "scenes", called);
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
}

/* Scenes by their ids, in the usual words. */
static void scenes_of(json_schema *s, const char *kind)
{
    bake_json_open(&s->json, kind, '{');
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "additionalProperties", '{');
    bake_js_scene(s, &bake_scene_rule_of_kinds, "");
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

/* NULL for rules of no scenes: files that guids name have kinds too. */
static const char *scene_kind_of(const bake_file_rule *rule)
{
    return rule->shape == BAKE_SHAPE_SCENE ? rule->kind : NULL;
}

void bake_js_scene_kinds(json_schema *s)
{
    bool has_usual = false;
    for (size_t i = 0; i < s->schema->rule_count; i++) {
        const char *kind = scene_kind_of(&s->schema->rules[i]);
        bool is_known = !kind;
        for (size_t k = 0; k < i && !is_known; k++) {
            const char *other = scene_kind_of(&s->schema->rules[k]);
            is_known = other && strcmp(other, kind) == 0;
        }
        if (!is_known)
            scenes_of(s, kind);
        has_usual = has_usual || (kind && strcmp(kind, "Scene") == 0);
    }
    if (!has_usual && bake_schema_scene_kind(s->schema, "Scene", 5) &&
        !bake_schema_kind(s->schema, "Scene", 5))
        scenes_of(s, "Scene");
}

void bake_js_scene_definitions(json_schema *s)
{
    static const scene_words usual = {&bake_scene_words_default, ""};
    char name[JS_NAME_SIZE];
    scene_definitions(s, &usual);
    for (size_t i = 0; i < s->schema->rule_count; i++) {
        bake_js_rule_name(name, i);
        scene_words w = words_of(&s->schema->rules[i], name);
        if (s->schema->rules[i].shape == BAKE_SHAPE_SCENE && s->schema->rules[i].words)
            scene_definitions(s, &w);
    }
    map_of(s, "prefabs", "prefab");
}
