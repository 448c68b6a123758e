/* The contents of a scene: insp_scene_text.c for people, insp_scene_json.c for programs. */
#ifndef INSP_SCENE_LIST_H
#define INSP_SCENE_LIST_H

#include "insp_exit.h"
#include "insp_run.h"
#include "insp_scene.h"

/* INSP_OK, INSP_BAD or INSP_TROUBLE. */
int insp_scene_list_text(insp_run *run, const insp_scene *scene);
/* An element of a JSON list. */
void insp_scene_list_json(insp_run *run, const insp_scene *scene, bool is_first);

#endif
