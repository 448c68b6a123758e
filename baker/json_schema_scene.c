/* Scenes and prefabs in a JSON Schema. What a component lacks its bases may have, so nothing of one
 * is required. */
#include "json_schema_writer.h"

#include <stdio.h>
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

static void name_text(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
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

/* ---- components ---- */

/* Whether entities may have it. What they call it is what is declared: a row has a name of its
 * own. */
static bool is_component(const json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    return *of->name && of->kind == KILN_KIND_STRUCT && !of->has_pointers &&
           s->schema->info[type].row == KILN_TYPE_NONE;
}

static const char *called(const json_schema *s, uint32_t type)
{
    uint32_t row_of = s->schema->info[type].row_of;
    return kiln_types_get(s->types, row_of != KILN_TYPE_NONE ? row_of : type)->name;
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* `Item`, where no other component is called so; NULL. */
static const char *short_name(const json_schema *s, uint32_t type)
{
    const char *name = called(s, type), *last = last_part(name);
    if (last == name)
        return NULL;
    for (uint32_t t = 0; t < kiln_types_count(s->types); t++)
        if (t != type && is_component(s, t) && strcmp(last_part(called(s, t)), last) == 0)
            return NULL;
    return last;
}

/* Calls `each` for every name of every component: in lists those of alternatives where assets are
 * prefabs. */
static void each_component(json_schema *s,
                           void (*each)(json_schema *s, const char *name, uint32_t type,
                                        const char *by),
                           const char *by)
{
    const bake_scene_words *prototypes = bake_scene_prototype_words(s->schema);
    if (prototypes && by) {
        const kiln_type *of = kiln_types_get(s->types, prototypes->prefab_union);
        for (uint32_t m = 0; m < of->member_count; m++) {
            uint32_t type = of->members[m].type;
            if (type == KILN_TYPE_NONE)
                continue;
            type = bake_js_unwrapped(s, type, NULL);
            uint32_t row = s->schema->info[type].row;
            each(s, of->members[m].name, row != KILN_TYPE_NONE ? row : type, by);
        }
        return;
    }
    for (uint32_t t = 0; t < kiln_types_count(s->types); t++) {
        if (!is_component(s, t))
            continue;
        const char *name = short_name(s, t);
        /* What files call a row it may be called as well. */
        bool is_row = s->schema->info[t].row_of != KILN_TYPE_NONE;
        const char *own = kiln_types_get(s->types, t)->name;
        each(s, called(s, t), t, by);
        if (is_row)
            each(s, own, t, by);
        if (name)
            each(s, name, t, by);
        if (name && is_row)
            each(s, last_part(own), t, by);
    }
}

static void component(json_schema *s, const char *name, uint32_t type, const char *by)
{
    (void)by;
    bake_json_open(&s->json, name, '{');
    bake_json_open(&s->json, "anyOf", '[');
    of_type(s, NULL, "null");
    bake_js_value(s, NULL, type, NULL);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

static void component_name(json_schema *s, const char *name, uint32_t type, const char *by)
{
    (void)type;
    (void)by;
    bake_json_text(&s->json, NULL, name);
}

/* The fields beside the key that tells the component. */
static void component_by(json_schema *s, const char *name, uint32_t type, const char *by)
{
    const json_extra extra = {.by = by};
    const kiln_type *of = kiln_types_get(s->types, type);
    if (of->flags & KILN_TYPE_TRANSPARENT)
        return;
    bake_json_open(&s->json, NULL, '{');
    bake_json_open(&s->json, "if", '{');
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, by, '{');
    bake_json_text(&s->json, "const", name);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "then", '{');
    bake_js_struct(s, type, &extra);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

static void listed_components(json_schema *s, const char *by)
{
    bake_json_open(&s->json, "items", '{');
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "required", '[');
    bake_json_text(&s->json, NULL, by);
    bake_json_close(&s->json, '[');
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, by, '{');
    bake_json_open(&s->json, "enum", '[');
    each_component(s, component_name, by);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "allOf", '[');
    each_component(s, component_by, by);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

static void components(json_schema *s, const char *key, const char *by)
{
    bake_json_open(&s->json, key, '{');
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, by ? "array" : "object");
    bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    s->is_partial = true;
    if (by) {
        listed_components(s, by);
    } else {
        bake_json_open(&s->json, "properties", '{');
        each_component(s, component, NULL);
        bake_json_close(&s->json, '{');
        bake_json_bool(&s->json, "additionalProperties", false);
    }
    s->is_partial = false;
    bake_json_close(&s->json, '{');
}

