/* Visits the types from the parts to the wholes: each type that becomes part of the result adds the
 * types that contain it. So each pair of a type and a part is visited once. */
#include "insp_type_reach.h"

#include "insp_memory.h"

/* The types that contain a type directly, as lists in one array. */
typedef struct wholes {
    uint32_t *starts; /* types + 1 */
    uint32_t *types;
} wholes;

/* Calls `add` for the direct parts of a type. */
static void each_part(const kiln_types *types, uint32_t number, wholes *w,
                      void (*add)(wholes *w, uint32_t part, uint32_t whole))
{
    const kiln_type *type = kiln_types_get(types, number);
    uint32_t i;
    if (type->kind == KILN_KIND_STRUCT || type->kind == KILN_KIND_UNION)
        for (i = 0; i < type->member_count; i++)
            if (type->members[i].type != KILN_TYPE_NONE)
                add(w, type->members[i].type, number);
    if (type->kind == KILN_KIND_MAP)
        add(w, type->key, number);
    if (type->kind == KILN_KIND_MAP || type->kind == KILN_KIND_ARRAY ||
        type->kind == KILN_KIND_OPTIONAL || type->kind == KILN_KIND_FIXED)
        add(w, type->element, number);
}

static void count_whole(wholes *w, uint32_t part, uint32_t whole)
{
    (void)whole;
    w->starts[part + 1]++;
}

static void add_whole(wholes *w, uint32_t part, uint32_t whole)
{
    w->types[w->starts[part]++] = whole;
}

static bool find_wholes(const kiln_types *types, wholes *w)
{
    uint32_t count = kiln_types_count(types), i;
    w->types = NULL;
    w->starts = insp_alloc_array((size_t)count + 1, sizeof *w->starts);
    if (!w->starts)
        return false;
    for (i = 0; i < count; i++)
        each_part(types, i, w, count_whole);
    for (i = 0; i < count; i++)
        w->starts[i + 1] += w->starts[i];
    w->types = insp_alloc_array(w->starts[count], sizeof *w->types);
    if (!w->types)
        return false;
    for (i = 0; i < count; i++)
        each_part(types, i, w, add_whole);
    /* Each start has moved to the next one. */
    for (i = count; i > 0; i--)
        w->starts[i] = w->starts[i - 1];
    w->starts[0] = 0;
    return true;
}

bool *insp_type_reach(const kiln_types *types, const bool *wanted)
{
    uint32_t count = kiln_types_count(types), queued = 0, done = 0, i;
    bool *reached = insp_alloc_array(count, sizeof *reached);
    uint32_t *queue = insp_alloc_array(count, sizeof *queue);
    wholes w = {NULL, NULL};
    bool ok = reached && queue && find_wholes(types, &w);
    for (i = 0; ok && i < count; i++) {
        reached[i] = wanted[i];
        if (wanted[i])
            queue[queued++] = i;
    }
    while (done < queued) {
        uint32_t part = queue[done++];
        for (i = w.starts[part]; i < w.starts[part + 1]; i++) {
            uint32_t whole = w.types[i];
            if (!reached[whole])
                queue[queued++] = whole;
            reached[whole] = true;
        }
    }
    insp_free(w.starts);
    insp_free(w.types);
    insp_free(queue);
    if (!ok) {
        insp_free(reached);
        reached = NULL;
    }
    return reached;
}

bool *insp_type_reach_kinds(const kiln_types *types, uint32_t kinds)
{
    uint32_t count = kiln_types_count(types), i;
    bool *wanted = insp_alloc_array(count, sizeof *wanted), *reached;
    for (i = 0; wanted && i < count; i++)
        wanted[i] = kinds >> kiln_types_get(types, i)->kind & 1;
    reached = wanted ? insp_type_reach(types, wanted) : NULL;
    insp_free(wanted);
    return reached;
}
