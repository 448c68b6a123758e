/* Forms: how shapes are written in a schema, as type expressions and named types. Parts:
 * infer_decide.c, infer_scalar.c, infer_enums.c, infer_refs.c, infer_paths.c, infer_records.c,
 * infer_types.c. */
#ifndef BAKE_INFER_FORM_H
#define BAKE_INFER_FORM_H

#include "infer_evidence.h"
#include "infer_names.h"
#include "infer_scenes.h"

/* A type as it is written at its use. */
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
    bake_diagnostics *diagnostics; /* knows the names of inputs */
    infer_names names;
    infer_table bodies; /* of types that can be shared, with the number of each */
    infer_type *first, **last;
    const char **names_by_number;
    infer_table usages; /* names of positions, with the number of what is known of each, plus one */
    infer_usage *usage_list;
    uint32_t usage_count;
    size_t usage_capacity;
    bake_failure *failure;        /* why a file cannot be looked for */
    bake_gateway *gateway;        /* looks for files; NULL: nothing is looked for */
    const char *base;             /* the folder where paths start; NULL: the current one */
    infer_roots *roots;           /* infer_paths.c; NULL: not looked for yet */
    const infer_form **tag_forms; /* by the tag that stands for a union */
    const infer_texts *own;       /* of a field that each asset has once, */
    const infer_kind *own_kind;   /* of that kind */
    infer_entity_keys entities;   /* of scenes */
    const char *row;              /* the component whose field is decided, in the data; NULL */
    uint32_t row_length;
    bool has_local; /* numbers alone are objects of their file, in all streams */
    bool is_item;   /* texts stand in a list or map, whose name is a plural */
    uint32_t type_count, doubtful_count;
} infer_forms;

/* infer_decide.c: the form of a shape. `usage` is what it is called where it stands, `owner` the
 * type that it stands in ("" for none). NULL when memory ran out. */
const infer_form *bake_infer_decide(infer_forms *forms, infer_shape *shape, const char *owner);
/* The type of assets of that shape, a struct or a wrap, called `name`, which is taken. NULL when
 * memory ran out. */
const char *bake_infer_decide_asset(infer_forms *forms, infer_shape *shape, const char *name,
                                    const char *kind, const infer_kind *asset);

/* infer_scalar.c: the form of texts, of which there is one at least. */
bool bake_infer_decide_texts(infer_forms *forms, const infer_texts *texts, const char *usage,
                             uint32_t usage_length, const char *owner, infer_form *ret_form);
/* The expression for integers between `-lowest` and `highest`, with room to grow where `few` were
 * seen. NULL where none holds both. */
const char *bake_infer_integer(uint64_t highest, uint64_t lowest, bool few, bool prefixed);

/* infer_enums.c: whether the texts are names of an enum; the form's type stays NULL where they are
 * not. False when memory ran out. */
bool bake_infer_decide_enum(infer_forms *forms, const infer_texts *texts, const char *usage,
                            uint32_t usage_length, const char *owner, infer_form *form);
/* The most frequent value is the form's, if it is at least one in `part` of all. */
void bake_infer_set_value(infer_forms *forms, infer_form *form, const infer_texts *texts,
                          unsigned part);

/* Whether texts with commas, a list, or a mapping are sets of names; the form's type
 * stays NULL where they are not. False when memory ran out. */
bool bake_infer_decide_joined(infer_forms *forms, const infer_texts *texts, const char *usage,
                              uint32_t usage_length, const char *owner, infer_form *form);
bool bake_infer_decide_set(infer_forms *forms, const infer_shape *shape, const char *owner,
                           infer_form *form);
bool bake_infer_decide_truths(infer_forms *forms, const infer_shape *shape, const char *owner,
                              infer_form *form);

/* infer_scenes.c: writes a field of a component of which all values are entities; false where it
 * is none. */
bool bake_infer_write_entity(infer_forms *forms, infer_writer *w, const infer_entry *entry,
                             const char *row, uint32_t row_length);
/* Whether texts somewhere in components are numbers of entities; the form's type stays NULL where
 * they are not. False when memory ran out. */
bool bake_infer_decide_entities(infer_forms *forms, const infer_texts *texts, const char *usage,
                                uint32_t usage_length, infer_form *form);

/* infer_refs.c: whether the texts are ids of a kind; the form's type stays NULL where they are not.
 * False when memory ran out. */
bool bake_infer_decide_ref(infer_forms *forms, const infer_texts *texts, const char *usage,
                           uint32_t usage_length, infer_form *form);

/* infer_paths.c: whether the texts are paths of files that are there; the form's type stays NULL
 * where they are not. False when memory ran out. */
bool bake_infer_decide_path(infer_forms *forms, const infer_texts *texts, infer_form *form);

/* infer_records.c: named types. */
bool bake_infer_decide_record(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
bool bake_infer_decide_choice(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
bool bake_infer_decide_tagged(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_form);
/* A mapping, or a list, beside something else: the latter is the value of a field of its own. */
bool bake_infer_decide_short(infer_forms *forms, infer_shape *shape, const char *owner,
                             infer_form *ret_form);

/* infer_types.c: a new type under way; without an owner, the name wanted is taken already. NULL
 * when memory ran out. */
infer_type *bake_infer_type_begin(infer_forms *forms, const char *wanted, const char *owner);
/* Begins the type of a shape, which has its name from then on, so that it may hold itself.
 * `has_empty`: it may be left out as it is. NULL when memory ran out. */
infer_type *bake_infer_shape_begin(infer_forms *forms, infer_shape *shape, const char *owner,
                                   bool has_empty);
/* Ends it. Where `shared` and there is an equal one, that one's name comes back and this type is
 * none. NULL when memory ran out. */
const char *bake_infer_type_end(infer_forms *forms, infer_type *type, const char *body,
                                const char *note, bool doubtful, bool shared);
/* A type whose body is known; its name, or that of an equal one. NULL when memory ran out. */
const char *bake_infer_simple_type(infer_forms *forms, const char *wanted, const char *owner,
                                   const char *body);
/* Replaces a form by a newtype, for places without attributes. */
bool bake_infer_wrap(infer_forms *forms, infer_form *form, const char *wanted, const char *owner);
/* `Vec3` and its like, of `count` numbers of the type `number`. */
const char *bake_infer_vector_type(infer_forms *forms, uint32_t count, const char *number);
/* Bytes where YAML's tag says so, else text. */
const char *bake_infer_binary_type(infer_forms *forms);
/* A union of one alternative that is written as its value alone, whatever that is. */
const char *bake_infer_box_type(infer_forms *forms, const char *type, const char *owner);
const char *bake_infer_colour_type(infer_forms *forms, bool floats);

/* ` of 415 at a.yml:3` is for people: where something stands. */
void bake_infer_write_place(infer_forms *forms, infer_writer *w, infer_place place);

/* The whole schema. */
bool bake_infer_write_schema(infer_forms *forms, infer_groups *groups, const char *name_space,
                             infer_writer *w);

#endif
