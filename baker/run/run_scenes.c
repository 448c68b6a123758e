/* Handles the scenes of a run: adds their types, reserves the names of their parts, and bakes them.
 *
 * A scene becomes up to three assets: `Scene/x`, `SceneChunks/x` with its rows, and `SceneData/x`
 * if components have lists or strings. The names of the parts are reserved before anything is
 * baked, so that a conflicting asset is reported with its location. */
#include "run_scenes.h"

#include "run_types.h"
#include "scene_bake.h"

#include <kiln/scene.h>
#include <string.h>

bake_result bake_run_scenes_types(bake_run *run, bool has_scenes)
{
    return has_scenes ? bake_run_append_types(run, kiln_types_with_scene, "scenes") : BAKE_OK;
}

static const char *const part_kinds[2] = {"SceneChunks/", "SceneData/"};

bool bake_run_scenes_names(bake_run *run, bake_inputs *inputs, bake_names *names,
                           const bake_asset *asset, uint32_t output)
{
    const char *id = strchr(asset->name, '/') + 1;
    size_t id_length = asset->name_length - (size_t)(id - asset->name);
    const kiln_type *data = kiln_types_get(run->schema->types, run->schema->scene_data);
    for (size_t i = 0; i < (data ? 2u : 1u); i++) {
        size_t kind = strlen(part_kinds[i]);
        const bake_name *other;
        char *text = bake_store_alloc(&inputs->store, kind + id_length + 1, 1);
        if (!text)
            return false;
        memcpy(text, part_kinds[i], kind);
        memcpy(text + kind, id, id_length);
        bake_name name;
        memset(&name, 0, sizeof name);
        name.name = text;
        name.length = kind + id_length;
        name.type = KILN_TYPE_NONE;
        name.output = output;
        name.is_part = true;
        name.type_name = i == 0 ? KILN_SCENE_CHUNKS_TYPE_NAME : data->name;
        name.type_name_length = strlen(name.type_name);
        name.file = inputs->inputs[asset->input].path;
        name.tree = inputs->inputs[asset->input].tree;
        name.node = asset->named_at;
        if (!bake_names_add(names, &name, &other))
            return false;
        bool is_patched = other && other->output == BAKE_OUTPUT_EXTERN && run->options->patch;
        if (is_patched)
            bake_names_replace(names, other, &name);
        else if (other)
            return bake_report(run->diagnostics, BAKE_ERROR, bake_node_mark(name.tree, name.node),
                               "duplicate", asset->name,
                               "the scene needs the name %s, but another asset has it", text) ||
                   true;
    }
    return true;
}

static bake_scene_def def_of(bake_run *run, bake_inputs *inputs, const bake_names *names,
                             bake_values *values, kiln_file_writer *writer)
{
    bake_scene_def def = {inputs->scenes,     values, &run->failure, names,
                          run->schema->types, writer, NULL,          NULL};
    return def;
}

bake_result bake_run_scenes_prefabs(bake_run *run, bake_inputs *inputs, bake_names *names,
                                    bake_values *values)
{
    if (!inputs->scenes)
        return BAKE_OK;
    /* Prefabs belong to no output, so their references never become imports. */
    bake_values_set_names(values, names, BAKE_OUTPUT_EXTERN - 1);
    bake_scene_def def = def_of(run, inputs, names, values, NULL);
    bake_prefabs_check(&def);
    return run->failure.result;
}

/* With --verbose, prints one line for each asset of the scene. */
static void print_parts(const bake_run *run, const char *scene, const char *path,
                        const kiln_scene_sizes *sizes)
{
    const struct {
        const char *kind;
        uint64_t size;
    } parts[] = {
        {"Scene", sizes->scene}, {"SceneChunks", sizes->chunks}, {"SceneData", sizes->data}};
    for (size_t i = 0; i < 3; i++)
        if (parts[i].size)
            fprintf(run->err, "%s%s: %llu bytes, from %s\n", i ? parts[i].kind : "",
                    i ? strchr(scene, '/') : scene, (unsigned long long)parts[i].size, path);
}

bake_result bake_run_scenes_bake(bake_run *run, bake_inputs *inputs, const bake_names *names,
                                 bake_values *values, const bake_asset *asset,
                                 kiln_file_writer *writer)
{
    bake_scene_def def = def_of(run, inputs, names, values, writer);
    kiln_scene_sizes sizes = {0, 0, 0};
    def.ret_sizes = &sizes;
    if (writer && bake_run_compress(run->options, writer, KILN_SCENE_TYPE_NAME))
        return bake_fail_memory(&run->failure);
    bake_scene(&def, asset->name, asset->name_length);
    if (run->options->verbose)
        print_parts(run, asset->name, inputs->inputs[asset->input].path, &sizes);
    return run->failure.result;
}

bake_result bake_run_scenes_make(bake_run *run, bake_inputs *inputs, const bake_names *names,
                                 bake_values *values, const bake_asset *asset,
                                 kiln_buffer ret_blobs[3])
{
    bake_scene_def def = def_of(run, inputs, names, values, NULL);
    memset(ret_blobs, 0, 3 * sizeof *ret_blobs);
    def.ret_blobs = ret_blobs;
    bake_scene(&def, asset->name, asset->name_length);
    return run->failure.result;
}
