/* Shared by the parts of the schema reader; private to schema*.c.
 *
 * Reading takes several passes: files (schema_files.c), declarations with their attributes
 * (schema_types.c), members and their type expressions (schema_members.c, schema_values.c,
 * schema_expression.c), data of components (schema_components.c), checks of all types
 * (schema_checks.c), forms of values (schema_forms.c, schema_words.c), resources
 * (schema_resources.c), kinds and inheritance (schema_assets.c), importers and file rules
 * (schema_importers.c, schema_rules.c, schema_scene_rules.c), then kiln_types_create (schema.c).
 * Each pass reports all errors that it finds, and errors in types do not stop the later passes.
 * Only kiln_types_create needs types without errors.
 *
 * schema_intern.c has the list of types under construction, schema_attributes.c reads mappings with
 * fixed keys, and schema_hints.c gives hints for type names and keys of other languages. */
#ifndef BAKE_SCHEMA_READER_H
#define BAKE_SCHEMA_READER_H

#include "bake_table.h"
#include "schema.h"

#include <string.h>

typedef struct schema_file {
    const char *path;
    uint32_t source;
    const bake_tree *tree;
    const char *name_space;
    bake_node_id types, rules, accepted, importers;
} schema_file;

/* The attributes of a type, in the order of attribute_names in schema_types.c. */
typedef enum type_attribute {
    TYPE_STRUCT,
    TYPE_UNION,
    TYPE_ENUM,
    TYPE_FLAGS,
    TYPE_WRAP,
    TYPE_DOC,
    TYPE_WAS,
    TYPE_ASSET,
    TYPE_COMPONENT,
    TYPE_KIND,
    TYPE_ALIGN,
    TYPE_ID,
    TYPE_INHERIT,
    TYPE_CLUSTER,
    TYPE_BASE,
    TYPE_BY,
    TYPE_TUPLE,
    TYPE_COLOUR,
    TYPE_SHORT,
    TYPE_ENTITY,
    TYPE_CASE,
    TYPE_PREFIX,
    TYPE_NONE,
    TYPE_LITERAL,
    TYPE_PATH,
    TYPE_STATES,
    TYPE_STATE_OF,
    TYPE_ATTRIBUTES
} type_attribute;

/* A type under construction. The first `named_count` types are declared; the others come from type
 * expressions. */
typedef struct schema_type {
    const schema_file *file;
    const char *name; /* qualified; unnamed: "" */
    bake_mark mark;   /* declaration; unnamed: first use */
    bake_node_id attributes[TYPE_ATTRIBUTES];
    const char *id;                /* TYPE_ID as a string, or NULL */
    struct schema_member *members; /* parallel to kiln_type.members */
    /* schema_intern.c: the members sorted by name, and the array that was sorted. */
    const kiln_member **by_name, *by_name_of;
    uint8_t anonymous_depth;
    uint8_t height;  /* schema_checks.c: nesting by value */
    uint8_t holds;   /* schema_components.c: contents by value */
    bool has_row;    /* `component: row` */
    uint32_t row_of; /* rows: index of the struct, plus 1; 0: not a row */
    /* schema_forms.c */
    uint32_t forms;
    const char *by;
    const bake_words *words;
    uint32_t short_field;
    const bake_resource *resource; /* schema_resources.c */
    /* schema_assets.c: keys, or NULL */
    const char *parent, *abstract;
    bake_cluster_role cluster; /* schema_assets.c */
} schema_type;

typedef struct schema_member {
    bake_mark mark;
    bake_mark type_mark;
    bake_mark value_mark; /* the value of a name in an enum or flag set */
    bake_node_id default_node, range_node;
    uint8_t inherit; /* bake_inherit */
    const char *local, *local_by, *file_by;
    const char *const *beside;
    uint32_t beside_count;
    bool is_hex;
    bake_node_id unit_node;
    bake_unit unit; /* schema_forms.c */
    const char *state_of;
    bake_mark state_mark;
    bake_payload_form payload;
} schema_member;

/* A name in type expressions of a file that names no type; reported once. */
typedef struct schema_unknown {
    const schema_file *file;
    const char *name, *path; /* `path` is that of the first use; `name` ends after `length` bytes */
    size_t length;
    bake_mark mark; /* of the first use */
    size_t count;   /* number of uses */
    struct schema_unknown *next;
} schema_unknown;

typedef struct schema_reader {
    const bake_schema_def *def;
    bake_diagnostics *diagnostics;
    bake_schema *schema; /* under construction; owns `store` */
    bake_store *store;
    bake_failure *failure;
    schema_file **files; /* each allocated in the store */
    size_t file_count, file_capacity;
    schema_file *given; /* one for each text of `def->importers` */
    kiln_type *types;   /* parallel to `extras` */
    schema_type *extras;
    size_t type_capacity, extra_capacity;
    uint32_t type_count, named_count;
    hash_table by_name, by_form; /* named and unnamed types */
    schema_unknown *unknown;
    uint32_t payload;          /* the type kiln.Payload, plus 1; 0: not used */
    kiln_types *fixed_payload; /* the format's own description of it, or NULL */
} schema_reader;

