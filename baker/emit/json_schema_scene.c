/* Scenes, prefabs and components in a JSON Schema. No field of a component is required, because
 * bases can provide it. */
#include "json_schema_writer.h"

#include <stdio.h>
#include <string.h>

/* ---- components: a mapping by name, or a list with a key for the name ---- */

/* Whether the type can be a component of entities. If a struct has a row, the row is the
 * component. */
static bool is_component(const json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    return *of->name && of->kind == KILN_KIND_STRUCT && !of->has_pointers &&
           s->schema->info[type].row == KILN_TYPE_NONE;
}

static const char *component_name_of(const json_schema *s, uint32_t type)
{
    uint32_t row_of = s->schema->info[type].row_of;
    return kiln_types_get(s->types, row_of != KILN_TYPE_NONE ? row_of : type)->name;
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* Returns the unqualified name (`Item` for `game.Item`), or NULL if it is not unique or the type
 * has no namespace. */
static const char *short_name(const json_schema *s, uint32_t type)
{
    const char *name = component_name_of(s, type), *last = last_part(name);
    if (last == name)
        return NULL;
    for (uint32_t t = 0; t < kiln_types_count(s->types); t++)
        if (t != type && is_component(s, t) &&
            strcmp(last_part(component_name_of(s, t)), last) == 0)
            return NULL;
    return last;
}

/* Calls `each` for each name of each component. If assets are prefabs, components in lists are
 * named after the alternatives of the union. */
static void each_component(json_schema *s,
                           void (*each)(json_schema *s, const char *name, uint32_t type,
                                        const char *by),
                           const char *by)
{
    const bake_scene_words *prototypes = s->schema->prototype_words;
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
        /* The name of the row is also valid. */
        bool is_row = s->schema->info[t].row_of != KILN_TYPE_NONE;
        const char *own = kiln_types_get(s->types, t)->name;
        each(s, component_name_of(s, t), t, by);
        if (is_row)
            each(s, own, t, by);
        if (name)
            each(s, name, t, by);
        if (name && is_row)
            each(s, last_part(own), t, by);
    }
}

static void write_component(json_schema *s, const char *name, uint32_t type, const char *by)
{
    (void)by;
    bake_json_open(&s->json, name, '{');
    bake_json_open(&s->json, "anyOf", '[');
    bake_js_of_type(s, NULL, "null");
    bake_js_value(s, NULL, type, NULL);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

static void write_component_name(json_schema *s, const char *name, uint32_t type, const char *by)
{
    (void)type;
    (void)by;
    bake_json_text(&s->json, NULL, name);
}

/* Writes the fields of a component whose name is the value of a key in the same mapping. */
static void write_component_by(json_schema *s, const char *name, uint32_t type, const char *by)
{
    const json_extra extra = {.by = by};
    const kiln_type *of = kiln_types_get(s->types, type);
    if (of->flags & KILN_TYPE_TRANSPARENT)
        return;
    bake_json_open(&s->json, NULL, '{');
    bake_js_if_key_is(s, by, name);
    bake_json_open(&s->json, "then", '{');
    bake_js_struct(s, type, &extra);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

static void write_listed_components(json_schema *s, const char *by)
{
    bake_json_open(&s->json, "items", '{');
    bake_json_text(&s->json, "type", "object");
    bake_js_required(s, by);
    bake_json_open(&s->json, "properties", '{');
    bake_json_open(&s->json, by, '{');
    bake_json_open(&s->json, "enum", '[');
    each_component(s, write_component_name, by);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "allOf", '[');
    each_component(s, write_component_by, by);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

/* Writes the components of an entity. `by` is the key with the name of a component in a list; NULL:
 * a mapping by name. */
static void write_components(json_schema *s, const char *key, const char *by)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, by ? "array null" : "object null");
    s->is_partial = true;
    if (by) {
        write_listed_components(s, by);
    } else {
        bake_json_open(&s->json, "properties", '{');
        each_component(s, write_component, NULL);
        bake_json_close(&s->json, '{');
        bake_json_bool(&s->json, "additionalProperties", false);
    }
    s->is_partial = false;
    bake_json_close(&s->json, '{');
}

/* ---- scenes and prefabs ---- */

static void write_string(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, JS_SCALARS);
    bake_json_number(&s->json, "minLength", 1);
    bake_json_close(&s->json, '{');
}

/* Writes a string or a list of strings; null is equivalent to a missing key. */
static void write_strings(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, JS_SCALARS " array null");
    bake_json_number(&s->json, "minLength", 1);
    write_string(s, "items");
    bake_json_close(&s->json, '{');
}

static void write_entity_name(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, JS_SCALARS);
    bake_json_text(&s->json, "pattern", "^[^/#\\u0000-\\u001f\\u007f]{1,255}$");
    bake_json_close(&s->json, '{');
}

/* `elements` is the keyword for the schema of the elements, whose definition is `name`. */
static void write_collection(json_schema *s, const char *key, const char *types,
                             const char *elements, const char *name)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, types);
    bake_js_refer(s, elements, name);
    bake_json_close(&s->json, '{');
}

static void write_list_of(json_schema *s, const char *key, const char *name)
{
    write_collection(s, key, "array null", "items", name);
}

static void write_map_of(json_schema *s, const char *key, const char *name)
{
    write_collection(s, key, "object null", "additionalProperties", name);
}

/* ---- entities ---- */

/* The keys of a rule, and the prefix of its definitions. */
typedef struct scene_words {
    const bake_scene_words *words;
    const char *prefix;
} scene_words;

static void definition(char out[JS_NAME_SIZE], const scene_words *w, const char *name)
{
    snprintf(out, JS_NAME_SIZE, "%s%s", w->prefix, name);
}

