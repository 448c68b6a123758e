/* Values whose types cannot contain such structs are skipped. So a walk over all assets visits only
 * a few values of most. */
#include "insp_struct_walk.h"

#include "insp_memory.h"
#include "insp_scene_row.h"
#include "insp_unpack.h"

/* ---- types that contain the structs ---- */

/* Calls that count, and then fill in, the types that contain each type. */
typedef struct parents {
    const kiln_types *types;
    uint32_t *starts, *list; /* of type `t`: list[starts[t]] to list[starts[t + 1]] */
} parents;

static void add_parent(parents *p, uint32_t child, uint32_t parent)
{
    if (child >= kiln_types_count(p->types))
        return;
    if (p->list)
        p->list[--p->starts[child + 1]] = parent;
    else
        p->starts[child + 1]++;
}

static void add_parents(parents *p)
{
    uint32_t type, i, count = kiln_types_count(p->types);
    for (type = 0; type < count; type++) {
        const kiln_type *of = kiln_types_get(p->types, type);
        add_parent(p, of->element, type);
        for (i = 0; i < of->member_count; i++)
            add_parent(p, of->members[i].type, type);
    }
}

/* Returns a byte for each type: whether its values can contain, or refer to, a wanted struct in the
 * same blob, or are one. NULL if memory runs out. */
static unsigned char *find_reaching(const kiln_types *types, const unsigned char *wanted)
{
    uint32_t i, edges = 0, queued = 0, count = kiln_types_count(types);
    parents p = {types, insp_alloc_array((size_t)count + 2, sizeof *p.starts), NULL};
    unsigned char *reaches = insp_alloc_array(count, 1);
    uint32_t *queue = insp_alloc_array(count, sizeof *queue);
    if (p.starts)
        add_parents(&p);
    for (i = 0; p.starts && i <= count; i++)
        edges = p.starts[i] += i ? p.starts[i - 1] : 0;
    p.list = p.starts ? insp_alloc_array(edges, sizeof *p.list) : NULL;
    if (!p.list || !reaches || !queue) {
        insp_free(reaches);
        reaches = NULL;
        count = 0;
    } else {
        /* Afterwards, starts[t + 1] is where the list of t begins. */
        p.starts[count + 1] = edges;
        add_parents(&p);
    }
    for (i = 0; i < count; i++) {
        reaches[i] = wanted[i] != 0;
        if (wanted[i])
            queue[queued++] = i;
    }
    for (i = 0; i < queued; i++) {
        uint32_t k, end = p.starts[queue[i] + 2];
        for (k = p.starts[queue[i] + 1]; k < end; k++) {
            if (!reaches[p.list[k]])
                queue[queued++] = p.list[k];
            reaches[p.list[k]] = 1;
        }
    }
    insp_free(p.starts);
    insp_free(p.list);
    insp_free(queue);
    return reaches;
}

/* ---- values ---- */

static bool visit_value(insp_walk *walk, const insp_step *step, const kiln_value *value,
                        bool is_key)
{
    insp_struct_walk *w = walk->ctx;
    if (is_key || !w->reaches[value->type])
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
    insp_walk walk = {.visit = visit_value, .ctx = w, .left = w->left};
    if (w->reaches[root->type])
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
            w->component = insp_scene_text(&insp_scene_row_component(&at, k)->name);
            walk_root(w, &value);
        }
    }
}

static kiln_status walk_scene(insp_struct_walk *w)
{
    insp_scene scene;
    kiln_status status = insp_scene_init(&scene, w->file, w->asset);
    w->is_component = true;
    if (!status && scene.has_rows)
        walk_rows(w, &scene);
    else
        w->broken++;
    w->is_component = false;
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

kiln_status insp_struct_walk_init(insp_struct_walk *w, const insp_file *file,
                                  const unsigned char *wanted)
{
    *w = (insp_struct_walk){.file = file, .wanted = wanted};
    w->reaches = find_reaching(file->types, wanted);
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
