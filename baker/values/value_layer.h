/* A layer of a value: a node that sets all or parts of it, and the destination of reports about it.
 * Also reports errors in path steps. */
#ifndef BAKE_VALUE_LAYER_H
#define BAKE_VALUE_LAYER_H

#include "asset_paths.h"
#include "value_report.h"

typedef struct value_layer {
    const bake_layer *layer; /* the layer of the asset or component that contains it */
    bake_node_id node;
    bool is_own;     /* set by the asset itself */
    const char *key; /* the key that named the alternative and is not a field, or NULL */
    const struct bake_path *path; /* the parts that it changes, or NULL if it is a whole value */
} value_layer;

/* How layers are merged. */
typedef enum value_rule {
    VALUE_OVER,    /* for components: structs by field to any depth, otherwise the topmost */
    VALUE_REPLACE, /* the topmost layer */
    VALUE_FIELDS,  /* structs by field, each by its own rule; otherwise the topmost */
    VALUE_MERGE /* structs by field, each by its own rule or merged; lists and maps concatenated */
} value_rule;

/* The state before a layer was entered. */
typedef struct value_saved {
    const bake_tree *tree;
    bake_diagnostics *diagnostics;
    bool no_warnings;
    bool is_partial;
    bool is_repeat;
    size_t errors;
    const value_layer *from; /* `from` of the source map */
} value_saved;

/* Enters a layer: until bake_value_leave_layer, nodes are those of the layer's tree. */
value_saved bake_value_enter_layer(bake_values *b, const value_layer *layer);
void bake_value_leave_layer(bake_values *b, const value_layer *layer, const value_saved *before);

/* Whether even a value with a single layer must be merged, because unknown layers may complete the
 * value, or because some of its fields are not inherited. */
bool bake_value_is_open(const bake_values *b, const value_layer *layer);
/* Whether a layer is null: it sets no value and hides the layers below it. */
bool bake_value_layer_is_null(const value_layer *layer);

/* Whether to report an error in a step: the asset itself has the patch, and all its layers were
 * read. */
static inline bool value_path_is_reported(const bake_values *b, const value_layer *from)
{
    return from->is_own && !(b->merge.asset && b->merge.asset->is_partial);
}

/* Reports an error in a step, unless some layers of the asset are unknown. Returns false. */
bool bake_value_path_report(bake_values *b, const value_layer *from, const bake_path *step,
                            const value_step *at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
/* Reports a step with an unknown field. */
void bake_value_path_unknown(bake_values *b, const value_layer *from, const bake_path *step,
                             uint32_t type, const value_step *at);
/* Gets the index in brackets. Returns false for any other step. */
bool bake_value_path_number(const bake_path *step, uint32_t *ret_number);

#endif
