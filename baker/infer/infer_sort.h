/* Decides which shapes are records, maps or alternatives. Part: infer_unify.c, which merges equal
 * records. */
#ifndef BAKE_INFER_SORT_H
#define BAKE_INFER_SORT_H

#include "infer_shape.h"

struct infer_ids;

/* Sorts a shape and all that is in it, tags aside. Afterwards a shape that had mappings has either
 * alternatives (`key`), or fields, or is a map (`rest`), or both of the last two where some keys
 * are those of a record and the others are data; scalars and mappings beside lists are taken for
 * lists of one where they can be. `ids` (may be NULL) tells keys that are ids. Goes only to what
 * the visit under way has not seen. False when memory ran out. */
bool bake_infer_sort(infer_shapes *shapes, infer_shape *shape, const struct infer_ids *ids);

/* The same for a shape alone. `is_root` for what stands at the top of documents, where a mapping of
 * few equal records is rather a map. */
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
