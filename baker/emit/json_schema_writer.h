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

enum { JS_NAME_SIZE = 300 }; /* of a definition */

typedef struct json_schema {
    const bake_schema *schema;
    const kiln_types *types;
    bake_json json;
    bake_c_text text; /* a pattern in the making */
    bool is_partial;  /* of values that are put together from several places: nothing is required */
    bool or_null;     /* the value that comes next may be null, which stands for its default */
} json_schema;

static inline bool bake_js_take_null(json_schema *s)
{
    bool or_null = s->or_null;
    s->or_null = false;
    return or_null;
}

/* What a mapping of a struct's fields has beside them. */
typedef struct json_extra {
    const char *by;             /* a key that has told what the value is; NULL */
    const char *id;             /* a key that gives the id; NULL */
    const char *parent;         /* a key that names what it inherits from; NULL */
    const char *abstract;       /* a key that says that it is for others alone; NULL */
    const bake_file_rule *rule; /* whose heads stand beside the fields; NULL */
    bool has_paths;             /* keys may be ways to what is in fields */
} json_extra;

/* json_schema_parts.c: what stands everywhere. */

/* What a plain scalar of any text may be to an editor. */
#define JS_SCALARS "string number boolean"

/* `type`: a list of the names, which spaces part; `_or_null`: and null where it stands for the
 * default. */
void bake_js_types(json_schema *s, const char *names);
void bake_js_types_or_null(json_schema *s, const char *names);
/* A schema of which only that is said. */
void bake_js_of_type(json_schema *s, const char *key, const char *name);
/* `required`, of one key. */
void bake_js_required(json_schema *s, const char *key);
/* A schema that is the definition called `name`. */
void bake_js_refer(json_schema *s, const char *key, const char *name);

/* Strips wraps. */
uint32_t bake_js_unwrapped(const json_schema *s, uint32_t type, const kiln_member **field);
/* The bytes as they match themselves. */
void bake_js_put_escaped(json_schema *s, const char *text);
/* What is said of a bool, into the open schema. */
void bake_js_bool(json_schema *s);
#define JS_BOOL_PATTERN "(?:true|True|TRUE|false|False|FALSE|1|0)"
/* `pattern` of what was put since bake_js_begin_pattern. */
void bake_js_begin_pattern(json_schema *s);
void bake_js_end_pattern(json_schema *s, const char *key);

/* The name of the definition of rule number `i`. */
void bake_js_rule_name(char out[JS_NAME_SIZE], size_t i);

/* json_schema_text.c: scalars. */

/* A regular expression for one text of the type, without the ends. `field` may be NULL; `in_list`
 * is between commas. */
void bake_js_put_text(json_schema *s, uint32_t type, const kiln_member *field, bool in_list);

/* What is said of a scalar, into the open schema. */
void bake_js_scalar(json_schema *s, uint32_t type, const kiln_member *field);
/* The name of an entity, or null. */
void bake_js_entity(json_schema *s);
/* `enum` of the names, as texts and as what YAML's core schema takes them for. */
void bake_js_names(json_schema *s, const kiln_type *of, bool only_valueless);
/* json_schema_names.c: the text with its letters in either case: patterns have no flags for that.
 */
void bake_js_put_any_case(json_schema *s, const char *name);
/* A regular expression for the names of an enum or flag set in all ways. */
void bake_js_put_names(json_schema *s, uint32_t type);
/* Enums and flag sets, into the open schema. */
void bake_js_enum(json_schema *s, uint32_t type);
void bake_js_flags(json_schema *s, uint32_t type);
/* Whether a plain scalar of this text is a string to YAML's core schema; otherwise `ret_token` is
 * how JSON has it, "" where it has not. */
bool bake_js_is_string(const char *text, char ret_token[40]);
/* Whether values are one text each, as bake_value_is_one_text says. */
bool bake_js_is_one_text(const json_schema *s, uint32_t type);
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

/* Of structs and unions there are definitions of what is not whole yet. */
static inline bool bake_js_has_partial(const kiln_type *of)
{
    return of->kind == KILN_KIND_STRUCT || of->kind == KILN_KIND_UNION;
}

/* json_schema_union.c: a struct in all forms in which it may be written, and unions. */
void bake_js_forms(json_schema *s, uint32_t type);
/* The texts of colours, if some type has them. */
void bake_js_colour_definitions(json_schema *s);

/* json_schema_struct.c: mappings of fields. */
void bake_js_struct(json_schema *s, uint32_t type, const json_extra *extra);
/* `is_nullable`: null says that it is left out. */
void bake_js_field(json_schema *s, const char *key, const kiln_member *field, bool is_was,
                   bool is_nullable);
/* A schema of what stands for the field in a list, or alone. */
void bake_js_member_value(json_schema *s, uint32_t type, uint32_t member);
void bake_js_union(json_schema *s, uint32_t type);
/* The other ways in which the field may be written; NULL. */
const bake_member_form *bake_js_form_of(const json_schema *s, const kiln_member *field);
/* Whether a field may be left out. */
bool bake_js_may_be_missing(const json_schema *s, uint32_t type, uint32_t member);

/* An asset under a rule (NULL: by its kind), which may have keys that are no fields. One that
 * inherits need not be whole. */
void bake_js_asset(json_schema *s, const char *key, uint32_t type, const bake_file_rule *rule);
/* The properties that a rule's `head` gives a document. */
void bake_js_heads(json_schema *s, const bake_file_rule *rule);

/* json_schema_default.c: `default`, where JSON can have it. */
void bake_js_default(json_schema *s, const kiln_member *field);

/* json_schema_files.c: documents. */
void bake_js_documents(json_schema *s);

/* json_schema_components.c: the components of an entity; `by` is the key that names them in a list,
 * NULL where each stands under its name. */
void bake_js_components(json_schema *s, const char *key, const char *by);
/* json_schema_scene.c */
void bake_js_scene_definitions(json_schema *s);
/* Scenes by kinds, as properties of what is open. */
void bake_js_scene_kinds(json_schema *s);
/* A scene, into the open schema; `name` is that of the rule. */
void bake_js_scene(json_schema *s, const bake_file_rule *rule, const char *name);

#endif
