/* What the source map records of the values that are baked; value_origin.c implements it.
 *
 * All of it is called only where there is a map: `if (b->origins)`. */
#ifndef BAKE_ORIGIN_RECORD_H
#define BAKE_ORIGIN_RECORD_H

#include "value_layer.h"

#include <kiln/path.h>

/* A step that is the key of a map, as <kiln/path.h> spells it: while it is on the C stack. */
typedef struct origin_key {
    const struct origin_key *up;
    const value_step *step;
    kiln_path path;
} origin_key;

/* The value at `step` is written at `node` of the present tree. What is recorded twice in a row, as
 * an optional and what it holds, is recorded once. */
void bake_origin_value(bake_values *b, bake_node_id node, const value_step *step);
/* It is not written, and its type has an empty value; `node` is where it could stand. */
void bake_origin_empty(bake_values *b, bake_node_id node, const value_step *step);
/* All layers that give it, the one that counts first. */
void bake_origin_layers(bake_values *b, const value_layer *layers, size_t count,
                        const value_step *step);
/* It is stored in the scene's data, as that element of the list. */
void bake_origin_data(bake_values *b, const value_step *step, const char *list, uint32_t number);
/* From here on values are those of the scene's data, another part of it. */
void bake_origin_scene_data(bake_values *b);
/* The next value is the one that the walk over `container` is at, perhaps through an alias. */
void bake_origin_via(bake_values *b, bake_node_id container, const bake_walk *walk);
/* The next value has a key, which stands there. */
void bake_origin_key(bake_values *b, bake_node_id key);
/* Until it is popped, `step` is the key of type `type` that was baked to `bytes`. */
void bake_origin_push_key(bake_values *b, origin_key *key, const value_step *step, uint32_t type,
                          const unsigned char *bytes);
void bake_origin_pop_key(bake_values *b, const origin_key *key);
/* Values from here on are of that layer; returns the one before. */
const value_layer *bake_origin_from(bake_values *b, const value_layer *from);
/* Values from here on are a default of the schema (1), or no longer (-1). */
void bake_origin_default(bake_values *b, int more);

#endif
