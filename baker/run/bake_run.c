/* The `build` and `check` commands: read schema and inputs, bake all assets, write the files.
 *
 * Assets are sorted by name before anything is baked, so the bytes depend only on the inputs. A
 * file is written only if all its assets were baked. Outputs are renamed in bake_run_commit, after
 * all other steps that can fail, so no output is ever incomplete. */
#include "bake_run.h"

#include "asset_bases.h"
#include "asset_heirs.h"
#include "asset_names.h"
#include "asset_reading.h"
#include "assets_ahead.h"
#include "bake_inputs.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "extern_files.h"
#include "gateway_users.h"
#include "grouped_number.h"
#include "memo_aliases.h"
#include "memo_paths.h"
#include "path_match.h"
#include "run_budgets.h"
#include "run_clusters.h"
#include "run_memo.h"
#include "run_names.h"
#include "run_notes.h"
#include "run_part.h"
#include "run_payloads.h"
#include "run_redirects.h"
#include "run_scenes.h"
#include "scene_notes.h"
#include "schema_defaults.h"
#include "value_bake.h"
#include "value_origin.h"

#include <errno.h>
#include <kiln/blob_header.h>
#include <kiln/file_writer.h>
#include <stdlib.h>
#include <string.h>

/* One output file. */
typedef struct run_target {
    const char *path;
    size_t first, count; /* a range of the sorted assets */
    size_t scenes;       /* number of scenes among these */
    kiln_file_counts counts;
    uint64_t size;
    bake_output *output;
    unsigned char header[KILN_HEADER_SIZE]; /* the first bytes of the file */
} run_target;

typedef struct run_build {
    bake_run *run;
    bake_inputs inputs;
    bake_names names;
    extern_files externs;
    bake_values *values;
    run_payloads payloads;    /* of the current file */
    bake_assets_ahead *ahead; /* NULL: one thread bakes all assets of the file */
    bake_origins *origins;    /* NULL: no source map */
    bool is_incomplete;       /* at least one asset was not baked */
    bool has_clusters;        /* files can have cluster plans */
    bool has_noisy_scenes;    /* a scene or prefab had a part in a report */
    size_t scenes_left;       /* number of scenes not yet baked */
    run_target *targets;
    size_t target_count;
    bake_asset_marks marks; /* for messages about budgets */
    size_t schema_warnings;
} run_build;

/* ---- the assets of a file ---- */

static const bake_tree *tree_of(const run_build *b, const bake_asset *asset)
{
    return b->inputs.inputs[asset->input].tree;
}

/* Reports why the file writer rejected an asset or a file. Only an exceeded limit is a mistake in
 * the input. All values were checked before, so any other error is a bug in the baker. */
static bake_result writer_failed(run_build *b, const char *name, kiln_status status,
                                 const kiln_error *error)
{
    if (status == KILN_NO_MEMORY)
        return bake_fail_memory(&b->run->failure);
    if (!kiln_status_is_limit(status))
        return bake_fail_bug(&b->run->failure, name, status, error);
    bake_mark schema = {0, 0, 1, 1};
    bake_report(b->run->diagnostics, BAKE_ERROR, schema, "size",
                error->path[0] ? error->path : NULL, "%s: %s",
                status == KILN_TOO_LARGE ? "the file's index is too large"
                                         : "the file is too large",
                kiln_status_text(status));
    return BAKE_BAD_INPUT;
}

/* Finishes the blob separately from the file: --verbose prints its size, and check writes no
 * file. */
static bake_result add_finished(run_build *b, const bake_name *name, const bake_mark *mark,
                                const char *path, kiln_file_writer *writer)
{
    bake_run *run = b->run;
    kiln_status status = KILN_OK;
    kiln_buffer blob;
    kiln_error error;
    memset(&error, 0, sizeof error);
    memset(&blob, 0, sizeof blob);
    if (!bake_values_finish(b->values, name, mark, &blob) || !blob.data)
        return run->failure.result;
    if (run->options->verbose)
        fprintf(run->err, "%s: %zu bytes, from %s\n", name->name, blob.size, path);
    if (writer)
        status = kiln_file_writer_take(writer, name->name, name->type, &blob, &error);
    kiln_buffer_fini(&blob);
    return status ? writer_failed(b, name->name, status, &error) : BAKE_OK;
}

