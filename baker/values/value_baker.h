/* What the parts of the value baker share; private to value_*.c.
 *
 * A way to a value is a chain of steps on the C stack and only becomes text when something is
 * reported, so that correct data pays nothing for it. Recursion is bounded by the tree's depth and
 * by KILN_DEPTH_MAX. */
#ifndef BAKE_VALUE_BAKER_H
#define BAKE_VALUE_BAKER_H

#include "place_set.h"
#include "value_bake.h"

#include <kiln/builder.h>
#include <string.h>

typedef enum value_step_kind { STEP_NAME, STEP_NUMBER, STEP_KEY } value_step_kind;

typedef struct value_step {
    const struct value_step *up;
    value_step_kind kind;
    const char *text; /* name, key as written */
    size_t length;
    uint64_t number;
} value_step;

/* A default baked in the present blob, to be shared by the next that needs it. */
typedef struct shared_default {
    const void *field;
    uint32_t blob; /* which blob, counted from 1 */
    bool busy;
} shared_default;

/* What stands for a field that is not written. */
typedef enum value_absence {
    ABSENCE_UNKNOWN, /* nobody asked yet */
    ABSENCE_EMPTY,   /* nothing */
    ABSENCE_IMAGE,   /* a copy of plain bytes */
    ABSENCE_OTHER    /* a default to be baked, or a report */
} value_absence;

/* A field of a struct, on the way that correct data takes. */
typedef struct value_field {
    const kiln_member *member;
    const kiln_type *of; /* the member's type */
    const char *name;
    uint32_t name_length;
    uint32_t next; /* the field that was written after this one last time */
    value_absence absence;
    uint32_t image_size;
    const void *image;
} value_field;

/* What of a node was read already, as the name of an alternative. */
typedef struct value_taken {
    const struct value_taken *up; /* of the same node, or of one around it */
    const bake_tree *tree;
    bake_node_id node;
    const char *key; /* NULL: its tag */
} value_taken;

/* A field whose value may be written in a way of its own. */
typedef struct value_field_form {
    const kiln_member *member;
    const bake_member_form *form;
} value_field_form;

typedef struct value_field_unit {
    const kiln_member *member;
    bake_unit unit;
} value_field_unit;

enum { VALUE_PATH_SIZE = 512, VALUE_QUOTE_SIZE = 80 };

/* How a reference is written. */
typedef enum value_way {
    VALUE_BY_NAME,
    VALUE_BY_NUMBER, /* of an object in a file that is known by a guid */
    VALUE_BY_GUID    /* of a file that is not known */
} value_way;

typedef struct value_dangling value_dangling;
typedef struct value_keeper value_keeper;

/* References that lead nowhere, by what they name. */
typedef struct value_danglings {
    bake_store store;
    value_dangling *items;
    size_t count, capacity;
    uint32_t *slots; /* number plus 1 */
    size_t slot_count;
    bake_place_set places;
} value_danglings;

