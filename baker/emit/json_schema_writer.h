/* Shared by the parts of the JSON Schema writer; private to json_schema*.c.
 *
 * "The open schema" is the JSON object that is being written. "Writes a list" is short for "writes
 * the schema of a list", and so on for other values. Keywords for different types of values are
 * combined in one object (`type: [integer, string]`, `maximum` for numbers, `pattern` for strings)
 * rather than in `anyOf`, for which editors show poor messages. */
#ifndef BAKE_JSON_SCHEMA_WRITER_H
#define BAKE_JSON_SCHEMA_WRITER_H

#include "c_text.h"
#include "json_schema.h"
#include "json_writer.h"

enum { JS_NAME_SIZE = 300 }; /* maximum size of a definition's name */

typedef struct json_schema {
    const bake_schema *schema;
    const kiln_types *types;
    bake_json json;
    bake_c_text text; /* buffer for patterns */
    bool is_partial;  /* values are merged from several places, so nothing is required */
    bool or_null;     /* the next value can be null, which means its default */
} json_schema;

static inline bool bake_js_take_null(json_schema *s)
{
    bool or_null = s->or_null;
    s->or_null = false;
    return or_null;
}

/* Keys of a mapping in addition to the fields of its struct. */
typedef struct json_extra {
    const char *by;             /* the key with the kind; or NULL */
    const char *id;             /* the key with the id; or NULL */
    const char *parent;         /* the key with the parents; or NULL */
    const char *abstract;       /* the key for abstract assets; or NULL */
    const bake_file_rule *rule; /* the rule whose heads are also allowed; or NULL */
    bool has_paths;             /* keys can be paths into fields */
} json_extra;

/* ---- json_schema_writer.c: helpers ---- */

/* The types that a plain scalar can have in an editor. */
#define JS_SCALARS "string number boolean"

/* Writes `type` with a space-separated list of names. bake_js_types_or_null also allows null if the
 * next value can be null. */
void bake_js_types(json_schema *s, const char *names);
void bake_js_types_or_null(json_schema *s, const char *names);
/* Writes a schema with only a `type`. */
void bake_js_of_type(json_schema *s, const char *key, const char *name);
/* Writes `required` for one key. */
void bake_js_required(json_schema *s, const char *key);
/* Writes a `$ref` to the definition `name`. */
void bake_js_refer(json_schema *s, const char *key, const char *name);

/* Unwraps newtypes and data. Sets `field` to the field of the innermost newtype. */
uint32_t bake_js_unwrapped(const json_schema *s, uint32_t type, const kiln_member **field);
/* Appends a string to the pattern, with escapes. */
void bake_js_put_escaped(json_schema *s, const char *text);
/* Writes a bool into the open schema. */
void bake_js_bool(json_schema *s);
#define JS_BOOL_PATTERN "(?:true|True|TRUE|false|False|FALSE|1|0)"
/* Writes the pattern that was appended to `text` since bake_js_begin_pattern. */
void bake_js_begin_pattern(json_schema *s);
void bake_js_end_pattern(json_schema *s, const char *key);

/* Writes the condition that a key has this value. */
void bake_js_if_key_is(json_schema *s, const char *key, const char *value);
/* Formats the name of the definition for rule `i`. */
void bake_js_rule_name(char out[JS_NAME_SIZE], size_t i);

/* ---- json_schema_text.c: scalars ---- */

/* Appends an unanchored regular expression for scalars of the type. `field` can be NULL. `in_list`:
 * the value is between commas. */
void bake_js_put_text(json_schema *s, uint32_t type, const kiln_member *field, bool in_list);

/* Writes a scalar into the open schema. */
void bake_js_scalar(json_schema *s, uint32_t type, const kiln_member *field);
/* Writes the name of an entity, or null. */
void bake_js_entity(json_schema *s);
/* Writes `enum` with the names as strings. A name that YAML's core schema reads as a number or bool
 * is also listed as such. */
void bake_js_names(json_schema *s, const kiln_type *of, bool only_valueless);
/* Appends a case-insensitive pattern; JSON Schema has no flag for that. */
void bake_js_put_any_case(json_schema *s, const char *name);
/* Whether values are scalars; the same condition as bake_value_is_scalar_type. */
bool bake_js_is_one_text(const json_schema *s, uint32_t type);
void bake_js_lengths(json_schema *s, const kiln_member *field, const char *min, const char *max,
                     unsigned divisor);

/* ---- json_schema_value.c: all values ---- */

/* Writes the schema of values of the type under `key`. */
void bake_js_value(json_schema *s, const char *key, uint32_t type, const kiln_member *field);
/* Writes the schema of values of the type into the open schema. */
void bake_js_content(json_schema *s, uint32_t type, const kiln_member *field);

/* Whether the type has a second definition for values that are merged from several places. */
static inline bool bake_js_has_partial(const kiln_type *of)
{
    return of->kind == KILN_KIND_STRUCT || of->kind == KILN_KIND_UNION;
}

/* ---- json_schema_struct.c: structs and assets ---- */

void bake_js_struct(json_schema *s, uint32_t type, const json_extra *extra);
/* `is_nullable`: null means the default. */
void bake_js_field(json_schema *s, const char *key, const kiln_member *field, bool is_was,
                   bool is_nullable);
/* Writes the value of a field without its key, as in tuples and short forms. */
void bake_js_member_value(json_schema *s, uint32_t type, uint32_t member);
/* Whether a field can be left out. */
bool bake_js_may_be_missing(const json_schema *s, uint32_t type, uint32_t member);

/* Writes an asset of a rule, or of a document of shape `kinds` if `rule` is NULL. The rule can add
 * keys that are not fields. Assets with a parent have no required fields. */
void bake_js_asset(json_schema *s, const char *key, uint32_t type, const bake_file_rule *rule);
/* Writes the properties for the `head` of a rule. */
void bake_js_heads(json_schema *s, const bake_file_rule *rule);

/* ---- json_schema_types.c: definitions of types ---- */

/* Writes the definition of a named type. */
void bake_js_definition(json_schema *s, const char *key, uint32_t type);
/* Writes the definitions of colour strings if any type is a colour. */
void bake_js_colour_definitions(json_schema *s);

/* ---- json_schema_scene.c: scenes and their parts ---- */

void bake_js_scene_definitions(json_schema *s);
/* Writes scenes by kind as properties of the open schema. */
void bake_js_scene_kinds(json_schema *s);
/* Writes a scene into the open schema. `name` is the definition of the rule. */
void bake_js_scene(json_schema *s, const bake_file_rule *rule, const char *name);

#endif