/* Reads the values of an asset. Then frees each tree from which the asset inherits, unless a later
 * asset needs the tree. */
static bool read_asset(run_build *b, const bake_asset *asset, const bake_name *name)
{
    bake_asset_layers layers;
    if (asset->base == UINT32_MAX)
        return bake_asset_read(b->values, asset, name, NULL);
    bool listed = b->ahead ? bake_assets_ahead_list(b->ahead, asset->base, &layers)
                           : bake_bases_list(b->inputs.bases, asset->base, &layers);
    if (!listed)
        return bake_fail_memory(&b->run->failure) == BAKE_OK;
    bool ok = bake_asset_read(b->values, asset, name, &layers);
    if (!b->ahead)
        bake_bases_release(&b->inputs, asset->base);
    else if (!bake_assets_ahead_release(b->ahead, &b->inputs, asset->base))
        return bake_fail_memory(&b->run->failure) == BAKE_OK;
    return ok;
}

/* The same for an asset with this row in the memo: notes which files it uses. */
static bool read_noted(run_build *b, const bake_asset *asset, const bake_name *name, uint32_t row)
{
    bake_gateway_set_user(b->run->gateway, BAKE_USER_ASSET, row);
    bool ok = read_asset(b, asset, name);
    bake_gateway_set_user(b->run->gateway, BAKE_USER_RUN, 0);
    return ok;
}

/* The flags of an asset in the memo. */
static void note_flags(run_build *b, uint32_t row, bool is_plain, bool is_noisy)
{
    if (b->run->memo && row < b->run->memo->count)
        b->run->memo->all[row].flags =
            (is_plain ? BAKE_MEMO_PLAIN : 0) | (is_noisy ? BAKE_MEMO_NOISY : 0);
}

/* The memo cannot describe the run. */
static void drop_memo(run_build *b)
{
    bake_memo_destroy(b->run->memo);
    b->run->memo = NULL;
}

/* The payloads of the asset that was baked last. */
static void note_payloads(run_build *b, uint32_t row)
{
    if (b->run->memo && !bake_run_keep_payloads(b->values, row, b->run->memo))
        drop_memo(b);
}

static void note_abstract(run_build *b, uint32_t row)
{
    bake_memo *memo = b->run->memo;
    size_t count;
    const kiln_id *targets = bake_values_targets(b->values, &count);
    if (!memo || row >= memo->count)
        return;
    note_flags(b, row, bake_values_is_plain(b->values), bake_values_is_noisy(b->values));
    if (!bake_memo_set_targets(memo, row, targets, count))
        drop_memo(b);
}

/* Bakes abstract assets to check them; they are not written. */
static bake_result bake_abstracts(run_build *b)
{
    const bake_bases *bases = b->inputs.bases;
    bake_values_collect_targets(b->values, b->run->memo != NULL);
    for (size_t i = 0; bases && i < bases->abstract_count; i++) {
        const bake_asset *asset = &bases->abstracts[i];
        if (!bake_part_owns(b->run, asset->input))
            continue;
        bake_name name = bake_asset_name(&b->inputs, asset);
        bake_values_set_names(b->values, &b->names, BAKE_OUTPUT_EXTERN - 1);
        uint64_t begin = bake_timing_begin(b->run->timings);
        uint32_t row = b->run->memo ? bake_memo_find(b->run->memo, name.name, name.length) : 0;
        if (read_noted(b, asset, &name, row))
            note_abstract(b, row);
        bake_timing_end(b->run->timings, BAKE_TIMING_ASSET, asset->name, asset->name_length, begin);
        bake_input_release(&b->inputs.inputs[asset->input]);
        if (b->run->failure.result)
            break;
    }
    bake_values_collect_targets(b->values, false);
    return b->run->failure.result;
}

