/* Checks strings against files: resource paths, and state names of atlases. The gateway only checks
 * whether a resource exists; atlases are read once.
 *
 * The watched members are determined once, when the baker is created: a hash table of members, and
 * a flag for each type whose values can contain such strings. Without resources in the schema,
 * `watch` is NULL, so the check costs a single comparison.
 *
 * See value_watch.h for frames. Frames, notes (the atlases in their fields), states and steps are
 * four stacks. A frame stores the start of its part of each stack, and closing the frame drops
 * these parts. States without an atlas in their frame move to the enclosing frame. Paths are stored
 * only for waiting states. Shared steps are stored once, as a tree with parent links. */
#include "value_watch.h"

#include "bake_memory.h"
#include "bake_table.h"
#include "similar.h"

#include <stdlib.h>
#include <string.h>

/* ---- states of atlases ---- */

bool bake_value_open_frame(bake_values *b, uint32_t type, const value_step *step)
{
    value_watch *w = b->watch;
    if (!(w->types[type] & VALUE_HAS_ATLAS) || !w->paths || b->is_unwatched)
        return false;
    watched_frame *frames =
        bake_grow(w->frames, &w->frame_capacity, w->frame_count + 1, sizeof *frames);
    if (!frames)
        return value_no_memory(b);
    w->frames = frames;
    frames[w->frame_count++] = (watched_frame){.step = step,
                                               .first_note = w->note_count,
                                               .first_state = w->state_count,
                                               .first_step = w->step_count};
    return true;
}

/* Adds an atlas to the current frame. */
static void note_atlas(bake_values *b, bake_node_id node, bake_resource_path *path,
                       const value_step *step)
{
    value_watch *w = b->watch;
    const watched_frame *frame = &w->frames[w->frame_count - 1];
    /* Only for fields of the struct itself, inside any number of newtypes and optionals. */
    if (!step || step->up != frame->step || step->kind != STEP_NAME)
        return;
    watched_note *notes = bake_grow(w->notes, &w->note_capacity, w->note_count + 1, sizeof *notes);
    if (!notes) {
        value_no_memory(b);
        return;
    }
    w->notes = notes;
    notes[w->note_count++] = (watched_note){step->text, path, b->tree, node};
}

/* Stores the steps from `step` up to `end` below the step `*last_step` (an index plus 1), and sets
 * `*last_step` to the last one. Copies are needed because states outlive the steps on the C stack.
 * Returns false if memory runs out. */
static bool store_steps(bake_values *b, const value_step *step, const value_step *end,
                        uint32_t *last_step)
{
    value_watch *w = b->watch;
    size_t count = 0;
    for (const value_step *s = step; s && s != end; s = s->up)
        count++;
    if (count == 0)
        return true;
    watched_step *steps =
        bake_grow(w->steps, &w->step_capacity, w->step_count + count, sizeof *steps);
    if (!steps)
        return value_no_memory(b);
    w->steps = steps;
    size_t first = w->step_count, at = first + count;
    for (const value_step *s = step; at > first; s = s->up, at--)
        steps[at - 1] = (watched_step){*s, at - 1 > first ? (uint32_t)(at - 1) : *last_step};
    w->step_count += count;
    *last_step = (uint32_t)w->step_count;
    return true;
}

/* Stores the paths of all open frames. Returns false if memory runs out. Frames with stored paths
 * are the outermost ones, so the search goes outwards and stops at the first of them. */
static bool store_frames(bake_values *b)
{
    value_watch *w = b->watch;
    size_t first = w->frame_count;
    while (first > 0 && !w->frames[first - 1].last_step)
        first--;
    for (size_t i = first; i < w->frame_count; i++) {
        watched_frame *frame = &w->frames[i], *up = i ? frame - 1 : NULL;
        frame->last_step = up ? up->last_step : 0;
        if (!store_steps(b, frame->step, up ? up->step : NULL, &frame->last_step))
            return false;
    }
    return true;
}

