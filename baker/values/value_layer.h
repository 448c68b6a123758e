/* One layer of a value: a node that gives a value or parts of one, and where reports go while it is
 * read. Also errors in the steps of a layer's path. */
#ifndef BAKE_VALUE_LAYER_H
#define BAKE_VALUE_LAYER_H

#include "asset_paths.h"
#include "value_report.h"

typedef struct value_layer {
    const bake_layer *layer; /* the layer of the asset or component that has it */
    bake_node_id node;
    bool is_own;     /* given by the asset itself */
    const char *key; /* the key that named the alternative, which is not a field; or NULL */
    const struct bake_path *path; /* the parts that it changes, instead of a value; or NULL */
} value_layer;

/* How layers are merged. */
typedef enum value_rule {
    VALUE_OVER,    /* of components: structs by field to any depth, of all else the uppermost */
    VALUE_REPLACE, /* the uppermost */
    VALUE_FIELDS,  /* structs by field, each by its rule, or the uppermost */
    VALUE_MERGE    /* structs by field, each by its rule, or merged; lists and maps concatenated */
} value_rule;

/* The state before a layer was entered. */
typedef struct value_saved {
    const bake_tree *tree;
    bake_diagnostics *diagnostics;
    bool no_warnings;
    bool is_partial;
    bool is_again;
    size_t errors;
    const value_layer *from; /* of the source map */
} value_saved;

/* From here on nodes are those of the layer, until bake_value_leave_layer. */
value_saved bake_value_enter_layer(bake_values *b, const value_layer *layer);
void bake_value_leave_layer(bake_values *b, const value_layer *layer, const value_saved *before);

/* Whether a value of one layer alone has to be merged all the same: others may complete it, or it
 * may have fields that are not inherited. */
bool bake_value_is_open(const bake_values *b, const value_layer *layer);
/* Whether a layer is null: it gives no value, and those below it do not count. */
bool bake_value_layer_is_null(const value_layer *layer);

/* Whether an error in a step is reported here: the asset has the patch itself, and all its layers
 * were read. */
static inline bool value_path_is_reported(const bake_values *b, const value_layer *from)
{
    return from->is_own && !(b->merge.asset && b->merge.asset->is_partial);
}

/* Reports an error in a step; returns false. */
bool bake_value_path_report(bake_values *b, const value_layer *from, const bake_path *step,
                            const value_step *at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
/* Reports a step that names no field. */
void bake_value_path_unknown(bake_values *b, const value_layer *from, const bake_path *step,
                             uint32_t type, const value_step *at);
/* The number in brackets; false for any other step. */
bool bake_value_path_number(const bake_path *step, uint32_t *ret_number);

#endif
