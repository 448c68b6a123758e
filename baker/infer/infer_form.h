/* Forms: the type expressions and named types that describe shapes in the schema.
 *
 * Functions that return a bool return false if memory runs out or a file cannot be examined, except
 * for bake_infer_write_entity.
 *
 * Parts: infer_decide.c, infer_scalar.c, infer_enums.c, infer_refs.c, infer_paths.c,
 * infer_records.c, infer_scenes.c, infer_types.c. */
#ifndef BAKE_INFER_FORM_H
#define BAKE_INFER_FORM_H

#include "infer_evidence.h"
#include "infer_names.h"
#include "infer_scenes.h"

/* The type of a value as written in the schema. */
typedef struct infer_form {
    const char *type;       /* the type expression, without the `?` of optional values */
    const char *attributes; /* attributes of the field: `, unit: ms`; or "" */
    const char *note;       /* evidence, for the comment; or "" */
    const char *value;      /* the default; NULL: none */
    const char *value_note; /* reason for a default that is not in the data; or NULL */
    bool doubtful;
    bool is_list;               /* values can be lists */
    bool has_empty;             /* the type has an empty value, so values can be missing */
    uint8_t unnamed;            /* nesting depth of unnamed types */
    uint8_t depth;              /* nesting depth by value */
    struct infer_type *pending; /* the named type while it is not decided; else NULL */
} infer_form;

/* A named type, in a list in order of discovery. */
typedef struct infer_type {
    const char *name;
    const char *body; /* indented lines; NULL: not decided, or replaced by an equal type */
    const char *note;
    bool doubtful;
    bool is_expected; /* its name is already in use, so it must not be replaced */
    struct infer_type *next;
} infer_type;

typedef struct infer_roots infer_roots;

typedef struct infer_forms {
    bake_store *store;
    infer_shapes *shapes;
    infer_ids *ids;
    bake_diagnostics *diagnostics; /* has the names of inputs */
    infer_names names;
    infer_table
        bodies; /* bodies of types that can be shared, with the index of the type plus one */
    infer_type *first, **last;
    const char **names_by_number;
    infer_table usages; /* keys of positions, with the index in `usage_list` plus one */
    infer_usage *usage_list;
    uint32_t usage_count;
    size_t usage_capacity;
    bake_failure *failure;        /* filled if a file cannot be examined */
    bake_gateway *gateway;        /* for file lookups; NULL: no lookups */
    const char *base;             /* the folder that paths are relative to; NULL: the current one */
    infer_roots *roots;           /* infer_paths.c; NULL: not searched yet */
    const infer_form **tag_forms; /* by the representative tag of a union, see `tag_unions` */
    const infer_texts *own; /* if the current field is in every asset of `own_kind`: its values */
    const infer_kind *own_kind; /* the kind of the assets that have the current field; or NULL */
    infer_entity_keys entities; /* of scenes */
    const char *row;            /* the component whose field is being decided; or NULL */
    uint32_t row_length;
    bool has_local; /* all groups of engine objects have `has_local` */
    bool is_item;   /* the strings are in a list or map, so the key is a plural */
    uint32_t type_count, doubtful_count;
} infer_forms;

/* infer_decide.c: returns the form of a shape. `owner` is the type that contains the value, or "".
 * NULL if memory runs out. */
const infer_form *bake_infer_decide(infer_forms *forms, infer_shape *shape, const char *owner);
/* Adds the type of assets of a shape, a struct or newtype, and returns its name. The caller has
 * claimed `name`. NULL if memory runs out. */
const char *bake_infer_decide_asset(infer_forms *forms, infer_shape *shape, const char *name,
                                    const char *kind, const infer_kind *asset);

/* infer_scalar.c: decides the form of scalars. There must be at least one. `usage` is their key. */
bool bake_infer_decide_texts(infer_forms *forms, const infer_texts *texts, const char *usage,
                             uint32_t usage_length, const char *owner, infer_form *ret_form);
/* Returns the type for integers from `-lowest` to `highest`. If there were `few` values, the type
 * is wider, because further data may exceed their range. NULL if no type fits. */
const char *bake_infer_integer(uint64_t highest, uint64_t lowest, bool few, bool prefixed);

/* infer_enums.c: decides whether the strings are names of an enum. If not, the form's type stays
 * NULL. */
