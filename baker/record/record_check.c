/* Checks a record against the current environment, files and folders. It reads as little as
 * possible: states first, and contents only where states cannot tell. */
#include "record_check.h"

#include "bake_memory.h"
#include "hash_ahead.h"
#include "hash_equal.h"
#include "record_changes.h"
#include "record_inputs.h"
#include "record_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct record_checker {
    bake_record *record;
    bool trust_stat;
    size_t jobs;
    bool is_newer;
    int64_t now;           /* when the check began */
    unsigned char *buffer; /* for bake_file_hash; NULL: not needed yet */
    bake_changes *changes;
    bake_finder finder;
} record_checker;

static void compare_variables(const record_checker *c)
{
    const bake_record *record = c->record;
    for (size_t i = 0; i < record->variable_count; i++) {
        const char *name = record->variables[i].name, *was = record->variables[i].value;
        const char *is = getenv(name);
        if (was && is && strcmp(was, is) != 0)
            bake_change_add(c->changes, BAKE_CHANGE_VARIABLE, "variable ", name, "%s -> %s", was,
                            is);
        else if (!was != !is)
            bake_change_add(c->changes, BAKE_CHANGE_VARIABLE, "variable ", name, "%s",
                            is ? "set now" : "no longer set");
    }
}

/* Replaces a state that a later check could not trust. */
static void renew(record_checker *c, bake_file_state *known, const bake_file_state *current)
{
    bool is_trusted = bake_file_state_is_equal(known, current) &&
                      !bake_file_state_is_recent(known, c->record->began);
    if (!is_trusted &&
        (!bake_file_state_is_equal(known, current) || !bake_file_state_is_recent(current, c->now)))
        c->is_newer = true;
    *known = *current;
}

/* Whether the state alone shows that nothing changed. */
static bool is_trusted(const record_checker *c, const bake_file_state *known,
                       const bake_file_state *current)
{
    return c->trust_stat && bake_file_state_is_equal(known, current) &&
           !bake_file_state_is_recent(known, c->record->began);
}

/* ---- contents ---- */

static const char *kind_text(bake_path_kind kind)
{
    return kind == BAKE_PATH_FILE ? "a file" : kind == BAKE_PATH_FOLDER ? "a folder" : "a device";
}

static bool get_buffer(record_checker *c)
{
    if (!c->buffer)
        c->buffer = bake_alloc(BAKE_FILE_BUFFER_SIZE);
    if (!c->buffer)
        c->changes->store.failed = true;
    return c->buffer != NULL;
}

/* Reports a file that cannot be hashed because of `error`. */
static void report_unread(const record_checker *c, const record_path *path, bake_change_kind kind,
                          const char *before, int error)
{
    bake_path_kind there = error == EINVAL ? BAKE_PATH_OTHER : bake_path_kind_of_error(error);
    if (there == BAKE_PATH_MISSING)
        bake_change_add(c->changes, kind, before, path->path, "missing");
    else if (there == BAKE_PATH_UNKNOWN)
        bake_change_add(c->changes, kind, before, path->path, "cannot be read: %s",
                        strerror(error));
    else
        bake_change_add(c->changes, kind, before, path->path, "is now %s", kind_text(there));
}

/* Whether a program can be started as before. A change of that changes the state of the file. */
static bool compare_execution(const record_checker *c, const record_path *path)
{
    bake_execution is = path->execution ? bake_file_execution(path->path) : BAKE_EXECUTION_ANY;
    if (is != path->execution)
        bake_change_add(c->changes, BAKE_CHANGE_INPUT, "", path->path,
                        is == BAKE_EXECUTION_ALLOWED ? "is executable now"
                                                     : "is no longer executable");
    return is == path->execution;
}

static void compare_hash(record_checker *c, record_path *path, bake_change_kind kind,
                         const char *before, const bake_file_state *state, kiln_hash128 hash)
{
    if (!bake_hash_equal(hash, path->hash))
        bake_change_add(c->changes, kind == BAKE_CHANGE_INPUT ? BAKE_CHANGE_CONTENT : kind, before,
                        path->path, "content changed");
    else if (compare_execution(c, path))
        renew(c, &path->state, state);
}

static void compare_content(record_checker *c, record_path *path, bake_change_kind kind,
                            const char *before)
{
    bake_file_state state;
    kiln_hash128 hash;
    if (c->trust_stat && bake_file_look(&c->finder, path->path, &state) == BAKE_PATH_FILE &&
        is_trusted(c, &path->state, &state))
        return;
    if (!get_buffer(c))
        return;
    if (bake_file_hash(&c->finder, path->path, c->buffer, &state, &hash))
        compare_hash(c, path, kind, before, &state, hash);
    else
        report_unread(c, path, kind, before, errno);
}

static void compare_outputs(record_checker *c)
{
    const bake_record *record = c->record;
    for (size_t i = 0; i < record->output_count && bake_changes_wanted(c->changes); i++)
        compare_content(c, &record->outputs[i], BAKE_CHANGE_OUTPUT, "output ");
}

