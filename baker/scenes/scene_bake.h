/* Bakes resolved scenes into a file: values become rows, and entity names become numbers. */
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
    const kiln_types *types;     /* of the output file, including kiln.Scene */
    kiln_file_writer *writer;    /* NULL: nothing is written */
    kiln_scene_sizes *ret_sizes; /* receives the written sizes; may be NULL */
    kiln_buffer *ret_blobs;      /* NULL, or three buffers that receive the blobs of the scene, its
                                    chunks and its data; `writer` is then NULL */
} bake_scene_def;

/* Bakes the values of all prefabs, so that errors are reported in the prefab even if no scene uses
 * it. Abstract prefabs may lack required values. Returns false after filling the failure. */
bool bake_prefabs_check(const bake_scene_def *def);
/* Bakes the scene of that name and adds it to the file, unless there were errors. Returns false
 * after filling the failure. */
bool bake_scene(const bake_scene_def *def, const char *name, size_t length);

#endif
