/* The source files of a rerun: which of them are new, removed or changed, and reading them. */
#include "rerun_store.h"

#include "bake_memory.h"
#include "scene_notes.h"

#include <string.h>

/* The lists of files have nearly the same order, so the search begins at `*next`, after the last
 * file that was found. */
static uint32_t find_old(const bake_memo *memo, const char *path, uint32_t *next)
{
    uint32_t file = bake_memo_find_file(memo, path, *next);
    if (file != UINT32_MAX)
        *next = file + 1;
    return file;
}

/* Lists the inputs of the options, which are files. */
static bool locate(rerun *r)
{
    const bake_options *o = r->run->options;
    bool *is_listed = bake_alloc_array(o->inputs.count + 1, sizeof *is_listed);
    const bake_inputs_rest rest = {.is_listed = is_listed};
    const bake_inputs_def def = {.gateway = r->run->gateway,
                                 .diagnostics = r->run->diagnostics,
                                 .schema = r->run->schema,
                                 .base = o->base,
                                 .paths = o->inputs.items,
                                 .path_count = o->inputs.count,
                                 .rest = &rest};
    bool done = is_listed && bake_inputs_locate(&r->located, &def, &r->run->failure) == BAKE_OK &&
                r->located.count < UINT32_MAX;
    bake_free(is_listed);
    return done;
}

static bool allocate(rerun *r)
{
    size_t count = (size_t)r->file_count + 1, before = (size_t)r->before->file_count + 1;
    r->paths = bake_alloc_array(count, sizeof *r->paths);
    r->sizes = bake_alloc_array(count, sizeof *r->sizes);
    r->changed = bake_alloc_array(count, 1);
    r->parsed = bake_alloc_array(count, 1);
    r->added = bake_alloc_array(count, sizeof *r->added);
    r->files = bake_alloc_array(before, sizeof *r->files);
    size_t others = r->def->changed_count + r->def->missing_count;
    r->removed = bake_alloc_array(before + others, sizeof *r->removed);
    r->uses_changed = bake_alloc_array((size_t)r->before->count + 1, 1);
    r->others = bake_alloc_array(others + 1, sizeof *r->others);
    return r->paths && r->sizes && r->changed && r->parsed && r->added && r->files && r->removed &&
           r->uses_changed && r->others;
}

static void add_file(rerun *r, uint32_t number, const bake_input *input)
{
    r->changed[number] = 1;
    r->added[r->added_count++] = input->path;
}

static void match_located(rerun *r)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < r->file_count; i++) {
        const bake_input *input = &r->located.inputs[i];
        uint32_t old = find_old(r->before, input->path, &next);
        r->paths[i] = input->path;
        if (old == UINT32_MAX) {
            add_file(r, i, input);
            continue;
        }
        r->files[old] = i;
        r->sizes[i] = r->before->files[old].size;
    }
    for (uint32_t i = 0; i < r->before->file_count; i++)
        if (r->files[i] == UINT32_MAX)
            r->removed[r->removed_count++] = bake_memo_path(r->before, i);
}

static void keep_files(rerun *r)
{
    for (uint32_t i = 0; i < r->file_count; i++) {
        r->files[i] = i;
        r->paths[i] = bake_memo_path(r->before, i);
        r->sizes[i] = r->before->files[i].size;
    }
}

/* Marks the files whose contents have changed, and everything that uses other changed files.
 * Sources that are missing must be removed ones. */
static bool mark_changed(rerun *r)
{
    uint32_t next = 0;
    for (size_t i = 0; i < r->def->changed_count; i++) {
        uint32_t file = find_old(r->before, r->def->changed[i], &next);
        if (file == UINT32_MAX && bake_rerun_is_schema(r->run, r->def->changed[i])) {
            r->has_other_schema = true;
            continue;
        }
        if (file == UINT32_MAX && !bake_rerun_mark_path(r, r->def->changed[i]))
            return false;
        if (file != UINT32_MAX && r->files[file] != UINT32_MAX)
            r->changed[r->files[file]] = 1;
    }
    for (size_t i = 0; i < r->def->missing_count; i++) {
        uint32_t file = find_old(r->before, r->def->missing[i], &next);
        if (file == UINT32_MAX ? !bake_rerun_mark_path(r, r->def->missing[i])
                               : r->files[file] != UINT32_MAX)
            return false;
    }
    return true;
}

