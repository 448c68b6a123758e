#include "location_set.h"

#include "bake_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Hashed and compared bytewise, which is valid because the struct has no padding. */
struct bake_location {
    uint32_t of, source, line, column;
};

/* The item is part of the key, because one location may be reported for several items. */
static uint32_t hash_of_location(const hash_table *table, bake_location location)
{
    return (uint32_t)kiln_hash64(&location, sizeof location, table->seed);
}

static bool is_location(const bake_location_set *set, uint32_t number, bake_location location)
{
    return memcmp(&set->all[number], &location, sizeof location) == 0;
}

HASH_TABLE(locations, const bake_location_set *, bake_location, hash_of_location, is_location)

bool bake_location_set_add(bake_location_set *set, uint32_t of, bake_mark mark, bool *ret_is_new)
{
    bake_location location = {of, mark.source, mark.line, mark.column};
    assert(!set->is_sorted);
    /* Both allocations come before any change, so that a failure leaves the set unchanged. */
    bake_location *all =
        bake_table_grow_rows(&set->by_location, set->all, &set->capacity, set->count, sizeof *all);
    if (!all)
        return false;
    set->all = all;
    hash_slot *slot = locations_slot(&set->by_location, set, location);
    *ret_is_new = hash_slot_is_empty(slot);
    if (*ret_is_new) {
        all[set->count] = location;
        hash_table_put(&set->by_location, slot, (uint32_t)set->count++);
    }
    return true;
}

static int compare_locations(const void *a, const void *b)
{
    const bake_location *x = a, *y = b;
    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

void bake_location_set_report(bake_location_set *set, uint32_t of, bake_diagnostics *diagnostics)
{
    size_t first = 0, end = set->count;
    if (!set->is_sorted && set->count > 1)
        qsort(set->all, set->count, sizeof *set->all, compare_locations);
    set->is_sorted = true;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (set->all[middle].of < of)
            first = middle + 1;
        else
            end = middle;
    }
    for (; first < set->count && set->all[first].of == of; first++)
        bake_report_add_place(diagnostics, (bake_mark){set->all[first].source, set->all[first].line,
                                                       set->all[first].column, 1});
}

void bake_location_set_fini(bake_location_set *set)
{
    bake_free(set->all);
    bake_table_fini(&set->by_location);
    memset(set, 0, sizeof *set);
}

bool bake_mark_is_before(bake_mark a, bake_mark b)
{
    if (a.source != b.source)
        return a.source < b.source;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}