static void note_state(bake_values *b, bake_node_id node, const char *text, size_t length,
                       const char *state_of, const value_step *step)
{
    value_watch *w = b->watch;
    watched_state *states =
        bake_grow(w->states, &w->state_capacity, w->state_count + 1, sizeof *states);
    if (!states) {
        value_no_memory(b);
        return;
    }
    w->states = states;
    if (!store_frames(b))
        return;
    const watched_frame *frame = &w->frames[w->frame_count - 1];
    uint32_t last_step = frame->last_step;
    if (store_steps(b, step, frame->step, &last_step))
        states[w->state_count++] =
            (watched_state){state_of, text, length, b->tree, node, last_step};
}

/* Adds a hint with all state names if there are few, or with a similar one. */
static void hint_names(bake_values *b, const bake_atlas *atlas, const char *text, size_t length)
{
    enum { NAMES_MAX = 4096, SHOWN_MAX = 8 };
    char list[300] = "", cut[VALUE_QUOTE_SIZE];
    size_t at = 0;
    if (atlas->count == 0)
        bake_hint(b->report.to, "the atlas has no states");
    if (atlas->count == 0 || atlas->count > NAMES_MAX || !bake_hints_wanted(b->report.to))
        return;
    if (atlas->count > SHOWN_MAX || bake_most_similar(text, length, atlas->names, atlas->count)) {
        bake_hint_similar(b->report.to, text, length, atlas->names, atlas->count);
        return;
    }
    for (size_t i = 0; i < atlas->count && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "",
                               bake_value_cut(cut, atlas->names[i], strlen(atlas->names[i])));
    bake_hint(b->report.to, "the states of the atlas are %s", list);
}

/* Reports an unknown state with its stored path. Only the last steps of a long path are shown. */
static void report_state(bake_values *b, const watched_state *state, const watched_note *note,
                         const bake_atlas *atlas, bake_mark mark)
{
    enum { STEPS_MAX = 65 };
    value_step steps[STEPS_MAX];
    char quote[VALUE_QUOTE_SIZE], of[VALUE_QUOTE_SIZE];
    const value_watch *w = b->watch;
    const char *path = bake_resource_text(note->path);
    bake_mark named = bake_node_mark(note->tree, note->node);
    size_t count = 0;
    for (uint32_t at = state->last_step; at && count < STEPS_MAX; at = w->steps[at - 1].up)
        steps[count++] = w->steps[at - 1].step;
    for (size_t i = 0; i < count; i++)
        steps[i].up = i + 1 < count ? &steps[i + 1] : NULL;
    bake_value_report(b, BAKE_ERROR, mark, "state", count ? steps : NULL,
                      "the atlas %s has no state %s", bake_value_quote(of, path, strlen(path)),
                      bake_value_quote(quote, state->text, state->length));
    hint_names(b, atlas, state->text, state->length);
    bake_hint(b->report.to, "the atlas is referenced at %s:%u:%u; its states are in %s",
              bake_diagnostics_source_name(b->report.sources, named.source), named.line,
              named.column, atlas->file);
    bake_related(b->report.to, named, "atlas referenced here");
}

static void check_state(bake_values *b, const watched_state *state, const watched_note *note)
{
    value_watch *w = b->watch;
    /* An asset that inherits a partial value may replace a default atlas. */
    if (!note->path || (b->merge.is_partial && value_is_of_schema(b, note->tree) &&
                        !value_is_of_schema(b, state->tree)))
        return;
    const bake_atlas *atlas = bake_resource_atlas(w->paths, note->path);
    if (!atlas) {
        value_no_memory(b);
        return;
    }
    if (!atlas->is_known || bake_atlas_has(atlas, state->text, state->length))
        return;
    bake_mark mark = bake_node_mark(state->tree, state->node);
    bool is_new;
    /* Many assets may inherit a wrong state, but it is reported once. */
    if (!bake_location_set_add(&w->reported, bake_resource_number(note->path), mark, &is_new)) {
        value_no_memory(b);
        return;
    }
    if (!is_new) {
        b->report.errors++;
        return;
    }
    /* The atlas and the state may both be valid in their own assets, so report the combination even
     * if reports about this asset are discarded. */
    bake_diagnostics *diagnostics = b->report.to;
    b->report.to = w->diagnostics;
    report_state(b, state, note, atlas, mark);
    b->report.to = diagnostics;
}

