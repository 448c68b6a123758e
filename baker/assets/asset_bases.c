/* The linearization of parents is a depth-first preorder in which each asset appears once: the
 * asset, its first parent with all ancestors of that parent, then its second parent, and so on.
 * Chains of parents can be as long as the input makes them, so the search uses an explicit stack
 * instead of recursion. The number of assets bounds its size.
 *
 * Through parents, as through aliases, a small input can produce lists whose total size is
 * quadratic. So the total weight of all lists is limited in proportion to the size of the
 * inputs. */
#include "asset_bases.h"

#include "bake_memory.h"

#include <stdio.h>
#include <string.h>

/* list() and the search for cycles share the stack, because they never run at the same time. */
static bool push(bake_bases *bases, size_t *used, uint32_t base)
{
    uint32_t *stack = bake_grow(bases->stack, &bases->stack_capacity, *used + 1, sizeof *stack);
    if (!stack)
        return false;
    bases->stack = stack;
    bases->stack[(*used)++] = base;
    return true;
}

static bool add_layer(bake_bases *bases, uint32_t number)
{
    const bake_layer **layers =
        bake_grow(bases->layers, &bases->layer_capacity, bases->layer_count + 1, sizeof *layers);
    if (layers)
        bases->layers = layers;
    uint32_t *members =
        bake_grow(bases->members, &bases->member_capacity, bases->layer_count + 1, sizeof *members);
    if (members)
        bases->members = members;
    if (!layers || !members)
        return false;
    layers[bases->layer_count] = &bases->all[number].layer;
    members[bases->layer_count++] = number;
    return true;
}

/* Lists a base and its ancestors, each once, in depth-first order. The patches of an asset come
 * before it. */
static bool list(bake_bases *bases, uint32_t number)
{
    size_t used = 0;
    bases->layer_count = 0;
    bases->lists++;
    if (!push(bases, &used, number))
        return false;
    while (used > 0) {
        bake_base *base = &bases->all[number = bases->stack[--used]];
        bases->work++;
        if (base->listed == bases->lists)
            continue;
        base->listed = bases->lists;
        for (uint32_t p = base->patch; p; p = bases->all[p - 1].patch)
            if (!add_layer(bases, p - 1))
                return false;
        if (!add_layer(bases, number))
            return false;
        for (uint32_t i = base->parent_count; i-- > 0;)
            if (!push(bases, &used, bases->parents[base->first_parent + i]))
                return false;
    }
    return true;
}

bool bake_bases_list(bake_bases *bases, uint32_t base, bake_asset_layers *ret_layers)
{
    if (!list(bases, base))
        return false;
    ret_layers->layers = bases->layers;
    ret_layers->count = bases->layer_count;
    ret_layers->own_count = 1 + bases->all[base].patch_count;
    ret_layers->is_partial = bases->all[base].is_partial;
    return true;
}

/* Mirrors count_uses: releases each input that count_uses counted for the asset. Called once, when
 * the asset is baked. */
void bake_bases_release(bake_inputs *inputs, uint32_t base)
{
    const bake_bases *bases = inputs->bases;
    for (size_t i = 0; i < bases->layer_count; i++) {
        if (bases->members[i] != base)
            bake_input_release(&inputs->inputs[bases->all[bases->members[i]].input]);
    }
}

/* Counts nodes; each alias counts as a copy of its target. The recursion is at most
 * BAKE_TREE_DEPTH_MAX deep, and the tree builder limits the count. */
static uint64_t count_nodes(const bake_tree *tree, bake_node_id node)
{
    uint64_t count = 1;
    if (bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR)
        return count;
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);)
        count += count_nodes(tree, it.value);
    return count;
}

/* Returns the total weight of the layers that list() listed last. */
static uint64_t weigh(bake_bases *bases)
{
    uint64_t total = 0;
    for (size_t i = 0; i < bases->layer_count; i++) {
        bake_base *base = &bases->all[bases->members[i]];
        if (base->weight == 0) {
            bake_node_touch(base->layer.tree, base->layer.node);
            base->weight = count_nodes(base->layer.tree, base->layer.node);
        }
        total += base->weight + base->parent_count;
    }
    return total;
}