/* ---- entities ---- */

/* The words of a rule, and what its definitions begin with. */
typedef struct scene_words {
    const bake_scene_words *words;
    const char *prefix;
} scene_words;

static void definition(char out[JS_NAME_SIZE], const scene_words *w, const char *name, bool is_path)
{
    snprintf(out, JS_NAME_SIZE, "%s%s%s", is_path ? "#/definitions/" : "", w->prefix, name);
}

typedef enum entity_kind { ENTITY, LISTED, OVERRIDE, PREFAB } entity_kind;

/* In place of the name. */
static void way(json_schema *s, const scene_words *w)
{
    bake_json_open(&s->json, w->words->way, '{');
    text_types(s, NULL, NULL);
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
        bake_json_open(&s->json, "required", '[');
        bake_json_text(&s->json, NULL, others[i]);
        bake_json_close(&s->json, '[');
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
    definition(text, w, name, false);
    bake_json_open(&s->json, text, '{');
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "object");
    if (kind == PREFAB)
        bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    bake_json_open(&s->json, "properties", '{');
    if (kind == ENTITY || kind == LISTED)
        name_text(s, w->words->name);
    if (has_way)
        way(s, w);
    texts(s, w->words->base);
    definition(text, w, "components", true);
    reference(s, w->words->components, text);
    texts(s, w->words->remove);
    definition(text, w, "entity", true);
    list_of(s, w->words->children, text);
    texts(s, w->words->drop);
    if (kind == PREFAB) {
        bake_json_open(&s->json, w->words->abstract, '{');
        bake_json_open(&s->json, "type", '[');
        bake_js_type(s, "boolean");
        bake_js_type(s, "string");
        bake_json_close(&s->json, '[');
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
    definition(text, w, "group", false);
    bake_json_open(&s->json, text, '{');
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, w->words->group_base, '{');
    text_types(s, "null", NULL);
    bake_json_close(&s->json, '{');
    definition(text, w, "listed-entity", true);
    list_of(s, w->words->group_entities, text);
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

static void nested(json_schema *s, const scene_words *w)
{
    char text_path[JS_NAME_SIZE];
    definition(text_path, w, "nested-scene", false);
    bake_json_open(&s->json, text_path, '{');
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "properties", '{');
    text(s, "scene");
    name_text(s, "name");
    definition(text_path, w, "override", true);
    map_of(s, "overrides", text_path);
    texts(s, "drop");
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "required", '[');
    bake_json_text(&s->json, NULL, "scene");
    bake_json_close(&s->json, '[');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

static void scene_definitions(json_schema *s, const scene_words *w)
{
    char text_path[JS_NAME_SIZE];
    definition(text_path, w, "components", false);
    components(s, text_path, w->words->by);
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
    char path[JS_NAME_SIZE];
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "object");
    /* An empty document. */
    if (rule != &bake_scene_rule_of_kinds)
        bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    bake_json_open(&s->json, "properties", '{');
    bake_js_heads(s, rule);
    definition(path, &w, "prefab", true);
    map_of(s, "prefabs", path);
    definition(path, &w, w.words->group_entities ? "group" : "listed-entity", true);
    list_of(s, w.words->entities, path);
    definition(path, &w, "nested-scene", true);
    list_of(s, "scenes", path);
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
}

/* Scenes by their ids, in the usual words. */
static void scenes_of(json_schema *s, const char *kind)
{
    bake_json_open(&s->json, kind, '{');
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "object");
    bake_js_type(s, "null");
    bake_json_close(&s->json, '[');
    bake_json_open(&s->json, "additionalProperties", '{');
    bake_js_scene(s, &bake_scene_rule_of_kinds, "");
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

void bake_js_scene_kinds(json_schema *s)
{
    bool has_usual = false;
    for (size_t i = 0; i < s->schema->rule_count; i++) {
        const char *kind = s->schema->rules[i].kind;
        bool is_known = !kind;
        for (size_t k = 0; k < i && !is_known; k++)
            is_known = s->schema->rules[k].kind && strcmp(s->schema->rules[k].kind, kind) == 0;
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
    map_of(s, "prefabs", "#/definitions/prefab");
}
