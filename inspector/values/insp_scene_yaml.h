/* A scene as a YAML document that bakes to it: its entities with the values of their components. No
 * entity is written inside another, and none has a base. */
#ifndef INSP_SCENE_YAML_H
#define INSP_SCENE_YAML_H

#include "insp_printer.h"

/* Reasons why the document does not bake to the same scene. */
typedef struct insp_scene_losses {
    uint32_t unnamed;  /* entities whose names cannot be written */
    uint32_t untyped;  /* values of components whose types are not in the file */
    bool is_reordered; /* the data has an order that no document gives */
} insp_scene_losses;

/* Writes a scene with rows as the value of an asset. Returns KILN_NO_MEMORY or KILN_OK; a printer
 * that stopped early is not an error. */
kiln_status insp_scene_yaml(insp_printer *p, const insp_scene *scene,
                            insp_scene_losses *ret_losses);

#endif
