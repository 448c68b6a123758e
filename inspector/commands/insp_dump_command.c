/* The `dump` command: prints whole assets in one of the formats.
 *
 * In YAML, a scene is written as scene source, and the assets with its rows and data are omitted,
 * because baking creates them again. In the flat format, a scene is written as its entities, too.
 * If a part of a scene is missing or broken, the scene and its parts are written as stored. Such a
 * document cannot be baked, and a message reports that. A cluster plan is omitted, too, because
 * baking plans the clusters again, and so are payload assets, whose data are written as `!file`.
 * The list of redirects is written under the key `renames`, and the names of imports under
 * `accepted`. */
#include "insp_commands.h"
#include "insp_format.h"
#include "insp_json_write.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_payload.h"
#include "insp_plan.h"
#include "insp_print.h"
#include "insp_redirects.h"
#include "insp_run_printer.h"
#include "insp_scene_each.h"
#include "insp_scene_flat.h"
#include "insp_scene_yaml.h"
#include "insp_select.h"
#include "insp_yaml_imports.h"
#include "insp_yaml_renames.h"

#include <inttypes.h>
#include <string.h>

static int complain_losses(insp_run *run, const insp_scene *scene, const insp_scene_losses *losses)
{
    const char *path = scene->file->path;
    insp_text name = insp_message_name(scene->parts[INSP_SCENE_ROOT].asset->name);
    int cut = (int)name.length;
    if (losses->unnamed)
        insp_complain(run, path, "%.*s: %" PRIu32 " entity name%s cannot be written", cut,
                      name.data, losses->unnamed, losses->unnamed == 1 ? "" : "s");
    if (losses->untyped)
        insp_complain(run, path,
                      "%.*s: %" PRIu32 " value%s of components whose types are not in the file "
                      "cannot be written",
                      cut, name.data, losses->untyped, losses->untyped == 1 ? "" : "s");
    if (losses->is_reordered)
        insp_complain(run, path,
                      "%.*s: YAML cannot express the order of its data, so it bakes to "
                      "different bytes",
                      cut, name.data);
    return losses->unnamed || losses->untyped ? INSP_BAD : INSP_OK;
}

static int dump_whole_scene(insp_run *run, insp_printer *p, const insp_scene *scene)
{
    int result = insp_scene_complain(run, scene);
    insp_scene_losses losses;
    if (result == INSP_TROUBLE)
        return result;
    p->format->asset(p, scene->parts[INSP_SCENE_ROOT].asset);
    if (p->format == &insp_format_flat) {
        insp_scene_flat(p, scene);
        return result;
    }
    if (insp_scene_yaml(p, scene, &losses) != KILN_OK)
        return insp_no_memory(run);
    if (p->stopped)
        return result;
    p->format->asset_end(p);
    return insp_worse(result, complain_losses(run, scene, &losses));
}

/* Whether scenes are written as their entities. */
static bool shows_entities(const insp_printer *p)
{
    return p->format == &insp_format_yaml || p->format == &insp_format_flat;
}

/* Writes a scene as its entities. Returns false if the format does not do that, if the asset is not
 * a scene, or if parts are missing; the caller then writes it like any other asset. */
static bool dump_scene(insp_run *run, insp_printer *p, const insp_asset *asset, int *ret_result)
{
    insp_text name;
    insp_scene scene;
    bool whole;
    if (!shows_entities(p) || !insp_is_scene(p->file, asset))
        return false;
    if (insp_scene_init(&scene, p->file, asset) != KILN_OK) {
        insp_scene_fini(&scene);
        *ret_result = insp_no_memory(run);
        return true;
    }
    whole = insp_scene_is_whole(&scene);
    if (whole) {
        *ret_result = dump_whole_scene(run, p, &scene);
    } else if (scene.file->types && p->format == &insp_format_yaml) {
        *ret_result = INSP_BAD;
        name = insp_message_name(asset->name);
        insp_complain(run, p->file->path,
                      "%.*s: its rows or data are missing or do not belong to it, so it is "
                      "written as stored and cannot be baked",
                      (int)name.length, name.data);
    }
    insp_scene_fini(&scene);
    return whole;
}

/* Finds the cluster plan and payload assets, which YAML omits. `parts` has an element for each
 * number of an asset. */
static void find_omitted(const insp_file *file, bool *parts)
{
    const insp_asset *plan = insp_plan_asset(file);
    uint32_t i;
    if (plan)
        parts[plan->number] = true;
    for (i = 0; i < file->asset_count; i++)
        parts[i] = parts[i] || insp_is_payload(file, insp_numbered_asset(file, i));
}

/* What one run of the command prints with. */
typedef struct dumping {
    insp_run *run;
    insp_printer p;
    insp_json_plan plan; /* zero unless the format is JSON */
    bool *is_member_done;
} dumping;

/* Assets may share bytes. For all but the first such asset, counts the bytes against the limit,
 * because they are checked again. */
