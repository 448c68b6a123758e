/* The command scene: what scenes hold, and their entities. */
#include "insp_scene.h"
#include "insp_escape.h"

#include <inttypes.h>
#include <string.h>

static void tell(insp_run *run, const insp_scene *scene, const kiln_error *error,
                 const insp_asset *asset)
{
    insp_finding finding = {.part = "member", .member = asset->member, .asset = asset};
    finding.error = *error;
    insp_tell_finding(run, scene->file, &finding);
}

/* Says what is wrong with a part's blob. */
static int tell_part(insp_run *run, const insp_scene *scene, insp_scene_piece piece)
{
    const insp_scene_part *part = &scene->parts[piece];
    insp_check check = {
        .file = scene->file, .on_finding = insp_tell_finding, .ctx = run, .skip_canonical = true};
    if (!part->asset)
        return INSP_OK;
    if (insp_check_member(&check, part->asset->member) != KILN_OK)
        return insp_no_memory(run);
    if (!check.findings && part->error.status && part->error.status != KILN_NO_TYPES) {
        tell(run, scene, &part->error, part->asset);
        check.findings++;
    }
    return check.findings ? INSP_BAD : INSP_OK;
}

int insp_scene_tell(insp_run *run, const insp_scene *scene)
{
    int result = INSP_OK, i;
    for (i = 0; i < INSP_SCENE_PIECES && result < INSP_TROUBLE; i++)
        result = insp_heavier(result, tell_part(run, scene, (insp_scene_piece)i));
    if (result == INSP_TROUBLE || !scene->view_error.status)
        return result;
    kiln_error error = scene->view_error;
    error.offset += scene->parts[INSP_SCENE_ROOT].place;
    tell(run, scene, &error, scene->parts[INSP_SCENE_ROOT].asset);
    return INSP_BAD;
}

int insp_scene_open(insp_run *run, const insp_file *file, const insp_asset *asset,
                    insp_scene *ret_scene)
{
    int result = INSP_TROUBLE;
    if (insp_scene_init(ret_scene, file, asset) != KILN_OK)
        insp_no_memory(run);
    else
        result = insp_scene_tell(run, ret_scene);
    if (result == INSP_TROUBLE)
        insp_scene_fini(ret_scene);
    return result;
}

static int show_entities(insp_run *run, const insp_scene *scene, void *ctx);

static int visit_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                       insp_scene_visit *visit, void *ctx)
{
    insp_scene scene;
    int result = insp_scene_open(run, file, asset, &scene);
    if (result == INSP_TROUBLE)
        return result;
    result = insp_heavier(result, visit(run, &scene, ctx));
    insp_scene_fini(&scene);
    return result;
}

static int no_scene(insp_run *run, const insp_file *file, const insp_asset *asset)
{
    insp_text name = insp_name_to_tell(asset->name);
    insp_text type = insp_name_to_tell(insp_asset_type_name(file, asset));
    insp_complain(run, file->path, "%.*s is no scene, but a %.*s", (int)name.length, name.data,
                  (int)type.length, type.data);
    return INSP_BAD;
}

static uint32_t count_scenes(const insp_file *file)
{
    uint32_t i, count = 0;
    for (i = 0; i < file->asset_count; i++)
        count += insp_is_scene(file, &file->assets[i]);
    return count;
}

int insp_scene_each(insp_run *run, const insp_file *file, int from, int to, insp_scene_visit *visit,
                    void *ctx)
{
    int result = INSP_OK, i;
    uint32_t k, count = 0;
    insp_out_count(&run->out, "scenes",
                   from < to ? (uint64_t)to - (uint64_t)from : count_scenes(file));
    for (k = 0; from >= to && k < file->asset_count && result < INSP_TROUBLE && !run->out.error;
         k++) {
        if (!insp_is_scene(file, &file->assets[k]))
            continue;
        count++;
        result = insp_heavier(result, visit_asset(run, file, &file->assets[k], visit, ctx));
        insp_out_is_whole(&run->out, count);
    }
    if (from >= to && !count) {
        insp_complain(run, file->path, "no scene is in it");
        return INSP_BAD;
    }
    for (i = from; i < to && result < INSP_TROUBLE && !run->out.error; i++) {
        const char *name = run->options.arguments[i];
        const insp_asset *asset = insp_file_asset(file, name, strlen(name));
        int visited;
        if (!asset)
            visited = insp_no_such_asset(run, file, name, false);
        else if (!insp_is_scene(file, asset))
            visited = no_scene(run, file, asset);
        else
            visited = visit_asset(run, file, asset, visit, ctx);
        result = insp_heavier(result, visited);
        if (visit != show_entities)
            insp_out_is_whole(&run->out, (uint64_t)(i - from) + 1);
    }
    return result;
}

