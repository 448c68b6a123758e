/* Structs in a JSON Schema, as mappings and tuples. Assets are structs with additional keys of
 * their file rule. */
#include "json_schema_writer.h"

#include <inttypes.h>
#include <kiln/value.h>
#include <stdio.h>
#include <string.h>

/* ---- defaults, if JSON can express them ---- */

/* Larger defaults are omitted, because editors show a default in one line. */
enum { ITEMS_MAX = 64, DEPTH_MAX = 8 };

static bool can_show(const kiln_value *value, unsigned depth);

/* Whether all children of a default can be written. Checked in advance, because the JSON writer
 * cannot undo output. */
static bool can_show_children(const kiln_value *value, unsigned depth)
{
    kiln_value child;
    uint32_t count = kiln_value_count(value);
    if (count > ITEMS_MAX || depth > DEPTH_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (kiln_value_at(value, i, &child) || !can_show(&child, depth + 1))
            return false;
    return true;
}

/* References are hashes, whose names are unknown here. */
static bool can_show(const kiln_value *value, unsigned depth)
{
    double number;
    switch (value->of->kind) {
    case KILN_KIND_REF:
    case KILN_KIND_BYTES:
    case KILN_KIND_MAP:
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA:
        return kiln_value_count(value) == 0 && value->of->kind == KILN_KIND_MAP;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        /* JSON has no infinities and no NaN. */
        number = kiln_value_float(value);
        return number - number == 0;
    default:
        return can_show_children(value, depth);
    }
}

static void show(json_schema *s, const char *key, const kiln_value *value);

static void show_children(json_schema *s, const char *key, const kiln_value *value)
{
    bool is_struct = value->of->kind == KILN_KIND_STRUCT;
    kiln_value child;
    bake_json_open(&s->json, key, is_struct ? '{' : '[');
    for (uint32_t i = 0; i < kiln_value_count(value); i++)
        if (!kiln_value_at(value, i, &child))
            show(s, is_struct ? value->of->members[i].name : NULL, &child);
    bake_json_close(&s->json, is_struct ? '{' : '[');
}

/* Writes the names of the flags that are set. A flag with several bits counts only if all of them
 * are set. `left` contains the bits that no earlier name covers, so no name is redundant. */
static void show_flags(json_schema *s, const char *key, const kiln_value *value)
{
    uint64_t bits = kiln_value_uint(value), left = bits;
    bake_json_open(&s->json, key, '[');
    for (uint32_t m = 0; m < value->of->member_count; m++) {
        uint64_t flag = value->of->members[m].value;
        if ((bits & flag) == flag && (left & flag)) {
            bake_json_text(&s->json, NULL, value->of->members[m].name);
            left &= ~flag;
        }
    }
    bake_json_close(&s->json, '[');
}

static void show_union(json_schema *s, const char *key, const kiln_value *value)
{
    const kiln_member *member = kiln_value_member(value);
    kiln_value child;
    if (!member) {
        bake_json_null(&s->json, key);
    } else if (kiln_value_count(value) == 0 || kiln_value_at(value, 0, &child)) {
        bake_json_text(&s->json, key, member->name);
    } else {
        bake_json_open(&s->json, key, '{');
        show(s, member->name, &child);
        bake_json_close(&s->json, '{');
    }
}

/* The JSON writer needs a NUL-terminated string. */
static void show_text(json_schema *s, const char *key, const kiln_value *value)
{
    const char *text = "";
    uint32_t length = 0;
    s->text.size = 0;
    if (!kiln_value_text(value, &text, &length))
        bake_c_put_bytes(&s->text, text, length);
    bake_c_put_bytes(&s->text, "", 1);
    bake_json_text(&s->json, key, s->text.failed ? "" : s->text.data);
}

static void show(json_schema *s, const char *key, const kiln_value *value)
{
    char token[40];
    kiln_value child;
    kiln_kind kind = value->of->kind;
    if (value->of->flags & KILN_TYPE_TRANSPARENT) {
        if (!kiln_value_at(value, 0, &child))
            show(s, key, &child);
    } else if (kind == KILN_KIND_BOOL) {
        bake_json_bool(&s->json, key, kiln_value_uint(value) != 0);
    } else if (kiln_kind_is_integer(kind)) {
        if (kiln_kind_is_signed(kind))
            snprintf(token, sizeof token, "%" PRId64, kiln_value_int(value));
        else
            snprintf(token, sizeof token, "%" PRIu64, kiln_value_uint(value));
        bake_json_raw(&s->json, key, token);
    } else if (kiln_kind_is_float(kind)) {
        /* Enough digits to round-trip. */
        snprintf(token, sizeof token, kind == KILN_KIND_F32 ? "%.9g" : "%.17g",
                 kiln_value_float(value));
        bake_json_raw(&s->json, key, token);
    } else if (kind == KILN_KIND_STRING) {
        show_text(s, key, value);
    } else if (kind == KILN_KIND_ENUM) {
        bake_json_text(&s->json, key,
                       kiln_value_member(value) ? kiln_value_member(value)->name : "");
    } else if (kind == KILN_KIND_FLAGS) {
        show_flags(s, key, value);
    } else if (kind == KILN_KIND_UNION) {
        show_union(s, key, value);
    } else if (kind == KILN_KIND_OPTIONAL) {
        if (kiln_value_count(value) == 0 || kiln_value_at(value, 0, &child))
            bake_json_null(&s->json, key);
        else
            show(s, key, &child);
    } else if (kind == KILN_KIND_MAP) {
        bake_json_open(&s->json, key, '{');
        bake_json_close(&s->json, '{');
    } else {
        show_children(s, key, value);
    }
}

/* Writes `default` if JSON can express it. */
static void put_default(json_schema *s, const kiln_member *field)
{
    kiln_value value;
    if (!field->default_image ||
        kiln_value_root(s->types, kiln_types_default_type(s->types, field->type),
                        field->default_image, field->default_size, &value) ||
        !can_show(&value, 0))
        return;
    show(s, "default", &value);
}

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

bool bake_js_may_be_missing(const json_schema *s, uint32_t type, uint32_t member)
{
    for (;;) {
        const kiln_type *of = kiln_types_get(s->types, type);
        const kiln_member *field = &of->members[member];
        if (s->schema->defaults[s->schema->info[type].first_member + member].node !=
                BAKE_NODE_NONE ||
            (field->flags & KILN_MEMBER_REST))
            return true;
        if (field->flags & KILN_MEMBER_REQUIRED)
            return false;
        /* A newtype can be left out if its value can. */
        if (!(kiln_types_get(s->types, field->type)->flags & KILN_TYPE_TRANSPARENT))
            return bake_type_has_empty(s->types, field->type);
        type = field->type;
        member = 0;
    }
}

/* ---- fields ---- */

/* `deprecated` is from later drafts, and `deprecationMessage` is specific to one editor. Other
 * validators ignore both. */
static void deprecate(json_schema *s, const char *message)
{
    bake_json_bool(&s->json, "deprecated", true);
    bake_json_text(&s->json, "deprecationMessage", message);
}

/* Whether the schema of the type is a `$ref`. Draft 07 ignores all keywords next to `$ref`. */
static bool is_reference(const json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    return *of->name || (of->kind == KILN_KIND_DATA && is_reference(s, of->element));
}

/* Whether null means the default, which is not the case if the type has an empty value. */
static bool is_nullable(const json_schema *s, uint32_t type, uint32_t member)
{
    const kiln_member *field = &kiln_types_get(s->types, type)->members[member];
    return !(field->flags & KILN_MEMBER_REST) && !bake_type_has_empty(s->types, field->type) &&
           bake_js_may_be_missing(s, type, member);
}

void bake_js_member_value(json_schema *s, uint32_t type, uint32_t member)
{
    const kiln_member *field = &kiln_types_get(s->types, type)->members[member];
    s->or_null = is_nullable(s, type, member);
    bake_js_value(s, NULL, field->type, field);
}

void bake_js_field(json_schema *s, const char *key, const kiln_member *field, bool is_was,
                   bool is_nullable)
{
    char text[600];
    bake_json_open(&s->json, key, '{');
    if (is_was) {
        snprintf(text, sizeof text, "Renamed to %s.", field->name);
        bake_json_text(&s->json, "description", text);
        deprecate(s, text);
    } else {
        if (*field->doc)
            bake_json_text(&s->json, "description", field->doc);
        if (field->flags & KILN_MEMBER_DEPRECATED)
            deprecate(s, *field->doc ? field->doc : "deprecated");
        put_default(s, field);
    }
    s->or_null = is_nullable;
    /* Use `allOf`, because the description and default would be ignored next to a `$ref`. */
    if (is_reference(s, field->type) && !is_nullable) {
        bake_json_open(&s->json, "allOf", '[');
        bake_js_value(s, NULL, field->type, field);
        bake_json_close(&s->json, '[');
    } else {
        bake_js_content(s, field->type, field);
    }
    bake_json_close(&s->json, '{');
}

/* Writes a key that is not a field. */
static void write_plain_key(json_schema *s, const char *key, const char *types)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, types);
    bake_json_close(&s->json, '{');
}