struct bake_values {
    const bake_schema *schema;
    const kiln_types *types;
    const kiln_type **list;        /* the types by number */
    value_field *fields;           /* by member, counted over all types */
    uint32_t *first_fields;        /* by type: the field that was written first last time */
    value_field_form *field_forms; /* ascending by member */
    size_t field_form_count;
    struct value_watch *watch; /* what is looked for in files; NULL: the schema has nothing such */
    bool is_unwatched;         /* what is baked now was looked at before */
    value_field_unit *units;   /* of fields that have one, ascending by member */
    size_t unit_count;
    bake_diagnostics *diagnostics;
    bake_diagnostics *sources; /* of the run: where all sources have their names */
    bake_gateway *gateway;     /* for files that values are made of; or NULL */
    const char *base;          /* the folder that these must lie in; or NULL */
    bake_failure *failure;
    kiln_builder *builder;
    const bake_tree *tree; /* of the node at hand: a default's is the schema's */
    const value_taken *taken;
    struct value_keeper *keeper;  /* of elements that assets inherit */
    struct bake_origins *origins; /* who is told where values come from; NULL: nobody */
    bool is_unshared;             /* nothing is shared that need not be */
    bake_names *names;
    value_danglings danglings;
    bool dangling_warns; /* they are imports, and no mistakes */
    value_way way;       /* by which the reference at hand leads to a name */
    uint32_t output;
    uint32_t *imports;
    size_t import_count, import_capacity;
    const char *root_name;
    const bake_file_rule *root_rule; /* under which the asset at hand was found; or NULL */
    uint32_t root_type;              /* KILN_TYPE_NONE: what is at hand is no asset */
    size_t error_count;              /* in the present value */
    bool stopped;                    /* the builder failed: nothing more can be made */
    uint32_t blob, last_blob;        /* what is made at hand, and the last that was begun */
    unsigned depth;                  /* objects around the value at hand */
    shared_default *shared;          /* by member, counted over all types */
    unsigned char **images;          /* by type, see value_image.c; or NULL */
    unsigned char *scratch;          /* a stack */
    size_t scratch_used, scratch_capacity;
    uint64_t largest_size; /* the largest single object, to be named when a blob is too large */
    char largest_path[VALUE_PATH_SIZE];
    bake_mark largest_mark;
    /* Of components: value_words.c. */
    struct value_words *words; /* NULL outside of scenes */
    uint32_t value_number;
    size_t warning_count;           /* in all values */
    size_t untold_count;            /* warnings that were not: others told them */
    bake_place_set told;            /* where those of components are, by rule */
    bool no_warnings;               /* the asset of the layer at hand tells them */
    bool is_again;                  /* the asset that has the layer at hand tells the same */
    const bake_asset_layers *asset; /* that is put together; NULL: none */
    bool is_partial;                /* what is not written may be in what could not be read */
    bool has_paths;                 /* some of its layers change parts of values */
    bake_diagnostics *silence;      /* where what was said before is said again */
};

typedef struct value_words value_words;

static inline const kiln_type *value_type(const bake_values *b, uint32_t type)
{
    return b->list[type];
}

/* As bake_type_unwrapped. */
static inline uint32_t value_unwrapped(const bake_values *b, uint32_t type)
{
    while (value_type(b, type)->flags & KILN_TYPE_TRANSPARENT)
        type = value_type(b, type)->members[0].type;
    return type;
}

/* What a type is called: a row as the struct whose row it is. */
static inline uint32_t value_shown_type(const bake_values *b, uint32_t type)
{
    uint32_t row_of = b->schema->info[type].row_of;
    return row_of == KILN_TYPE_NONE ? type : row_of;
}

/* By member; of a struct. */
static inline value_field *value_fields(const bake_values *b, uint32_t type)
{
    return b->fields + b->schema->info[type].first_member;
}

/* Whether a null is a text like any other in a value of the type. */
static inline bool bake_value_is_literal(const bake_values *b, uint32_t type)
{
    return (b->schema->info[type].forms & BAKE_LITERAL) != 0;
}

/* value_bake.c */
void bake_value_any(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                    void *dst, const value_step *step);
/* Notes that the builder failed. */
void bake_value_stop(bake_values *b);
/* One object deeper; false after a report. bake_value_leave undoes it. */
bool bake_value_enter(bake_values *b, bake_node_id node, const value_step *step);
void bake_value_leave(bake_values *b);
/* Whether an object of `size` bytes may be made; false after a report. */
bool bake_value_size_fits(bake_values *b, bake_node_id node, const value_step *step, uint64_t size);
/* The length of what `field` restricts; reports where it is out of range. */
void bake_value_check_length(bake_values *b, bake_node_id node, const kiln_member *field,
                             uint64_t size, const char *unit, const value_step *step);
/* Room for `size` bytes on the scratch stack; its offset, or SIZE_MAX when memory ran out. */
size_t bake_value_push(bake_values *b, size_t size);

/* value_struct.c */
void bake_value_struct(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                       void *dst, const value_step *step);
/* A struct of which nothing is said, where `node` is. */
void bake_value_nothing(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                        const value_step *step);
void bake_value_default(bake_values *b, uint32_t type, uint32_t member, void *dst,
                        const value_step *step);