/* Finds the atlas in a field of the frame. Returns NULL if the field is missing. */
static const watched_note *find_note(const value_watch *w, const watched_frame *frame,
                                     const char *field)
{
    for (size_t i = frame->first_note; i < w->note_count; i++)
        if (strcmp(w->notes[i].field, field) == 0)
            return &w->notes[i];
    return NULL;
}

void bake_value_close_frame(bake_values *b)
{
    value_watch *w = b->watch;
    const watched_frame *frame = &w->frames[w->frame_count - 1];
    size_t kept = frame->first_state;
    for (size_t i = kept; i < w->state_count && !b->stopped; i++) {
        const watched_note *note = find_note(w, frame, w->states[i].state_of);
        if (note)
            check_state(b, &w->states[i], note);
        else if (w->frame_count > 1)
            w->states[kept++] = w->states[i];
    }
    w->state_count = kept;
    w->note_count = frame->first_note;
    /* If no state of this frame still waits, drop the steps stored since the frame was opened,
     * including those of enclosing frames. */
    if (kept == frame->first_state)
        w->step_count = frame->first_step;
    w->frame_count--;
    for (size_t i = w->frame_count; i > 0 && w->frames[i - 1].last_step > w->step_count; i--)
        w->frames[i - 1].last_step = 0;
}

bool bake_value_is_in_frame(const bake_values *b)
{
    return b->watch->frame_count > 0;
}

void bake_value_drop_frames(bake_values *b)
{
    value_watch *w = b->watch;
    w->frame_count = w->note_count = w->state_count = w->step_count = 0;
}

/* ---- resource paths ---- */

static uint32_t hash_of_member(const hash_table *table, const kiln_member *member)
{
    return hash_of_number(table, (uintptr_t)member);
}

static bool is_member(const value_watch *w, uint32_t number, const kiln_member *member)
{
    return w->watched[number].member == member;
}

HASH_TABLE(watched_by_member, const value_watch *, const kiln_member *, hash_of_member, is_member)

/* Returns NULL if the member is not watched. */
static const value_watched *find_watched(const value_watch *w, const kiln_member *member)
{
    uint32_t number = watched_by_member_find(&w->by_member, w, member);
    return number == HASH_TABLE_NONE ? NULL : &w->watched[number];
}

static bool add_watched(value_watch *w, const value_watched *watched)
{
    value_watched *list = bake_table_grow_rows(&w->by_member, w->watched, &w->watched_capacity,
                                               w->watched_count, sizeof *list);
    if (!list)
        return false;
    w->watched = list;
    hash_slot *slot = watched_by_member_slot(&w->by_member, w, watched->member);
    hash_table_put(&w->by_member, slot, (uint32_t)w->watched_count);
    list[w->watched_count++] = *watched;
    return true;
}