/* Whether the key is also a field, whose schema takes precedence. */
static bool has_field(const json_schema *s, uint32_t type, const char *name)
{
    bool was;
    const kiln_member *member =
        name ? bake_schema_member(s->schema, type, name, strlen(name), &was) : NULL;
    return member && !(member->flags & KILN_MEMBER_REST);
}

static void write_properties(json_schema *s, uint32_t type, const json_extra *extra)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    bake_json_open(&s->json, "properties", '{');
    for (uint32_t m = 0; m < of->member_count; m++) {
        const kiln_member *field = &of->members[m];
        if (field->flags & KILN_MEMBER_REST)
            continue;
        bool or_null = is_nullable(s, type, m);
        bake_js_field(s, field->name, field, false, or_null);
        for (uint32_t w = 0; w < field->was_count; w++)
            bake_js_field(s, field->was[w], field, true, or_null);
    }
    if (extra->by && !has_field(s, type, extra->by))
        write_plain_key(s, extra->by, JS_SCALARS);
    if (extra->id && !is_same(extra->id, extra->by) && !has_field(s, type, extra->id))
        write_plain_key(s, extra->id, JS_SCALARS);
    if (extra->parent && !has_field(s, type, extra->parent))
        write_plain_key(s, extra->parent, JS_SCALARS " array");
    if (extra->abstract && !has_field(s, type, extra->abstract))
        write_plain_key(s, extra->abstract, JS_SCALARS " null");
    if (extra->rule)
        bake_js_heads(s, extra->rule);
    bake_json_close(&s->json, '{');
}

