/* The assets of a run, one after the other, into a file. */
#include "run_build.h"

#include "asset_bases.h"
#include "bake_compression.h"
#include "run_scenes.h"

#include <string.h>

static const bake_tree *tree_of(const run_build *b, const bake_asset *asset)
{
    return b->inputs.inputs[asset->input].tree;
}

/* The writer trusts no one. A limit is for the input to keep; all else that it refuses was our
 * mistake. */
bake_result bake_run_writer_failed(run_build *b, const char *name, kiln_status status,
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

/* With --verbose the blob's size is told, so the file gets it as a second step. */
static bake_result add_told(run_build *b, const bake_name *name, const bake_mark *mark,
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
        status = kiln_file_writer_take(writer, name->name, name->length, name->type, &blob, &error);
    kiln_buffer_fini(&blob);
    return status ? bake_run_writer_failed(b, name->name, status, &error) : BAKE_OK;
}

/* Reads the values of an asset, and lets go of the trees that it inherits from. */
static bool read_asset(run_build *b, const bake_asset *asset, const bake_name *name)
{
    bake_asset_layers layers;
    if (asset->base == UINT32_MAX)
        return bake_values_read(b->values, name->tree, asset->node, name, asset->rule);
    if (!bake_bases_list(b->inputs.bases, asset->base, &layers))
        return bake_fail_memory(&b->run->failure) == BAKE_OK;
    bool is_alone =
        layers.count == 1 && !layers.is_partial && !layers.layers[0]->asset->is_abstract;
    bool ok = is_alone ? bake_values_read(b->values, name->tree, asset->node, name, asset->rule)
                       : bake_values_read_layers(b->values, &layers, name);
    bake_bases_release(&b->inputs, asset->base);
    return ok;
}

static bake_name name_of(const run_build *b, const bake_asset *asset)
{
    bake_name name;
    memset(&name, 0, sizeof name);
    name.name = asset->name;
    name.length = asset->name_length;
    name.type = asset->type;
    name.tree = tree_of(b, asset);
    name.node = asset->named_at;
    return name;
}

bake_result bake_run_abstracts(run_build *b)
{
    const bake_bases *bases = b->inputs.bases;
    for (size_t i = 0; bases && i < bases->abstract_count; i++) {
        const bake_asset *asset = &bases->abstracts[i];
        bake_name name = name_of(b, asset);
        bake_values_set_names(b->values, &b->names, BAKE_OUTPUT_EXTERN - 1);
        read_asset(b, asset, &name);
        bake_input_release(&b->inputs.inputs[asset->input]);
        if (b->run->failure.result)
            break;
    }
    return b->run->failure.result;
}

/* Once the last scene is baked, nobody asks for what scenes and prefabs are made of. */
static void end_scenes(run_build *b)
{
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

static bake_result bake_one(run_build *b, const bake_asset *asset, kiln_file_writer *writer)
{
    bake_run *run = b->run;
    bake_input *input = &b->inputs.inputs[asset->input];
    bake_mark mark;
    if (asset->is_scene) {
        if (!bake_values_are_sound(b->values))
            writer = NULL;
        return bake_scene_asset(b, asset, writer);
    }
    bake_name name = name_of(b, asset);
    bool ok = read_asset(b, asset, &name);
    bool is_last = --input->asset_count == 0;
    if (is_last) {
        mark = bake_node_mark(input->tree, asset->named_at);
        bake_input_drop(input);
    }
    if (!ok) {
        b->is_lacking = true;
        return run->failure.result;
    }
    const bake_mark *known = is_last ? &mark : NULL;
    if (!bake_values_are_sound(b->values))
        return run->failure.result;
    const char *type = kiln_types_get(run->schema->types, asset->type)->name;
    if (writer && bake_compress(run->options, writer, type))
        return bake_fail_memory(&run->failure);
    if (!writer || run->options->verbose)
        return add_told(b, &name, known, input->path, writer);
    bake_values_add(b->values, &name, known, writer);
    return run->failure.result;
}

static bake_result origins_ended(bake_run *run, bake_origins_end_result result)
{
    if (result == BAKE_ORIGINS_NO_MEMORY)
        return bake_fail_memory(&run->failure);
    if (result == BAKE_ORIGINS_IO)
        return bake_fail_errno(&run->failure, "write", run->options->source_map);
    return BAKE_OK;
}

bake_result bake_run_bind(run_build *b)
{
    bake_result result = BAKE_OK;
    for (size_t i = 0; b->origins && i < b->target_count && !result; i++) {
        kiln_blob_header header;
        memcpy(&header, b->targets[i].header, sizeof header);
        result = origins_ended(b->run, bake_origins_bind(b->origins, header.hash));
    }
    return result;
}

bake_result bake_run_assets(run_build *b, const run_target *t, kiln_file_writer *writer)
{
    bake_result result = BAKE_OK;
    for (size_t i = t->first; i < t->first + t->count && !result; i++) {
        const bake_asset *asset = &b->inputs.assets[i];
        if (b->origins)
            bake_origins_begin(b->origins, asset->name, asset->name_length);
        if (b->origins && asset->is_scene)
            bake_origins_scene(b->origins, asset->name,
                               bake_node_mark(tree_of(b, asset), asset->named_at));
        result = bake_one(b, asset, writer);
        if (b->origins && !result)
            result = origins_ended(b->run, bake_origins_end(b->origins));
    }
    return result;
}
