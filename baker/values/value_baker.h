/* The state of the value baker, by the part that it belongs to; private to values/.
 *
 * A value is baked in one of three ways, each with a header of its own. value_compose.h bakes one
 * node of a tree. value_layers.h merges several nodes, as of an asset and of those that it inherits
 * from. value_words.h bakes values of components into the data of a scene. All of them use:
 * value_scalar.h (values that are one text), value_ref.h (references), value_watch.h (paths of
 * resources), value_fields.h (look-ups of fields), value_mismatch.h, value_limits.h, value_report.h
 * and value_node.h. */
#ifndef BAKE_VALUE_BAKER_H
#define BAKE_VALUE_BAKER_H

#include "bake_memory.h"
#include "hash_table.h"
#include "place_set.h"
#include "value_bake.h"

#include <kiln/builder.h>
#include <string.h>

enum { VALUE_PATH_SIZE = 512, VALUE_QUOTE_SIZE = 80 };

/* ---- reports: value_report.h ---- */

typedef enum value_step_kind { STEP_NAME, STEP_NUMBER, STEP_KEY } value_step_kind;

/* The path to a value is a chain of steps on the C stack and becomes text only when something is
 * reported, so that correct data pays nothing for it. Recursion is bounded by the tree's depth and
 * by KILN_DEPTH_MAX. */
typedef struct value_step {
    const struct value_step *up;
    value_step_kind kind;
    const char *text; /* name, key as written */
    size_t length;
    uint64_t number;
} value_step;

/* Where reports go, and how many there are. */
typedef struct value_reports {
    bake_diagnostics *to;
    bake_diagnostics *sources; /* of the run: where all sources have their names */
    bake_diagnostics *silence; /* discards reports that repeat others; NULL until needed */
    size_t errors;             /* in the current value */
    size_t warnings;           /* in all values */
    size_t dropped_warnings;   /* not reported, since they repeat others */
    bake_place_set warned;     /* places of warnings in components, by message */
    bool no_warnings;          /* the asset of the current layer reports them */
    bool is_again;             /* an asset with this layer reports the same */
} value_reports;

/* ---- limits of a blob: value_limits.h ---- */

typedef struct value_limits {
    unsigned depth;        /* objects around the current value */
    uint64_t largest_size; /* of a single object, to be named when a blob is too large */
    char largest_path[VALUE_PATH_SIZE];
} value_limits;

/* A stack of bytes, which moves when it grows. */
typedef struct value_scratch {
    unsigned char *bytes;
    size_t used, capacity;
} value_scratch;

/* ---- fields: value_fields.h ---- */

/* The value of a field that is not written. */
typedef enum value_absence {
    ABSENCE_UNKNOWN, /* not determined yet */
    ABSENCE_EMPTY,   /* the zero bytes that are there */
    ABSENCE_IMAGE,   /* a copy of plain bytes */
    ABSENCE_OTHER    /* a default to be baked, or a report */
} value_absence;

/* A field of a struct, as the quick path needs it. */
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

/* A default that was baked in the current blob, so that later fields can share it. */
typedef struct shared_default {
    const void *field;
    uint32_t blob; /* which blob, counted from 1 */
    bool busy;
} shared_default;

typedef struct value_field_table {
    value_field *all;       /* by member, counted over all types */
    uint32_t *first;        /* by type: the field that was written first last time */
    shared_default *shared; /* as `all` */
    unsigned char **images; /* by type: a struct without written fields, see bake_value_image; or
                             * NULL */
} value_field_table;

/* A tag or key of a node that was read already, as the name of an alternative. */
typedef struct value_taken {
    const struct value_taken *up; /* of the same node, or of one around it */
    const bake_tree *tree;
    bake_node_id node;
    const char *key; /* NULL: its tag */
} value_taken;

/* ---- scalars: value_scalar.h ---- */

typedef struct value_field_unit {
    const kiln_member *member;
    bake_unit unit;
} value_field_unit;