static void compare_kind(record_checker *c, const record_path *path)
{
    bake_file_state state;
    bake_path_kind kind = bake_file_look(&c->finder, path->path, &state);
    if (kind == path->kind && (!path->has_state || bake_file_state_is_equal(&path->state, &state)))
        return;
    if (kind == path->kind)
        bake_change_add(c->changes, BAKE_CHANGE_INPUT, "", path->path, "changed");
    else if (kind == BAKE_PATH_UNKNOWN)
        bake_change_add(c->changes, BAKE_CHANGE_INPUT, "", path->path, "cannot be examined: %s",
                        strerror(errno));
    else if (kind == BAKE_PATH_MISSING)
        bake_change_add(c->changes, BAKE_CHANGE_INPUT, "", path->path, "missing");
    else if (path->kind == BAKE_PATH_MISSING)
        bake_change_add(c->changes, BAKE_CHANGE_INPUT, "", path->path, "appeared");
    else
        bake_change_add(c->changes, BAKE_CHANGE_INPUT, "", path->path, "is now %s",
                        kind_text(kind));
}

/* ---- folders ---- */

static void compare_names(record_checker *c, bake_input_list *list)
{
    bake_file_state state;
    bake_input_list now = *list;
    char *names = NULL;
    bool had_links = list->has_links;
    if (c->trust_stat && list->is_listed && !had_links &&
        bake_file_look(&c->finder, list->path, &state) == BAKE_PATH_FOLDER &&
        is_trusted(c, &list->state, &state))
        return;
    if (!bake_list_names(&now, &names)) {
        c->changes->store.failed = true;
        return;
    }
    size_t count = c->changes->count;
    if (list->is_listed && !now.is_listed)
        bake_change_add(c->changes, BAKE_CHANGE_NAMES, "", list->path, "cannot be listed");
    else if (!list->is_listed && now.is_listed)
        bake_change_add(c->changes, BAKE_CHANGE_NAMES, "", list->path, "can be listed now");
    else
        bake_record_compare_names(list, &now, c->changes);
    if (c->changes->count == count) {
        renew(c, &list->state, &now.state);
        list->has_links = now.has_links;
    }
    bake_free(names);
}

/* Without trust in states, all files must be hashed. */
static void compare_paths(record_checker *c)
{
    const bake_record *record = c->record;
    bake_hash_ahead *ahead =
        c->trust_stat ? NULL : bake_hash_ahead_begin(record, UINT64_MAX, c->jobs);
    for (size_t i = 0; i < record->path_count && bake_changes_wanted(c->changes); i++) {
        record_path *path = &record->paths[i];
        bake_file_state state;
        kiln_hash128 hash;
        if (bake_hash_ahead_take(ahead, i, &state, &hash))
            compare_hash(c, path, BAKE_CHANGE_INPUT, "", &state, hash);
        else if (path->is_read)
            compare_content(c, path, BAKE_CHANGE_INPUT, "");
        else
            compare_kind(c, path);
    }
    bake_hash_ahead_end(ahead);
}

static void compare_inputs(record_checker *c)
{
    const bake_record *record = c->record;
    compare_paths(c);
    for (size_t i = 0; i < record->list_count && bake_changes_wanted(c->changes); i++)
        compare_names(c, &record->lists[i]);
}

/* Ends a check that added changes from `first` on. */
static bake_record_state end_check(record_checker *c, size_t first, bool *ret_is_newer)
{
    bake_free(c->buffer);
    bake_finder_end(&c->finder);
    c->record->checked = c->now;
    if (c->changes->store.failed)
        return BAKE_RECORD_NO_MEMORY;
    if (c->changes->count > first)
        return BAKE_RECORD_CHANGED;
    *ret_is_newer = c->is_newer;
    if (c->is_newer)
        c->record->began = c->now;
    return BAKE_RECORD_UNCHANGED;
}

bake_record_state bake_record_check_inputs(bake_record *record, bool counts_unstable,
                                           bake_changes *changes)
{
    record_checker c = {.record = record,
                        .trust_stat = true,
                        .now = bake_file_time_now(),
                        .changes = changes,
                        .finder = bake_finder_begin()};
    size_t first = changes->count;
    bool is_newer;
    for (size_t i = 0; i < record->path_count && counts_unstable; i++)
        if (record->paths[i].is_unstable)
            bake_change_add(changes, BAKE_CHANGE_INPUT, "", record->paths[i].path,
                            "changed during the run");
    compare_inputs(&c);
    return end_check(&c, first, &is_newer);
}

bake_record_state bake_record_check(bake_record *record, const bake_record_def *def,
                                    bool trust_stat, bake_changes *changes, bool *ret_is_newer)
{
    record_checker c = {.record = record,
                        .trust_stat = trust_stat,
                        .jobs = def->jobs,
                        .now = bake_file_time_now(),
                        .changes = changes,
                        .finder = bake_finder_begin()};
    size_t first = changes->count;
    *ret_is_newer = false;
    bake_record_compare_options(record, def, changes);
    if (bake_changes_wanted(changes))
        compare_variables(&c);
    if (!def->defers_outputs)
        compare_outputs(&c);
    compare_inputs(&c);
    if (def->defers_outputs && changes->count == first)
        compare_outputs(&c);
    return end_check(&c, first, ret_is_newer);
}