static bool spend_shared(dumping *d, const insp_asset *asset)
{
    const insp_member *member = insp_asset_member(d->p.file, asset);
    if (!member || !d->is_member_done[asset->member]) {
        if (member)
            d->is_member_done[asset->member] = true;
        return true;
    }
    return insp_spend(&d->p, member->size);
}

static int dump_asset(dumping *d, const insp_asset *asset)
{
    insp_run *run = d->run;
    insp_printer *p = &d->p;
    kiln_value root;
    int result = INSP_OK;
    if (!spend_shared(d, asset))
        return result;
    if (dump_scene(run, p, asset, &result))
        return result;
    result = insp_worse(result, insp_open_asset(run, p->file, asset, &root));
    /* Equal flat dumps must mean equal files, so an asset that cannot be shown still has a line. */
    if (!root.of && result != INSP_TROUBLE && p->format == &insp_format_flat)
        p->format->asset(p, asset);
    if (result == INSP_TROUBLE || !root.of)
        return result;
    p->depth = 1;
    p->format->asset(p, asset);
    insp_json_write(p, d->plan.types ? &d->plan : NULL, &root);
    if (!p->stopped)
        p->format->asset_end(p);
    return result;
}

static int dump_all(dumping *d)
{
    insp_run *run = d->run;
    insp_printer *p = &d->p;
    const insp_file *file = p->file;
    bool is_yaml = p->format == &insp_format_yaml;
    insp_imports imports = {NULL, 0};
    bool *parts = insp_alloc_array(file->asset_count, sizeof *parts);
    bool ok = parts && (!is_yaml || insp_imports_list(file, &imports));
    int result = ok ? INSP_OK : insp_no_memory(run);
    uint32_t k, count = 0, done = 0;
    bool has_renames = ok && is_yaml && insp_yaml_has_renames(file);
    if (ok && shows_entities(p) && insp_scene_find_parts(file, parts) != KILN_OK)
        result = insp_no_memory(run);
    if (ok && is_yaml)
        find_omitted(file, parts);
    if (has_renames)
        parts[insp_redirects_asset(file)->number] = true;
    for (k = 0; ok && k < file->asset_count; k++)
        count += !parts[k];
    insp_out_count(p->out, "assets", count);
    for (k = 0; k < file->asset_count && !p->stopped && result < INSP_TROUBLE; k++) {
        const insp_asset *asset = insp_asset_at(file, k);
        if (parts[asset->number])
            continue;
        result = insp_worse(result, dump_asset(d, asset));
        insp_out_set_whole(p->out, ++done);
    }
    insp_free(parts);
    if (result < INSP_TROUBLE)
        insp_yaml_imports(p, &imports);
    if (result < INSP_TROUBLE && has_renames && !insp_yaml_renames(p))
        result = insp_no_memory(run);
    insp_imports_fini(&imports);
    return result;
}

static int dump_selected(dumping *d)
{
    const insp_options *options = &d->run->options;
    insp_selection selection;
    int result = insp_select(d->run, d->p.file, options->arguments + 1, options->argument_count - 1,
                             NULL, &selection);
    uint32_t i;
    insp_out_count(d->p.out, "assets", selection.count);
    for (i = 0; i < selection.count && !d->p.stopped && result < INSP_TROUBLE; i++) {
        result = insp_worse(result, dump_asset(d, selection.rows[i]));
        insp_out_set_whole(d->p.out, (uint64_t)i + 1);
    }
    insp_selection_fini(&selection);
    return result;
}

static int dump(dumping *d)
{
    const insp_file *file = d->p.file;
    int result;
    d->is_member_done = insp_alloc_entries(file->member_count, sizeof *d->is_member_done);
    if (!d->is_member_done || (d->p.format == &insp_format_json && file->types &&
                               !insp_json_plan_init(&d->plan, file->types)))
        return insp_no_memory(d->run);
    d->p.format->begin(&d->p);
    result = d->run->options.argument_count == 1 ? dump_all(d) : dump_selected(d);
    if (!d->p.stopped)
        d->p.format->end(&d->p);
    return d->p.path.failed ? insp_no_memory(d->run) : result;
}

static int dump_file(insp_run *run, const insp_file *file)
{
    dumping d = {.run = run};
    int result = INSP_OK;
    if (!insp_has_index(run, file, &result))
        return result;
    insp_run_printer(run, file, &d.p);
    result = insp_worse(result, dump(&d));
    insp_printer_fini(&d.p);
    insp_json_plan_fini(&d.plan);
    insp_free(d.is_member_done);
    return insp_worse(result, insp_after_printing(run, file, &d.p));
}

const insp_command insp_dump_command = {
    .name = "dump",
    .arguments = "FILE [PATTERN...]",
    .help = "print assets as a tree, bakeable YAML, JSON or lines",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "tree yaml json flat ",
    .options = "--flat ",
    .reads_part = insp_select_is_names,
    .show = dump_file,
};
