#include "json_schema_writer.h"

#include "bake_memory.h"

#include <stdio.h>
#include <string.h>

static bool has_scenes(const bake_schema *schema)
{
    for (size_t i = 0; i < schema->rule_count; i++)
        if (schema->rules[i].shape == BAKE_SHAPE_SCENE ||
            schema->rules[i].shape == BAKE_SHAPE_PREFABS)
            return true;
    return false;
}

static bool has_patches(const bake_schema *schema)
{
    for (size_t i = 0; i < schema->rule_count; i++)
        if (schema->rules[i].patches)
            return true;
    return false;
}

/* The type of this name, or the only one whose name ends so. */
static uint32_t find_type(const kiln_types *types, const char *name)
{
    uint32_t found = kiln_types_find(types, name);
    for (uint32_t t = 0; found == KILN_TYPE_NONE && t < kiln_types_count(types); t++) {
        const char *dot = strrchr(kiln_types_get(types, t)->name, '.');
        if (dot && strcmp(dot + 1, name) == 0)
            found = t;
    }
    return found;
}

/* The definition that is meant by a name; false where there is none. */
static bool find_root(const bake_schema *schema, const char *root, char out[JS_NAME_SIZE])
{
    for (size_t i = 0; i < schema->rule_count; i++) {
        if (strcmp(schema->rules[i].match, root) != 0)
            continue;
        bake_js_rule_name(out, i);
        return true;
    }
    uint32_t type = find_type(schema->types, root);
    bool found = type != KILN_TYPE_NONE || strcmp(root, "kinds") == 0;
    if (found)
        snprintf(out, JS_NAME_SIZE, "%s",
                 type == KILN_TYPE_NONE ? root : kiln_types_get(schema->types, type)->name);
    return found;
}

static void write_root(json_schema *s, const char *name)
{
    char rule[JS_NAME_SIZE];
    if (name) {
        bake_json_open(&s->json, "allOf", '[');
        bake_js_refer(s, NULL, name);
        bake_json_close(&s->json, '[');
        return;
    }
    bake_json_open(&s->json, "anyOf", '[');
    for (size_t i = 0; i < s->schema->rule_count; i++) {
        bake_js_rule_name(rule, i);
        bake_js_refer(s, NULL, rule);
    }
    bake_js_refer(s, NULL, "kinds");
    bake_json_close(&s->json, '[');
}

static void write_types(json_schema *s, bool is_partial)
{
    s->is_partial = is_partial;
    for (uint32_t t = 0; t < kiln_types_count(s->types); t++) {
        const kiln_type *of = kiln_types_get(s->types, t);
        char name[JS_NAME_SIZE];
        if (!*of->name || t == s->schema->scene_data || (is_partial && !bake_js_has_partial(of)))
            continue;
        snprintf(name, sizeof name, "%s%s", of->name, is_partial ? "-partial" : "");
        bake_js_definition(s, name, t);
    }
    s->is_partial = false;
}

bake_result bake_json_schema_write(const bake_json_schema_def *def, bake_failure *failure)
{
    json_schema s = {.schema = def->schema, .types = def->schema->types};
    kiln_allocator allocator = bake_memory_allocator();
    char root[JS_NAME_SIZE];
    if (def->root && !find_root(def->schema, def->root, root))
        return bake_fail(
            failure, BAKE_CANNOT,
            "--root: unknown name '%.200s'; give a type, the `match` of a file rule, or kinds",
            def->root);
    bake_c_text_init(&s.text, &allocator);
    bake_json_init(&s.json, true, def->write, def->ctx);
    bake_json_open(&s.json, NULL, '{');
    bake_json_text(&s.json, "$schema", "http://json-schema.org/draft-07/schema#");
    if (*def->schema->doc)
        bake_json_text(&s.json, "description", def->schema->doc);
    write_root(&s, def->root ? root : NULL);
    bake_json_open(&s.json, "definitions", '{');
    bake_js_documents(&s);
    write_types(&s, false);
    bake_js_colour_definitions(&s);
    if (has_scenes(def->schema))
        bake_js_scene_definitions(&s);
    if (has_scenes(def->schema) || has_patches(def->schema) || def->schema->has_inherit)
        write_types(&s, true);
    bake_json_close(&s.json, '{');
    bake_json_close(&s.json, '{');
    bake_json_end_line(&s.json);
    bool failed = s.text.failed;
    bake_c_text_fini(&s.text);
    return failed ? bake_fail_memory(failure) : BAKE_OK;
}
