/* Values that several layers give, the uppermost first. Values contain others, so merging recurses.
 *
 * Parts: value_layers.c (which layers count, and structs by field), value_join.c and
 * value_join_map.c (lists and maps of all layers), and value_paths.c of value_paths.h (changes of
 * parts). */
#ifndef BAKE_VALUE_LAYERS_H
#define BAKE_VALUE_LAYERS_H

#include "value_compose.h"
#include "value_layer.h"

/* Layers with paths, above the layers with values. */
typedef struct value_over {
    const value_layer *layers;
    size_t count;
} value_over;

/* value_layers.c */
void bake_value_layers(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                       const kiln_member *field, void *dst, const value_step *step,
                       value_rule rule);
/* The value that one layer has. */
void bake_value_one(bake_values *b, const value_layer *given_by, uint32_t type,
                    const kiln_member *field, void *dst, const value_step *step);

/* A struct, by its fields. */
void bake_value_struct_layers(bake_values *b, const value_layer *layers, size_t count,
                              uint32_t type, void *dst, const value_step *step, value_rule rule);

/* value_join.c: lists of all layers, one after the other; of unions whose alternative is named by a
 * key those of one alternative are one. */
void bake_value_join_lists(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                           const kiln_member *field, void *dst, const value_step *step,
                           const value_over *over);

/* An entry of one of several layers. */
typedef struct value_joined {
    value_layer from; /* its value */
    bake_node_id key;
} value_joined;

/* value_join_map.c: maps of all layers in one; the value of a key is that of the uppermost. */
void bake_value_join_maps(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                          const kiln_member *field, void *dst, const value_step *step,
                          const value_over *over);
/* The same for entries that were found already; `at` is the uppermost layer with entries. */
void bake_value_join_entries(bake_values *b, const value_layer *at, value_joined *entries,
                             size_t count, uint32_t type, const kiln_member *field, void *dst,
                             const value_step *step, const value_over *over);

#endif
