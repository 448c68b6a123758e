#include "run_part.h"

#include "bake_memory.h"

#include <errno.h>
#include <kiln/scene.h>
#include <string.h>

/* ---- the names file ---- */

bake_part_names *bake_run_read_names(bake_run *run, const char *path)
{
    size_t size;
    const char *text = bake_gateway_read(run->gateway, path, &size);
    if (!text) {
        bake_fail_read(&run->failure, run->gateway, path);
        return NULL;
    }
    bake_part_names *names = bake_part_names_read(text, size);
    if (!names && errno == ENOMEM)
        bake_fail_memory(&run->failure);
    else if (!names)
        bake_fail(&run->failure, BAKE_FAILED,
                  "cannot read %s: it was not written by `kiln-bake names` of this version", path);
    return names;
}

static bake_result write_names(bake_run *run, const bake_part_names *names)
{
    const char *path = run->options->output;
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    if (!run->outputs)
        return bake_fail_memory(&run->failure);
    bake_output *output = bake_run_begin(run, path);
    if (!output)
        return run->failure.result;
    if (!bake_part_names_write(names, bake_output_write, output))
        return errno == ENOMEM ? bake_fail_memory(&run->failure)
                               : bake_fail_errno(&run->failure, "write", path);
    return bake_run_commit(run);
}

bake_result bake_run_write_names(bake_run *run, const bake_inputs *inputs, const bake_names *names)
{
    const bake_options *o = run->options;
    bake_part_names *made = bake_part_names_make(inputs, names, run->schema, o->base);
    if (!made)
        return bake_fail_memory(&run->failure);
    bake_result result = write_names(run, made);
    if (!result && !o->quiet)
        fprintf(run->err, "%s: %zu name%s of %zu input%s\n",
                strcmp(o->output, "-") == 0 ? "standard output" : o->output, made->name_count,
                made->name_count == 1 ? "" : "s", made->input_count,
                made->input_count == 1 ? "" : "s");
    bake_part_names_destroy(made);
    return result;
}

/* ---- the inputs of the part ---- */

static bake_result find_own(bake_run *run, bake_part *part, bool *wanted)
{
    const bake_options *o = run->options;
    size_t next = 0;
    for (size_t i = 0; i < o->inputs.count; i++) {
        uint32_t found = bake_part_names_find(part->names, o->inputs.items[i], next);
        if (found == UINT32_MAX)
            return bake_fail(&run->failure, BAKE_FAILED,
                             "%.200s is not an input in %s; write that file again",
                             o->inputs.items[i], o->names);
        part->is_own[found] = wanted[found] = true;
        next = (size_t)found + 1;
    }
    return BAKE_OK;
}

static bake_result list_paths(bake_run *run, bake_part *part, const bool *wanted)
{
    const bake_part_names *names = part->names;
    bool *is_listed = bake_store_alloc(&run->store, names->input_count + 1, sizeof *is_listed);
    part->paths = bake_store_alloc(&run->store, names->input_count + 1, sizeof *part->paths);
    if (!is_listed || !part->paths)
        return bake_fail_memory(&run->failure);
    for (size_t i = 0; i < names->input_count; i++) {
        if (!wanted[i])
            continue;
        is_listed[part->path_count] = names->inputs[i].is_listed;
        part->paths[part->path_count++] = names->inputs[i].argument;
    }
    part->rest = (bake_inputs_rest){is_listed, names->guids, names->guid_count, names->scene_work};
    return BAKE_OK;
}

bake_result bake_part_begin(bake_run *run)
{
    bake_part_names *names = bake_run_read_names(run, run->options->names);
    if (!names)
        return run->failure.result;
    bake_part *part = bake_store_alloc(&run->store, 1, sizeof *part);
    bool *wanted = bake_alloc_array(names->input_count + 1, sizeof *wanted);
    bake_result result = BAKE_OK;
    if (part)
        part->is_own = bake_store_alloc(&run->store, names->input_count + 1, sizeof *part->is_own);
    if (!part || !part->is_own || !wanted) {
        bake_part_names_destroy(names);
        bake_free(wanted);
        return bake_fail_memory(&run->failure);
    }
    part->names = names;
    run->part = part;
    result = find_own(run, part, wanted);
    if (!result && !bake_part_names_close(names, wanted))
        result = bake_fail_memory(&run->failure);
    if (!result)
        result = list_paths(run, part, wanted);
    bake_free(wanted);
    return result;
}

void bake_part_fini(bake_run *run)
{
    if (run->part)
        bake_part_names_destroy(run->part->names);
    run->part = NULL;
}

static bool drops_warning(void *ctx, const bake_report_view *view)
{
    (void)ctx;
    return view->severity == BAKE_WARNING;
}

/* Inputs of the run are in the same order as in the names file. */
static bake_result match_inputs(bake_run *run, const bake_inputs *inputs)
{
    bake_part *part = run->part;
    uint32_t at = 0, count = (uint32_t)part->names->input_count;
    part->numbers = bake_store_alloc(&run->store, inputs->count + 1, sizeof *part->numbers);
    if (!part->numbers)
        return bake_fail_memory(&run->failure);
    for (size_t i = 0; i < inputs->count; i++) {
        while (at < count && strcmp(part->names->inputs[at].path, inputs->inputs[i].path) != 0)
            at++;
        if (at == count)
            return bake_fail(&run->failure, BAKE_FAILED,
                             "%s does not fit this run; write that file again",
                             run->options->names);
        part->numbers[i] = at;
    }
    return BAKE_OK;
}

