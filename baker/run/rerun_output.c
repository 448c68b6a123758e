/* The output of a rerun: the old one, patched or written again from its blobs. */
#include "rerun_store.h"

#include "bake_memory.h"
#include "file_rebuild.h"
#include "run_budgets.h"
#include "run_clusters.h"

#include <kiln/blob_header.h>
#include <kiln/scene.h>
#include <string.h>

static void print_work(const rerun *r, kiln_file_counts counts, uint64_t size)
{
    bake_run *run = r->run;
    size_t scenes = 0;
    run->work = (bake_run_work){r->baked_count, bake_memo_prefabs_at(r->memo), 0,
                                r->memo->file_count, r->mapped_count};
    for (uint32_t i = 0; i < r->memo->file_count; i++)
        run->work.parsed += r->parsed[i];
    if (!run->options->quiet)
        bake_run_print_imports(run);
    for (uint32_t i = 0; i < r->memo->asset_count; i++)
        scenes += bake_memo_is_scene(&r->memo->all[i]);
    bake_run_print_output(run, run->options->output, counts, scenes, size);
}

/* Also keeps the header of the file, which contains the hash for the source map. */
typedef struct headed_output {
    bake_output *output;
    size_t size; /* of `header` so far */
    unsigned char header[KILN_HEADER_SIZE];
} headed_output;

static bool write_headed(void *ctx, const void *data, size_t size)
{
    headed_output *to = ctx;
    size_t left = sizeof to->header - to->size;
    memcpy(to->header + to->size, data, size < left ? size : left);
    to->size += size < left ? size : left;
    return bake_output_write(to->output, data, size);
}

static void print_made(const rerun *r)
{
    for (size_t i = 0; i < r->made_count && r->run->options->verbose; i++)
        fprintf(r->run->err, "%s: %zu bytes, from %s\n", r->made[i].name, r->made[i].size,
                r->made[i].path);
}

bool bake_rerun_may_write(rerun *r)
{
    const bake_rerun_view view = {.run = r->run,
                                  .memo = r->memo,
                                  .inputs = &r->inputs,
                                  .output = r->def->output,
                                  .changed = r->own,
                                  .affected = r->affected,
                                  .retyped = r->retyped,
                                  .made = r->made,
                                  .made_count = r->made_count,
                                  .added = r->added,
                                  .added_count = r->added_count,
                                  .removed = r->removed,
                                  .removed_count = r->removed_count,
                                  .before = r->before,
                                  .others = r->others,
                                  .other_count = r->other_count,
                                  .from = r->from};
    return r->def->may_write(r->def->ctx, &view);
}

/* Checks the budgets of an output, or of the old one if it is NULL. Then all messages are known. */
static bool check(rerun *r, bake_output *output, uint64_t size)
{
    const kiln_span what = {r->def->output.data, (size_t)size};
    return bake_run_budgets_check_some(r->run, &r->inputs, r->memo, output, what) &&
           bake_rerun_may_write(r);
}

/* Writes the patched file. Returns false if that failed, so that the run must be repeated. */
static bool write_patch(rerun *r, const bake_file_patch *patch)
{
    bake_run *run = r->run;
    bool done = bake_file_patch_is_empty(patch);
    headed_output to = {.output = NULL};
    if (done) {
        memcpy(to.header, r->def->output.data, sizeof to.header);
        done = check(r, NULL, r->def->output.size) && bake_rerun_map_bind(r, to.header) &&
               (!r->origins || bake_run_commit(run) == BAKE_OK);
    } else {
        to.output = bake_run_begin(run, run->options->output);
        done = to.output && bake_file_patch_write(patch, write_headed, &to) &&
               check(r, to.output, bake_file_patch_size(patch)) &&
               bake_rerun_map_bind(r, to.header) && bake_run_commit(run) == BAKE_OK;
    }
    if (done) {
        print_made(r);
        print_work(r, bake_file_patch_counts(patch), bake_file_patch_size(patch));
    }
    return done;
}

/* The assets of the new file; NULL if memory runs out. `made` is sorted like them. */
static bake_rebuilt_asset *list_assets(const rerun *r)
{
    size_t next = 0;
    uint32_t scene_type = kiln_types_find(r->run->schema->types, KILN_SCENE_TYPE_NAME);
    bake_rebuilt_asset *all = bake_alloc_array((size_t)r->memo->asset_count + 1, sizeof *all);
    for (uint32_t i = 0; all && i < r->memo->asset_count; i++) {
        bool is_scene = bake_memo_is_scene(&r->memo->all[i]);
        all[i] = (bake_rebuilt_asset){.name = bake_memo_name(r->memo, i),
                                      .name_length = r->memo->all[i].name_length,
                                      .type = is_scene ? scene_type : r->memo->all[i].type,
                                      .is_scene = is_scene};
        if (!r->baked[i])
            continue;
        all[i].made = &r->made[next++];
        all[i].made_count = 1;
        while (next < r->made_count && r->made[next].is_part) {
            next++;
            all[i].made_count++;
        }
    }
    return all;
}

static const char **list_imports(const rerun *r, size_t *ret_count)
{
    const uint32_t *numbers = bake_values_imports(r->values, ret_count);
    const char **names = bake_alloc_array(*ret_count + 1, sizeof *names);
    for (size_t i = 0; names && i < *ret_count; i++)
        names[i] = r->names.all[numbers[i]].name;
    return names;
}

static bool write_rebuilt(rerun *r)
{
    bake_run *run = r->run;
    bake_rebuilt_asset *assets = list_assets(r);
    bake_file_rebuild rebuild = {.old = r->def->output,
                                 .assets = assets,
                                 .count = r->memo->asset_count,
                                 .inputs = &r->inputs,
                                 .names = &r->names,
                                 .payloads = r->payloads,
                                 .payload_count = r->payload_count,
                                 .has_clusters = bake_run_has_clusters(run, r->memo->scenes.exist)};
    const char **imports = list_imports(r, &rebuild.import_count);
    rebuild.imports = imports;
    headed_output to = {.output = NULL};
    if (assets && imports)
        to.output = bake_run_begin(run, run->options->output);
    bool done = to.output && bake_file_rebuild_write(&rebuild, run, write_headed, &to) &&
                check(r, to.output, rebuild.size) && bake_rerun_map_bind(r, to.header) &&
                bake_run_commit(run) == BAKE_OK;
    if (done) {
        print_made(r);
        print_work(r, rebuild.counts, rebuild.size);
    }
    bake_free(imports);
    bake_free(assets);
    return done;
}

bool bake_rerun_write(rerun *r)
{
    bake_run *run = r->run;
    size_t imports;
    (void)bake_values_imports(r->values, &imports);
    /* A small blob may be uncompressed before the change, and compressed afterwards. */
    bool keeps_index = r->has_same_names && r->has_same_links && r->has_same_payloads &&
                       imports == 0 && !r->has_other_schema && run->options->compress == 0 &&
                       !run->options->no_share && r->scene_count == 0;
    const kiln_span *old = &r->def->output;
    /* The memory is the reader's, which is not constant (rerun.h). */
    void *file = (void *)(uintptr_t)old->data;
    bake_file_patch *patch =
        keeps_index ? bake_file_patch_make(file, old->size, r->made, r->made_count) : NULL;
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    bool done = run->outputs && (patch ? write_patch(r, patch) : write_rebuilt(r));
    bake_file_patch_destroy(patch);
    return done;
}