bool bake_infer_decide_enum(infer_forms *forms, const infer_texts *texts, const char *usage,
                            uint32_t usage_length, const char *owner, infer_form *form);
/* Makes the most frequent value the default if at least one in `part` values is equal to it. */
void bake_infer_set_default(infer_forms *forms, infer_form *form, const infer_texts *texts,
                            unsigned part);

/* Decide whether strings with `,` or `|`, lists, or mappings of bools are flag sets. If not, the
 * form's type stays NULL. */
bool bake_infer_decide_set_string(infer_forms *forms, const infer_texts *texts, const char *usage,
                                  uint32_t usage_length, const char *owner, infer_form *form);
bool bake_infer_decide_set_list(infer_forms *forms, const infer_shape *shape, const char *owner,
                                infer_form *form);
bool bake_infer_decide_set_mapping(infer_forms *forms, const infer_shape *shape, const char *owner,
                                   infer_form *form);

/* infer_scenes.c: if all values of a component's field are entities, writes the field and returns
 * true. */
bool bake_infer_write_entity(infer_forms *forms, infer_writer *w, const infer_entry *entry,
                             const char *row, uint32_t row_length);
/* Decides whether scalars inside components are entity numbers. If not, the form's type stays
 * NULL. */
bool bake_infer_decide_entities(infer_forms *forms, const infer_texts *texts, const char *usage,
                                uint32_t usage_length, infer_form *form);

/* infer_refs.c: decides whether the strings are ids of a kind. If not, the form's type stays
 * NULL. */
bool bake_infer_decide_ref(infer_forms *forms, const infer_texts *texts, const char *usage,
                           uint32_t usage_length, infer_form *form);

/* infer_paths.c: decides whether the strings are paths of existing files or folders. If not, the
 * form's type stays NULL. */
bool bake_infer_decide_path(infer_forms *forms, const infer_texts *texts, infer_form *form);

/* infer_records.c: decide a struct, a union by key, and a union by tag. */
bool bake_infer_decide_record(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
bool bake_infer_decide_choice(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
bool bake_infer_decide_tagged(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
/* Decides a position with mappings and other values. The other values are the short form: the value
 * of one field. */
bool bake_infer_decide_short(infer_forms *forms, infer_shape *shape, const char *owner,
                             infer_form *ret_form);

/* infer_types.c: begins a new type. If `owner` is NULL, the caller has claimed the name `wanted`.
 * NULL if memory runs out. */
infer_type *bake_infer_type_begin(infer_forms *forms, const char *wanted, const char *owner);
/* Begins the type of a shape. The name is already valid, so the type can contain itself.
 * `has_empty`: the type has an empty value. NULL if memory runs out. */
infer_type *bake_infer_shape_begin(infer_forms *forms, infer_shape *shape, const char *owner,
                                   bool has_empty);
/* Completes the type and returns its name. If it is `shared` and an equal type exists, drops it and
 * returns the name of the other. NULL if memory runs out. */
const char *bake_infer_type_end(infer_forms *forms, infer_type *type, const char *body,
                                const char *note, bool doubtful, bool shared);
/* Adds a type with this body and returns its name, or the name of an equal type. NULL if memory
 * runs out. */
const char *bake_infer_simple_type(infer_forms *forms, const char *wanted, const char *owner,
                                   const char *body);
/* Replaces a form with a newtype, for use where attributes are not allowed. */
bool bake_infer_newtype(infer_forms *forms, infer_form *form, const char *wanted,
                        const char *owner);
/* Returns a vector type such as `Vec3`, with `count` numbers of the type `number`. */
const char *bake_infer_vector_type(infer_forms *forms, uint32_t count, const char *number);
/* Returns a type for values that are bytes with the tag `!!binary`, and strings without it. */
const char *bake_infer_binary_type(infer_forms *forms);
/* Returns a union with one alternative, written as the value of the alternative. */
const char *bake_infer_box_type(infer_forms *forms, const char *type, const char *owner);
const char *bake_infer_colour_type(infer_forms *forms, bool floats);

/* Writes a location for comments: `a.yml:3`. */
void bake_infer_write_place(infer_forms *forms, infer_writer *w, infer_place place);

/* Writes the whole schema. */
bool bake_infer_write_schema(infer_forms *forms, infer_groups *groups, const char *name_space,
                             infer_writer *w);

#endif
