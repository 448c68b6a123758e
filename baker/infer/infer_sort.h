/* Classifies shapes as records, maps or alternatives. Part: infer_unify.c, which merges equal
 * records. */
#ifndef BAKE_INFER_SORT_H
#define BAKE_INFER_SORT_H

#include "infer_shape.h"

struct infer_ids;

/* Classifies a shape and all shapes inside it, except tagged values. Afterwards a shape with
 * mappings has alternatives (`key`), or fields, or is a map (`rest`). It has both fields and a
 * `rest` if some keys are fields and the others are data. Where possible, scalars and mappings at a
 * position with lists become lists of one element. `ids` has the known ids and can be NULL. Skips
 * shapes that the current traversal has already reached. Returns false if memory runs out. */
bool bake_infer_sort(infer_shapes *shapes, infer_shape *shape, const struct infer_ids *ids);

/* Classifies one shape without the shapes inside it. `is_root`: the values are whole documents,
 * where a mapping of a few equal records is more likely a map. */
bool bake_infer_sort_one(infer_shapes *shapes, infer_shape *shape, const struct infer_ids *ids,
                         bool is_root);

/* Turns scalars and mappings at a position with lists into lists of one element. Returns false if
 * memory runs out. */
bool bake_infer_sort_single(infer_shapes *shapes, infer_shape *shape);

/* Whether all mappings name their kind and the kinds are different enough to be alternatives. */
bool bake_infer_is_choice(const infer_shape *shape);

/* Whether some key of a table is not a valid field name. */
bool bake_infer_has_invalid_name(const infer_table *table);

/* Merges records of the same type: those with equal keys, and those with the same name and mostly
 * equal keys. Merged shapes must be classified again. Returns false if memory runs out. */
bool bake_infer_unify(infer_shapes *shapes, infer_shape *const *roots, size_t root_count);

#endif
