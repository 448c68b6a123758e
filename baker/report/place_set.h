/* Places in sources at which something was met: what is inherited, a default or has an alias is
 * baked again and again from one place, or once for all, and is one place either way. */
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

/* Adds the place at which the thing numbered `of` was met; `ret_is_new` tells whether it was not
 * there. False when memory ran out, and then the set is as it was. */
bool bake_place_set_add(bake_place_set *set, uint32_t of, bake_mark mark, bool *ret_is_new);
void bake_place_set_fini(bake_place_set *set);

/* Whether a place comes before another, by source, line and column. */
bool bake_mark_is_before(bake_mark a, bake_mark b);

#endif