/* Fields with earlier names are not listed here, because `write_name_rules` requires one of their
 * names. */
static void write_required(json_schema *s, uint32_t type, const json_extra *extra)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    bake_json_open(&s->json, "required", '[');
    for (uint32_t m = 0; m < of->member_count && !s->is_partial; m++)
        if (of->members[m].was_count == 0 && !bake_js_may_be_missing(s, type, m) &&
            !is_same(extra->id, of->members[m].name))
            bake_json_text(&s->json, NULL, of->members[m].name);
    if (extra->id)
        bake_json_text(&s->json, NULL, extra->id);
    bake_json_close(&s->json, '[');
}

static void write_required_names(json_schema *s, const char *one, const char *other)
{
    bake_json_open(&s->json, NULL, '{');
    bake_json_open(&s->json, "required", '[');
    bake_json_text(&s->json, NULL, one);
    if (other)
        bake_json_text(&s->json, NULL, other);
    bake_json_close(&s->json, '[');
    bake_json_close(&s->json, '{');
}

/* A field can be written under at most one of its names, and a required field under exactly one. */
static void write_name_rule(json_schema *s, uint32_t type, uint32_t m)
{
    const kiln_member *field = &kiln_types_get(s->types, type)->members[m];
    bool must = !s->is_partial && !bake_js_may_be_missing(s, type, m);
    bake_json_open(&s->json, NULL, '{');
    if (!must)
        bake_json_open(&s->json, "not", '{');
    bake_json_open(&s->json, must ? "oneOf" : "anyOf", '[');
    for (uint32_t i = 0; i <= field->was_count; i++) {
        const char *name = i ? field->was[i - 1] : field->name;
        /* A required field needs `oneOf` its names; any other field must `not` have two of them. */
        if (must)
            write_required_names(s, name, NULL);
        for (uint32_t w = i; !must && w < field->was_count; w++)
            write_required_names(s, name, field->was[w]);
    }
    bake_json_close(&s->json, '[');
    if (!must)
        bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
}