bake_result bake_part_match(bake_run *run, const bake_inputs *inputs)
{
    bake_part *part = run->part;
    if (!part)
        return BAKE_OK;
    if (match_inputs(run, inputs))
        return run->failure.result;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->inputs[i].source != UINT32_MAX &&
            inputs->inputs[i].source >= part->source_count)
            part->source_count = (size_t)inputs->inputs[i].source + 1;
    part->inputs_by_source =
        bake_store_alloc(&run->store, part->source_count + 1, sizeof *part->inputs_by_source);
    if (!part->inputs_by_source)
        return bake_fail_memory(&run->failure);
    for (size_t i = 0; i < part->source_count; i++)
        part->inputs_by_source[i] = UINT32_MAX;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->inputs[i].source != UINT32_MAX)
            part->inputs_by_source[inputs->inputs[i].source] = (uint32_t)i;
    if (bake_diagnostics_errors(run->diagnostics) == 0)
        bake_diagnostics_drop(run->diagnostics, drops_warning, NULL);
    return BAKE_OK;
}

bool bake_part_owns(const bake_run *run, uint32_t input)
{
    return !run->part || run->part->is_own[run->part->numbers[input]];
}

bool bake_part_has_redirects(const bake_run *run)
{
    const bake_part *part = run->part;
    size_t i = 0;
    if (!part)
        return true;
    while (i < part->names->input_count && !part->names->inputs[i].is_context)
        i++;
    return i < part->names->input_count && part->is_own[i];
}

void bake_part_select(const bake_run *run, bake_inputs *inputs)
{
    size_t count = 0;
    if (!run->part)
        return;
    for (size_t i = 0; i < inputs->asset_count; i++)
        if (bake_part_owns(run, inputs->assets[i].input))
            inputs->assets[count++] = inputs->assets[i];
    inputs->asset_count = count;
}

/* ---- names of other parts ---- */

static bool add_name(bake_run *run, bake_names *names, const bake_part_name *from)
{
    const bake_name *other;
    bake_name name = {.name = from->name,
                      .length = from->length,
                      .type = KILN_TYPE_NONE,
                      .type_name = from->type,
                      .type_name_length = from->type_length,
                      .output = BAKE_PART_OTHER,
                      .file = run->options->names,
                      .is_abstract = from->is_abstract,
                      .is_part = from->is_part};
    if (!from->is_scene && !from->is_part)
        name.type = kiln_types_find(run->schema->types, from->type);
    if (!bake_names_add(names, &name, &other))
        return false;
    if (other && other->output == BAKE_OUTPUT_EXTERN && run->options->patch &&
        other->length == name.length && memcmp(other->name, name.name, name.length) == 0)
        bake_names_replace(names, other, &name);
    return true;
}

bake_result bake_part_add_names(bake_run *run, bake_names *names)
{
    const bake_part *part = run->part;
    for (size_t i = 0; part && i < part->names->name_count; i++)
        if (!add_name(run, names, &part->names->names[i]))
            return bake_fail_memory(&run->failure);
    return BAKE_OK;
}

/* ---- messages ---- */

/* Messages about files that are no inputs, such as value files, belong to an asset of the part. */
static bool is_foreign(const bake_run *run, uint32_t source)
{
    const bake_part *part = run->part;
    if (source >= part->source_count)
        return false;
    uint32_t input = part->inputs_by_source[source];
    return input != UINT32_MAX && !bake_part_owns(run, input);
}

bake_result bake_part_report_inherited(bake_run *run)
{
    const char *path = run->options->output ? run->options->output : "the part";
    bake_mark whole = {bake_diagnostics_add_source(run->diagnostics, path, NULL, 0), 0, 1, 1};
    bake_report(run->diagnostics, BAKE_ERROR, whole, "part", NULL,
                "not written: assets inherit a mistake, which another part reports");
    return BAKE_BAD_INPUT;
}

typedef struct message_counts {
    const bake_run *run;
    size_t own_errors;
} message_counts;

static bool counts_own(void *ctx, const bake_report_view *view)
{
    message_counts *counts = ctx;
    counts->own_errors +=
        view->severity == BAKE_ERROR && !is_foreign(counts->run, view->mark.source);
    return false;
}

static bool drops_foreign(void *ctx, const bake_report_view *view)
{
    message_counts *counts = ctx;
    return (view->severity == BAKE_WARNING || counts->own_errors > 0) &&
           is_foreign(counts->run, view->mark.source);
}

void bake_part_drop_messages(bake_run *run)
{
    message_counts counts = {run, 0};
    if (!run->part || !run->part->inputs_by_source)
        return;
    bake_diagnostics_drop(run->diagnostics, counts_own, &counts);
    bake_diagnostics_drop(run->diagnostics, drops_foreign, &counts);
}
