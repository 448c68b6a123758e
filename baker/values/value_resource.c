/* Strings that are paths of resources, or states of atlases: what they name has to be there. */
#include "value_watch.h"

#include "bake_memory.h"

#include <stdlib.h>
#include <string.h>

static size_t hash_of(const value_watch *w, const kiln_member *member)
{
    uint64_t hash = (uint64_t)(uintptr_t)member * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 20) & (w->slot_count - 1);
}

static value_watched *slot_of(const value_watch *w, const kiln_member *member)
{
    size_t slot = hash_of(w, member);
    while (w->slots[slot].member && w->slots[slot].member != member)
        slot = (slot + 1) & (w->slot_count - 1);
    return &w->slots[slot];
}

/* Notes the members that are watched. */
static void fill_slots(const bake_values *b, value_watch *w)
{
    const bake_schema *schema = b->schema;
    for (uint32_t t = 0; t < kiln_types_count(b->types); t++) {
        const kiln_type *of = b->list[t];
        const bake_type_info *info = &schema->info[t];
        for (uint32_t m = 0; of->kind == KILN_KIND_STRUCT && m < of->member_count; m++) {
            const char *state_of = schema->members[info->first_member + m].state_of;
            if (!info->resource && !state_of)
                continue;
            *slot_of(w, &of->members[m]) =
                (value_watched){&of->members[m], info->resource, state_of};
            w->types[t] |= VALUE_HOLDS_WATCHED;
        }
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Marks structs with fields that states are of; false when memory ran out. */
static bool mark_atlases(const bake_values *b, value_watch *w)
{
    const char **names = bake_alloc_array(w->slot_count, sizeof *names);
    size_t name_count = 0;
    for (size_t i = 0; names && i < w->slot_count; i++)
        if (w->slots[i].state_of)
            names[name_count++] = w->slots[i].state_of;
    if (name_count > 1)
        qsort(names, name_count, sizeof *names, compare_names);
    for (uint32_t t = 0; name_count > 0 && t < kiln_types_count(b->types); t++) {
        const kiln_type *of = b->list[t];
        bool is_struct = of->kind == KILN_KIND_STRUCT && !(of->flags & KILN_TYPE_TRANSPARENT);
        for (uint32_t m = 0; is_struct && m < of->member_count; m++)
            if (bake_schema_atlas(b->schema, of->members[m].type) &&
                bsearch(&of->members[m].name, names, name_count, sizeof *names, compare_names))
                w->types[t] |= VALUE_IS_AROUND_STATES;
    }
    bake_free(names);
    return names != NULL;
}

/* Marks all types that have watched strings in them. */
static void mark_types(const bake_values *b, value_watch *w)
{
    /* More rounds than types usually nest; beyond them all are marked, which only
     * costs time. */
    enum { ROUNDS_MAX = 64 };
    uint32_t count = kiln_types_count(b->types);
    bool found = true;
    for (int round = 0; found && round < ROUNDS_MAX; round++) {
        found = false;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t t = round % 2 ? i : count - 1 - i;
            const kiln_type *of = b->list[t];
            bool holds = of->kind != KILN_KIND_REF && of->element != KILN_TYPE_NONE &&
                         (w->types[of->element] & VALUE_HOLDS_WATCHED);
            for (uint32_t m = 0; !holds && m < of->member_count; m++)
                holds = of->members[m].type != KILN_TYPE_NONE &&
                        (w->types[of->members[m].type] & VALUE_HOLDS_WATCHED);
            found |= holds && !(w->types[t] & VALUE_HOLDS_WATCHED);
            w->types[t] |= holds ? VALUE_HOLDS_WATCHED : 0;
        }
    }
    for (uint32_t t = 0; found && t < count; t++)
        w->types[t] |= VALUE_HOLDS_WATCHED;
}

bool bake_values_list_watched(bake_values *b)
{
    const bake_schema *schema = b->schema;
    uint32_t types = kiln_types_count(b->types);
    size_t count = 0;
    if (!schema->has_resources)
        return true;
    value_watch *w = b->watch = bake_alloc_array(1, sizeof *w);
    if (!w)
        return false;
    for (uint32_t t = 0; t < types; t++)
        count += schema->info[t].resource != NULL;
    for (uint32_t m = 0; m < schema->member_count; m++)
        count += schema->members[m].state_of != NULL;
    for (w->slot_count = 16; w->slot_count < count * 4;)
        w->slot_count *= 2;
    w->slots = bake_alloc_array(w->slot_count, sizeof *w->slots);
    w->types = bake_alloc_array((size_t)types + 1, sizeof *w->types);
    if (!w->slots || !w->types)
        return false;
    fill_slots(b, w);
    mark_types(b, w);
    return mark_atlases(b, w);
}

void bake_values_end_watch(bake_values *b)
{
    value_watch *w = b->watch;
    if (!w)
        return;
    bake_resource_paths_destroy(w->paths);
    bake_free(w->slots);
    bake_free(w->types);
    bake_free(w->frames);
    bake_free(w->notes);
    bake_free(w->states);
    bake_free(w->steps);
    bake_place_set_fini(&w->reported);
    bake_free(w);
}

bool bake_values_check_resources(bake_values *b, bake_resources mode)
{
    bake_resource_paths_def def = {b->files.gateway, b->report.to, b->files.base, mode};
    if (!b->watch || !b->files.gateway)
        return true;
    b->watch->paths = bake_resource_paths_create(&def);
    b->watch->diagnostics = b->report.to;
    if (!b->watch->paths)
        bake_fail_memory(b->failure);
    return b->watch->paths != NULL;
}

size_t bake_values_missing_resources(const bake_values *b)
{
    return b->watch && b->watch->paths ? bake_resource_errors(b->watch->paths) : 0;
}

void bake_values_report_resources(bake_values *b)
{
    if (b->watch && b->watch->paths)
        bake_resource_report(b->watch->paths);
}

/* A path that leads nowhere is reported at the end, with the number of its places. */
static bool note_missing(bake_values *b, bake_node_id node, bake_resource_path *path,
                         const value_step *step)
{
    bake_severity severity;
    char text[VALUE_PATH_SIZE];
    if (!bake_resource_is_missing(b->watch->paths, path, &severity))
        return true;
    b->report.errors += severity == BAKE_ERROR;
    if (b->report.to == b->report.silence)
        return true;
    bake_value_path_text(b, step, text);
    return bake_resource_note(b->watch->paths, path, value_mark(b, node), text) ||
           value_no_memory(b);
}

static void path_value(bake_values *b, bake_node_id node, const char *text, size_t length,
                       const bake_resource *resource, const value_step *step)
{
    const char *wrong = bake_resource_wrong(text, length);
    bake_resource_path *path = NULL;
    char quote[VALUE_QUOTE_SIZE];
    if (wrong)
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "resource", step, "%s %s",
                          bake_value_quote(quote, text, length), wrong);
    if (!b->watch->paths)
        return;
    if (!wrong && length > 0) {
        path = bake_resource_find(b->watch->paths, resource, text, length);
        if (!path) {
            bake_resource_fail(b->watch->paths, b->failure);
            value_stop(b);
            return;
        }
        if (!note_missing(b, node, path, step))
            return;
    }
    if (b->watch->frame_count > 0 && resource->names)
        bake_value_note_atlas(b, node, path, step);
}

bool bake_value_holds_watched(const bake_values *b, uint32_t type, const kiln_member *field)
{
    return b->watch &&
           ((b->watch->types[type] & VALUE_HOLDS_WATCHED) || bake_value_is_watched(b, field));
}

bool bake_value_is_watched(const bake_values *b, const kiln_member *field)
{
    return field && slot_of(b->watch, field)->member;
}

void bake_value_watch(bake_values *b, bake_node_id node, const char *text, size_t length,
                      const kiln_member *field, const value_step *step)
{
    const value_watched *watched = slot_of(b->watch, field);
    if (!watched->member || b->is_unwatched)
        return;
    if (watched->resource)
        path_value(b, node, text, length, watched->resource, step);
    /* A text without a byte is no state, as it is no path. */
    if (watched->state_of && length > 0 && b->watch->frame_count > 0)
        bake_value_note_state(b, node, text, length, watched->state_of, step);
}
