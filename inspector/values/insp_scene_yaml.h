/* Writes a scene as a YAML document that bakes to the same scene: its entities with the values of
 * their components. Entities are not nested and have no bases. */
#ifndef INSP_SCENE_YAML_H
#define INSP_SCENE_YAML_H

#include "insp_printer.h"

/* Parts of the scene that the document does not reproduce. */
typedef struct insp_scene_losses {
    uint32_t unnamed;  /* entities whose names cannot be written */
    uint32_t untyped;  /* values of components whose types are not in the file */
    bool is_reordered; /* the order of the data, which no document can reproduce */
} insp_scene_losses;

/* Writes a scene with rows as the value of an asset. Returns KILN_OK, even if the printer stopped
 * early, or KILN_NO_MEMORY. */
kiln_status insp_scene_yaml(insp_printer *p, const insp_scene *scene,
                            insp_scene_losses *ret_losses);

#endif
