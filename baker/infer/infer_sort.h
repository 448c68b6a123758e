/* Tells records from maps, and alternatives from records, in a graph of shapes. */
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

/* infer_single.c: takes scalars and mappings beside lists for lists of one. False when memory ran
 * out. */
bool bake_infer_sort_single(infer_shapes *shapes, infer_shape *shape);

/* Whether mappings that all say what they are have so little in common that they are alternatives.
 */
bool bake_infer_is_choice(const infer_shape *shape);

/* Whether some key of a table cannot be the name of a field. */
bool bake_infer_has_unfit_name(const infer_table *table);

/* How much of the keys of the mappings in a table stand in others of them too, from 0 to 1; -1
 * where not all of them are mappings. */
double bake_infer_likeness(const infer_table *table);

/* Puts records together that are one type by all that can be seen: the same keys, or the same name
 * and most of the keys. What was merged is to be sorted anew. */
bool bake_infer_unify(infer_shapes *shapes, infer_shape *const *roots, size_t root_count);

#endif
