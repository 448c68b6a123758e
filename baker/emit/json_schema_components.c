/* Components of entities in a JSON Schema: by their names, or in a list with a key that names
 * them. */
#include "json_schema_writer.h"

#include <string.h>

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
    bake_js_of_type(s, NULL, "null");
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
    bake_js_required(s, by);
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

void bake_js_components(json_schema *s, const char *key, const char *by)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, by ? "array null" : "object null");
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