/* Adds what scenes and prefabs use, when it is known. */
static void note_scenes(run_build *b)
{
    if (b->inputs.scenes && b->run->memo &&
        !bake_scene_notes_add(b->run->memo, b->inputs.scenes, b->run->schema, NULL))
        drop_memo(b);
}

/* Releases scenes and prefabs after the last scene; until then, any scene may use a prefab. */
static void end_scenes(run_build *b)
{
    note_scenes(b);
    bake_scenes_destroy(b->inputs.scenes);
    b->inputs.scenes = NULL;
    for (size_t i = 0; i < b->inputs.asset_count; i++)
        if (b->inputs.assets[i].is_scene)
            bake_input_release(&b->inputs.inputs[b->inputs.assets[i].input]);
}

static bake_result bake_scene_asset(run_build *b, const bake_asset *asset, kiln_file_writer *writer)
{
    bake_result result =
        bake_run_scenes_bake(b->run, &b->inputs, &b->names, b->values, asset, writer);
    if (--b->scenes_left == 0)
        end_scenes(b);
    return result;
}

/* Adds a finished asset to the file. */
static bool put_finished(run_build *b, const bake_name *name, bake_early_asset *early,
                         const char *path, kiln_file_writer *writer)
{
    bake_run *run = b->run;
    const char *type = kiln_types_get(run->schema->types, name->type)->name;
    for (size_t i = 0; i < early->import_count; i++)
        if (!bake_values_add_import(b->values, early->imports[i]))
            return false;
    if (!bake_values_can_write(b->values))
        return true;
    if (run->options->verbose)
        fprintf(run->err, "%s: %zu bytes, from %s\n", name->name, early->asset.blob.size, path);
    if (!writer)
        return true;
    if (bake_run_compress(run->options, writer, type))
        return bake_fail_memory(&run->failure) == BAKE_OK;
    return bake_values_put(b->values, name, &early->asset, writer);
}

/* Adds an asset that was baked ahead, and releases its trees. */
static bake_result add_early(run_build *b, const bake_asset *asset, bake_early_asset *early,
                             kiln_file_writer *writer)
{
    bake_input *input = &b->inputs.inputs[asset->input];
    bake_name name = bake_asset_name(&b->inputs, asset);
    put_finished(b, &name, early, input->path, writer);
    bake_early_asset_fini(early);
    if (asset->base != UINT32_MAX && !bake_assets_ahead_release(b->ahead, &b->inputs, asset->base))
        bake_fail_memory(&b->run->failure);
    bake_input_release(input);
    return b->run->failure.result;
}

static bake_result bake_one(run_build *b, const bake_asset *asset, kiln_file_writer *writer)
{
    bake_run *run = b->run;
    bake_input *input = &b->inputs.inputs[asset->input];
    bake_mark mark;
    if (asset->is_scene) {
        if (!bake_values_can_write(b->values))
            writer = NULL;
        return bake_scene_asset(b, asset, writer);
    }
    bake_name name = bake_asset_name(&b->inputs, asset);
    bool ok = read_noted(b, asset, &name, (uint32_t)(asset - b->inputs.assets));
    bool is_last = --input->asset_count == 0;
    if (is_last) {
        mark = bake_node_mark(input->tree, asset->named_at);
        bake_input_drop(input);
    }
    if (!ok) {
        b->is_incomplete = true;
        return run->failure.result;
    }
    const bake_mark *known = is_last ? &mark : NULL;
    if (!bake_values_can_write(b->values))
        return run->failure.result;
    const char *type = kiln_types_get(run->schema->types, asset->type)->name;
    if (writer && bake_run_compress(run->options, writer, type))
        return bake_fail_memory(&run->failure);
    if (!writer || run->options->verbose)
        return add_finished(b, &name, known, input->path, writer);
    bake_values_add(b->values, &name, known, writer);
    return run->failure.result;
}