/* schema_files.c: reads all files; the schema owns their trees. Returns false if a file is missing,
 * unreadable or malformed: errors about types would then be misleading. */
bool bake_schema_read_files(schema_reader *reader);
/* Reads the importers that are given as texts; false on failure or after reports. */
bool bake_schema_read_given(schema_reader *reader);

/* Resolves `name` relative to the folder of the file at `path`. Returns `name` itself if it is
 * absolute or `path` has no folder. */
const char *bake_schema_resolve_path(schema_reader *reader, const char *path, const char *name);

/* schema_intern.c */
/* Returns the declared type with this qualified name, or KILN_TYPE_NONE. */
uint32_t bake_schema_find_type(const schema_reader *reader, const char *name, size_t length);
/* Returns the type that `name` refers to in `file`, or KILN_TYPE_NONE. */
uint32_t bake_schema_look_up(schema_reader *reader, const schema_file *file, const char *name,
                             size_t length);
/* Returns the index of the unnamed type described by `type`, and adds it if necessary.
 * KILN_TYPE_NONE if memory runs out. */
uint32_t bake_schema_intern(schema_reader *reader, const kiln_type *type, const schema_file *file,
                            bake_mark mark);
/* Returns a type with only a kind and a name. */
kiln_type bake_schema_blank_type(kiln_kind kind, const char *name);
/* Adds a type that is not yet in the list and returns its index. KILN_TYPE_NONE if memory runs
 * out. */
uint32_t bake_schema_add_type(schema_reader *reader, const kiln_type *type,
                              const schema_type *extra);
/* Adds a hint with type names similar to an unknown one. */
void bake_schema_hint_types(schema_reader *reader, const schema_file *file, const char *name,
                            size_t length);
/* Whether a name is a built-in type of the schema language. */
bool bake_schema_is_builtin(const char *name, size_t length);

/* schema_types.c */
bool bake_schema_read_types(schema_reader *reader);
/* Whether a declared type has `asset: true`. */
bool bake_schema_is_asset(const schema_reader *reader, uint32_t type);

/* Value of `align_at` that marks a map with entity keys until the forms are read. The keys of such
 * a map are u32 in files, but can be entity names in YAML. */
enum { SCHEMA_ENTITY_KEYS = 1 };

/* schema_expression.c: parses the type expression in the scalar `node`. Reports errors and then
 * returns KILN_TYPE_NONE. */
uint32_t bake_schema_read_expression(schema_reader *reader, const schema_file *file,
                                     bake_node_id node, const char *path);
/* Reports each unknown type that expressions have used, with the number of its uses. */
void bake_schema_report_unknown(schema_reader *reader);

/* schema_members.c: fields and alternatives. schema_values.c: values of enums and flag sets. */
void bake_schema_read_fields(schema_reader *reader, uint32_t type);
void bake_schema_read_alternatives(schema_reader *reader, uint32_t type);
void bake_schema_read_values(schema_reader *reader, uint32_t type);

/* schema_checks.c: reports earlier names that belong to several members of a type. */
void bake_schema_check_earlier(schema_reader *reader, uint32_t type);

/* schema_components.c: adds the rows of structs with `component: row`. */
void bake_schema_read_rows(schema_reader *reader);
/* Returns the row of a struct, or KILN_TYPE_NONE. */
uint32_t bake_schema_row_of(const schema_reader *reader, uint32_t type);

/* schema_components.c: moves fields to the scene's data, declares SceneData, and checks where
 * entities and data are used. */
void bake_schema_read_components(schema_reader *reader);
/* Checks component sizes, which are known only for created types. */
void bake_schema_check_component_sizes(schema_reader *reader);

/* schema_checks.c: recursion, optionals, ranges and `single`. */
void bake_schema_check_types(schema_reader *reader);
/* Unwraps newtypes at any depth; returns other types and KILN_TYPE_NONE unchanged. */
uint32_t bake_schema_unwrapped(const schema_reader *reader, uint32_t type);

/* schema_forms.c: additional forms of values. */
void bake_schema_read_forms(schema_reader *reader);
/* schema_words.c: additional forms of the names of an enum or flag set. */
void bake_schema_read_words(schema_reader *reader, uint32_t type);

/* schema_resources.c: newtypes that are resource paths or paths of atlases. */
void bake_schema_read_resources(schema_reader *reader);
/* Reads `state_of`: the name of the field with the atlas of a state. */
void bake_schema_read_state_of(schema_reader *reader, const schema_file *file, bake_node_id node,
                               const char *path, schema_member *member);
/* Copies resources and states to the finished schema, and checks the states. */
void bake_schema_apply_resources(schema_reader *reader);

/* schema_payloads.c */
/* Returns the type `payload`; KILN_TYPE_NONE after a report or a failure. */
uint32_t bake_schema_payload(schema_reader *reader, const schema_file *file, bake_mark mark);
/* Reads the attributes `align` and `frames` of a field, in this order in `nodes`. */
void bake_schema_read_payload(schema_reader *reader, const schema_file *file, const char *path,
                              const kiln_member *member, const bake_node_id nodes[2],
                              schema_member *extra);

