#include "run_notes.h"

#include "run_part.h"

#include <errno.h>
#include <string.h>

/* Longer lines have no excerpts. */
enum { LINE_MAX_SIZE = 1 << 16 };

static const char *const *list_hints(bake_store *store, const char *hints, size_t *ret_count)
{
    size_t count = 0;
    for (const char *at = hints; at && *at; at += strlen(at) + 1)
        count++;
    const char **list = bake_store_alloc(store, count + 1, sizeof *list);
    *ret_count = 0;
    for (const char *at = hints; list && at && *at; at += strlen(at) + 1)
        list[(*ret_count)++] = at;
    return list;
}

/* Lists the places of a report, its own first. */
static const bake_mark *list_places(bake_store *store, const bake_report_view *view,
                                    size_t *ret_count)
{
    bake_mark *places = bake_store_alloc(store, view->place_count + 1, sizeof *places);
    if (!places)
        return NULL;
    *ret_count = 1;
    places[0] = view->mark;
    for (size_t i = 0; i < view->place_count; i++) {
        const bake_mark *place = &view->places[i];
        bool is_own = place->source == view->mark.source && place->line == view->mark.line &&
                      place->column == view->mark.column;
        if (!is_own)
            places[(*ret_count)++] = *place;
    }
    return places;
}

static void fill_related(const bake_run *run, bake_store *store, size_t number, size_t count,
                         bake_part_warning *ret)
{
    const char **texts = bake_store_alloc(store, count + 1, sizeof *texts);
    bake_mark *places = bake_store_alloc(store, count + 1, sizeof *places);
    for (size_t i = 0; i < count && texts && places; i++)
        texts[i] = bake_diagnostics_related(run->diagnostics, number, i, &places[i]);
    ret->related = texts;
    ret->related_places = places;
    ret->related_count = count;
}

static void fill_warning(const bake_run *run, bake_store *store, size_t number,
                         const bake_report_view *view, bake_part_warning *ret)
{
    *ret = (bake_part_warning){.rule = view->rule,
                               .path = view->path ? view->path : "",
                               .message = view->message,
                               .is_counted = view->place_count > 0};
    if (view->line && view->line_size <= LINE_MAX_SIZE) {
        ret->text = view->line;
        ret->text_size = view->line_size;
    }
    ret->places = list_places(store, view, &ret->place_count);
    ret->hints = list_hints(store, view->hints, &ret->hint_count);
    fill_related(run, store, number, view->related_count, ret);
}

/* Resources are no inputs, and a part depends only on its inputs. So the part itself prints what is
 * wrong with resources. */
static bool is_noted(void *ctx, const bake_report_view *view)
{
    (void)ctx;
    return view->severity == BAKE_WARNING && strcmp(view->rule, "resource") != 0;
}

/* The notes refer to texts of the diagnostics. */
static bool make_notes(bake_run *run, const bake_asset_marks *marks, bake_store *store,
                       bake_part_notes *ret)
{
    bake_diagnostics *d = run->diagnostics;
    size_t paths = 0, count = bake_diagnostics_count(d), warnings = 0;
    while (*bake_diagnostics_source_name(d, (uint32_t)paths))
        paths++;
    const char **names = bake_store_alloc(store, paths + 1, sizeof *names);
    bake_part_line *lines = bake_store_alloc(store, marks->count + 1, sizeof *lines);
    bake_part_warning *list = bake_store_alloc(store, count + 1, sizeof *list);
    if (!names || !lines || !list)
        return false;
    for (size_t i = 0; i < paths; i++)
        names[i] = bake_diagnostics_source_name(d, (uint32_t)i);
    for (size_t i = 0; i < marks->count; i++)
        lines[i] = (bake_part_line){marks->assets[i].name, marks->marks[i]};
    for (size_t i = 0; i < count; i++) {
        bake_report_view view = bake_diagnostics_view(d, i);
        if (is_noted(NULL, &view) && view.mark.source < paths)
            fill_warning(run, store, i, &view, &list[warnings++]);
    }
    *ret = (bake_part_notes){.paths = names,
                             .path_count = paths,
                             .lines = lines,
                             .line_count = marks->count,
                             .warnings = list,
                             .warning_count = warnings};
    ret->frames = run->part->frames;
    ret->frame_count = run->part->frame_count;
    ret->hidden = bake_diagnostics_take_hidden(d, BAKE_WARNING);
    return !store->failed;
}

bool bake_run_notes_write(bake_run *run, const bake_asset_marks *marks,
                          bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    bake_store store = {0};
    bake_part_notes notes;
    errno = ENOMEM;
    bool ok = make_notes(run, marks, &store, &notes) && bake_part_notes_write(&notes, write, ctx);
    int error = errno;
    bake_store_fini(&store);
    if (ok)
        bake_diagnostics_drop(run->diagnostics, is_noted, NULL);
    errno = error;
    return ok;
}