static bake_result origins_result(bake_run *run, bake_origins_end_result result)
{
    if (result == BAKE_ORIGINS_NO_MEMORY)
        return bake_fail_memory(&run->failure);
    if (result == BAKE_ORIGINS_IO)
        return bake_fail_errno(&run->failure, "write", run->options->source_map);
    return BAKE_OK;
}

/* Adds the hashes of all files to the source map, if there is one. */
static bake_result bind_source_map(run_build *b)
{
    bake_result result = BAKE_OK;
    for (size_t i = 0; b->origins && i < b->target_count && !result; i++) {
        kiln_blob_header header;
        memcpy(&header, b->targets[i].header, sizeof header);
        result = origins_result(b->run, bake_origins_bind(b->origins, header.hash));
    }
    return result;
}

/* Starts further threads, except with a source map, which is written while assets are baked, and
 * without sharing, which gives blobs a different form. */
static void begin_ahead(run_build *b, const run_target *t, uint32_t number)
{
    const bake_options *o = b->run->options;
    bake_assets_ahead_def def = {b->run->schema, &b->inputs, &b->names, number,         t->first,
                                 t->count,       o->jobs,    b->values, b->run->timings};
    if (!b->origins && !o->no_share)
        b->ahead = bake_assets_ahead_begin(&def);
}

/* Bakes the assets of a file and adds them to `writer`, unless it is NULL. */
static bake_result bake_assets(run_build *b, const run_target *t, kiln_file_writer *writer)
{
    bake_result result = BAKE_OK;
    for (size_t i = t->first; i < t->first + t->count && !result; i++) {
        const bake_asset *asset = &b->inputs.assets[i];
        if (b->origins)
            bake_origins_begin(b->origins, asset->name, asset->name_length);
        if (b->origins && asset->is_scene)
            bake_origins_scene(b->origins, asset->name,
                               bake_node_mark(tree_of(b, asset), asset->named_at));
        bake_spool_open(bake_gateway_spool(b->run->gateway));
        bake_early_asset early;
        bool is_early = b->ahead && bake_assets_ahead_take(
                                        b->ahead, i, bake_values_can_write(b->values), &early);
        uint64_t begin = bake_timing_begin(b->run->timings);
        result = is_early ? add_early(b, asset, &early, writer) : bake_one(b, asset, writer);
        /* The rows are in the order of the assets. */
        bool is_noisy = !is_early && bake_values_is_noisy(b->values);
        note_flags(b, (uint32_t)i,
                   !asset->is_scene && (is_early || bake_values_is_plain(b->values)), is_noisy);
        b->has_noisy_scenes |= asset->is_scene && is_noisy;
        if (!is_early)
            note_payloads(b, (uint32_t)i);
        bake_timing_end(b->run->timings, BAKE_TIMING_ASSET, asset->name, asset->name_length, begin);
        if (b->origins && !result)
            result = origins_result(b->run, bake_origins_end(b->origins));
    }
    return result;
}

/* ---- files ---- */

bake_result bake_run_schema(bake_run *run)
{
    const bake_options *o = run->options;
    bake_schema_def def = {run->gateway,     run->diagnostics,         o->schemas.items,
                           o->schemas.count, o->include_folders.items, o->include_folders.count,
                           o->no_types,      o->importers.items,       o->importers.count};
    uint64_t begin = bake_timing_begin(run->timings);
    bake_result result = bake_schema_load(&def, &run->schema, &run->failure);
    bake_run_end_phase(run, "read schema", begin);
    return result;
}

static bool writes_each(const run_build *b)
{
    return b->run->options->each != NULL;
}

