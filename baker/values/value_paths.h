/* Changes to parts of a value through paths in patches.
 *
 * A layer with a path has no value; it changes parts of the value of the other layers. */
#ifndef BAKE_VALUE_PATHS_H
#define BAKE_VALUE_PATHS_H

#include "value_layers.h"

/* A change to one part, linked to the change below it. */
typedef struct value_change {
    value_layer layer;
    uint32_t below; /* index plus 1 */
    bool is_whole;  /* it replaces everything below */
} value_change;

/* The changes to all parts of a value: elements, entries, or an alternative. */
typedef struct value_changes {
    uint32_t *heads; /* by part: index plus 1 of the topmost change */
    uint32_t part_count;
    value_change *all;
    size_t count, capacity;
} value_changes;

/* Returns false if memory runs out; call bake_value_changes_fini even then. */
bool bake_value_changes_init(bake_values *b, value_changes *changes, uint32_t part_count);
void bake_value_changes_fini(value_changes *changes);
/* Adds the change that a step makes to a part. It overrides earlier changes to the part. */
void bake_value_change(bake_values *b, value_changes *changes, uint32_t part,
                       const value_layer *from, const bake_path *step);
/* Bakes a changed part. `below` contains the layers of its original value. */
void bake_value_changed(bake_values *b, const value_changes *changes, uint32_t part,
                        const value_layer *below, size_t below_count, uint32_t type, void *dst,
                        const value_step *step, value_rule rule);

/* Bakes a value with paths in some layers. If no effective layer has a path, does nothing and
 * returns false. If baking has stopped, does nothing and returns true. */
bool bake_value_paths(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                      const kiln_member *field, void *dst, const value_step *step, value_rule rule);
/* Bakes a field that is set only in part, by the paths in `given`, which change its default.
 * Returns false after a report if the field has no default. */
bool bake_value_paths_default(bake_values *b, const value_layer *given, size_t count, uint32_t type,
                              uint32_t member, void *dst, const value_step *step, value_rule rule);

/* Returns the alternative that a layer chooses, by key or tag. */
value_chosen bake_value_path_choice(const bake_values *b, const value_layer *layer, uint32_t type);

#endif