/* All files with links, patches or patched assets are parsed, so they count as changed. */
static void mark_contexts(rerun *r)
{
    for (uint32_t i = 0; i < r->before->alias_count; i++) {
        const bake_memo_alias *alias = &r->before->aliases[i];
        if (alias->kind == BAKE_MEMO_CONTEXT && r->files[alias->file] != UINT32_MAX)
            r->changed[r->files[alias->file]] = 1;
    }
}

bool bake_rerun_list_files(rerun *r)
{
    /* A guid can belong to any input. */
    bool locates = r->def->has_other_inputs || bake_rerun_has_guids(r->run->schema);
    if (locates && !locate(r))
        return false;
    r->file_count = locates ? (uint32_t)r->located.count : r->before->file_count;
    if (!allocate(r))
        return false;
    for (uint32_t i = 0; i < r->before->file_count; i++)
        r->files[i] = UINT32_MAX;
    if (!locates)
        keep_files(r);
    else
        match_located(r);
    if (!mark_changed(r))
        return false;
    mark_contexts(r);
    memcpy(r->parsed, r->changed, r->file_count);
    return true;
}

/* ---- reading ---- */

/* Inputs are in the order of the files. */
static bool number_inputs(rerun *r)
{
    uint32_t file = 0;
    for (size_t i = 0; i < r->inputs.count; i++) {
        while (file < r->file_count && strcmp(r->paths[file], r->inputs.inputs[i].path) != 0)
            file++;
        if (file == r->file_count)
            return false;
        r->sizes[file] = r->inputs.inputs[i].size;
        r->numbers[i] = file;
    }
    return true;
}

static bake_inputs_def def_of(const rerun *r)
{
    return (bake_inputs_def){.gateway = r->run->gateway,
                             .diagnostics = r->run->diagnostics,
                             .schema = r->run->schema,
                             .base = r->run->options->base,
                             .jobs = 1,
                             .are_located = true,
                             .keeps_uses = true};
}

bool bake_rerun_resolve(rerun *r)
{
    bake_inputs_def def = def_of(r);
    def.scene_work = bake_scene_notes_work_max(r->memo);
    return bake_inputs_resolve(&r->inputs, &def) && bake_rerun_is_silent(r);
}

bool bake_rerun_read(rerun *r, const unsigned char *wanted)
{
    size_t count = 0;
    const char **paths = bake_alloc_array((size_t)r->file_count + 1, sizeof *paths);
    bake_free(r->numbers);
    r->numbers = bake_alloc_array((size_t)r->file_count + 1, sizeof *r->numbers);
    for (uint32_t i = 0; i < r->file_count && paths && r->numbers; i++)
        if (wanted[i]) {
            r->numbers[count] = i;
            paths[count++] = r->paths[i];
        }
    bake_inputs_def def = def_of(r);
    def.paths = paths;
    def.path_count = count;
    def.skips_bases = true;
    def.users = r->numbers;
    bake_inputs_fini(&r->inputs);
    bool done =
        paths && r->numbers && bake_inputs_read(&r->inputs, &def, &r->run->failure) == BAKE_OK;
    bake_free(paths);
    if (!done || r->inputs.count != count || !bake_memo_are_possible(&r->inputs) ||
        (r->inputs.patch_count && r->before->scenes.exist))
        return false;
    r->read = wanted;
    return number_inputs(r) && bake_rerun_add_guids(r) && bake_rerun_is_silent(r);
}