/* ---- the list ---- */

static int list_scene(insp_run *run, const insp_scene *scene, void *ctx)
{
    uint32_t *count = ctx;
    int result = INSP_OK;
    if (insp_wants_json(run)) {
        insp_scene_list_json(run, scene, *count == 0);
    } else {
        insp_put(&run->out, *count ? "\n" : "");
        result = insp_scene_list_text(run, scene);
    }
    ++*count;
    return result;
}

static int list_scenes(insp_run *run, const insp_file *file)
{
    uint32_t count = 0;
    int result;
    if (insp_wants_json(run))
        insp_put(&run->out, "{\n  \"format\": 1,\n  \"scenes\": [");
    result = insp_scene_each(run, file, 1, run->options.argument_count, list_scene, &count);
    if (insp_wants_json(run))
        insp_put(&run->out, count ? "\n  ]\n}\n" : "]\n}\n");
    return result;
}

/* ---- entities ---- */

/* Whether rows can be shown; says why not, or what of them cannot. */
static bool can_show(insp_run *run, const insp_scene *scene)
{
    const insp_scene_part *data = &scene->parts[INSP_SCENE_DATA];
    const char *why = NULL;
    if (!scene->has_view)
        why = "the scene is broken, so entities cannot be found";
    else if (!scene->has_rows)
        why = scene->parts[INSP_SCENE_CHUNKS].asset
                  ? "the scene's chunks are broken, so rows cannot be shown"
                  : "the scene's chunks are not in this file, so rows cannot be shown";
    else if (!scene->file->types)
        why = "no types come with it, so rows are shown as bytes";
    else if (data->id && !data->asset)
        why = "the scene's data is not in this file, so what lies there is shown as numbers";
    if (why)
        insp_complain(run, scene->file->path, "%s", why);
    return scene->has_rows;
}

static int show_entities(insp_run *run, const insp_scene *scene, void *ctx)
{
    bool json = insp_wants_json(run);
    int result = INSP_OK, i;
    uint32_t shown = 0;
    insp_text name = scene->parts[INSP_SCENE_ROOT].asset->name;
    insp_printer p;
    (void)ctx;
    if (!can_show(run, scene))
        return INSP_BAD;
    insp_run_printer(run, scene->file, &p);
    if (json) {
        insp_put(&run->out, "{\n  \"format\": 1,\n  \"scene\": ");
        insp_put_json_string(&run->out, name.data, name.length);
        insp_put(&run->out, ",\n  \"entities\": [");
    }
    insp_out_count(&run->out, "entities", (uint64_t)run->options.argument_count - 2);
    for (i = 2; i < run->options.argument_count && !p.stopped; i++) {
        uint32_t entity = insp_scene_find(scene, run->options.arguments[i]);
        if (entity == UINT32_MAX) {
            insp_complain(run, scene->file->path, "no such entity in %.*s: %.300s",
                          (int)insp_name_to_tell(name).length, insp_name_to_tell(name).data,
                          run->options.arguments[i]);
            result = INSP_BAD;
        } else if (json) {
            insp_scene_entity_json(&p, scene, entity, shown++ == 0);
        } else {
            insp_scene_entity_text(&p, scene, entity);
        }
        insp_out_is_whole(&run->out, (uint64_t)i - 1);
    }
    if (json && !p.stopped)
        insp_put(&run->out, shown ? "\n  ]\n}\n" : "]\n}\n");
    return insp_heavier(result, insp_after_printing(run, scene->file, &p));
}

int insp_scene_command(insp_run *run)
{
    insp_file file;
    int result = insp_open(run, run->options.arguments[0], &file), shown;
    if (result)
        return result;
    if (insp_has_index(run, &file, &result)) {
        if (run->options.argument_count > 2)
            shown = insp_scene_each(run, &file, 1, 2, show_entities, NULL);
        else
            shown = list_scenes(run, &file);
        result = insp_heavier(result, shown);
    }
    insp_file_fini(&file);
    return result;
}
