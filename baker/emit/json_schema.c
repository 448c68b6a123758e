/* The top level of the JSON Schema: definitions for each file rule, for documents of shape `kinds`,
 * and for each named type. If values can be merged from several places (patches, prefabs,
 * inheritance), structs and unions have a second definition, `-partial`, without required
 * fields. */
#include "json_schema.h"

#include "bake_memory.h"
#include "json_schema_writer.h"

#include <stdio.h>
#include <string.h>

/* ---- documents of file rules ---- */

/* Writes the schema of keys that are ids. */
static void write_id_keys(json_schema *s)
{
    bake_json_open(&s->json, "propertyNames", '{');
    bake_json_text(&s->json, "pattern", "^[^\\u0000-\\u001f]+$");
    bake_json_close(&s->json, '{');
}

/* Writes the schema of an asset whose kind is the value of a key. */
static void write_asset_by(json_schema *s, const char *key, const bake_file_rule *rule)
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
        bake_js_if_key_is(s, rule->by, s->schema->kinds[k].name);
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

/* Writes the schema of an id or null. A plain id can look like any scalar. */
static void write_id_or_null(json_schema *s)
{
    bake_js_types(s, JS_SCALARS " null");
}

/* Writes lists of ids by kind. Kinds of other schemas are valid, too. */
static void write_accepted(json_schema *s)
{
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "additionalProperties", '{');
    bake_js_types(s, "array null");
    bake_json_open(&s->json, "items", '{');
    write_id_or_null(s);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

/* Writes a mapping of earlier ids to new ones. */
static void write_renames(json_schema *s)
{
    bake_js_types(s, "object null");
    write_id_keys(s);
    bake_json_open(&s->json, "additionalProperties", '{');
    write_id_or_null(s);
    bake_json_close(&s->json, '{');
}

/* Writes mappings of earlier ids by kind. */
static void write_renames_by_kind(json_schema *s)
{
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "additionalProperties", '{');
    write_renames(s);
    bake_json_close(&s->json, '{');
}

/* Whether a key of a document of shape `kinds` lists ids. A kind of this name takes precedence. */
static bool lists_ids(const json_schema *s, const bake_file_rule *rule, const char *key)
{
    return !is_head(rule, key) && !bake_schema_kind(s->schema, key, strlen(key)) &&
           !bake_schema_scene_kind(s->schema, key, strlen(key));
}

/* Writes a document of shape `kinds` into the open schema. `rule` is NULL for files without a
 * rule. */
static void write_kinds(json_schema *s, const bake_file_rule *rule)
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
        write_id_keys(s);
        bake_js_asset(s, "additionalProperties", kind->type, rule && rule->patches ? rule : NULL);
        bake_json_close(&s->json, '{');
    }
    /* Patches only change assets, so they have no scenes and no lists of ids. */
    if (!rule || !rule->patches) {
        bake_js_scene_kinds(s);
        if (lists_ids(s, rule, "accepted")) {
            bake_json_open(&s->json, "accepted", '{');
            write_accepted(s);
            bake_json_close(&s->json, '{');
        }
        if (lists_ids(s, rule, "renames")) {
            bake_json_open(&s->json, "renames", '{');
            write_renames_by_kind(s);
            bake_json_close(&s->json, '{');
        }
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
}

/* Whether objects of the class can have the kind: `Class` or `Class.part`. */
static bool is_of_class(const char *kind, const char *name, size_t length)
{
    return strncmp(kind, name, length) == 0 && (kind[length] == '\0' || kind[length] == '.');
}

/* Whether one of the first `count` kinds has the same class. */
static bool is_known_class(const json_schema *s, size_t count, const char *name, size_t length)
{
    for (size_t k = 0; k < count; k++)
        if (is_of_class(s->schema->kinds[k].name, name, length))
            return true;
    return false;
}

static void write_objects_of_class(json_schema *s, const char *name, size_t length)
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

/* Writes a mapping with one key, the class of the object. The kind is `Class` or `Class.part`. JSON
 * Schema cannot determine the part, so it accepts values of any kind of the class. */
static void write_objects(json_schema *s)
{
    bake_js_types(s, "object null");
    bake_json_open(&s->json, "properties", '{');
    for (size_t k = 0; k < s->schema->kind_count; k++) {
        const char *name = s->schema->kinds[k].name;
        for (size_t length = 1; length <= strlen(name); length++)
            if ((name[length] == '\0' || name[length] == '.') &&
                /* Classes can contain dots, so each prefix of a kind that ends at a dot can be the
                 * class. A class with several kinds is written only once. */
                !is_known_class(s, k, name, length))
                write_objects_of_class(s, name, length);
    }
    bake_json_close(&s->json, '{');
    bake_json_bool(&s->json, "additionalProperties", false);
    bake_json_number(&s->json, "minProperties", 1);
    bake_json_number(&s->json, "maxProperties", 1);
}