/* Lists the watched members. Returns false if memory runs out. */
static bool list_members(const bake_values *b, value_watch *w)
{
    const bake_schema *schema = b->schema;
    for (uint32_t t = 0; t < kiln_types_count(b->types); t++) {
        const kiln_type *of = b->list[t];
        const bake_type_info *info = &schema->info[t];
        for (uint32_t m = 0; of->kind == KILN_KIND_STRUCT && m < of->member_count; m++) {
            const char *state_of = schema->members[info->first_member + m].state_of;
            if (!info->resource && !state_of)
                continue;
            value_watched watched = {&of->members[m], info->resource, state_of};
            if (!add_watched(w, &watched))
                return false;
            w->types[t] |= VALUE_HOLDS_WATCHED;
        }
    }
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Marks structs with atlases that states refer to. Returns false if memory runs out. */
static bool mark_atlases(const bake_values *b, value_watch *w)
{
    const char **names = bake_alloc_array(w->watched_count, sizeof *names);
    size_t name_count = 0;
    for (size_t i = 0; names && i < w->watched_count; i++)
        if (w->watched[i].state_of)
            names[name_count++] = w->watched[i].state_of;
    if (name_count > 1)
        qsort(names, name_count, sizeof *names, compare_names);
    for (uint32_t t = 0; name_count > 0 && t < kiln_types_count(b->types); t++) {
        const kiln_type *of = b->list[t];
        bool is_struct = of->kind == KILN_KIND_STRUCT && !(of->flags & KILN_TYPE_TRANSPARENT);
        for (uint32_t m = 0; is_struct && m < of->member_count; m++)
            if (bake_schema_atlas(b->schema, of->members[m].type) &&
                bsearch(&of->members[m].name, names, name_count, sizeof *names, compare_names))
                w->types[t] |= VALUE_HAS_ATLAS;
    }
    bake_free(names);
    return names != NULL;
}

/* Marks all types that contain watched strings. Types can contain each other, so this takes
 * repeated passes. */
static void mark_types(const bake_values *b, value_watch *w)
{
    /* Types are rarely nested this deeply. After this many passes, mark all types: this is slower,
     * since fewer values are shared and cached, but never wrong. */
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
    if (!b->schema->has_resources)
        return true;
    value_watch *w = b->watch = bake_alloc_array(1, sizeof *w);
    if (!w)
        return false;
    w->types = bake_alloc_array((size_t)kiln_types_count(b->types) + 1, sizeof *w->types);
    if (!w->types || !list_members(b, w))
        return false;
    mark_types(b, w);
    return mark_atlases(b, w);
}

void bake_values_end_watch(bake_values *b)
{
    value_watch *w = b->watch;
    if (!w)
        return;
    bake_resource_paths_destroy(w->paths);
    bake_free(w->watched);
    bake_table_fini(&w->by_member);
    bake_free(w->types);
    bake_free(w->frames);
    bake_free(w->notes);
    bake_free(w->states);
    bake_free(w->steps);
    bake_location_set_fini(&w->reported);
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

/* If the resource is missing, records this use. The resource is reported once at the end, with the
 * number of uses. Returns false if memory runs out. */
static bool note_missing(bake_values *b, bake_node_id node, bake_resource_path *path,
                         const value_step *step)
{
    bake_severity severity;
    char text[VALUE_PATH_SIZE];
    if (!bake_resource_is_missing(b->watch->paths, path, &severity))
        return true;
    b->is_noisy = true;
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
    const char *wrong = bake_resource_path_error(text, length);
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
    /* Add invalid and empty paths as well, so that their states are not checked against an
     * enclosing atlas. */
    if (b->watch->frame_count > 0 && resource->names)
        note_atlas(b, node, path, step);
}

bool bake_value_holds_watched(const bake_values *b, uint32_t type, const kiln_member *field)
{
    return b->watch &&
           ((b->watch->types[type] & VALUE_HOLDS_WATCHED) || bake_value_is_watched(b, field));
}

bool bake_value_is_watched(const bake_values *b, const kiln_member *field)
{
    return field && find_watched(b->watch, field);
}

void bake_value_watch(bake_values *b, bake_node_id node, const char *text, size_t length,
                      const kiln_member *field, const value_step *step)
{
    const value_watched *watched = find_watched(b->watch, field);
    if (!watched || b->is_unwatched || value_defer(b))
        return;
    if (watched->resource)
        path_value(b, node, text, length, watched->resource, step);
    /* An empty string means no state, just as it means no path. */
    if (watched->state_of && length > 0 && b->watch->frame_count > 0)
        note_state(b, node, text, length, watched->state_of, step);
}
