#include "repack_order.h"

#include <stdlib.h>
#include <string.h>

/* An order in the making: each asset comes once. */
typedef struct ordering {
    const kiln_index *index;
    uint32_t *order;
    uint32_t count;
    bool *taken;
} ordering;

static void take(ordering *o, uint32_t asset)
{
    if (o->taken[asset])
        return;
    o->taken[asset] = true;
    o->order[o->count++] = asset;
}

/* qsort passes nothing on, so what is sorted carries its keys. */
typedef struct keyed {
    const char *name; /* NULL: by number alone */
    uint64_t key;
    uint32_t asset;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    int order = left->name ? strcmp(left->name, right->name) : 0;
    return order ? order : (left->asset > right->asset) - (left->asset < right->asset);
}

/* By place in the file, by name, or by id, which is the order of the numbers. */
static uint32_t *sorted(bake_run *run, const kiln_index *index, bake_order by)
{
    uint32_t count = kiln_index_asset_count(index);
    keyed *list = bake_store_alloc(&run->store, count + 1, sizeof *list);
    uint32_t *numbers = bake_store_alloc(&run->store, count + 1, sizeof *numbers);
    if (!list || !numbers)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        keyed made = {NULL, 0, i};
        if (by == BAKE_ORDER_KEPT || by == BAKE_ORDER_REFERENCES)
            made.key = asset->member;
        if (by == BAKE_ORDER_NAME)
            made.name = kiln_string_get(&asset->name);
        list[i] = made;
    }
    if (count > 1)
        qsort(list, count, sizeof *list, compare_keyed);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = list[i].asset;
    return numbers;
}

/* An asset on the way from the first one, and how many of its references were followed. */
typedef struct step {
    uint32_t asset, done;
} step;

/* An asset, then all that it refers to, in the order of its references, and what these refer to: a
 * walk with a stack of its own, since chains of references may be long. Each asset is on it once.
 */
static void take_with_references(ordering *o, uint32_t first, step *stack)
{
    uint32_t top = 0, assets = kiln_index_asset_count(o->index);
    if (o->taken[first])
        return;
    take(o, first);
    stack[top++] = (step){first, 0};
    while (top > 0) {
        step *at = &stack[top - 1];
        uint32_t count;
        const uint32_t *edges = kiln_index_edges(o->index, at->asset, &count);
        if (at->done == count) {
            top--;
            continue;
        }
        uint32_t next = edges[at->done++];
        if (next >= assets || o->taken[next])
            continue;
        take(o, next);
        stack[top++] = (step){next, 0};
    }
}

/* A line is a name; empty ones are skipped. */
static bake_result take_listed(bake_run *run, ordering *o)
{
    const char *path = run->options->first;
    size_t size;
    const char *text = bake_gateway_read(run->gateway, path, &size);
    if (!text)
        return bake_fail_read(&run->failure, run->gateway, path);
    const char *end = text + size;
    for (uint32_t line = 1; text < end; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        size_t name = length && text[length - 1] == '\r' ? length - 1 : length;
        uint32_t asset = kiln_index_find_name(o->index, text, name);
        if (name && asset == KILN_ASSET_NONE)
            return bake_fail(&run->failure, BAKE_CANNOT, "%s:%u: no asset is named '%.*s'", path,
                             line, (int)(name < 200 ? name : 200), text);
        if (name)
            take(o, asset);
        text += stop ? length + 1 : length;
    }
    return BAKE_OK;
}

const uint32_t *bake_repack_order(bake_run *run, const kiln_index *index)
{
    uint32_t count = kiln_index_asset_count(index);
    ordering o = {.index = index};
    o.order = bake_store_alloc(&run->store, (size_t)count + 1, sizeof *o.order);
    o.taken = bake_store_alloc(&run->store, (size_t)count + 1, sizeof *o.taken);
    step *stack = bake_store_alloc(&run->store, (size_t)count + 1, sizeof *stack);
    uint32_t *rest = sorted(run, index, run->options->order);
    if (!o.order || !o.taken || !stack || !rest) {
        bake_fail_memory(&run->failure);
        return NULL;
    }
    if (run->options->first && take_listed(run, &o))
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (run->options->order == BAKE_ORDER_REFERENCES)
            take_with_references(&o, rest[i], stack);
        else
            take(&o, rest[i]);
    }
    return o.order;
}
