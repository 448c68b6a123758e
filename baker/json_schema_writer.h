/* What the parts of the JSON Schema's writer share; private to json_schema*.c.
 *
 * A schema is an object that is open: what may be said of different kinds of values stands side by
 * side (`type: [integer, string]`, `maximum` for the one, `pattern` for the other), so that
 * alternatives, which make bad messages, are rare. */
#ifndef BAKE_JSON_SCHEMA_WRITER_H
#define BAKE_JSON_SCHEMA_WRITER_H

#include "c_text.h"
#include "json_schema.h"
#include "json_writer.h"

typedef struct json_schema {
    const bake_schema *schema;
    const kiln_types *types;
    bake_json json;
    bake_c_text text; /* a pattern in the making */
    bool is_partial;  /* of values that are put together from several places: nothing is required */
} json_schema;

/* What a mapping of a struct's fields has beside them. */
typedef struct json_extra {
    const char *by;       /* a key that has told what the value is; NULL */
    const char *id;       /* a key that gives the id; NULL */
    const char *parent;   /* a key that names what it inherits from; NULL */
    const char *abstract; /* a key that says that it is for others alone; NULL */
} json_extra;

/* json_schema_text.c: scalars. */

/* A regular expression for one text of the type, without the ends. `in_list` is between commas. */
void bake_js_put_text(json_schema *s, uint32_t type, bool in_list);
/* The bytes as they match themselves. */
void bake_js_put_escaped(json_schema *s, const char *text);
/* `pattern` of what was put since bake_js_begin_pattern. */
void bake_js_begin_pattern(json_schema *s);
void bake_js_end_pattern(json_schema *s, const char *key);
/* What is said of a scalar, into the open schema. */
void bake_js_scalar(json_schema *s, uint32_t type, const kiln_member *field);
/* `enum` of the names, as texts and as what YAML's core schema takes them for. */
void bake_js_names(json_schema *s, const kiln_type *of, bool only_valueless);
/* Whether a plain scalar of this text is a string to YAML's core schema; otherwise `ret_token` is
 * how JSON has it, "" where it has not. */
bool bake_js_is_string(const char *text, char ret_token[40]);
/* Whether values are one text each, as bake_value_is_one_text says. */
bool bake_js_is_one_text(const json_schema *s, uint32_t type);
/* An element of an open list of types. */
void bake_js_type(json_schema *s, const char *name);
/* `minimum` and the like: the bounds of the kind, and the field's. */
void bake_js_bounds(json_schema *s, kiln_kind kind, const kiln_member *field);
void bake_js_lengths(json_schema *s, const kiln_member *field, const char *min, const char *max,
                     unsigned divisor);

/* json_schema_types.c: values. */

/* A schema of values of the type, under `key`. */
void bake_js_value(json_schema *s, const char *key, uint32_t type, const kiln_member *field);
/* Into the open schema. */
void bake_js_content(json_schema *s, uint32_t type, const kiln_member *field);
/* Of a named type as it is defined; `definition` is its own. */
void bake_js_definition(json_schema *s, const char *key, uint32_t type);
void bake_js_reference(json_schema *s, uint32_t type);
/* Strips wraps. */
uint32_t bake_js_unwrapped(const json_schema *s, uint32_t type, const kiln_member **field);

/* Of structs and unions there are definitions of what is not whole yet. */
static inline bool bake_js_has_partial(const kiln_type *of)
{
    return of->kind == KILN_KIND_STRUCT || of->kind == KILN_KIND_UNION;
}

/* json_schema_forms.c: a struct in all forms in which it may be written. */
void bake_js_forms(json_schema *s, uint32_t type);
/* The texts of colours, if some type has them. */
void bake_js_colour_definitions(json_schema *s);

/* json_schema_struct.c: mappings of fields. json_schema_union.c: unions. */
void bake_js_struct(json_schema *s, uint32_t type, const json_extra *extra);
void bake_js_field(json_schema *s, const char *key, const kiln_member *field, bool is_was);
void bake_js_union(json_schema *s, uint32_t type);
/* Whether a field may be left out. */
bool bake_js_may_be_missing(const json_schema *s, uint32_t type, uint32_t member);

/* json_schema_default.c: `default`, where JSON can have it. */
void bake_js_default(json_schema *s, const kiln_member *field);

/* json_schema_files.c: documents. */
void bake_js_documents(json_schema *s);
/* json_schema_scene.c */
void bake_js_scene_definitions(json_schema *s);

/* The definition of rule number `i`. */
enum { JS_NAME_SIZE = 300 };
void bake_js_rule_name(char out[JS_NAME_SIZE], size_t i);

#endif
