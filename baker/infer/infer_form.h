/* Forms: how shapes are written in a schema, as type expressions and named types. Parts:
 * infer_decide.c, infer_scalar.c, infer_enums.c, infer_refs.c, infer_paths.c, infer_records.c,
 * infer_scenes.c, infer_types.c. */
#ifndef BAKE_INFER_FORM_H
#define BAKE_INFER_FORM_H

#include "infer_evidence.h"
#include "infer_names.h"
#include "infer_scenes.h"

/* The type of a value, as the schema writes it where it is used. */
typedef struct infer_form {
    const char *type;       /* the expression, without the `?` of optional values */
    const char *attributes; /* attributes of the field: `, unit: ms`; "" */
    const char *note;       /* for the comment; "" */
    const char *value;      /* the most frequent value, as a default; NULL: none */
    const char *value_note; /* why, if the data does not have it; NULL */
    bool doubtful;
    bool is_list;               /* its values can be lists */
    bool has_empty;             /* a missing value is its empty one */
    uint8_t unnamed;            /* depth of unnamed types */
    uint8_t depth;              /* depth of types by value */
    struct infer_type *pending; /* the named type, until it is decided; else NULL */
} infer_form;

/* A named type; the list is in the order of discovery. */
typedef struct infer_type {
    const char *name;
    const char *body; /* its lines, indented; NULL: not decided, or equal to another type */
    const char *note;
    bool doubtful;
    bool is_expected; /* it is used by its name, so it must stay */
    struct infer_type *next;
} infer_type;

typedef struct infer_roots infer_roots;

typedef struct infer_forms {
    bake_store *store;
    infer_shapes *shapes;
    infer_ids *ids;
    bake_diagnostics *diagnostics; /* has the names of inputs */
    infer_names names;
    infer_table bodies; /* of types that can be shared, with the number of each */
    infer_type *first, **last;
    const char **names_by_number;
    infer_table usages; /* names of positions, each with its number in `usage_list` plus one */
    infer_usage *usage_list;
    uint32_t usage_count;
    size_t usage_capacity;
    bake_failure *failure;        /* why the system refused to look for a file */
    bake_gateway *gateway;        /* looks for files; NULL: do not look */
    const char *base;             /* the folder where paths start; NULL: the current one */
    infer_roots *roots;           /* infer_paths.c; NULL: not looked for yet */
    const infer_form **tag_forms; /* by the tag that represents a union, see `tag_unions` */
    const infer_texts *own;       /* of a field that each asset has once, */
    const infer_kind *own_kind;   /* of that kind */
    infer_entity_keys entities;   /* of scenes */
    const char *row;              /* name of the component whose field is being decided; NULL */
    uint32_t row_length;
    bool has_local; /* in all streams, a plain number refers to an object of the same file */
    bool is_item;   /* texts are elements of a list or map, so that its name is a plural */
    uint32_t type_count, doubtful_count;
} infer_forms;

/* infer_decide.c: the form of a shape. `usage` is the key of the value, `owner` the type that
 * contains it ("": none). NULL when memory ran out. */
const infer_form *bake_infer_decide(infer_forms *forms, infer_shape *shape, const char *owner);
/* The type of assets of that shape, a struct or a newtype. Its name is `name`, which the caller has
 * taken. NULL when memory ran out. */
const char *bake_infer_decide_asset(infer_forms *forms, infer_shape *shape, const char *name,
                                    const char *kind, const infer_kind *asset);

/* infer_scalar.c: the form of texts, at least one. */
bool bake_infer_decide_texts(infer_forms *forms, const infer_texts *texts, const char *usage,
                             uint32_t usage_length, const char *owner, infer_form *ret_form);
/* The type for integers between `-lowest` and `highest`; a larger one if `few` were seen, because
 * more data can have larger numbers. NULL if no type has both. */
const char *bake_infer_integer(uint64_t highest, uint64_t lowest, bool few, bool prefixed);

/* infer_enums.c: decides whether the texts are names of an enum; the form's type stays NULL if not.
 * False when memory ran out. */
bool bake_infer_decide_enum(infer_forms *forms, const infer_texts *texts, const char *usage,
                            uint32_t usage_length, const char *owner, infer_form *form);
