#include "insp_select.h"

#include "insp_glob.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"

#include <inttypes.h>

typedef struct selecting {
    insp_run *run;
    const insp_file *file;
    insp_select_wants *wants;
    insp_selection *selection;
    bool *is_selected; /* by the number of the asset */
    size_t capacity;
    bool failed;
} selecting;

static bool is_name(const char *argument)
{
    return strchr(argument, '/') && !insp_glob_is_pattern(argument);
}

static void add(selecting *s, const insp_asset *asset)
{
    const insp_asset **grown;
    if (s->is_selected[asset->number])
        return;
    grown =
        insp_grow(s->selection->rows, &s->capacity, (size_t)s->selection->count + 1, sizeof *grown);
    if (!grown) {
        s->failed = true;
        return;
    }
    s->selection->rows = grown;
    grown[s->selection->count++] = asset;
    s->is_selected[asset->number] = true;
}

static int add_matches(selecting *s, const char *pattern)
{
    const insp_file *file = s->file;
    bool found = false, others = false;
    uint32_t i;
    for (i = 0; i < file->asset_count && !s->failed; i++) {
        const insp_asset *asset = insp_asset_at(file, i);
        if (!asset || !insp_glob_asset(pattern, asset->name.data, asset->name.length))
            continue;
        if (s->wants && !s->wants(file, asset)) {
            others = true;
            continue;
        }
        found = true;
        add(s, asset);
    }
    if (found || s->failed)
        return INSP_OK;
    if (others) {
        insp_complain(s->run, file->path, "%.300s matches only assets of other types", pattern);
        return INSP_BAD;
    }
    return insp_glob_is_pattern(pattern) ? insp_no_match(s->run, file, pattern)
                                         : insp_no_such_asset(s->run, file, pattern, false);
}

static int add_argument(selecting *s, const char *argument)
{
    const insp_asset *asset = insp_find_asset(s->run, s->file, argument, strlen(argument));
    if (!asset && is_name(argument))
        return insp_no_such_asset(s->run, s->file, argument, false);
    if (!asset)
        return add_matches(s, argument);
    add(s, asset);
    return INSP_OK;
}

static void begin(selecting *s, insp_selection *selection)
{
    *selection = (insp_selection){NULL, 0};
    s->selection = selection;
    s->is_selected = insp_alloc_entries(s->file->asset_count, sizeof *s->is_selected);
    s->failed = !s->is_selected;
}

int insp_select(insp_run *run, const insp_file *file, char *const *arguments, int count,
                insp_select_wants *wants, insp_selection *ret_selection)
{
    selecting s = {.run = run, .file = file, .wants = wants};
    int result = INSP_OK, i;
    begin(&s, ret_selection);
    for (i = 0; i < count && !s.failed; i++)
        result = insp_worse(result, add_argument(&s, arguments[i]));
    insp_free(s.is_selected);
    return s.failed ? insp_no_memory(run) : result;
}

void insp_selection_fini(insp_selection *selection)
{
    insp_free(selection->rows);
    *selection = (insp_selection){NULL, 0};
}

const insp_asset *insp_select_one(insp_run *run, const insp_file *file, const char *argument,
                                  insp_select_wants *wants, int *ret_result)
{
    selecting s = {.run = run, .file = file, .wants = wants};
    insp_selection selection;
    const insp_asset *asset = NULL;
    int result = INSP_OK;
    begin(&s, &selection);
    if (!s.failed)
        result = add_argument(&s, argument);
    insp_free(s.is_selected);
    if (s.failed) {
        result = insp_no_memory(run);
    } else if (selection.count == 1) {
        asset = selection.rows[0];
    } else if (selection.count > 1) {
        insp_complain(run, file->path, "%.300s matches %" PRIu32 " assets; give the name of one",
                      argument, selection.count);
        result = INSP_BAD;
    }
    insp_selection_fini(&selection);
    *ret_result = result;
    return asset;
}

bool insp_select_is_names(const insp_options *options)
{
    int i;
    for (i = 1; i < options->argument_count; i++)
        if (!is_name(options->arguments[i]))
            return false;
    return options->argument_count > 1;
}
