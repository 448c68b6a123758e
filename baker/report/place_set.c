#include "place_set.h"

#include "bake_table.h"

#include <string.h>

/* Hashed and compared bytewise, which is valid because it has no padding. */
struct bake_place {
    uint32_t of, source, line, column;
};

/* The item is part of the key, because one location may be reported for several items. */
static uint32_t hash_of_place(const hash_table *table, bake_place place)
{
    return (uint32_t)kiln_hash64(&place, sizeof place, table->seed);
}

static bool is_place(const bake_place_set *set, uint32_t number, bake_place place)
{
    return memcmp(&set->all[number], &place, sizeof place) == 0;
}

HASH_TABLE(places, const bake_place_set *, bake_place, hash_of_place, is_place)

bool bake_place_set_add(bake_place_set *set, uint32_t of, bake_mark mark, bool *ret_is_new)
{
    bake_place place = {of, mark.source, mark.line, mark.column};
    /* Both allocations come before any change, so that a failure leaves the set unchanged. */
    bake_place *all =
        bake_table_grow_rows(&set->by_place, set->all, &set->capacity, set->count, sizeof *all);
    if (!all)
        return false;
    set->all = all;
    hash_slot *slot = places_slot(&set->by_place, set, place);
    *ret_is_new = hash_slot_is_empty(slot);
    if (*ret_is_new) {
        all[set->count] = place;
        hash_table_put(&set->by_place, slot, (uint32_t)set->count++);
    }
    return true;
}

void bake_place_set_fini(bake_place_set *set)
{
    bake_free(set->all);
    bake_table_fini(&set->by_place);
    memset(set, 0, sizeof *set);
}

bool bake_mark_is_before(bake_mark a, bake_mark b)
{
    if (a.source != b.source)
        return a.source < b.source;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}
