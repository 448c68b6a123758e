/* Lists the contents of a scene: as text in insp_scene_text.c, as JSON in insp_scene_json.c. */
#ifndef INSP_SCENE_LIST_H
#define INSP_SCENE_LIST_H

#include "insp_exit.h"
#include "insp_run.h"
#include "insp_scene.h"

/* Returns INSP_OK, INSP_BAD or INSP_TROUBLE. */
int insp_scene_list_text(insp_run *run, const insp_scene *scene);
/* Writes an element of a JSON array. */
void insp_scene_list_json(insp_run *run, const insp_scene *scene, bool is_first);

#endif
