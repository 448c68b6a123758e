/* A set of source locations, so that each mistake is reported once per location. Inherited values,
 * defaults and aliased nodes are baked many times from the same location. */
#ifndef BAKE_LOCATION_SET_H
#define BAKE_LOCATION_SET_H

#include "diagnostics.h"
#include "hash_table.h"

typedef struct bake_location bake_location;

/* A zeroed set is empty. */
typedef struct bake_location_set {
    bake_location *all;
    size_t count, capacity;
    hash_table by_location;
    bool is_sorted; /* by item; nothing can be added any more */
} bake_location_set;

/* Adds the location `mark` for item `of`, and sets `*ret_is_new` to whether the set did not contain
 * the pair. Returns false if memory runs out; the set is then unchanged. */
bool bake_location_set_add(bake_location_set *set, uint32_t of, bake_mark mark, bool *ret_is_new);
/* Adds all locations of an item to the last report (bake_report_add_place). Nothing can be added to
 * the set after the first call. */
void bake_location_set_report(bake_location_set *set, uint32_t of, bake_diagnostics *diagnostics);
void bake_location_set_fini(bake_location_set *set);

/* Whether `a` comes before `b` by source, line and column. */
bool bake_mark_is_before(bake_mark a, bake_mark b);

#endif