static uint32_t output_of(const run_build *b, const bake_asset *asset)
{
    return writes_each(b) ? asset->input : 0;
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
    b->target_count = writes_each(b) ? b->inputs.count : 1;
    b->targets = bake_store_alloc(&run->store, b->target_count, sizeof *b->targets);
    run->outputs = bake_store_alloc(&run->store, b->target_count, sizeof *run->outputs);
    if (!b->targets || !run->outputs)
        return bake_fail_memory(&run->failure);
    if (b->inputs.asset_count > 1)
        qsort(b->inputs.assets, b->inputs.asset_count, sizeof *b->inputs.assets,
              writes_each(b) ? compare_assets_by_input : compare_assets);
    for (size_t i = 0; i < b->inputs.asset_count; i++)
        b->scenes_left += b->inputs.assets[i].is_scene;
    for (size_t i = 0, asset = 0; i < b->target_count; i++) {
        b->targets[i].path =
            writes_each(b) ? target_path(b, &b->inputs.inputs[i]) : run->options->output;
        b->targets[i].first = asset;
        while (asset < b->inputs.asset_count && output_of(b, &b->inputs.assets[asset]) == i)
            b->targets[i].scenes += b->inputs.assets[asset++].is_scene;
        b->targets[i].count = asset - b->targets[i].first;
        if (writes_each(b) && !b->targets[i].path)
            return bake_fail_memory(&run->failure);
    }
    return BAKE_OK;
}

/* Sets up sharing and the source map according to the options. */
static bake_result prepare_values(run_build *b)
{
    bake_run *run = b->run;
    const bake_options *o = run->options;
    if (o->no_share && !bake_values_unshare(b->values))
        return run->failure.result;
    if (!o->source_map || o->dry_run)
        return BAKE_OK;
    bake_output *output = bake_run_begin_extra(run, o->source_map);
    if (!output)
        return run->failure.result;
    b->origins = bake_origins_create(run->diagnostics, bake_output_write, output);
    if (!b->origins)
        return bake_fail_memory(&run->failure);
    return BAKE_OK;
}

/* Also saves the header of the file, which contains the hash for the source map. */
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
        kiln_status imported = kiln_file_writer_import(writer, name->name);
        if (imported)
            return writer_failed(b, name->name, imported, &error);
    }
    kiln_status status = b->has_clusters ? bake_run_clusters_add(run, writer, &error) : KILN_OK;
    if (status)
        return writer_failed(b, t->path, status, &error);
    t->output = bake_run_begin(run, t->path);
    if (!t->output)
        return run->failure.result;
    status = kiln_file_writer_finish(writer, write_counted, t, &error);
    t->counts = kiln_file_writer_get_counts(writer);
    bake_result failed = bake_run_payloads_failed(&b->payloads, status, error.system_error);
    if (failed)
        return failed;
    if (status == KILN_IO)
        return bake_fail_errno(&run->failure, "write", t->path);
    if (status)
        return writer_failed(b, t->path, status, &error);
    return BAKE_OK;
}

/* Adds notes to a part, when all its warnings are known. */
static bake_result add_notes(run_build *b)
{
    bake_run *run = b->run;
    run_target *t = &b->targets[0];
    if (!run->part || bake_run_notes_write(run, &b->marks, write_counted, t))
        return BAKE_OK;
    return errno == ENOMEM ? bake_fail_memory(&run->failure)
                           : bake_fail_errno(&run->failure, "write", t->path);
}

static void move_blob(void *ctx, kiln_buffer *blob, size_t align)
{
    bake_spool_move(ctx, blob, align);
}

static void touch_blob(void *ctx, size_t size)
{
    bake_spool_touch(ctx, size + BAKE_SPOOL_AROUND);
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
    /* The types of a part are looked up by name when it is linked. */
    def.omit_type_table = run->options->no_types && !run->part;
    def.skip_sharing = run->options->no_share;
    def.move_blob = move_blob;
    def.touch_blob = touch_blob;
    def.move_ctx = bake_gateway_spool(run->gateway);
    bake_values_set_names(b->values, &b->names, number);
    kiln_status status = writes ? kiln_file_writer_create(&def, &writer, &error) : KILN_OK;
    bake_result result = status ? writer_failed(b, t->path, status, &error) : BAKE_OK;
    uint64_t begin = bake_timing_begin(run->timings);
    if (!result) {
        begin_ahead(b, t, number);
        result = bake_assets(b, t, writer);
        bake_assets_ahead_end(b->ahead);
        b->ahead = NULL;
    }
    if (!result && bake_values_can_write(b->values))
        result = bake_run_redirects_write(run, &b->inputs, &b->names, number, writer);
    if (!result && writer && !b->is_incomplete && bake_values_can_write(b->values))
        result = bake_run_payloads_add(&b->payloads, run, b->values, writer);
    if (!result && !bake_run_payloads_note(&b->payloads))
        result = bake_fail_memory(&run->failure);
    bake_run_end_phase(run, "bake", begin);
    begin = bake_timing_begin(run->timings);
    /* An asset may fail because of an inherited mistake, which is reported later, with another
     * output. The file then lacks an asset that others may refer to. */
    if (!result && writes && !b->is_incomplete && bake_values_can_write(b->values)) {
        result = write_target(b, t, writer);
        bake_run_end_phase(run, "write", begin);
    }
    kiln_file_writer_destroy(writer);
    bake_run_payloads_fini(&b->payloads);
    return result;
}

