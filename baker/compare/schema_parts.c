/* What changed in types says something of all that are made of them. */
#include "schema_compare.h"

#include "bake_memory.h"

#include <string.h>

/* The types that each type is a part of, as lists one after the other. */
typedef struct wholes {
    const kiln_types *types;
    uint32_t *first; /* by type; one more at the end */
    uint32_t *numbers;
    uint32_t *stack, stack_count;
    uint32_t *reason; /* by type: the finding that it is told of; KILN_TYPE_NONE */
} wholes;

/* Calls nothing and counts, or files `whole` under each of its parts. */
static void file_parts(wholes *w, uint32_t whole, bool count_only)
{
    const kiln_type *of = kiln_types_get(w->types, whole);
    uint32_t own[2] = {of->kind == KILN_KIND_REF ? KILN_TYPE_NONE : of->element, of->key};
    for (uint32_t i = 0; i < 2 + of->member_count; i++) {
        uint32_t part = i < 2 ? own[i] : of->members[i - 2].type;
        if (part == KILN_TYPE_NONE)
            continue;
        if (count_only)
            w->first[part + 1]++;
        else
            w->numbers[w->first[part]++] = whole;
    }
}

static bool find_wholes(wholes *w)
{
    uint32_t count = kiln_types_count(w->types);
    w->first = bake_alloc_array((size_t)count + 2, sizeof *w->first);
    w->stack = bake_alloc_array(count, sizeof *w->stack);
    w->reason = bake_alloc_array(count, sizeof *w->reason);
    if (!w->first || !w->stack || !w->reason)
        return false;
    for (uint32_t t = 0; t < count; t++) {
        w->reason[t] = KILN_TYPE_NONE;
        file_parts(w, t, true);
    }
    for (uint32_t t = 0; t < count; t++)
        w->first[t + 1] += w->first[t];
    w->numbers = bake_alloc_array(w->first[count], sizeof *w->numbers);
    if (!w->numbers)
        return false;
    for (uint32_t t = 0; t < count; t++)
        file_parts(w, t, false);
    /* Filing moved each beginning to its end, which is the next one's beginning. */
    memmove(w->first + 1, w->first, count * sizeof *w->first);
    w->first[0] = 0;
    return true;
}

/* Tells all that the type is a part of, but those that were told of one as bad, or worse. */
static void tell_wholes(wholes *w, const schema_comparison *c, uint32_t number)
{
    uint32_t source = c->findings[number].from;
    w->stack_count = 0;
    w->stack[w->stack_count++] = source;
    while (w->stack_count > 0) {
        uint32_t part = w->stack[--w->stack_count];
        for (uint32_t i = w->first[part]; i < w->first[part + 1]; i++) {
            uint32_t whole = w->numbers[i];
            if (w->reason[whole] != KILN_TYPE_NONE || whole == source)
                continue;
            w->reason[whole] = number;
            w->stack[w->stack_count++] = whole;
        }
    }
}

bool bake_schema_tell_parts(schema_comparison *c)
{
    wholes w = {.types = c->def.from};
    bool ok = find_wholes(&w);
    /* The worst first, so that each whole is looked at once. Of what was removed the fields tell
     * that had it. */
    for (int level = SCHEMA_YAML_FAILS; ok && level >= SCHEMA_YAML_SAME; level--)
        for (uint32_t i = 0; i < c->count; i++) {
            const schema_finding *finding = &c->findings[i];
            if (finding->from != KILN_TYPE_NONE && finding->to != KILN_TYPE_NONE &&
                finding->changes && (int)finding->yaml == level)
                tell_wholes(&w, c, i);
        }
    for (uint32_t i = 0; ok && i < c->count; i++) {
        schema_finding *finding = &c->findings[i];
        uint32_t reason =
            finding->from == KILN_TYPE_NONE ? KILN_TYPE_NONE : w.reason[finding->from];
        if (reason != KILN_TYPE_NONE)
            finding->part = &c->findings[reason];
    }
    bake_free(w.first);
    bake_free(w.numbers);
    bake_free(w.stack);
    bake_free(w.reason);
    return ok;
}
