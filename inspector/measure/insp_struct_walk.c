/* Values whose types cannot contain such structs are skipped. So a walk over all assets visits only
 * a few values of most. */
#include "insp_struct_walk.h"

#include "insp_memory.h"
#include "insp_scene_row.h"
#include "insp_type_reach.h"
#include "insp_unpack.h"

static bool visit_value(insp_walk *walk, const insp_step *step, const kiln_value *value,
                        bool is_key)
{
    insp_struct_walk *w = walk->ctx;
    if (is_key)
        return false;
    if (!w->wanted[value->type])
        return true;
    /* The callback can take steps, too. */
    w->left = walk->left;
    if (!w->visit(w, step, value))
        walk->stopped = true;
    walk->left = w->left;
    return true;
}

static void walk_root(insp_struct_walk *w, const kiln_value *root)
{
    insp_walk walk = {.visit = visit_value, .ctx = w, .inside = w->reaches, .left = w->left};
    insp_walk_value(&walk, root);
    w->left = walk.left;
    w->stopped = walk.stopped;
    w->broken += walk.broken;
}

static void walk_rows(insp_struct_walk *w, const insp_scene *scene)
{
    uint32_t i, k;
    for (i = 0; scene->has_rows && i < scene->view.entities && !w->stopped; i++) {
        insp_scene_row at = insp_scene_locate(scene, i);
        w->entity = i;
        w->entity_name = insp_scene_name(scene, i);
        for (k = 0; k < at.of->component_count && !w->stopped; k++) {
            kiln_value value;
            if (!insp_scene_row_bytes(&at, k) || !insp_scene_row_value(&at, k, &value))
                continue;
            w->scene_component = insp_scene_row_component(&at, k);
            w->component = insp_scene_text(&w->scene_component->name);
            walk_root(w, &value);
        }
    }
}

static kiln_status walk_scene(insp_struct_walk *w)
{
    insp_scene scene;
    kiln_status status = insp_scene_init(&scene, w->file, w->asset);
    w->is_component = true;
    w->scene = &scene;
    if (!status && scene.has_rows)
        walk_rows(w, &scene);
    else
        w->broken++;
    w->is_component = false;
    w->scene = NULL;
    insp_scene_fini(&scene);
    return status;
}

static kiln_status walk_asset(insp_struct_walk *w)
{
    uint32_t type = insp_asset_type(w->file, w->asset);
    kiln_value root;
    kiln_status status;
    if (insp_is_scene(w->file, w->asset))
        return walk_scene(w);
    if (type == KILN_TYPE_NONE || !w->reaches[type])
        return KILN_OK;
    status = insp_asset_root(w->file, w->asset, &root);
    if (status)
        w->broken++;
    else
        walk_root(w, &root);
    return status == KILN_NO_MEMORY ? status : KILN_OK;
}

kiln_status insp_struct_walk_init(insp_struct_walk *w, const insp_file *file, const bool *wanted)
{
    *w = (insp_struct_walk){.file = file, .wanted = wanted};
    w->reaches = insp_type_reach(file->types, wanted);
    return w->reaches ? KILN_OK : KILN_NO_MEMORY;
}

void insp_struct_walk_fini(insp_struct_walk *w)
{
    insp_free(w->reaches);
    w->reaches = NULL;
}

kiln_status insp_struct_walk_file(insp_struct_walk *w)
{
    uint32_t i;
    kiln_status status = KILN_OK;
    for (i = 0; i < w->file->asset_count && !status && !w->stopped; i++)
        status = insp_struct_walk_asset(w, insp_numbered_asset(w->file, i));
    return status;
}

kiln_status insp_struct_walk_asset(insp_struct_walk *w, const insp_asset *asset)
{
    w->asset = asset;
    return walk_asset(w);
}

void insp_struct_walk_add_path(const insp_struct_walk *w, const insp_step *step,
                               const kiln_value *value, uint32_t field, insp_path *path)
{
    const char *name = value->of->members[field].name;
    insp_path_add_asset(path, w->asset->name);
    if (w->is_component) {
        insp_path_add_entity(path, w->entity_name, w->entity);
        insp_path_add_component(path, w->component);
    }
    insp_walk_add_path(path, w->file, step);
    if (!(value->of->flags & KILN_TYPE_TRANSPARENT))
        insp_path_add_name(path, name, strlen(name));
}
