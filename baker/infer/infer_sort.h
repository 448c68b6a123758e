/* Decides which shapes are records, maps or alternatives. Part: infer_unify.c, which merges equal
 * records. */
#ifndef BAKE_INFER_SORT_H
#define BAKE_INFER_SORT_H

#include "infer_shape.h"

struct infer_ids;

/* Sorts a shape and all shapes inside it except tags. Afterwards a shape with mappings has either
 * alternatives (`key`), or fields, or is a map (`rest`), or has fields and a rest if some keys are
 * those of a record and the others are data. At a position with lists, scalars and mappings become
 * lists of one element if possible. `ids` (can be NULL) has the keys that are ids. Shapes that the
 * current traversal has already reached are skipped. False when memory ran out. */
bool bake_infer_sort(infer_shapes *shapes, infer_shape *shape, const struct infer_ids *ids);

/* The same for one shape without those inside it. `is_root`: the shape of whole documents, where a
 * mapping of few equal records is more likely a map. */
bool bake_infer_sort_one(infer_shapes *shapes, infer_shape *shape, const struct infer_ids *ids,
                         bool is_root);

/* Turns scalars and mappings at a position of lists into lists of one element. False when memory
 * ran out. */
bool bake_infer_sort_single(infer_shapes *shapes, infer_shape *shape);

/* Whether all mappings name their kind and have so few keys in common that they are alternatives.
 */
bool bake_infer_is_choice(const infer_shape *shape);

/* Whether some key of a table cannot be the name of a field. */
bool bake_infer_has_unfit_name(const infer_table *table);

/* Merges records that are one type: with the same keys, or with the same name and most of the keys.
 * Merged shapes must be sorted again. */
bool bake_infer_unify(infer_shapes *shapes, infer_shape *const *roots, size_t root_count);

#endif
