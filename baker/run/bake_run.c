#include "path_match.h"
#include "run_build.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "run_names.h"
#include "run_scenes.h"
#include "schema_defaults.h"

#include <stdlib.h>
#include <string.h>

bake_result bake_run_schema(bake_run *run)
{
    const bake_options *o = run->options;
    bake_schema_def def = {run->gateway,     run->diagnostics,         o->schemas.items,
                           o->schemas.count, o->include_folders.items, o->include_folders.count,
                           o->no_types};
    return bake_schema_load(&def, &run->schema, &run->failure);
}

static bool each(const run_build *b)
{
    return b->run->options->each != NULL;
}

static uint32_t output_of(const run_build *b, const bake_asset *asset)
{
    return each(b) ? asset->input : 0;
}

static int compare_names(const bake_asset *a, const bake_asset *b)
{
    return bake_compare_text(a->name, a->name_length, b->name, b->name_length);
}

static int compare_assets(const void *a, const void *b)
{
    return compare_names(a, b);
}

static int compare_assets_by_input(const void *a, const void *b)
{
    const bake_asset *left = a, *right = b;
    return left->input != right->input ? (left->input > right->input) - (left->input < right->input)
                                       : compare_names(left, right);
}

static const char *target_path(run_build *b, const bake_input *input)
{
    bake_run *run = b->run;
    size_t length;
    bool is_stdin = strcmp(input->path, "-") == 0;
    const char *stem = bake_path_stem(is_stdin ? "stdin" : input->path, &length);
    char *name = bake_store_alloc(&run->store, length + sizeof ".kiln", 1);
    if (!name)
        return NULL;
    memcpy(name, stem, length);
    memcpy(name + length, ".kiln", sizeof ".kiln");
    return bake_store_join(&run->store, run->options->each, '/', name);
}

static bake_result plan_targets(run_build *b)
{
    bake_run *run = b->run;
    b->target_count = each(b) ? b->inputs.count : 1;
    b->targets = bake_store_alloc(&run->store, b->target_count, sizeof *b->targets);
    run->outputs = bake_store_alloc(&run->store, b->target_count, sizeof *run->outputs);
    if (!b->targets || !run->outputs)
        return bake_fail_memory(&run->failure);
    if (b->inputs.asset_count > 1)
        qsort(b->inputs.assets, b->inputs.asset_count, sizeof *b->inputs.assets,
              each(b) ? compare_assets_by_input : compare_assets);
    for (size_t i = 0; i < b->inputs.asset_count; i++)
        b->scenes_left += b->inputs.assets[i].is_scene;
    for (size_t i = 0, asset = 0; i < b->target_count; i++) {
        b->targets[i].path = each(b) ? target_path(b, &b->inputs.inputs[i]) : run->options->output;
        b->targets[i].first = asset;
        while (asset < b->inputs.asset_count && output_of(b, &b->inputs.assets[asset]) == i)
            b->targets[i].scenes += b->inputs.assets[asset++].is_scene;
        b->targets[i].count = asset - b->targets[i].first;
        if (each(b) && !b->targets[i].path)
            return bake_fail_memory(&run->failure);
    }
    return BAKE_OK;
}

/* Prepares what the options want of values beyond their bytes. */
static bake_result ready_values(run_build *b)
{
    bake_run *run = b->run;
    const bake_options *o = run->options;
    if (o->no_share && !bake_values_unshare(b->values))
        return run->failure.result;
    if (!o->source_map || o->dry_run)
        return BAKE_OK;
    bake_output *output = bake_run_begin_beside(run, o->source_map);
    if (!output)
        return run->failure.result;
    b->origins = bake_origins_create(run->diagnostics, bake_output_write, output);
    if (!b->origins)
        return bake_fail_memory(&run->failure);
    return BAKE_OK;
}

static bool write_counted(void *ctx, const void *data, size_t size)
{
    run_target *t = ctx;
    if (t->size < sizeof t->header) {
        size_t left = sizeof t->header - (size_t)t->size;
        memcpy(t->header + t->size, data, size < left ? size : left);
    }
    t->size += size;
    return bake_output_write(t->output, data, size);
}

static bake_result write_target(run_build *b, run_target *t, kiln_file_writer *writer)
{
    bake_run *run = b->run;
    kiln_error error;
    size_t count;
    const uint32_t *imports = bake_values_imports(b->values, &count);
    memset(&error, 0, sizeof error);
    for (size_t i = 0; i < count; i++) {
        const bake_name *name = &b->names.all[imports[i]];
        kiln_status status = kiln_file_writer_import(writer, name->name, name->length);
        if (status)
            return bake_run_writer_failed(b, name->name, status, &error);
    }
    t->output = bake_run_begin(run, t->path);
    if (!t->output)
        return run->failure.result;
    kiln_status status = kiln_file_writer_finish(writer, write_counted, t, &error);
    t->counts = kiln_file_writer_get_counts(writer);
    if (status == KILN_IO)
        return bake_fail_errno(&run->failure, "write", t->path);
    return status ? bake_run_writer_failed(b, t->path, status, &error) : BAKE_OK;
}

