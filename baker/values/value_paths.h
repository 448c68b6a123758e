/* Changes of parts of a value by paths in patches: value_paths.c, part of value_layers.h.
 *
 * A layer with a path gives no value: it gives changes inside the value that the other layers give.
 */
#ifndef BAKE_VALUE_PATHS_H
#define BAKE_VALUE_PATHS_H

#include "value_layers.h"

/* A change of one part, and the change below it. */
typedef struct value_change {
    value_layer layer;
    uint32_t below; /* number plus 1 */
    bool is_whole;  /* it replaces everything below */
} value_change;

/* The changes of all parts of a value: elements, entries, or an alternative. */
typedef struct value_changes {
    uint32_t *heads; /* by part: number plus 1 of the uppermost */
    uint32_t part_count;
    value_change *all;
    size_t count, capacity;
} value_changes;

/* False when memory ran out; bake_value_changes_fini is called all the same. */
bool bake_value_changes_init(bake_values *b, value_changes *changes, uint32_t part_count);
void bake_value_changes_fini(value_changes *changes);
/* Adds the change of a step to a part. It overrides the changes of the part so far. */
void bake_value_change(bake_values *b, value_changes *changes, uint32_t part,
                       const value_layer *from, const bake_path *step);
/* Bakes a part that is changed; `below` are the layers of its value without changes. */
void bake_value_changed(bake_values *b, const value_changes *changes, uint32_t part,
                        const value_layer *below, size_t below_count, uint32_t type, void *dst,
                        const value_step *step, value_rule rule);

/* Bakes a value of which some layers have a path. Returns false and does nothing if no layer
 * that counts has one, unless baking has stopped. */
bool bake_value_paths(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                      const kiln_member *field, void *dst, const value_step *step, value_rule rule);
/* Bakes a field that only the paths `given` write, by changing its default. Returns false after a
 * report if the field has no default. */
bool bake_value_paths_default(bake_values *b, const value_layer *given, size_t count, uint32_t type,
                              uint32_t member, void *dst, const value_step *step, value_rule rule);

/* The alternative that a layer chooses, also by its tag. */
value_chosen bake_value_path_choice(const bake_values *b, const value_layer *layer, uint32_t type);

#endif