/* Fields that have a unit, ascending by member. */
typedef struct value_units {
    value_field_unit *all;
    size_t count;
} value_units;

/* Files that contain a value (`!file`). */
typedef struct value_files {
    bake_gateway *gateway; /* or NULL */
    const char *base;      /* the folder that contains them; or NULL */
} value_files;

/* ---- references: value_ref.h ---- */

/* A field that refers to an object by number, or holds hex digits. */
typedef struct value_field_form {
    const kiln_member *member;
    const bake_member_form *form;
} value_field_form;

/* Fields that have a form, ascending by member. */
typedef struct value_field_forms {
    value_field_form *all;
    size_t count;
} value_field_forms;

/* How a reference is written. */
typedef enum value_ref_form {
    VALUE_BY_NAME,
    VALUE_BY_NUMBER, /* of an object in a file that is known by a guid */
    VALUE_BY_GUID    /* of a file that is not known */
} value_ref_form;

typedef struct value_dangling value_dangling;

/* Unresolved references, by what they name. */
typedef struct value_danglings {
    bake_store store;
    value_dangling *items;
    size_t count, capacity;
    hash_table by_name;
    bake_place_set places;
    bool warn; /* they are imports with a warning, not errors */
} value_danglings;

typedef struct value_refs {
    bake_names *names;
    uint32_t output;
    value_ref_form form; /* of the current reference */
    uint32_t *imports;
    size_t import_count, import_capacity;
    value_danglings danglings;
} value_refs;

/* ---- layers: value_layer.h ---- */

/* The asset whose layers are merged. */
typedef struct value_merge {
    const bake_asset_layers *asset; /* NULL: none */
    bool is_partial;                /* missing fields may be in files that failed, or in heirs */
    bool has_paths;                 /* some of its layers change parts of values */
    uint32_t value_number;          /* of components: counts them */
    struct value_cache *cache;      /* of elements that assets inherit */
} value_merge;

/* The asset or component that is baked. */
typedef struct value_root {
    const char *name;
    const bake_file_rule *rule; /* the rule that found the asset; or NULL */
    uint32_t type;              /* KILN_TYPE_NONE: not an asset */
} value_root;

struct bake_values {
    const bake_schema *schema;
    const kiln_types *types;
    const kiln_type **list; /* the types by number */
    bake_failure *failure;

    kiln_builder *builder;
    const bake_tree *tree;    /* of the current node; for a default the schema's tree */
    uint32_t blob, last_blob; /* the current one, and the last that was begun */
    bool stopped;             /* the builder failed: nothing more can be made */
    bool is_unshared;         /* --no-share: equal values are not shared */
    value_root root;

    value_reports report;
    value_limits limits;
    value_scratch scratch;
    value_field_table fields;
    const value_taken *taken;
    value_units units;
    value_files files;
    value_field_forms forms;
    value_refs refs;
    value_merge merge;
    struct value_words *words;    /* of components; NULL outside of scenes */
    struct value_watch *watch;    /* paths of resources; NULL: the schema has none */
    bool is_unwatched;            /* resources of the current value were checked before */
    struct bake_origins *origins; /* the source map; NULL: there is none */
};

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

static inline bake_mark value_mark(const bake_values *b, bake_node_id node)
{
    return bake_node_mark(b->tree, node);
}

/* Whether the nodes of a tree are the schema's, that is, defaults. */
static inline bool value_is_of_schema(const bake_values *b, const bake_tree *tree)
{
    for (size_t i = 0; i < b->schema->tree_count; i++)
        if (b->schema->trees[i] == tree)
            return true;
    return false;
}

/* Notes that the builder failed. */
static inline void value_stop(bake_values *b)
{
    b->stopped = true;
}

/* Fails the run because memory ran out; returns false. */
static inline bool value_no_memory(bake_values *b)
{
    bake_fail_memory(b->failure);
    value_stop(b);
    return false;
}

#endif
