/* The order in which a scene's entities are written as YAML, so that they bake back to the same
 * scene.
 *
 * Baking numbers entities by archetype and, within an archetype, in document order; it numbers
 * values in the scene's data by their first use in the document. So each entity of an archetype
 * must follow the previous one. An entity with element k of a list must follow an entity with
 * element k - 1. Taking an entity never blocks another one, so a greedy order is exact if any order
 * is. */
#ifndef INSP_SCENE_ORDER_H
#define INSP_SCENE_ORDER_H

#include "insp_scene.h"

typedef struct insp_scene_order {
    uint32_t *entities; /* in document order; NULL: sorted by number */
    uint32_t *places;   /* position of each entity in the document; NULL: its number */
    bool is_exact;      /* the document bakes to the same bytes */
} insp_scene_order;

/* Finds the order for a scene with rows. Returns KILN_OK or KILN_NO_MEMORY; call
 * insp_scene_order_fini in both cases. */
kiln_status insp_scene_order_init(insp_scene_order *order, const insp_scene *scene);
void insp_scene_order_fini(insp_scene_order *order);

#endif