static size_t count_named(const kiln_types *types)
{
    size_t named = 0;
    for (uint32_t i = 0; i < kiln_types_count(types); i++)
        named += *kiln_types_get(types, i)->name != '\0';
    return named;
}

/* Prints "1,234 assets" after `before`. */
static void print_count(const bake_run *run, const char *before, uint64_t count, const char *what)
{
    char text[32];
    fprintf(run->err, "%s%s %s%s", before, bake_grouped(text, count), what, count == 1 ? "" : "s");
}

void bake_run_print_output(const bake_run *run, const char *path, kiln_file_counts counts,
                           size_t scenes, uint64_t size)
{
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    if (run->options->quiet)
        return;
    if (run->options->verbose && run->work.files) {
        fprintf(run->err, "%s: baked %zu of %zu assets, parsed %zu of %zu files", name,
                run->work.baked, run->work.assets, run->work.parsed, run->work.files);
        if (run->work.mapped)
            fprintf(run->err, ", mapped %zu asset%s again", run->work.mapped,
                    run->work.mapped == 1 ? "" : "s");
        fputc('\n', run->err);
    }
    fprintf(run->err, "%s: ", name);
    print_count(run, "", counts.assets, "asset");
    print_count(run, " of ", counts.types, "type");
    if (scenes)
        print_count(run, ", ", scenes, "scene");
    print_count(run, ", ", size, "byte");
    fputc('\n', run->err);
}

void bake_run_print_imports(const bake_run *run)
{
    const char *name = run->options->checked ? run->options->checked : run->options->output;
    size_t started = bake_gateway_started_count(run->gateway);
    size_t reused = bake_gateway_reused_count(run->gateway);
    if (!run->options->verbose || started + reused == 0)
        return;
    fprintf(run->err, "%s%simporters were started %zu time%s, results reused %zu time%s\n",
            name ? name : "", name ? ": " : "", started, started == 1 ? "" : "s", reused,
            reused == 1 ? "" : "s");
}

/* Counts assets as the index of the file does: a scene counts as one asset, plus up to two for its
 * parts; a cluster plan and a list of redirects count as one each. Without a file there is no
 * index, so scenes are counted separately. */
static void print_summary(run_build *b, bool writes)
{
    const bake_run *run = b->run;
    const char *bundle = run->options->checked;
    writes = writes && !bundle;
    if (run->options->quiet)
        return;
    bake_run_print_imports(run);
    for (size_t i = 0; i < b->target_count && writes; i++) {
        const run_target *t = &b->targets[i];
        bake_run_print_output(run, t->path, t->counts, t->scenes, t->size);
    }
    if (writes)
        return;
    size_t scenes = 0;
    for (size_t i = 0; i < b->target_count; i++)
        scenes += b->targets[i].scenes;
    fprintf(run->err, "%s%s", bundle ? bundle : "", bundle ? ": " : "");
    print_count(run, "checked: ", b->inputs.asset_count - scenes, "asset");
    if (scenes)
        print_count(run, " and ", scenes, "scene");
    print_count(run, " against ", count_named(run->schema->types), "type");
    fputs(" of the schema, nothing written", run->err);
    if (!bundle && b->inputs.asset_count == 0)
        fputs(b->inputs.count == 0 ? ": there is no YAML file in the folder"
                                   : ": the inputs contain no assets",
              run->err);
    fputs("\n", run->err);
}