static void write_single_value(json_schema *s, const bake_file_rule *rule)
{
    bake_json_open(&s->json, "anyOf", '[');
    /* Editors read an empty file as null; for the baker, such a file has no documents. */
    bake_js_of_type(s, NULL, "null");
    bake_js_asset(s, NULL, rule->type, rule);
    bake_json_close(&s->json, '[');
}

/* Writes a mapping that contains the guid of a file. The same mapping can also be the value of an
 * asset. */
static void write_guids(json_schema *s, const bake_file_rule *rule)
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
        write_single_value(s, rule);
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '[');
}

static void write_document(json_schema *s, const char *key, const bake_file_rule *rule)
{
    switch (rule->shape) {
    case BAKE_SHAPE_MAP:
        bake_js_types(s, "object null");
        write_id_keys(s);
        bake_json_open(&s->json, "properties", '{');
        bake_js_heads(s, rule);
        bake_json_close(&s->json, '{');
        if (rule->by)
            write_asset_by(s, "additionalProperties", rule);
        else
            bake_js_asset(s, "additionalProperties", rule->type, rule);
        break;
    case BAKE_SHAPE_LIST:
        bake_js_types(s, "array null");
        if (rule->by)
            write_asset_by(s, "items", rule);
        else
            bake_js_asset(s, "items", rule->type, rule);
        break;
    case BAKE_SHAPE_ONE:
        write_single_value(s, rule);
        break;
    case BAKE_SHAPE_RENAMES:
        write_renames(s);
        break;
    case BAKE_SHAPE_ACCEPTED:
        write_accepted(s);
        break;
    case BAKE_SHAPE_KINDS:
        write_kinds(s, rule);
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
        write_objects(s);
        break;
    case BAKE_SHAPE_GUIDS:
        write_guids(s, rule);
        break;
    }
}

static void write_rule_definition(json_schema *s, const char *key, const bake_file_rule *rule)
{
    char text[JS_NAME_SIZE + 20];
    bake_json_open(&s->json, key, '{');
    snprintf(text, sizeof text, "Files %.280s", rule->match);
    bake_json_text(&s->json, "title", text);
    write_document(s, key, rule);
    bake_json_close(&s->json, '{');
}

static void write_documents(json_schema *s)
{
    char name[JS_NAME_SIZE];
    bake_json_open(&s->json, "kinds", '{');
    bake_json_text(&s->json, "description", "Assets by kind.");
    write_kinds(s, NULL);
    bake_json_close(&s->json, '{');
    for (size_t i = 0; i < s->schema->rule_count; i++) {
        bake_js_rule_name(name, i);
        write_rule_definition(s, name, &s->schema->rules[i]);
    }
}

/* ---- the whole schema ---- */

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

/* Returns the type with this qualified name, or the only type with this unqualified name;
 * KILN_TYPE_NONE if there is none. */
static uint32_t find_type(const kiln_types *types, const char *name)
{
    uint32_t found = kiln_types_find(types, name);
    if (found != KILN_TYPE_NONE)
        return found;
    for (uint32_t t = 0; t < kiln_types_count(types); t++) {
        const char *dot = strrchr(kiln_types_get(types, t)->name, '.');
        if (!dot || strcmp(dot + 1, name) != 0)
            continue;
        if (found != KILN_TYPE_NONE)
            return KILN_TYPE_NONE;
        found = t;
    }
    return found;
}

/* Finds the definition that a name refers to. Returns false if there is none. */
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
            failure, BAKE_FAILED,
            "--root: unknown or ambiguous name '%.200s'; give a qualified type, the `match` of a "
            "file rule, or kinds",
            def->root);
    bake_c_text_init(&s.text, &allocator);
    bake_json_init(&s.json, true, def->write, def->ctx);
    bake_json_open(&s.json, NULL, '{');
    bake_json_text(&s.json, "$schema", "http://json-schema.org/draft-07/schema#");
    if (*def->schema->doc)
        bake_json_text(&s.json, "description", def->schema->doc);
    write_root(&s, def->root ? root : NULL);
    bake_json_open(&s.json, "definitions", '{');
    write_documents(&s);
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
