/* The row of an entity: the bytes of its components, in the columns of a chunk. */
#ifndef INSP_SCENE_ROW_H
#define INSP_SCENE_ROW_H

#include "insp_scene.h"

/* The position of an entity's row. */
typedef struct insp_scene_row {
    const insp_scene *scene;
    const kiln_scene_rows *of;
    uint32_t entity;
    uint32_t row; /* within its archetype */
    uint32_t chunk;
} insp_scene_row;

insp_scene_row insp_scene_locate(const insp_scene *scene, uint32_t entity);
const kiln_scene_component *insp_scene_row_component(const insp_scene_row *at, uint32_t column);
/* The bytes of a component; NULL if the component has no bytes. */
const unsigned char *insp_scene_row_bytes(const insp_scene_row *at, uint32_t column);
/* Reads a component as a value of the type in the file with the same name and layout. Returns false
 * if there is none. */
bool insp_scene_row_value(const insp_scene_row *at, uint32_t column, kiln_value *ret_value);

#endif
