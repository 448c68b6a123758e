/* What the parts of the writer of JSON Schemas share; private to json_schema*.c.
 *
 * "The open schema" is the object that is being written. Keywords for different kinds of values are
 * written next to each other (`type: [integer, string]`, `maximum` for numbers, `pattern` for
 * texts), so that `anyOf` is rare: editors show bad messages for it. */
#ifndef BAKE_JSON_SCHEMA_WRITER_H
#define BAKE_JSON_SCHEMA_WRITER_H

#include "c_text.h"
#include "json_schema.h"
#include "json_writer.h"

enum { JS_NAME_SIZE = 300 }; /* of a definition */

typedef struct json_schema {
    const bake_schema *schema;
    const kiln_types *types;
    bake_json json;
    bake_c_text text; /* buffer for a pattern */
    bool is_partial;  /* values are merged from several places, so that nothing is required */
    bool or_null;     /* the next value can be null, which means its default */
} json_schema;

static inline bool bake_js_take_null(json_schema *s)
{
    bool or_null = s->or_null;
    s->or_null = false;
    return or_null;
}

/* Keys of a mapping besides the fields of its struct. */
typedef struct json_extra {
    const char *by;             /* a key that named the type; NULL */
    const char *id;             /* a key that gives the id; NULL */
    const char *parent;         /* a key that names what it inherits from; NULL */
    const char *abstract;       /* a key that marks an abstract asset; NULL */
    const bake_file_rule *rule; /* its heads are allowed, too; NULL */
    bool has_paths;             /* keys can be paths into fields */
} json_extra;

/* ---- json_schema_writer.c: small pieces ---- */

/* The types that an editor can give to a plain scalar of any text. */
#define JS_SCALARS "string number boolean"

/* `type`: a list of the names, which spaces separate; `_or_null`: with null if it means the
 * default. */
void bake_js_types(json_schema *s, const char *names);
void bake_js_types_or_null(json_schema *s, const char *names);
/* A schema that consists of a `type`. */
void bake_js_of_type(json_schema *s, const char *key, const char *name);
/* `required`, of one key. */
void bake_js_required(json_schema *s, const char *key);
/* A schema that is the definition called `name`. */
void bake_js_refer(json_schema *s, const char *key, const char *name);

/* The type inside newtypes and data of scenes; `field` becomes the field of the innermost newtype.
 */
uint32_t bake_js_unwrapped(const json_schema *s, uint32_t type, const kiln_member **field);
/* Appends the text to the pattern so that it matches itself. */
void bake_js_put_escaped(json_schema *s, const char *text);
/* A bool, into the open schema. */
void bake_js_bool(json_schema *s);
#define JS_BOOL_PATTERN "(?:true|True|TRUE|false|False|FALSE|1|0)"
/* Writes `pattern` with the text that was put since bake_js_begin_pattern. */
void bake_js_begin_pattern(json_schema *s);
void bake_js_end_pattern(json_schema *s, const char *key);

/* Writes an `if` that the key has the value. */
void bake_js_if_key_is(json_schema *s, const char *key, const char *value);
/* The name of the definition of rule number `i`. */
void bake_js_rule_name(char out[JS_NAME_SIZE], size_t i);

/* ---- json_schema_text.c: values that are one text ---- */

/* A regular expression for one text of the type, without the ends. `field` may be NULL; `in_list`
 * is between commas. */
void bake_js_put_text(json_schema *s, uint32_t type, const kiln_member *field, bool in_list);

/* A scalar, into the open schema. */
void bake_js_scalar(json_schema *s, uint32_t type, const kiln_member *field);
/* The name of an entity, or null. */
void bake_js_entity(json_schema *s);
/* Writes `enum` with the names as texts and, if YAML's core schema reads a name as something else,
 * such as a number or a bool, as that. */
void bake_js_names(json_schema *s, const kiln_type *of, bool only_valueless);
/* Appends a pattern for the text in upper or lower case: patterns of JSON Schema have no flags for
 * that. */
void bake_js_put_any_case(json_schema *s, const char *name);
/* Whether a value is one text; the same condition as bake_value_is_scalar_type. */
bool bake_js_is_one_text(const json_schema *s, uint32_t type);
void bake_js_lengths(json_schema *s, const kiln_member *field, const char *min, const char *max,
                     unsigned divisor);

/* ---- json_schema_value.c: all values ---- */

/* A schema of values of the type, under `key`. */
void bake_js_value(json_schema *s, const char *key, uint32_t type, const kiln_member *field);
/* Into the open schema. */
void bake_js_content(json_schema *s, uint32_t type, const kiln_member *field);

/* Structs and unions have a second definition, for values that are merged from several places. */
static inline bool bake_js_has_partial(const kiln_type *of)
{
    return of->kind == KILN_KIND_STRUCT || of->kind == KILN_KIND_UNION;
}

/* ---- json_schema_struct.c: structs and assets ---- */

void bake_js_struct(json_schema *s, uint32_t type, const json_extra *extra);
/* `is_nullable`: null means that the field is left out. */
void bake_js_field(json_schema *s, const char *key, const kiln_member *field, bool is_was,
                   bool is_nullable);
/* The value of a field in a list, or alone. */
void bake_js_member_value(json_schema *s, uint32_t type, uint32_t member);
/* Whether a field can be left out. */
bool bake_js_may_be_missing(const json_schema *s, uint32_t type, uint32_t member);

/* An asset under a rule (NULL: by its kind). The rule can add keys that are not fields. Nothing is
 * required of an asset that inherits. */
void bake_js_asset(json_schema *s, const char *key, uint32_t type, const bake_file_rule *rule);
/* The properties that a rule's `head` gives a document. */
void bake_js_heads(json_schema *s, const bake_file_rule *rule);

/* ---- json_schema_types.c: definitions of types ---- */

/* The definition of a named type. */
void bake_js_definition(json_schema *s, const char *key, uint32_t type);
/* Writes the definitions for texts of colours, if some type is a colour. */
void bake_js_colour_definitions(json_schema *s);

/* ---- json_schema_scene.c: scenes and their parts ---- */

void bake_js_scene_definitions(json_schema *s);
/* Writes scenes by kinds, as properties of the open schema. */
void bake_js_scene_kinds(json_schema *s);
/* A scene, into the open schema; `name` is that of the rule. */
void bake_js_scene(json_schema *s, const bake_file_rule *rule, const char *name);

#endif
