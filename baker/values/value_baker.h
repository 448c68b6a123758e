/* The state of the value baker, grouped by source file. Private to values/.
 *
 * There are three ways to bake a value. value_compose.h bakes a single node. value_layers.h merges
 * several nodes, such as those of an asset and its parents. value_words.h bakes component values
 * into the scene data. All of them use value_scalar.h (scalars), value_ref.h (references),
 * value_watch.h (resource paths), value_fields.h (field lookup), value_mismatch.h, value_limits.h,
 * value_report.h and value_node.h. */
#ifndef BAKE_VALUE_BAKER_H
#define BAKE_VALUE_BAKER_H

#include "bake_memory.h"
#include "hash_table.h"
#include "location_set.h"
#include "value_bake.h"

#include <kiln/builder.h>
#include <string.h>

enum { VALUE_PATH_SIZE = 512, VALUE_QUOTE_SIZE = 80 };

/* ---- reports: value_report.h ---- */

typedef enum value_step_kind { STEP_NAME, STEP_NUMBER, STEP_KEY } value_step_kind;

/* The path to a value is a chain of steps on the C stack. The path is formatted only for reports,
 * so valid data costs nothing extra. The depth of the tree and KILN_DEPTH_MAX bound the
 * recursion. */
typedef struct value_step {
    const struct value_step *up;
    value_step_kind kind;
    const char *text; /* name, or key as written */
    size_t length;
    uint64_t number;
} value_step;

/* The destination of reports, and report counts. */
typedef struct value_reports {
    bake_diagnostics *to;
    bake_diagnostics *sources; /* diagnostics of the run, which contain all source names */
    bake_diagnostics *silence; /* discards reports that repeat others; NULL until needed */
    size_t errors;             /* in the current value */
    size_t warnings;           /* in all values */
    size_t dropped_warnings;   /* suppressed because they repeat others */
    bake_location_set warned;  /* positions of warnings in components, by message */
    bool no_warnings;          /* the asset that owns the current layer reports them */
    bool is_repeat;            /* an asset with this layer reports the same errors */
} value_reports;

/* ---- limits of a blob: value_limits.h ---- */

typedef struct value_limits {
    unsigned depth;        /* number of objects that contain the current value */
    uint64_t largest_size; /* of a single object, reported when a blob is too large */
    char largest_path[VALUE_PATH_SIZE];
} value_limits;

/* A byte stack. Its memory moves when it grows. */
typedef struct value_scratch {
    unsigned char *bytes;
    size_t used, capacity;
} value_scratch;

/* ---- fields: value_fields.h ---- */

/* How to fill a field that is missing in the document. */
typedef enum value_absence {
    ABSENCE_UNKNOWN, /* not determined yet */
    ABSENCE_EMPTY,   /* leave the zero bytes */
    ABSENCE_IMAGE,   /* copy plain bytes */
    ABSENCE_OTHER    /* bake a default, or report an error */
} value_absence;

/* A struct field, as the fast path needs it. */
typedef struct value_field {
    const kiln_member *member;
    const kiln_type *of; /* the member's type */
    const char *name;
    uint32_t name_length;
    uint32_t next; /* the field that followed this one in the last mapping */
    value_absence absence;
    uint32_t image_size;
    const void *image;
} value_field;

/* A default baked in the current blob, which later fields can share. */
typedef struct shared_default {
    const void *field;
    uint32_t blob; /* the blob, counted from 1 */
    bool busy;
} shared_default;

typedef struct value_field_table {
    value_field *all;       /* by member, across all types */
    uint32_t *first;        /* by type: the first field in the last mapping */
    shared_default *shared; /* indexed like `all` */
    unsigned char **images; /* by type: an image of the struct, see bake_value_image; or NULL */
} value_field_table;

/* A tag or key of a node that has already named an alternative. */
typedef struct value_taken {
    const struct value_taken *up; /* of the same node or an enclosing one */
    const bake_tree *tree;
    bake_node_id node;
    const char *key; /* NULL: its tag */
} value_taken;

/* ---- scalars: value_scalar.h ---- */

typedef struct value_field_unit {
    const kiln_member *member;
    bake_unit unit;
} value_field_unit;

/* Fields with a unit, sorted by member. */
typedef struct value_units {
    value_field_unit *all;
    size_t count;
} value_units;

/* Fields of payloads with attributes, sorted by member. */
typedef struct value_field_payload {
    const kiln_member *member;
    bake_payload_form form;
} value_field_payload;

typedef struct value_payload_fields {
    value_field_payload *all;
    size_t count;
} value_payload_fields;

/* Value files (`!file`). */
typedef struct value_files {
    bake_gateway *gateway; /* may be NULL */
    const char *base;      /* the folder that must contain them, or NULL */
} value_files;

/* ---- payloads: value_payload.h ---- */