typedef enum entity_kind { ENTITY, LISTED, OVERRIDE, PREFAB } entity_kind;

/* Writes `path`, the full path of an entity. */
static void write_path_key(json_schema *s, const scene_words *w)
{
    bake_json_open(&s->json, w->words->path, '{');
    bake_js_types(s, JS_SCALARS);
    bake_json_text(&s->json, "pattern", "^[^#\\u0000-\\u001f\\u007f]{1,1024}$");
    bake_json_close(&s->json, '{');
}

/* `path` excludes `name` and `children`. */
static void write_path_key_rules(json_schema *s, const scene_words *w)
{
    const char *const others[] = {w->words->name, w->words->children};
    bake_json_open(&s->json, "dependencies", '{');
    bake_json_open(&s->json, w->words->path, '{');
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

static void write_entity(json_schema *s, const scene_words *w, const char *name, entity_kind kind)
{
    char text[JS_NAME_SIZE];
    bool has_path = kind == LISTED && w->words->path;
    definition(text, w, name);
    bake_json_open(&s->json, text, '{');
    bake_js_types(s, kind == PREFAB ? "object null" : "object");
    bake_json_open(&s->json, "properties", '{');
    if (kind == ENTITY || kind == LISTED)
        write_entity_name(s, w->words->name);
    if (has_path)
        write_path_key(s, w);
    write_strings(s, w->words->base);
    definition(text, w, "components");
    bake_js_refer(s, w->words->components, text);
    write_strings(s, w->words->remove);
    definition(text, w, "entity");
    write_list_of(s, w->words->children, text);
    write_strings(s, w->words->drop);
    if (kind == PREFAB) {
        bake_json_open(&s->json, w->words->abstract, '{');
        bake_js_types(s, "boolean string");
        bake_json_text(&s->json, "pattern", "^(?:true|True|TRUE|false|False|FALSE)$");
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    if (has_path)
        write_path_key_rules(s, w);
    bake_json_close(&s->json, '{');
}

/* Writes a group of entities with the same base. */
static void write_group(json_schema *s, const scene_words *w)
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
    write_list_of(s, w->words->group_entities, text);
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

static void write_nested_scene(json_schema *s, const scene_words *w)
{
    char key[JS_NAME_SIZE];
    definition(key, w, "nested-scene");
    bake_json_open(&s->json, key, '{');
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "properties", '{');
    write_string(s, "scene");
    write_entity_name(s, "name");
    definition(key, w, "override");
    write_map_of(s, "overrides", key);
    write_strings(s, "drop");
    bake_json_close(&s->json, '{');
    bake_js_required(s, "scene");
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_close(&s->json, '{');
}

static void write_scene_definitions(json_schema *s, const scene_words *w)
{
    char key[JS_NAME_SIZE];
    definition(key, w, "components");
    write_components(s, key, w->words->by);
    write_entity(s, w, "entity", ENTITY);
    write_entity(s, w, "listed-entity", LISTED);
    write_entity(s, w, "override", OVERRIDE);
    write_entity(s, w, "prefab", PREFAB);
    write_nested_scene(s, w);
    if (w->words->group_entities)
        write_group(s, w);
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
    char key[JS_NAME_SIZE];
    /* Editors see an empty document as null. */
    bake_js_types(s, rule == &bake_scene_rule_of_kinds ? "object" : "object null");
    bake_json_open(&s->json, "properties", '{');
    bake_js_heads(s, rule);
    definition(key, &w, "prefab");
    write_map_of(s, "prefabs", key);
    definition(key, &w, w.words->group_entities ? "group" : "listed-entity");
    write_list_of(s, w.words->entities, key);
    definition(key, &w, "nested-scene");
    write_list_of(s, "scenes", key);
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
}

/* Writes scenes by id, with the default keys. */
static void write_scenes_of_kind(json_schema *s, const char *kind)
{
    bake_json_open(&s->json, kind, '{');
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "additionalProperties", '{');
    bake_js_scene(s, &bake_scene_rule_of_kinds, "");
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

/* Returns the kind of a scene rule, and NULL for other rules. Rules of shape guids also have a
 * `kind`. */
static const char *scene_kind_of(const bake_file_rule *rule)
{
    return rule->shape == BAKE_SHAPE_SCENE ? rule->kind : NULL;
}

void bake_js_scene_kinds(json_schema *s)
{
    bool has_default = false;
    for (size_t i = 0; i < s->schema->rule_count; i++) {
        const char *kind = scene_kind_of(&s->schema->rules[i]);
        bool is_known = !kind;
        for (size_t k = 0; k < i && !is_known; k++) {
            const char *other = scene_kind_of(&s->schema->rules[k]);
            is_known = other && strcmp(other, kind) == 0;
        }
        if (!is_known)
            write_scenes_of_kind(s, kind);
        has_default = has_default || (kind && strcmp(kind, "Scene") == 0);
    }
    if (!has_default && bake_schema_scene_kind(s->schema, "Scene", 5) &&
        !bake_schema_kind(s->schema, "Scene", 5))
        write_scenes_of_kind(s, "Scene");
}

void bake_js_scene_definitions(json_schema *s)
{
    static const scene_words default_words = {&bake_scene_words_default, ""};
    char name[JS_NAME_SIZE];
    write_scene_definitions(s, &default_words);
    for (size_t i = 0; i < s->schema->rule_count; i++) {
        bake_js_rule_name(name, i);
        scene_words w = words_of(&s->schema->rules[i], name);
        if (s->schema->rules[i].shape == BAKE_SHAPE_SCENE && s->schema->rules[i].words)
            write_scene_definitions(s, &w);
    }
    write_map_of(s, "prefabs", "prefab");
}
