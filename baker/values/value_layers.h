/* Values of which several nodes say something; private to value_*.c. */
#ifndef BAKE_VALUE_LAYERS_H
#define BAKE_VALUE_LAYERS_H

#include "value_baker.h"

/* value_layers.c: a value of which several nodes say something, the last word first. */
typedef struct value_layer {
    const bake_layer *layer; /* that it is in */
    bake_node_id node;
    bool is_own;                  /* said by the asset itself */
    const char *key;              /* which named the alternative, and is no field; or NULL */
    const struct bake_path *path; /* what in the value it changes, and nothing else; or NULL */
} value_layer;

/* Layers with paths that lie over others. */
typedef struct value_over {
    const value_layer *layers;
    size_t count;
} value_over;

/* What layers come to. */
typedef enum value_rule {
    VALUE_OVER,    /* of components: structs by field to any depth, of all else the uppermost */
    VALUE_REPLACE, /* the uppermost */
    VALUE_FIELDS,  /* structs by field, each as it says, or the uppermost */
    VALUE_MERGE    /* structs by field, each as it says, or merged; lists and maps put together */
} value_rule;

/* value_layered.c: a struct, by its fields. */
void bake_value_struct_layers(bake_values *b, const value_layer *layers, size_t count,
                              uint32_t type, void *dst, const value_step *step, value_rule rule);
void bake_value_layers(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                       const kiln_member *field, void *dst, const value_step *step,
                       value_rule rule);

/* What the layer at hand is to the reports. */
typedef struct value_turn {
    const bake_tree *tree;
    bake_diagnostics *diagnostics;
    bool no_warnings;
    bool is_partial;
    bool is_again;
    size_t errors;
    const value_layer *from; /* that was told of before */
} value_turn;

value_turn bake_value_begin(bake_values *b, const value_layer *layer);
void bake_value_end(bake_values *b, const value_layer *layer, const value_turn *before);
/* The value that one layer has. */
void bake_value_one(bake_values *b, const value_layer *said_by, uint32_t type,
                    const kiln_member *field, void *dst, const value_step *step);
/* Whether one layer alone is not what a value comes to: more may be added to it, or it may have
 * fields that are not inherited. */
bool bake_value_is_open(const bake_values *b, const value_layer *layer);
/* Whether a layer says that there is nothing, in it and below. */
bool bake_value_is_cut(const value_layer *layer);

/* value_join.c: lists of all layers, one after the other; of unions that are told apart by a key
 * those of one alternative are one. */
void bake_value_join_lists(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                           const kiln_member *field, void *dst, const value_step *step,
                           const value_over *over);

/* An entry of one of several layers. */
typedef struct value_joined {
    value_layer from; /* its value */
    bake_node_id key;
} value_joined;

/* value_join_map.c: maps of all layers in one, the uppermost first to say what a key has. */
void bake_value_join_maps(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                          const kiln_member *field, void *dst, const value_step *step,
                          const value_over *over);
/* The same of entries that were found already; `at` is the uppermost layer that has some. */
void bake_value_join_entries(bake_values *b, const value_layer *at, value_joined *entries,
                             size_t count, uint32_t type, const kiln_member *field, void *dst,
                             const value_step *step, const value_over *over);

/* The same as bake_value_nothing, where `at` is. */
void bake_value_empty(bake_values *b, const value_layer *at, uint32_t type, void *dst,
                      const value_step *step);

/* value_data.c: a value in the scene's data. `layers` are at least one; without, the node of the
 * tree at hand. */
void bake_value_data(bake_values *b, const value_layer *layers, size_t count, bake_node_id node,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step,
                     value_rule rule);

#endif
