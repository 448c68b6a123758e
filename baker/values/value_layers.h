/* Bakes values from several layers, topmost first. Values are nested, so merging recurses.
 *
 * Implemented in value_layers.c (selection of layers, and structs by field), and in value_join.c
 * and value_join_map.c (lists and maps of all layers). value_paths.h handles changes to parts. */
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
/* Bakes the value of a single layer. */
void bake_value_one(bake_values *b, const value_layer *given_by, uint32_t type,
                    const kiln_member *field, void *dst, const value_step *step);

/* Bakes a struct field by field. */
void bake_value_struct_layers(bake_values *b, const value_layer *layers, size_t count,
                              uint32_t type, void *dst, const value_step *step, value_rule rule);

/* value_join.c: concatenates the lists of all layers. Elements of unions with an alternative key
 * are matched by alternative. */
void bake_value_join_lists(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                           const kiln_member *field, void *dst, const value_step *step,
                           const value_over *over);

/* A map entry of one of the layers. */
typedef struct value_joined {
    value_layer from; /* its value */
    bake_node_id key;
} value_joined;

/* value_join_map.c: joins the maps of all layers. The topmost value of each key wins. */
void bake_value_join_maps(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                          const kiln_member *field, void *dst, const value_step *step,
                          const value_over *over);
/* Like bake_value_join_maps, for entries that are already collected. `at` is the topmost layer with
 * entries. */
void bake_value_join_entries(bake_values *b, const value_layer *at, value_joined *entries,
                             size_t count, uint32_t type, const kiln_member *field, void *dst,
                             const value_step *step, const value_over *over);

#endif
