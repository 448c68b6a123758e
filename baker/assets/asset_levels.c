/* How many levels of parents lie above each asset. An asset that is among its own parents, or lies
 * too deep, is reported, and what comes from it is not all known. */
#include "asset_bases.h"

#include "bake_memory.h"

#include <stdio.h>
#include <string.h>

enum { STATE_NEW, STATE_OPEN, STATE_DONE };

/* Names of a cycle that are shown. */
enum { SHOWN_MAX = 8, NAME_SHOWN_MAX = 60 };

typedef struct levels {
    bake_bases *bases;
    bake_diagnostics *diagnostics;
    size_t used; /* of the stack: base and number of its next parent, for each on the way */
} levels;

/* The way is a cycle from the base that it leads to again. */
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
                "cycle", base->asset.name, "inherits from itself: %s", text);
    for (size_t i = first; i < l->used; i += 2)
        bases->all[bases->stack[i]].is_cyclic = true;
}

static void close(levels *l, bake_base *base)
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
                    "inherits over %u levels of parents, at most %d are "
                    "allowed",
                    base->level, BAKE_LEVELS_MAX);
    base->is_partial = true;
    base->parent_count = 0;
}

/* The next step of the base at the way's end. False when memory ran out. */
static bool step(levels *l)
{
    bake_bases *bases = l->bases;
    uint32_t *next = &bases->stack[l->used - 1];
    bake_base *base = &bases->all[bases->stack[l->used - 2]];
    bases->work++;
    if (*next == base->parent_count) {
        close(l, base);
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
    return bake_bases_push(bases, &l->used, number) && bake_bases_push(bases, &l->used, 0);
}

bool bake_bases_check_levels(bake_bases *bases, bake_diagnostics *diagnostics)
{
    levels l = {bases, diagnostics, 0};
    for (size_t i = 0; i < bases->count; i++) {
        if (bases->all[i].state != STATE_NEW)
            continue;
        bases->all[i].state = STATE_OPEN;
        if (!bake_bases_push(bases, &l.used, (uint32_t)i) || !bake_bases_push(bases, &l.used, 0))
            return false;
        while (l.used > 0)
            if (!step(&l))
                return false;
    }
    return true;
}
