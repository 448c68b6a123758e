/* Opens the scenes in the arguments, one after the other. */
#ifndef INSP_SCENE_EACH_H
#define INSP_SCENE_EACH_H

#include "insp_exit.h"
#include "insp_run.h"
#include "insp_scene.h"

/* Reports what is wrong with a scene on standard error. INSP_OK, INSP_BAD or INSP_TROUBLE. */
int insp_scene_complain(insp_run *run, const insp_scene *scene);

/* Returns an exit code. */
typedef int insp_scene_visit(insp_run *run, const insp_scene *scene, void *ctx);

/* Opens the scene, reports what is wrong with it, and calls `visit`. Returns the most severe exit
 * code. */
int insp_scene_by_name(insp_run *run, const insp_file *file, const char *name,
                       insp_scene_visit *visit, void *ctx);
/* The same for each scene that the arguments after the file name, or for all scenes of the file if
 * there are no such arguments. */
int insp_scene_each(insp_run *run, const insp_file *file, insp_scene_visit *visit, void *ctx);

#endif
