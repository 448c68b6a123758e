/* A set of places in sources, so that a mistake is reported once for each place. Inherited values,
 * defaults and aliased nodes are baked many times from one place. */
#ifndef BAKE_PLACE_SET_H
#define BAKE_PLACE_SET_H

#include "diagnostics.h"
#include "hash_table.h"

typedef struct bake_place bake_place;

/* Zeroed is empty. */
typedef struct bake_place_set {
    bake_place *all;
    size_t count, capacity;
    hash_table by_place;
} bake_place_set;

/* Adds a place of the item with number `of`; `ret_is_new` is whether the set did not contain it.
 * False if memory runs out, and then the set is unchanged. */
bool bake_place_set_add(bake_place_set *set, uint32_t of, bake_mark mark, bool *ret_is_new);
void bake_place_set_fini(bake_place_set *set);

/* Whether a place comes before another, by source, line and column. */
bool bake_mark_is_before(bake_mark a, bake_mark b);

#endif