/* The payloads of the current output, by path and form. */
typedef struct value_payloads {
    bake_store store;
    bake_payload *items;
    size_t count, capacity;
    hash_table by_key;
    /* The numbers of those that the value has which was read last. */
    uint32_t *used;
    size_t used_count, used_capacity;
} value_payloads;

/* ---- references: value_ref.h ---- */

/* A field that is written as an object number or as hex digits. */
typedef struct value_field_form {
    const kiln_member *member;
    const bake_member_form *form;
} value_field_form;

/* Fields with such a form, sorted by member. */
typedef struct value_field_forms {
    value_field_form *all;
    size_t count;
} value_field_forms;

/* How a reference is written. */
typedef enum value_ref_form {
    VALUE_BY_NAME,
    VALUE_BY_NUMBER, /* object number in a file with a known guid */
    VALUE_BY_GUID    /* guid of an unknown file */
} value_ref_form;

typedef struct value_dangling value_dangling;

/* Unresolved references, by target name. */
typedef struct value_dangling_set {
    bake_store store;
    value_dangling *items;
    size_t count, capacity;
    hash_table by_name;
    bake_location_set places;
    bool warn; /* treat them as imports with a warning */
} value_dangling_set;

typedef struct value_refs {
    bake_names *names;
    uint32_t output;
    value_ref_form form; /* of the current reference */
    uint32_t *imports;
    size_t import_count, import_capacity;
    kiln_id *targets; /* of the current value, if they are collected */
    size_t target_count, target_capacity;
    bool collects_targets;
    value_dangling_set dangling;
} value_refs;

/* ---- layers: value_layer.h ---- */

/* The asset whose layers are merged. */
typedef struct value_merge {
    const bake_asset_layers *asset; /* NULL: none */
    bool is_partial;                /* missing fields may be in unread files or descendants */
    bool has_paths;                 /* some layers only change parts of values */
    uint32_t value_number;          /* counter of component values */
    struct value_cache *cache;      /* of inherited elements */
} value_merge;

/* The asset or component being baked. */
typedef struct value_root {
    const char *name;
    const bake_file_rule *rule; /* the rule that found the asset, or NULL */
    uint32_t type;              /* KILN_TYPE_NONE: not an asset */
} value_root;

struct bake_values {
    const bake_schema *schema;
    const kiln_types *types;
    const kiln_type **list; /* the types by index */
    bake_failure *failure;

    kiln_builder *builder;
    const bake_tree *tree;          /* of the current node; for a default the tree of the schema */
    uint32_t blob, last_blob;       /* the current blob, and the last one begun */
    bool stopped;                   /* the builder failed, so baking must stop */
    bool is_unshared;               /* set by --no-share: equal values are not shared */
    bool is_helper;                 /* see bake_values_make_helper */
    bool is_plain;                  /* see bake_values_is_plain; of the current blob */
    bool is_noisy;                  /* see bake_values_is_noisy; of the current blob */
    const bake_values_guard *guard; /* NULL: none */
    value_root root;

    value_reports report;
    value_limits limits;
    value_scratch scratch;
    value_field_table fields;
    const value_taken *taken;
    value_units units;
    value_files files;
    value_payloads payloads;
    value_payload_fields payload_fields;
    value_field_forms forms;
    value_refs refs;
    value_merge merge;
    struct value_words *words;    /* of components; NULL outside of scenes */
    struct value_watch *watch;    /* resource paths; NULL: the schema has none */
    bool is_unwatched;            /* resource paths of the current value were already checked */
    struct bake_origins *origins; /* the source map, or NULL */
};

static inline const kiln_type *value_type(const bake_values *b, uint32_t type)
{
    return b->list[type];
}

/* Like bake_type_unwrapped. */
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

/* Whether the tree belongs to the schema, so that its nodes are defaults. */
static inline bool value_is_of_schema(const bake_values *b, const bake_tree *tree)
{
    for (size_t i = 0; i < b->schema->tree_count; i++)
        if (b->schema->trees[i] == tree)
            return true;
    return false;
}

/* Records that the builder failed. */
static inline void value_stop(bake_values *b)
{
    b->stopped = true;
}

/* In a helper, gives the current asset an error, so that another baker bakes it, and returns true.
 * Call this before everything that a helper must not do. */
static inline bool value_defer(bake_values *b)
{
    b->is_plain = false;
    b->report.errors += b->is_helper;
    return b->is_helper;
}

/* Call these around changes of names and links. */
static inline void value_begin_change(const bake_values *b)
{
    if (b->guard)
        b->guard->begin(b->guard->ctx);
}

static inline void value_end_change(const bake_values *b)
{
    if (b->guard)
        b->guard->end(b->guard->ctx);
}

/* Fails the run because memory ran out. Returns false. */
static inline bool value_no_memory(bake_values *b)
{
    bake_fail_memory(b->failure);
    value_stop(b);
    return false;
}

#endif
