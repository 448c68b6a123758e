/* Prints a scene in the flat format: the values of the components of each entity. */
#ifndef INSP_SCENE_FLAT_H
#define INSP_SCENE_FLAT_H

#include "insp_printer.h"

/* Whether a scene can be shown as its entities, so that the assets of its rows and data need not be
 * shown. */
bool insp_scene_is_whole(const insp_scene *scene);

/* Marks the assets whose contents are shown with the entities of their scenes. `parts` has an
 * element for each number of an asset. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_scene_find_parts(const insp_file *file, bool *parts);

/* Prints a whole scene after the line of its asset. */
void insp_scene_flat(insp_printer *p, const insp_scene *scene);

#endif