/* Adds the weight of the base's list to `*total`, and reports an error if the total exceeds the
 * limit. Returns false if memory runs out. */
static bool add_weight(bake_bases *bases, uint32_t number, uint64_t limit,
                       bake_diagnostics *diagnostics, uint64_t *total)
{
    bake_base *base = &bases->all[number];
    if (!list(bases, number))
        return false;
    base->list_weight = weigh(bases);
    *total += base->list_weight;
    if (*total > limit)
        bake_report(diagnostics, BAKE_ERROR, bake_node_mark(base->layer.tree, base->named_at),
                    "size", base->asset.name,
                    "with inheritance, the assets have %llu values; inputs of this size are "
                    "limited to %llu",
                    (unsigned long long)*total, (unsigned long long)limit);
    return true;
}

/* Lists the layers of each base once. Each layer except the base's own one adds 1 to the
 * `asset_count` of its input. Bases beyond the limit lose their parents and patches. */
static bool count_uses(bake_bases *bases, bake_inputs *inputs, bake_diagnostics *diagnostics)
{
    uint64_t limit = BAKE_TREE_EXPANDED_MIN, total = 0;
    for (size_t i = 0; i < inputs->count; i++)
        limit += 16 * (uint64_t)inputs->inputs[i].size;
    for (size_t i = 0; i < bases->count; i++) {
        bake_base *base = &bases->all[i];
        if (base->is_deleted || (base->parent_count == 0 && base->patch_count == 0))
            continue;
        if (total <= limit && !add_weight(bases, (uint32_t)i, limit, diagnostics, &total))
            return false;
        if (total > limit) {
            base->is_partial = true;
            base->parent_count = base->patch_count = base->patch = 0;
            continue;
        }
        for (size_t m = 0; m < bases->layer_count; m++)
            if (bases->members[m] != i)
                inputs->inputs[bases->all[bases->members[m]].input].asset_count++;
    }
    return true;
}

/* Removes abstract and deleted assets from the list of assets: no file contains them. */
static bool remove_abstracts(bake_bases *bases, bake_inputs *inputs)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < bases->count; i++)
        count += bases->all[i].asset.is_abstract;
    bases->abstracts = bake_alloc_array(count, sizeof *bases->abstracts);
    if (!bases->abstracts)
        return false;
    for (size_t i = 0; i < inputs->asset_count; i++) {
        const bake_asset *asset = &inputs->assets[i];
        const bake_base *base = asset->base == UINT32_MAX ? NULL : &bases->all[asset->base];
        if (base && base->is_deleted)
            inputs->inputs[asset->input].asset_count--;
        else if (base && base->asset.is_abstract)
            bases->abstracts[bases->abstract_count++] = *asset;
        else
            inputs->assets[kept++] = *asset;
    }
    inputs->asset_count = kept;
    return true;
}

/* ---- levels of parents, and cycles. Reports assets that are their own ancestor or have too many
 * levels, and makes their descendants partial ---- */

enum { STATE_NEW, STATE_OPEN, STATE_DONE };

/* Limits for a cycle in a message: the number of names, and the length of each. */
enum { SHOWN_MAX = 8, NAME_SHOWN_MAX = 60 };

typedef struct levels {
    bake_bases *bases;
    bake_diagnostics *diagnostics;
    size_t used; /* stack entries: for each base on the path, its index and its next parent */
} levels;

