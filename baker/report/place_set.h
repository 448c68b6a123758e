/* A set of source locations, used to report a mistake once per location. Inherited values, defaults
 * and aliased nodes are baked many times from the same location. */
#ifndef BAKE_PLACE_SET_H
#define BAKE_PLACE_SET_H

#include "diagnostics.h"
#include "hash_table.h"

typedef struct bake_place bake_place;

/* A zeroed set is empty. */
typedef struct bake_place_set {
    bake_place *all;
    size_t count, capacity;
    hash_table by_place;
} bake_place_set;

/* Adds the location `mark` for item `of`; sets `ret_is_new` if the set did not contain it. Returns
 * false if memory runs out; the set is then unchanged. */
bool bake_place_set_add(bake_place_set *set, uint32_t of, bake_mark mark, bool *ret_is_new);
void bake_place_set_fini(bake_place_set *set);

/* Whether `a` comes before `b` by source, line and column. */
bool bake_mark_is_before(bake_mark a, bake_mark b);

#endif
