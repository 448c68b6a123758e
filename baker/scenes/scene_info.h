/* The data that baking needs about a component, computed on first use: its layout, its values and
 * the lists that store its data. */
#ifndef BAKE_SCENE_INFO_H
#define BAKE_SCENE_INFO_H

#include "scene_reader.h"
#include "value_component.h"

#include <kiln/scene.h>

typedef struct scene_info {
    bool is_known;
    kiln_component_type type;
    bake_component values;
    const char **field_names; /* names of the lists that store its data */
    uint32_t scene;           /* the last scene that used it, counted from 1 */
    uint32_t number;          /* component number in the writer of that scene */
} scene_info;

/* Returns NULL after filling the failure. */
scene_info *bake_scene_info_get(bake_scenes *s, uint32_t component, bake_failure *failure);
void bake_scene_infos_fini(bake_scenes *s);

#endif
