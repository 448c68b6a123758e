/* States of atlases: texts that have to be among the names that another field's atlas has. */
#include "value_watch.h"

#include "bake_memory.h"
#include "similar.h"

#include <string.h>

bool bake_value_open_frame(bake_values *b, uint32_t type, const value_step *step)
{
    value_watch *w = b->watch;
    if (!(w->types[type] & VALUE_IS_AROUND_STATES) || !w->paths || b->is_unwatched)
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

void bake_value_note_atlas(bake_values *b, bake_node_id node, bake_resource_path *path,
                           const value_step *step)
{
    value_watch *w = b->watch;
    const watched_frame *frame = &w->frames[w->frame_count - 1];
    /* Only a field of the struct itself, at whatever depth of newtypes and optionals. */
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

/* Stores the steps from `step` up to `end`, below the one whose number, plus 1, is `*last_step`,
 * which becomes that of the last. False when memory ran out. */
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

/* Stores the paths to all frames; false when memory ran out. */
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

void bake_value_note_state(bake_values *b, bake_node_id node, const char *text, size_t length,
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

/* What the states are called that are there: all where they are few, or one that is like it. */
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

/* Reports with the path that was stored; the last steps say most. */
static void report(bake_values *b, const watched_state *state, const watched_note *note,
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
    bake_hint(b->report.to, "the atlas is named at %s:%u:%u; its states are in %s",
              bake_diagnostics_source_name(b->report.sources, named.source), named.line,
              named.column, atlas->file);
    bake_related(b->report.to, named, "the atlas is named here");
}

static bool is_default(const bake_values *b, const bake_tree *tree)
{
    for (size_t i = 0; i < b->schema->tree_count; i++)
        if (b->schema->trees[i] == tree)
            return true;
    return false;
}

static void check(bake_values *b, const watched_state *state, const watched_note *note)
{
    value_watch *w = b->watch;
    /* Who inherits what is not whole may write another atlas over a default. */
    if (!note->path ||
        (b->merge.is_partial && is_default(b, note->tree) && !is_default(b, state->tree)))
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
    /* Many assets may inherit a wrong state, which is reported once. */
    if (!bake_place_set_add(&w->reported, bake_resource_number(note->path), mark, &is_new)) {
        value_no_memory(b);
        return;
    }
    if (!is_new) {
        b->report.errors++;
        return;
    }
    /* Each part may be right where it was written, so that nobody else tells it. */
    bake_diagnostics *diagnostics = b->report.to;
    b->report.to = w->diagnostics;
    report(b, state, note, atlas, mark);
    b->report.to = diagnostics;
}

/* The frame's atlas that a state is of; NULL: it is left out. */
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
            check(b, &w->states[i], note);
        else if (w->frame_count > 1)
            w->states[kept++] = w->states[i];
    }
    w->state_count = kept;
    w->note_count = frame->first_note;
    /* Where none waits, nobody needs their steps, those of the frames around it included. */
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
