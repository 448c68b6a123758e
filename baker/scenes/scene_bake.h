/* Bakes resolved scenes: values into rows, names of entities into numbers, all into a file. */
#ifndef BAKE_SCENE_BAKE_H
#define BAKE_SCENE_BAKE_H

#include "bake_scenes.h"
#include "value_component.h"

#include <kiln/file_writer.h>
#include <kiln/scene.h>

typedef struct bake_scene_def {
    bake_scenes *scenes;
    bake_values *values;
    bake_failure *failure;
    const bake_names *names;     /* of all assets */
    const kiln_types *types;     /* of the file: with kiln.Scene */
    kiln_file_writer *writer;    /* NULL: nothing is written */
    kiln_scene_sizes *ret_sizes; /* NULL, or of what went to the file */
} bake_scene_def;

/* Bakes the values of all prefabs, so that their mistakes are reported even if no scene has them,
 * and as theirs; what abstract ones lack may be in others. False after filling the failure. */
bool bake_prefabs_check(const bake_scene_def *def);
/* Bakes the scene of that name and adds it to the file, unless there were errors. False after
 * filling the failure. */
bool bake_scene(const bake_scene_def *def, const char *name, size_t length);

#endif
