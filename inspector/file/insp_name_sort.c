/* A radix sort by the eight bytes after the common prefix of the names. Assets with equal bytes
 * there are sorted again in the same way, by the bytes after their longer common prefix. After
 * DEPTH_MAX rounds, and for FEW assets, qsort compares the names. For a million assets, this takes
 * a quarter of the time of qsort alone. */
#include "insp_name_sort.h"

#include "insp_memory.h"

#include <stdlib.h>

enum { FEW = 64, DEPTH_MAX = 6, DIGITS = 8, VALUES = 256 };

typedef struct keyed {
    uint64_t key;
    const insp_asset *asset;
} keyed;

static int compare_assets(const void *a, const void *b)
{
    const insp_asset *left = ((const keyed *)a)->asset, *right = ((const keyed *)b)->asset;
    int order = insp_text_compare(left->name, right->name);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

static uint32_t common_prefix(const keyed *items, size_t count, uint32_t from)
{
    insp_text first = items[0].asset->name;
    uint32_t length = first.length, k;
    size_t i;
    for (i = 1; i < count && length > from; i++) {
        insp_text name = items[i].asset->name;
        if (name.length < length)
            length = name.length;
        for (k = from; k < length && name.data[k] == first.data[k]; k++)
            continue;
        length = k;
    }
    return length;
}

/* The bytes at `from` as a number that is ordered as they are. A name that ends there sorts first,
 * like one with zeros. */
static uint64_t key_at(insp_text name, uint32_t from)
{
    uint64_t key = 0;
    uint32_t i;
    for (i = from; i < name.length && i - from < DIGITS; i++)
        key |= (uint64_t)(unsigned char)name.data[i] << (8 * (DIGITS - 1 - (i - from)));
    return key;
}

/* Stable, by one digit after the other, the lowest first. Digits that are the same in all keys are
 * skipped. The result is in `items`. */
static void sort_by_key(keyed *items, keyed *spare, size_t count)
{
    size_t counts[DIGITS][VALUES] = {{0}}, i;
    keyed *from = items, *to = spare;
    int d, v;
    for (i = 0; i < count; i++)
        for (d = 0; d < DIGITS; d++)
            counts[d][items[i].key >> (8 * d) & (VALUES - 1)]++;
    for (d = 0; d < DIGITS; d++) {
        size_t *start = counts[d], sum = 0;
        keyed *sorted = to;
        if (start[items[0].key >> (8 * d) & (VALUES - 1)] == count)
            continue;
        for (v = 0; v < VALUES; v++) {
            size_t here = start[v];
            start[v] = sum;
            sum += here;
        }
        for (i = 0; i < count; i++)
            to[start[from[i].key >> (8 * d) & (VALUES - 1)]++] = from[i];
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

/* Sorts items whose first `prefix` bytes are equal. */
static void sort_items(keyed *items, keyed *spare, size_t count, uint32_t prefix, int depth)
{
    size_t i, end;
    if (count < FEW || depth == DEPTH_MAX) {
        if (count > 1)
            qsort(items, count, sizeof *items, compare_assets);
        return;
    }
    prefix = common_prefix(items, count, prefix);
    for (i = 0; i < count; i++)
        items[i].key = key_at(items[i].asset->name, prefix);
    sort_by_key(items, spare, count);
    for (i = 0; i < count; i = end) {
        for (end = i + 1; end < count && items[end].key == items[i].key;)
            end++;
        if (end - i > 1)
            sort_items(items + i, spare, end - i, prefix, depth + 1);
    }
}

kiln_status insp_name_sort(const insp_asset **assets, size_t count)
{
    keyed *items = insp_alloc_entries(count, 2 * sizeof *items);
    size_t i;
    if (!items)
        return KILN_NO_MEMORY;
    for (i = 0; i < count; i++)
        items[i].asset = assets[i];
    sort_items(items, items + count, count, 0, 0);
    for (i = 0; i < count; i++)
        assets[i] = items[i].asset;
    insp_free(items);
    return KILN_OK;
}