/* Makes the most frequent value the default of the form if at least one in `part` values is it. */
void bake_infer_set_value(infer_forms *forms, infer_form *form, const infer_texts *texts,
                          unsigned part);

/* Decide whether texts with commas, a list, or a mapping of bools are sets of names; the form's
 * type stays NULL if not. False when memory ran out. */
bool bake_infer_decide_joined(infer_forms *forms, const infer_texts *texts, const char *usage,
                              uint32_t usage_length, const char *owner, infer_form *form);
bool bake_infer_decide_set(infer_forms *forms, const infer_shape *shape, const char *owner,
                           infer_form *form);
bool bake_infer_decide_truths(infer_forms *forms, const infer_shape *shape, const char *owner,
                              infer_form *form);

/* infer_scenes.c: writes a field of a component if all its values are entities; false, with nothing
 * written, if not. */
bool bake_infer_write_entity(infer_forms *forms, infer_writer *w, const infer_entry *entry,
                             const char *row, uint32_t row_length);
/* Decides whether texts anywhere in components are numbers of entities; the form's type stays NULL
 * if not. False when memory ran out. */
bool bake_infer_decide_entities(infer_forms *forms, const infer_texts *texts, const char *usage,
                                uint32_t usage_length, infer_form *form);

/* infer_refs.c: decides whether the texts are ids of a kind; the form's type stays NULL if not.
 * False when memory ran out. */
bool bake_infer_decide_ref(infer_forms *forms, const infer_texts *texts, const char *usage,
                           uint32_t usage_length, infer_form *form);

/* infer_paths.c: decides whether the texts are paths of existing files; the form's type stays NULL
 * if not. False when memory ran out. */
bool bake_infer_decide_path(infer_forms *forms, const infer_texts *texts, infer_form *form);

/* infer_records.c: named types. */
bool bake_infer_decide_record(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
bool bake_infer_decide_choice(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
bool bake_infer_decide_tagged(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
/* A position with mappings or lists and also other values: these are the short form, the value of
 * one field alone. */
bool bake_infer_decide_short(infer_forms *forms, infer_shape *shape, const char *owner,
                             infer_form *ret_form);

/* infer_types.c: begins a new type. Without an owner the caller has taken the name `wanted`. NULL
 * when memory ran out. */
infer_type *bake_infer_type_begin(infer_forms *forms, const char *wanted, const char *owner);
/* Begins the type of a shape. The type has a name from now on, so that it can contain itself.
 * `has_empty`: a missing value is its empty one. NULL when memory ran out. */
infer_type *bake_infer_shape_begin(infer_forms *forms, infer_shape *shape, const char *owner,
                                   bool has_empty);
/* Ends the type and returns its name. If it is `shared` and an equal type exists, this one is
 * dropped and the name of the other returned. NULL when memory ran out. */
const char *bake_infer_type_end(infer_forms *forms, infer_type *type, const char *body,
                                const char *note, bool doubtful, bool shared);
/* Adds a type with this body and returns its name, or that of an equal one. NULL when memory ran
 * out. */
const char *bake_infer_simple_type(infer_forms *forms, const char *wanted, const char *owner,
                                   const char *body);
/* Replaces a form by a newtype, for places without attributes. */
bool bake_infer_newtype(infer_forms *forms, infer_form *form, const char *wanted,
                        const char *owner);
/* A vector such as `Vec3`: `count` numbers of the type `number`. */
const char *bake_infer_vector_type(infer_forms *forms, uint32_t count, const char *number);
/* A type for values of which some have YAML's tag `!!binary`: those are bytes, the others text. */
const char *bake_infer_binary_type(infer_forms *forms);
/* A union of one alternative, written as the value alone, whatever form that has. */
const char *bake_infer_box_type(infer_forms *forms, const char *type, const char *owner);
const char *bake_infer_colour_type(infer_forms *forms, bool floats);

/* Writes where something is in the data, for comments: `a.yml:3`. */
void bake_infer_write_place(infer_forms *forms, infer_writer *w, infer_place place);

/* The whole schema. */
bool bake_infer_write_schema(infer_forms *forms, infer_groups *groups, const char *name_space,
                             infer_writer *w);

#endif