static void write_name_rules(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    if (s->schema->info[type].was_count == 0)
        return;
    bake_json_open(&s->json, "allOf", '[');
    for (uint32_t m = 0; m < of->member_count; m++)
        if (of->members[m].was_count > 0 && !(of->members[m].flags & KILN_MEMBER_REST))
            write_name_rule(s, type, m);
    bake_json_close(&s->json, '[');
}

/* ---- structs ---- */

/* Returns the minimum length of a tuple. Fields at the end can be left out if they are not
 * required. */
static uint32_t min_elements(const json_schema *s, uint32_t type)
{
    uint32_t count = kiln_types_get(s->types, type)->member_count;
    while (count > 0 && (s->is_partial || bake_js_may_be_missing(s, type, count - 1)))
        count--;
    return count;
}

/* Writes the list form of a tuple, and its scalar form if it has one. */
static void write_tuple(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    uint32_t min_count = min_elements(s, type);
    bake_json_open(&s->json, "items", '[');
    for (uint32_t m = 0; m < of->member_count; m++)
        bake_js_member_value(s, type, m);
    bake_json_close(&s->json, '[');
    bake_json_bool(&s->json, "additionalItems", false);
    bake_json_number(&s->json, "minItems", min_count);
    if (!(s->schema->info[type].forms & BAKE_TUPLE_TEXT))
        return;
    bake_js_begin_pattern(s);
    for (uint32_t m = 0; m < of->member_count; m++) {
        bool may_end = m >= min_count && m > 0;
        bake_c_put(&s->text, may_end ? "(?:, *" : m ? ", *" : " *");
        bake_js_put_text(s, of->members[m].type, &of->members[m], true);
        bake_c_put(&s->text, " *");
    }
    /* Optional parts nest, because only parts at the end can be missing. */
    for (uint32_t m = min_count > 0 ? min_count : 1; m < of->member_count; m++)
        bake_c_put(&s->text, ")?");
    bake_js_end_pattern(s, "pattern");
}

static void write_struct_types(json_schema *s, uint32_t type, bool is_mapping)
{
    uint32_t forms = s->schema->info[type].forms;
    bool is_text = forms & BAKE_TUPLE_TEXT;
    if (is_mapping || !(forms & BAKE_TUPLE)) {
        bake_json_text(&s->json, "type", "object");
        return;
    }
    /* A tuple of one part can look like a number to editors. */
    bake_js_types(s, !is_text                     ? "object array"
                     : min_elements(s, type) <= 1 ? "object array " JS_SCALARS
                                                  : "object array string");
    write_tuple(s, type);
}

void bake_js_struct(json_schema *s, uint32_t type, const json_extra *extra)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    uint32_t rest = s->schema->info[type].rest;
    write_struct_types(s, type, extra->by || extra->id || extra->rule);
    write_properties(s, type, extra);
    write_required(s, type, extra);
    if (extra->has_paths) {
        bake_json_open(&s->json, "patternProperties", '{');
        /* A key with one of these characters can be a path, whose target JSON Schema cannot
         * check. */
        bake_json_open(&s->json, "[.\\[]", '{');
        bake_json_close(&s->json, '{');
        bake_json_close(&s->json, '{');
    }
    if (rest == KILN_TYPE_NONE)
        bake_json_bool(&s->json, "additionalProperties", false);
    else
        bake_js_value(s, "additionalProperties",
                      kiln_types_get(s->types, of->members[rest].type)->element, NULL);
    write_name_rules(s, type);
}

/* ---- assets in documents of file rules ---- */

static void write_requires(json_schema *s, const char *key)
{
    if (!key)
        return;
    bake_json_open(&s->json, NULL, '{');
    bake_js_required(s, key);
    bake_json_close(&s->json, '{');
}

/* Writes an asset that cannot inherit. With additional keys it is always a mapping. */
static void write_full_asset(json_schema *s, uint32_t type, const json_extra *extra)
{
    if (extra->by || extra->id || extra->rule)
        bake_js_struct(s, bake_js_unwrapped(s, type, NULL), extra);
    else
        bake_js_content(s, type, NULL);
}

static void write_any_scalar(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    bake_js_types(s, JS_SCALARS);
    bake_json_close(&s->json, '{');
}