/* The default of a field, its own or that of what it wraps; NULL. */
const bake_default *bake_value_default_of(const bake_values *b, uint32_t type, uint32_t member);
/* What the field is when it is left out: the member that has the default, itself or what it wraps,
 * or NULL; `*ret_empty` where its type has an empty value of its own. */
const kiln_member *bake_value_left_out(const bake_values *b, uint32_t type, uint32_t member,
                                       uint32_t *ret_type, uint32_t *ret_member, bool *ret_empty);
/* The number of the field that a key names; KILN_TYPE_NONE. `*guess` is the field that came at this
 * place in the struct before, since structs of a type are mostly written alike, and is brought up
 * to date. */
uint32_t bake_value_find_field(bake_values *b, uint32_t type, const char *key, uint32_t length,
                               uint32_t *guess, bool *ret_was);
/* A field whose value is `node`, at its place in the struct at `dst`. */
void bake_value_written(bake_values *b, bake_node_id node, uint32_t type, uint32_t member,
                        void *dst, const value_step *step);
/* Whether it means something to leave the field out. */
bool bake_value_may_be_missing(const bake_values *b, uint32_t type, uint32_t member);
/* Whether the value of the field is null and its type has none, so that the default counts. */
bool bake_value_is_left_out(const bake_values *b, bake_node_id node, uint32_t type,
                            uint32_t member);
/* A field that is not written: its default, its natural empty value, or a mistake. A wrap is left
 * out when its one field may be. */
void bake_value_missing(bake_values *b, bake_node_id node, uint32_t type, uint32_t member,
                        void *dst, const value_step *step);
void bake_value_unknown_key(bake_values *b, bake_node_id key, uint32_t type, const char *text,
                            size_t length, const value_step *step);
void bake_value_report_twice(bake_values *b, bake_node_id key, const kiln_member *member,
                             const value_step *step);

/* value_image.c: as bake_value_missing where that takes no more than a copy; false, with nothing
 * done, where it takes more. */
bool bake_value_missing_quick(bake_values *b, uint32_t type, uint32_t member, void *dst);
/* The bytes of a struct of which nothing is said, which all fields may have that are
 * not written; NULL where they are to be made one by one. */
const unsigned char *bake_value_image(bake_values *b, uint32_t type);
void bake_value_images_fini(bake_values *b);

/* value_union.c */
void bake_value_union(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                      const value_step *step);
/* How a node says which alternative it is. */
typedef struct value_chosen {
    const kiln_member *member; /* NULL: bake_value_union would report */
    bake_node_id named;        /* where its name stands */
    bake_node_id value;        /* BAKE_NODE_NONE: none is written */
    const char *key;           /* whose value the name is, among the fields; or NULL */
    bool was;                  /* an earlier name */
} value_chosen;

/* Of a union that is not told apart by tag. */
value_chosen bake_value_choice(const bake_values *b, const bake_tree *tree, bake_node_id node,
                               uint32_t type);
/* Whether a key of the node was read already. */
bool bake_value_key_is_taken(const bake_values *b, bake_node_id node, const char *key,
                             size_t length);
/* Whether the node's tag was. */
bool bake_value_tag_is_taken(const bake_values *b, bake_node_id node);

/* value_words.c: fields of components that are words. */
void bake_value_entity(bake_values *b, bake_node_id node, void *dst, const value_step *step);
/* A u32 in a scene's data: the number of the entity that a text names, plus 1. */
void bake_value_entity_number(bake_values *b, bake_node_id node, void *dst, const value_step *step);
/* The same of a map's key; false after a report. One that is not known is like no other. */
bool bake_value_entity_key(bake_values *b, bake_node_id node, void *dst, const value_step *step);

/* A key and its value in a mapping. */
typedef struct value_entry {
    bake_node_id key, value;
} value_entry;

