/* Unions in a JSON Schema. */
#include "json_schema_writer.h"

static bool any_valueless(const kiln_type *of)
{
    for (uint32_t m = 0; m < of->member_count; m++)
        if (of->members[m].type == KILN_TYPE_NONE)
            return true;
    return false;
}

static void alternative(json_schema *s, const char *name, const kiln_member *member, bool is_was)
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

/* A mapping of one key. */
static void one_key(json_schema *s, const kiln_type *of)
{
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "properties", '{');
    for (uint32_t m = 0; m < of->member_count; m++) {
        alternative(s, of->members[m].name, &of->members[m], false);
        for (uint32_t w = 0; w < of->members[m].was_count; w++)
            alternative(s, of->members[m].was[w], &of->members[m], true);
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_number(&s->json, "minProperties", 1);
    bake_json_number(&s->json, "maxProperties", 1);
}

/* Into an open list of alternatives: one key, or a name alone. */
static void usual_ways(json_schema *s, const kiln_type *of)
{
    bake_json_open(&s->json, NULL, '{');
    one_key(s, of);
    bake_json_close(&s->json, '{');
    if (!any_valueless(of))
        return;
    bake_json_open(&s->json, NULL, '{');
    bake_js_names(s, of, true);
    bake_json_close(&s->json, '{');
}

/* The names of one alternative, under the key that tells it. */
static void told_by(json_schema *s, const char *key, const kiln_member *member)
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

static void by_key(json_schema *s, const kiln_type *of, const char *key)
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
        told_by(s, key, &of->members[m]);
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
    usual_ways(s, of);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

void bake_js_union(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_type_info *info = &s->schema->info[type];
    if (info->forms & BAKE_BY_KEY) {
        by_key(s, of, info->by);
        return;
    }
    bake_json_open(&s->json, "anyOf", '[');
    usual_ways(s, of);
    /* Tags are nothing that JSON Schema knows of: a value of any alternative may have its tag. */
    for (uint32_t m = 0; m < of->member_count && (info->forms & BAKE_BY_TAG); m++)
        if (of->members[m].type != KILN_TYPE_NONE)
            bake_js_value(s, NULL, of->members[m].type, NULL);
    bake_json_close(&s->json, '[');
}
