/* What the value baker tells of the values that it bakes, for a source map; private to value_*.c.
 *
 * All of it is called only where there is a map: `if (b->origins)`. */
#ifndef BAKE_VALUE_TOLD_H
#define BAKE_VALUE_TOLD_H

#include "value_layers.h"

#include <kiln/path.h>

/* A step that is the key of a map, as <kiln/path.h> spells it: while it is on the C stack. */
typedef struct value_told_key {
    const struct value_told_key *up;
    const value_step *step;
    kiln_path path;
} value_told_key;

/* The value at `step` is written at `node` of the tree at hand. What is told twice in a row, as an
 * optional and what it holds, is told once. */
void bake_value_told(bake_values *b, bake_node_id node, const value_step *step);
/* It is not written, and its type has an empty value; `node` is where it could stand. */
void bake_value_told_unsaid(bake_values *b, bake_node_id node, const value_step *step);
/* All layers that say something of it, that which counts first. */
void bake_value_told_layers(bake_values *b, const value_layer *layers, size_t count,
                            const value_step *step);
/* It lies in the scene's data, as that element of the list. */
void bake_value_told_data(bake_values *b, const value_step *step, const char *list,
                          uint32_t number);
/* From here on values are those of the scene's data, another part of it. */
void bake_value_told_scene_data(bake_values *b);
/* The next value is the one that the walk over `container` is at, perhaps through an alias. */
void bake_value_told_via(bake_values *b, bake_node_id container, const bake_walk *walk);
/* The next value has a key, which stands there. */
void bake_value_told_key(bake_values *b, bake_node_id key);
/* Until it is popped, `step` is the key of type `type` that was baked to `bytes`. */
void bake_value_told_push(bake_values *b, value_told_key *key, const value_step *step,
                          uint32_t type, const unsigned char *bytes);
void bake_value_told_pop(bake_values *b, const value_told_key *key);
/* Values from here on are of that layer; returns the one before. */
const value_layer *bake_value_told_from(bake_values *b, const value_layer *from);
/* Values from here on are a default of the schema (1), or no longer (-1). */
void bake_value_told_default(bake_values *b, int more);

#endif