/* value_map.c */
void bake_value_map(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                    void *dst, const value_step *step);
/* A key of the map `type` into `dst`; false after a report. */
bool bake_value_key(bake_values *b, bake_node_id node, uint32_t type, unsigned char *dst,
                    const value_step *step);
/* The same of a text that is no string, as a part of a scalar; keys of entities are numbers. */
bool bake_value_key_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                         uint32_t type, unsigned char *dst, const value_step *step);
/* A plain number is a number in the path too, as <kiln/path.h> has it. */
value_step bake_value_key_step(const bake_values *b, bake_node_id key, kiln_kind kind,
                               const value_step *up);
/* The `count` entries of mapping `node` that lie at `chosen` on the scratch stack, or all of them
 * where it is SIZE_MAX. */
void bake_value_map_entries(bake_values *b, bake_node_id node, size_t chosen, uint32_t count,
                            uint32_t type, void *dst, const value_step *step);

/* value_forms.c: structs that are not written as a mapping of their fields. */
typedef enum value_form {
    FORM_NONE,
    FORM_TUPLE,
    FORM_TUPLE_TEXT,
    FORM_COLOUR,
    FORM_SHORT
} value_form;

/* What the node is as a value of a struct; NONE for a mapping, and for what it cannot be. */
value_form bake_value_form(const bake_values *b, bake_node_id node, uint32_t type);
/* Bakes it, but for fields of which more is said: at `said` on the scratch stack are 32 bits for
 * each, all of them 1 where nothing is; SIZE_MAX: all count. */
void bake_value_formed(bake_values *b, bake_node_id node, value_form form, size_t said,
                       uint32_t type, void *dst, const value_step *step);
bool bake_value_is_said(const bake_values *b, size_t said, uint32_t member);
/* How values of a type may be written, for a report: its name, and other ways if it has such. */
void bake_value_expected(const bake_values *b, uint32_t type, char *out, size_t size);

/* value_report.c */
void bake_value_path_text(const bake_values *b, const value_step *step, char out[VALUE_PATH_SIZE]);
bool bake_value_report(bake_values *b, bake_severity severity, bake_mark mark, const char *rule,
                       const value_step *step, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* "expected u32, found a list"; returns false. */
bool bake_value_unexpected(bake_values *b, bake_node_id node, uint32_t type,
                           const value_step *step);
/* The text in quotes, cut where it is long. */
const char *bake_value_quote(char out[VALUE_QUOTE_SIZE], const char *text, size_t length);
/* The same without quotes, for numbers. */
const char *bake_value_cut(char out[VALUE_QUOTE_SIZE], const char *text, size_t length);
/* Hints at names of members close to `text`. */
void bake_value_hint_members(bake_values *b, uint32_t type, const char *text, size_t length);
/* Whether a field that the mapping lacks is in it under a key that was told to be no field's. */
bool bake_value_is_misspelt(const bake_values *b, bake_node_id node, uint32_t type,
                            const kiln_member *field, const value_step *step);
/* Warnings for deprecated members and earlier names. */
void bake_value_warn_member(bake_values *b, bake_node_id node, const kiln_member *member, bool was,
                            const value_step *step);
/* Whether the node's tag, if any, agrees with the type; false after a report. */
bool bake_value_check_tag(bake_values *b, bake_node_id node, uint32_t type, const value_step *step);
/* The same for a part of a value that has no type of its own, `expected` its description. */
bool bake_value_check_tag_of(bake_values *b, bake_node_id node, kiln_kind kind,
                             const char *expected, const value_step *step);
/* A plain null that no tag makes a string. */
bool bake_value_is_null(const bake_values *b, bake_node_id node);

/* The same, whatever was read of the node already. */
static inline bool value_says_null(const bake_tree *tree, bake_node_id node)
{
    const char *tag = bake_node_tag(tree, node);
    return bake_node_is_null(tree, node) && (!tag || strcmp(tag, "tag:yaml.org,2002:null") == 0);
}

static inline bake_mark value_mark(const bake_values *b, bake_node_id node)
{
    return bake_node_mark(b->tree, node);
}

#endif