/* Everything that comes before the assets of the files. */
static bake_result begin_baking(run_build *b)
{
    bake_run *run = b->run;
    b->values = bake_values_create(run->schema, run->diagnostics, &run->failure);
    if (b->values) {
        bake_values_set_files(b->values, run->gateway, run->options->base);
        bake_values_warn_dangling(b->values, run->options->dangling == BAKE_DANGLING_WARN);
    }
    if (!b->values || !bake_values_check_resources(b->values, run->options->resources) ||
        bake_run_scenes_prefabs(run, &b->inputs, &b->names, b->values))
        return run->failure.result;
    b->has_noisy_scenes = b->inputs.scenes && bake_values_is_noisy(b->values);
    if (bake_abstracts(b) || prepare_values(b))
        return run->failure.result;
    bake_values_set_origins(b->values, b->origins);
    return BAKE_OK;
}

/* Measures all outputs, before any of them is committed. */
static bake_result check_budgets(run_build *b)
{
    bake_result result = BAKE_OK;
    for (size_t i = 0; b->run->options->budgets && i < b->target_count && !result; i++)
        result =
            bake_run_budgets_check(b->run, &b->marks, b->targets[i].output, b->targets[i].size);
    bool failed = !result && bake_diagnostics_errors(b->run->diagnostics) > 0;
    return failed ? BAKE_BAD_INPUT : result;
}

static bake_result bake_all(run_build *b)
{
    bake_run *run = b->run;
    bool writes = run->options->command == BAKE_COMMAND_BUILD && !run->options->dry_run;
    uint64_t begin = bake_timing_begin(run->timings);
    bake_result result = begin_baking(b);
    bake_run_end_phase(run, "bake", begin);
    for (size_t i = 0; i < b->target_count && !result; i++)
        result = make_target(b, (uint32_t)i);
    if (result)
        return result;
    bake_gateway_set_user(run->gateway, BAKE_USER_MESSAGES, 0);
    bake_values_report_dangling(b->values);
    bake_values_report_resources(b->values);
    bake_gateway_set_user(run->gateway, BAKE_USER_RUN, 0);
    if (bake_diagnostics_errors(run->diagnostics) > 0)
        return BAKE_BAD_INPUT;
    if (b->is_incomplete && run->part)
        return bake_part_report_inherited(run);
    if (b->is_incomplete)
        return bake_fail_bug(&run->failure, "an asset was not baked, but no error was reported",
                             KILN_BAD_ARGUMENT, NULL);
    b->marks.memo = run->memo;
    result = writes ? check_budgets(b) : BAKE_OK;
    const bake_memo_paths_def paths = {.gateway = run->gateway};
    if (run->memo &&
        (!bake_run_keep_missing(b->values, run->memo) || !bake_memo_set_paths(run->memo, &paths)))
        drop_memo(b);
    note_scenes(b);
    if (run->memo)
        bake_scene_notes_set_noisy(run->memo, b->has_noisy_scenes);
    if (writes && !result)
        result = bind_source_map(b);
    if (writes && !result)
        result = add_notes(b);
    if (writes && !result)
        result = bake_run_commit(run);
    else if (run->options->warnings_are_errors && bake_diagnostics_warnings(run->diagnostics) > 0)
        result = BAKE_BAD_INPUT;
    if (!result)
        print_summary(b, writes);
    return result;
}

