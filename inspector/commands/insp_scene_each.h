/* Iterates over the scenes named in the arguments. */
#ifndef INSP_SCENE_EACH_H
#define INSP_SCENE_EACH_H

#include "insp_exit.h"
#include "insp_run.h"
#include "insp_scene.h"

/* Reports errors in a scene on standard error. Returns INSP_OK, INSP_BAD or INSP_TROUBLE. */
int insp_scene_complain(insp_run *run, const insp_scene *scene);

/* A callback for each scene; returns an exit code. */
typedef int insp_scene_visit(insp_run *run, const insp_scene *scene, void *ctx);

/* Opens the only scene that `name` selects, reports its errors and calls `visit`. Returns the most
 * severe exit code. */
int insp_scene_by_name(insp_run *run, const insp_file *file, const char *name,
                       insp_scene_visit *visit, void *ctx);
/* The same for each scene that an argument after the file selects, or for all scenes of the file if
 * there are no such arguments. */
int insp_scene_each(insp_run *run, const insp_file *file, insp_scene_visit *visit, void *ctx);

#endif
