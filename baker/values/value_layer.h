/* One layer of a value: a node that gives a value or parts of one, and what reports say while it is
 * read. Also errors in the steps of a layer's path. */
#ifndef BAKE_VALUE_LAYER_H
#define BAKE_VALUE_LAYER_H

#include "asset_paths.h"
#include "value_report.h"

typedef struct value_layer {
    const bake_layer *layer; /* that it is in */
    bake_node_id node;
    bool is_own;                  /* given by the asset itself */
    const char *key;              /* which named the alternative, and is no field; or NULL */
    const struct bake_path *path; /* what in the value it changes, and nothing else; or NULL */
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

/* Whether one layer alone does not make the value: more may be added to it, or it may have fields
 * that are not inherited. */
bool bake_value_is_open(const bake_values *b, const value_layer *layer);
/* Whether a layer is null, so that neither it nor those below give a value. */
bool bake_value_layer_is_null(const value_layer *layer);

/* Whether an error in a step is reported: with the asset that has the patch, and where all that may
 * be missing is known. */
static inline bool value_path_is_reported(const bake_values *b, const value_layer *from)
{
    return from->is_own && !(b->merge.asset && b->merge.asset->is_partial);
}

/* An error in a step; false. */
bool bake_value_path_report(bake_values *b, const value_layer *from, const bake_path *step,
                            const value_step *at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
/* A step that names no field. */
void bake_value_path_unknown(bake_values *b, const value_layer *from, const bake_path *step,
                             uint32_t type, const value_step *at);
/* The number in brackets; false: there is none. */
bool bake_value_path_number(const bake_path *step, uint32_t *ret_number);

#endif