/* Reads everything that is needed before the first asset is baked. */
static bake_result read_all(run_build *b)
{
    bake_run *run = b->run;
    const bake_options *o = run->options;
    bake_inputs_def def = {.gateway = run->gateway,
                           .diagnostics = run->diagnostics,
                           .schema = run->schema,
                           .base = o->base,
                           .paths = o->inputs.items,
                           .path_count = o->inputs.count,
                           .jobs = o->jobs,
                           .keeps_uses = o->command == BAKE_COMMAND_NAMES || run->wants_memo};
    if (o->names && bake_part_begin(run))
        return run->failure.result;
    if (run->part) {
        def.paths = run->part->paths;
        def.path_count = run->part->path_count;
        def.rest = &run->part->rest;
    }
    /* Mistakes in the inputs do not end the run, so that it also reports those in values. */
    bake_inputs_read(&b->inputs, &def, &run->failure);
    if (run->failure.result)
        return run->failure.result;
    bool has_scenes = b->inputs.scenes != NULL;
    if (bake_run_scenes_types(run, has_scenes) || bake_run_redirects_types(run, &b->inputs) ||
        bake_run_clusters_types(run, has_scenes))
        return run->failure.result;
    if (bake_part_match(run, &b->inputs))
        return run->failure.result;
    b->has_clusters = !run->part && bake_run_has_clusters(run, has_scenes);
    b->names.incomplete = b->inputs.incomplete;
    b->names.links = b->inputs.links;
    b->names.guids = b->inputs.guids;
    if (bake_extern_read(&b->externs, &b->names, run) ||
        bake_run_names(run, &b->inputs, &b->names) || bake_part_add_names(run, &b->names))
        return run->failure.result;
    bake_part_select(run, &b->inputs);
    if (plan_targets(b) || bake_run_budgets_begin(run, &b->inputs, &b->marks))
        return run->failure.result;
    return BAKE_OK;
}

/* Makes the memo while all trees exist. Without it, a later run only takes longer. */
static void make_memo(run_build *b)
{
    bake_run *run = b->run;
    size_t abstracts = b->inputs.bases ? b->inputs.bases->abstract_count : 0;
    if (!run->wants_memo)
        return;
    run->work =
        (bake_run_work){b->inputs.asset_count + abstracts, b->inputs.asset_count + abstracts,
                        b->inputs.count, b->inputs.count, 0};
    bool is_silent = bake_diagnostics_errors(run->diagnostics) == 0 &&
                     bake_diagnostics_warnings(run->diagnostics) == b->schema_warnings;
    if (writes_each(b) || !bake_memo_are_possible(&b->inputs) || !is_silent)
        return;
    bake_memo_def def = {
        .inputs = &b->inputs, .schema = run->schema, .has_forms = run->options->source_map != NULL};
    def.prefabs = bake_scene_notes_prefabs(b->inputs.scenes, &def.prefab_count);
    if (def.prefabs)
        run->memo = bake_memo_make(&def);
    bake_free(def.prefabs);
    if (run->memo && !bake_memo_add_aliases(run->memo, &b->inputs, NULL))
        drop_memo(b);
}

static bake_result read_and_bake(run_build *b)
{
    bake_run *run = b->run;
    bake_result result = bake_run_schema(run);
    if (result)
        return result;
    b->schema_warnings = bake_diagnostics_warnings(run->diagnostics);
    uint64_t begin = bake_timing_begin(run->timings);
    result = read_all(b);
    if (!result)
        make_memo(b);
    bake_run_end_phase(run, "read inputs", begin);
    if (result || run->options->command != BAKE_COMMAND_NAMES)
        return result ? result : bake_all(b);
    return bake_diagnostics_errors(run->diagnostics) > 0
               ? BAKE_BAD_INPUT
               : bake_run_write_names(run, &b->inputs, &b->names);
}

bake_result bake_run_build(bake_run *run)
{
    run_build b;
    memset(&b, 0, sizeof b);
    b.run = run;
    bake_result result = read_and_bake(&b);
    if (b.inputs.bases && bake_diagnostics_errors(run->diagnostics) > 0)
        bake_heirs_hint(b.inputs.bases, run->diagnostics);
    bake_part_drop_messages(run);
    bake_values_destroy(b.values);
    bake_origins_destroy(b.origins);
    bake_extern_fini(&b.externs);
    bake_names_fini(&b.names);
    bake_inputs_fini(&b.inputs);
    bake_part_fini(run);
    return result;
}