/* Reports the cycle at the end of the path. `again` is the base that the path reached twice. */
static void report_cycle(const levels *l, uint32_t again)
{
    const bake_bases *bases = l->bases;
    char text[SHOWN_MAX * (NAME_SHOWN_MAX + 8) + 40];
    size_t first = l->used, at = 0, shown = 0;
    do
        first -= 2;
    while (bases->stack[first] != again);
    size_t count = (l->used - first) / 2;
    for (size_t i = first; i < l->used && shown < SHOWN_MAX; i += 2, shown++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%.*s -> ", NAME_SHOWN_MAX,
                               bases->all[bases->stack[i]].asset.name);
    if (count > shown)
        at += (size_t)snprintf(text + at, sizeof text - at, "... %zu more -> ", count - shown);
    const bake_base *base = &bases->all[again];
    snprintf(text + at, sizeof text - at, "%.*s", NAME_SHOWN_MAX, base->asset.name);
    bake_report(l->diagnostics, BAKE_ERROR, bake_node_mark(base->layer.tree, base->named_at),
                "cycle", base->asset.name, "the asset inherits from itself: %s", text);
    for (size_t i = first; i < l->used; i += 2)
        bases->all[bases->stack[i]].is_cyclic = true;
}

static void finish_base(levels *l, bake_base *base)
{
    bake_bases *bases = l->bases;
    base->state = STATE_DONE;
    for (uint32_t i = 0; i < base->parent_count; i++) {
        const bake_base *parent = &bases->all[bases->parents[base->first_parent + i]];
        base->is_partial |= parent->is_partial;
        if (parent->state == STATE_DONE && parent->level >= base->level)
            base->level = parent->level + 1;
    }
    if (base->is_cyclic)
        base->level = 0;
    else if (base->level <= BAKE_LEVELS_MAX)
        return;
    if (base->level == BAKE_LEVELS_MAX + 1)
        bake_report(l->diagnostics, BAKE_ERROR, bake_node_mark(base->layer.tree, base->named_at),
                    "depth", base->asset.name,
                    "the asset has %u levels of parents, more than the maximum of %d", base->level,
                    BAKE_LEVELS_MAX);
    base->is_partial = true;
    base->parent_count = 0;
}

/* Visits the next parent of the last base on the path. Returns false if memory runs out. */
static bool step(levels *l)
{
    bake_bases *bases = l->bases;
    uint32_t *next = &bases->stack[l->used - 1];
    bake_base *base = &bases->all[bases->stack[l->used - 2]];
    bases->work++;
    if (*next == base->parent_count) {
        finish_base(l, base);
        l->used -= 2;
        return true;
    }
    uint32_t number = bases->parents[base->first_parent + (*next)++];
    bake_base *parent = &bases->all[number];
    if (parent->state == STATE_OPEN)
        report_cycle(l, number);
    if (parent->state != STATE_NEW)
        return true;
    parent->state = STATE_OPEN;
    return push(bases, &l->used, number) && push(bases, &l->used, 0);
}

static bool check_levels(bake_bases *bases, bake_diagnostics *diagnostics)
{
    levels l = {bases, diagnostics, 0};
    for (size_t i = 0; i < bases->count; i++) {
        if (bases->all[i].state != STATE_NEW)
            continue;
        bases->all[i].state = STATE_OPEN;
        if (!push(bases, &l.used, (uint32_t)i) || !push(bases, &l.used, 0))
            return false;
        while (l.used > 0)
            if (!step(&l))
                return false;
    }
    return true;
}

bool bake_bases_resolve(bake_inputs *inputs, const bake_schema *schema,
                        bake_diagnostics *diagnostics)
{
    if (!schema->has_inherit && inputs->patch_count == 0)
        return true;
    bake_bases *bases = inputs->bases = bake_alloc_array(1, sizeof *bases);
    return bases && bake_bases_read(bases, inputs, schema, diagnostics) &&
           check_levels(bases, diagnostics) && count_uses(bases, inputs, diagnostics) &&
           remove_abstracts(bases, inputs);
}

void bake_bases_destroy(bake_bases *bases)
{
    if (!bases)
        return;
    bake_free(bases->all);
    bake_free(bases->parents);
    bake_free(bases->stack);
    bake_free(bases->layers);
    bake_free(bases->members);
    bake_free(bases->abstracts);
    bake_free(bases);
}