/* schema_assets.c */
void bake_schema_read_kinds(schema_reader *reader);
void bake_schema_read_inherit(schema_reader *reader);
void bake_schema_read_clusters(schema_reader *reader);
bool bake_schema_is_kind_name(const char *name);
/* Whether this is the kind of cluster plans, which no asset of a schema can have. */
bool bake_schema_is_plan_kind(const char *name);

/* schema_forms.c: forms of members, checked against the created types. */
void bake_schema_read_member_forms(schema_reader *reader);

/* schema_rules.c */
void bake_schema_read_rules(schema_reader *reader);
/* schema_importers.c */
void bake_schema_read_importers(schema_reader *reader);
/* Returns the importer that a rule names, or NULL after reporting an error. */
const bake_importer *bake_schema_rule_importer(schema_reader *reader, const schema_file *file,
                                               bake_node_id node);
/* schema_assets.c: names that references can use even if no asset of the run has them. */
void bake_schema_read_accepted(schema_reader *reader);

/* schema_scene_rules.c: the attributes of a rule for the keys of scenes. */
void bake_schema_read_scene_words(schema_reader *reader, const schema_file *file, bake_node_id keys,
                                  bake_node_id groups, bake_node_id prefabs, bake_file_rule *rule);
/* schema_intern.c: returns the index of the member with this name, or UINT32_MAX. */
uint32_t bake_schema_find_member(schema_reader *reader, uint32_t type, const char *name);
/* Adds a hint with members whose names are similar to `name`. */
void bake_schema_hint_members(schema_reader *reader, uint32_t type, const char *name);

/* schema_hints.c: adds a hint for a word that other languages use for a type or key. Returns false
 * for any other word. */
bool bake_schema_hint_foreign_type(schema_reader *reader, const char *text, size_t length);
bool bake_schema_hint_foreign_key(schema_reader *reader, const char *text, size_t length);

/* schema_attributes.c: reads a mapping with the keys `names` into `values`, with BAKE_NODE_NONE for
 * absent keys. Reports unknown keys. Returns false if `node` is not a mapping, or has a tag or an
 * unknown key. */
bool bake_schema_read_attributes(schema_reader *reader, const schema_file *file, bake_node_id node,
                                 const char *path, const char *const *names, size_t count,
                                 bake_node_id *values);
/* Returns a copy of a non-null scalar. Otherwise reports that `what` was expected and returns
 * NULL. */
const char *bake_schema_read_text(schema_reader *reader, const schema_file *file, bake_node_id node,
                                  const char *path, const char *what, size_t *ret_length);
/* Returns a copy of a key. */
const char *bake_schema_name(schema_reader *reader, const schema_file *file, bake_node_id key);
/* Reads the bool attribute `what`; returns false if it is absent. */
bool bake_schema_read_bool(schema_reader *reader, const schema_file *file, bake_node_id node,
                           const char *path, const char *what);
/* Returns "" if absent. */
const char *bake_schema_read_doc(schema_reader *reader, const schema_file *file, bake_node_id node,
                                 const char *path);
/* The elements of a list. Any other node is treated as a list of one element, because one value can
 * be written without brackets. */
typedef struct schema_items {
    bake_iterator elements;
    bake_node_id one; /* the only element; BAKE_NODE_NONE: the node is a list */
    uint32_t left;    /* elements not yet returned */
} schema_items;

schema_items bake_schema_items(const bake_tree *tree, bake_node_id node);
/* Returns false at the end. */
bool bake_schema_items_next(schema_items *items, bake_node_id *ret_item);
/* Reads one name or a list of names. `what` describes a name in error messages. */
void bake_schema_read_names(schema_reader *reader, const schema_file *file, bake_node_id node,
                            const char *path, const char *what, const char *const **ret_names,
                            uint32_t *ret_count);
void bake_schema_read_was(schema_reader *reader, const schema_file *file, bake_node_id node,
                          const char *path, const char *const **ret_was, uint32_t *ret_count);
/* Checks that the name of a member has 1 to 255 bytes and no control characters. */
bool bake_schema_check_member_name(schema_reader *reader, const schema_file *file, bake_node_id key,
                                   const char *path);
/* Returns `path.name`, or `path` if memory runs out. */
const char *bake_schema_path(schema_reader *reader, const char *path, const char *name);

/* Returns T for `data<T>`, and any other type unchanged. */
static inline const kiln_type *schema_value_type(const schema_reader *reader, uint32_t type)
{
    const kiln_type *of = &reader->types[type];
    return of->kind == KILN_KIND_DATA ? &reader->types[of->element] : of;
}

/* qsort comparator for earlier names: by name, then member. */
static inline int schema_compare_was(const void *a, const void *b)
{
    const bake_was *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->member > right->member) - (left->member < right->member);
}

static inline bake_mark schema_mark(const schema_file *file, bake_node_id node)
{
    return bake_node_mark(file->tree, node);
}

#endif