static bake_result make_target(run_build *b, uint32_t number)
{
    bake_run *run = b->run;
    run_target *t = &b->targets[number];
    bool writes = run->options->command == BAKE_COMMAND_BUILD && !run->options->dry_run;
    kiln_allocator allocator = bake_memory_allocator();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_error error;
    memset(&error, 0, sizeof error);
    def.types = run->schema->types;
    def.allocator = &allocator;
    def.omit_type_table = run->options->no_types;
    def.keep_equal = run->options->no_share;
    bake_values_set_names(b->values, &b->names, number);
    kiln_status status = writes ? kiln_file_writer_create(&def, &writer, &error) : KILN_OK;
    bake_result result = status ? bake_run_writer_failed(b, t->path, status, &error) : BAKE_OK;
    if (!result)
        result = bake_run_assets(b, t, writer);
    if (!result && writes && bake_values_are_sound(b->values))
        result = write_target(b, t, writer);
    kiln_file_writer_destroy(writer);
    return result;
}

static size_t count_named(const kiln_types *types)
{
    size_t named = 0;
    for (uint32_t i = 0; i < kiln_types_count(types); i++)
        named += *kiln_types_get(types, i)->name != '\0';
    return named;
}

/* "1,234 assets", and what goes before it. */
static void tell_count(const bake_run *run, const char *before, uint64_t count, const char *what)
{
    char text[32];
    fprintf(run->err, "%s%s %s%s", before, bake_grouped(text, count), what, count == 1 ? "" : "s");
}

/* Assets are counted as the file's index counts them: a scene is one with up to two more for its
 * rows. What is not written has no index, so the scenes of the input are told apart. */
static void tell(run_build *b, bool writes)
{
    const bake_run *run = b->run;
    if (run->options->quiet)
        return;
    for (size_t i = 0; i < b->target_count && writes; i++) {
        const run_target *t = &b->targets[i];
        fprintf(run->err, "%s: ", strcmp(t->path, "-") == 0 ? "standard output" : t->path);
        tell_count(run, "", t->counts.assets, "asset");
        tell_count(run, " of ", t->counts.types, "type");
        if (t->scenes)
            tell_count(run, ", ", t->scenes, "scene");
        tell_count(run, ", ", t->size, "byte");
        fputc('\n', run->err);
    }
    if (writes)
        return;
    size_t scenes = 0;
    for (size_t i = 0; i < b->target_count; i++)
        scenes += b->targets[i].scenes;
    tell_count(run, "checked: ", b->inputs.asset_count - scenes, "asset");
    if (scenes)
        tell_count(run, " and ", scenes, "scene");
    tell_count(run, " against ", count_named(run->schema->types), "type");
    fputs(" of the schema, nothing written\n", run->err);
}

static bake_result bake_all(run_build *b)
{
    bake_run *run = b->run;
    bool writes = run->options->command == BAKE_COMMAND_BUILD && !run->options->dry_run;
    bake_result result = BAKE_OK;
    b->values = bake_values_create(run->schema, run->diagnostics, &run->failure);
    if (b->values) {
        bake_values_set_files(b->values, run->gateway, run->options->base);
        bake_values_warn_dangling(b->values, run->options->dangling == BAKE_DANGLING_WARN);
    }
    if (!b->values || !bake_values_look_for_resources(b->values, run->options->resources) ||
        bake_run_scenes_prefabs(run, &b->inputs, &b->names, b->values) || bake_run_abstracts(b) ||
        ready_values(b))
        return run->failure.result;
    bake_values_set_origins(b->values, b->origins);
    for (size_t i = 0; i < b->target_count; i++)
        result = result ? result : make_target(b, (uint32_t)i);
    if (result)
        return result;
    bake_values_report_dangling(b->values);
    bake_values_report_resources(b->values);
    if (bake_diagnostics_errors(run->diagnostics) > 0)
        return BAKE_BAD_INPUT;
    if (b->is_lacking)
        return bake_fail_bug(&run->failure, "an asset was not baked, without a message",
                             KILN_BAD_ARGUMENT, NULL);
    result = writes ? bake_run_bind(b) : BAKE_OK;
    if (writes && !result)
        result = bake_run_commit(run);
    else if (run->options->warnings_are_errors && bake_diagnostics_warnings(run->diagnostics) > 0)
        result = BAKE_BAD_INPUT;
    if (!result)
        tell(b, writes);
    return result;
}

static bake_result read_and_bake(run_build *b)
{
    bake_run *run = b->run;
    const bake_options *o = run->options;
    bake_result result = bake_run_schema(run);
    if (result)
        return result;
    bake_inputs_def def = {run->gateway, run->diagnostics, run->schema,
                           o->base,      o->inputs.items,  o->inputs.count};
    result = bake_inputs_read(&b->inputs, &def, &run->failure);
    if (run->failure.result)
        return run->failure.result;
    if (bake_run_scenes_types(run, &b->inputs))
        return run->failure.result;
    b->names.incomplete = b->inputs.incomplete;
    b->names.links = b->inputs.links;
    b->names.guids = b->inputs.guids;
    if (bake_extern_read(&b->externs, &b->names, run) ||
        bake_run_names(run, &b->inputs, &b->names) || plan_targets(b))
        return run->failure.result;
    return bake_all(b);
}

bake_result bake_run_build(bake_run *run)
{
    run_build b;
    memset(&b, 0, sizeof b);
    b.run = run;
    bake_result result = read_and_bake(&b);
    bake_values_destroy(b.values);
    bake_origins_destroy(b.origins);
    bake_extern_fini(&b.externs);
    bake_names_fini(&b.names);
    bake_inputs_fini(&b.inputs);
    return result;
}
