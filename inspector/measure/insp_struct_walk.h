/* Visits the structs of some types in a whole file: in all assets, and in the components of all
 * scenes.
 *
 * Values are visited as a dump prints them: one that several fields refer to is visited for each.
 * Such a file can describe more values than it has bytes, so a walk stops when `left` steps are
 * used up. */
#ifndef INSP_STRUCT_WALK_H
#define INSP_STRUCT_WALK_H

#include "insp_scene.h"
#include "insp_walk.h"

typedef struct insp_struct_walk insp_struct_walk;

/* `step` is the path from the asset or the component to the struct; both are valid only during the
 * call. The members `asset`, `entity` and `component` of the walk name the place. Returns false to
 * stop. */
typedef bool insp_struct_visit(insp_struct_walk *walk, const insp_step *step,
                               const kiln_value *value);

struct insp_struct_walk {
    const insp_file *file; /* with types */
    insp_struct_visit *visit;
    void *ctx;
    uint64_t left;   /* steps; the callback may subtract those that it takes itself */
    bool stopped;    /* by `left`, or by the callback */
    uint32_t broken; /* values, assets and scenes that cannot be read */
    /* The place of the visited value. */
    const insp_asset *asset;
    bool is_component;
    uint32_t entity;
    insp_text entity_name, component;
    const insp_scene *scene; /* of a component; otherwise NULL */
    const kiln_scene_component *scene_component;
    /* Private. */
    const bool *wanted;
    bool *reaches;
};

/* `wanted` has an element for each type of the file: whether it is a struct that is visited; it
 * must stay valid. The caller then sets `visit`, `ctx` and `left`. Returns KILN_OK or
 * KILN_NO_MEMORY; call insp_struct_walk_fini in both cases. */
kiln_status insp_struct_walk_init(insp_struct_walk *walk, const insp_file *file,
                                  const bool *wanted);
void insp_struct_walk_fini(insp_struct_walk *walk);

/* Visits all such structs of the file, or of an asset, which may be a scene. Returns KILN_OK or
 * KILN_NO_MEMORY. */
kiln_status insp_struct_walk_file(insp_struct_walk *walk);
kiln_status insp_struct_walk_asset(insp_struct_walk *walk, const insp_asset *asset);

/* The number of steps for a file, with which reading takes time in proportion to its size. */
static inline uint64_t insp_steps_of(const insp_file *file)
{
    return 1000000 + (uint64_t)file->size * 4;
}

/* Appends the path of a field of the struct that is visited. */
void insp_struct_walk_add_path(const insp_struct_walk *walk, const insp_step *step,
                               const kiln_value *value, uint32_t field, insp_path *path);

#endif
