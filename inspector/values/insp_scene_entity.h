/* Prints an entity of a scene with the values of its components, as text or JSON. The printer
 * counts broken values. */
#ifndef INSP_SCENE_ENTITY_H
#define INSP_SCENE_ENTITY_H

#include "insp_printer.h"

void insp_scene_entity_text(insp_printer *p, const insp_scene *scene, uint32_t entity);
/* Writes an element of a JSON array. */
void insp_scene_entity_json(insp_printer *p, const insp_scene *scene, uint32_t entity,
                            bool is_first);

#endif
