/* The `scene` command: lists the contents of scenes, and prints entities.
 *
 * Without entity arguments, it lists archetypes and components, which needs only the scene's
 * description. Printing entities also needs its chunks, which may be in another file. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_run_printer.h"
#include "insp_scene_each.h"
#include "insp_scene_entity.h"
#include "insp_scene_list.h"
#include "insp_select.h"

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
    result = insp_scene_each(run, file, list_scene, &count);
    if (insp_wants_json(run))
        insp_put(&run->out, count ? "\n  ]\n}\n" : "]\n}\n");
    return result;
}

/* ---- entities ---- */

/* Whether rows can be shown. Reports why not, or what is missing: without types or data, rows are
 * shown as bytes and numbers. */
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
        why = "the file has no types, so rows are shown as bytes";
    else if (data->id && !data->asset)
        why = "the scene's data is not in this file, so values in it are shown as numbers";
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
    /* All entities use one printer, so that they share its output limits. */
    for (i = 2; i < run->options.argument_count && !p.stopped; i++) {
        uint32_t entity = insp_scene_find(scene, run->options.arguments[i]);
        if (entity == UINT32_MAX) {
            insp_complain(run, scene->file->path, "no such entity in %.*s: %.300s",
                          (int)insp_message_name(name).length, insp_message_name(name).data,
                          run->options.arguments[i]);
            result = INSP_BAD;
        } else if (json) {
            insp_scene_entity_json(&p, scene, entity, shown++ == 0);
        } else {
            insp_scene_entity_text(&p, scene, entity);
        }
        insp_out_set_whole(&run->out, (uint64_t)i - 1);
    }
    if (json && !p.stopped)
        insp_put(&run->out, shown ? "\n  ]\n}\n" : "]\n}\n");
    return insp_worse(result, insp_after_printing(run, scene->file, &p));
}

static int show_scenes(insp_run *run, const insp_file *file)
{
    int result = INSP_OK;
    if (!insp_has_index(run, file, &result))
        return result;
    if (run->options.argument_count < 3)
        return insp_worse(result, list_scenes(run, file));
    insp_out_count(&run->out, "scenes", 1);
    return insp_worse(
        result, insp_scene_by_name(run, file, run->options.arguments[1], show_entities, NULL));
}

/* Entities are named after the scene. */
static bool reads_part(const insp_options *options)
{
    insp_options scene = *options;
    scene.argument_count = scene.argument_count > 2 ? 2 : scene.argument_count;
    return insp_select_is_names(&scene);
}

const insp_command insp_scene_command = {
    .name = "scene",
    .arguments = "FILE [SCENE [ENTITY...]]",
    .help = "show scenes; print entities by name or number",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json ",
    .options = "--chunks ",
    .reads_part = reads_part,
    .show = show_scenes,
};