static void write_any_value(json_schema *s, const char *key)
{
    bake_json_open(&s->json, key, '{');
    bake_json_close(&s->json, '{');
}

/* Writes a single-path patch: a path, its value, and the keys that identify the asset. */
static void write_single_path_patch(json_schema *s, const json_extra *extra,
                                    const bake_file_rule *rule)
{
    const char *id = rule->path_id ? rule->path_id : extra->id;
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "properties", '{');
    write_any_scalar(s, rule->path_key);
    write_any_value(s, rule->value_key);
    write_any_scalar(s, id);
    if (extra->by)
        write_any_value(s, extra->by);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "required", '[');
    bake_json_text(&s->json, NULL, rule->path_key);
    bake_json_text(&s->json, NULL, rule->value_key);
    bake_json_text(&s->json, NULL, id);
    bake_json_close(&s->json, '[');
    bake_json_bool(&s->json, "additionalProperties", false);
}

/* Writes a patch or deletion of an asset. In a list, a deletion is `delete: ID`; elsewhere it is
 * null. */
static void write_patch(json_schema *s, uint32_t type, const json_extra *extra,
                        const bake_file_rule *rule)
{
    static const char word[] = "delete";
    bool is_list = rule->shape == BAKE_SHAPE_LIST;
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    s->is_partial = true;
    if (rule->path_key)
        write_single_path_patch(s, extra, rule);
    else if (!(kiln_types_get(s->types, type)->flags & KILN_TYPE_TRANSPARENT))
        bake_js_struct(s, type, extra);
    else if (rule->has_paths)
        bake_json_text(&s->json, "type", "object");
    else
        bake_js_content(s, type, NULL);
    s->is_partial = false;
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "type", is_list ? "object" : "null");
    if (is_list) {
        bake_json_open(&s->json, "properties", '{');
        write_any_scalar(s, word);
        if (extra->by)
            write_any_value(s, extra->by);
        bake_json_close(&s->json, '{');
        bake_js_required(s, word);
        bake_json_bool(&s->json, "additionalProperties", false);
    }
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '[');
}

void bake_js_asset(json_schema *s, const char *key, uint32_t type, const bake_file_rule *rule)
{
    const bake_type_info *info = &s->schema->info[type];
    json_extra extra = {.parent = info->parent, .abstract = info->abstract};
    if (rule && (rule->shape == BAKE_SHAPE_LIST || rule->shape == BAKE_SHAPE_MAP))
        extra.by = rule->by;
    if (rule && rule->shape == BAKE_SHAPE_LIST)
        extra.id = bake_schema_id_key(s->schema, rule, type);
    if (rule && rule->shape == BAKE_SHAPE_ONE && rule->head_count > 0)
        extra.rule = rule;
    bake_json_open(&s->json, key, '{');
    if (rule && rule->patches) {
        extra.has_paths = rule->has_paths;
        write_patch(s, type, &extra, rule);
    } else if (!extra.parent && !extra.abstract) {
        write_full_asset(s, type, &extra);
    } else {
        /* Abstract assets and assets with a parent can lack required fields. */
        bake_json_open(&s->json, "if", '{');
        bake_json_open(&s->json, "anyOf", '[');
        write_requires(s, extra.parent);
        write_requires(s, extra.abstract);
        bake_json_close(&s->json, '[');
        bake_json_close(&s->json, '{');
        bake_json_open(&s->json, "then", '{');
        s->is_partial = true;
        bake_js_struct(s, bake_js_unwrapped(s, type, NULL), &extra);
        s->is_partial = false;
        bake_json_close(&s->json, '{');
        bake_json_open(&s->json, "else", '{');
        write_full_asset(s, type, &extra);
        bake_json_close(&s->json, '{');
    }
    bake_json_close(&s->json, '{');
}

void bake_js_heads(json_schema *s, const bake_file_rule *rule)
{
    for (uint32_t i = 0; rule && i < rule->head_count; i++) {
        bake_json_open(&s->json, rule->heads[i].key, '{');
        bake_json_open(&s->json, "anyOf", '[');
        /* The value can be null. */
        bake_js_of_type(s, NULL, "null");
        bake_js_asset(s, NULL, rule->heads[i].type, NULL);
        bake_json_close(&s->json, '[');
        bake_json_close(&s->json, '{');
    }
}
