/* In which order a scene's entities are written as YAML, so that they bake back to it.
 *
 * Entities get their numbers by archetype, and within one in the order of the document; the values
 * in the scene's data get theirs as they first come in the document. So of the entities of one
 * archetype each comes behind the one before it, and one that has element k of a list behind some
 * other that has element k - 1. Whatever comes next then keeps nothing else from coming next, so
 * that taking what can be taken finds an order wherever there is one. */
#ifndef INSP_SCENE_ORDER_H
#define INSP_SCENE_ORDER_H

#include "insp_scene.h"

typedef struct insp_scene_order {
    uint32_t *entities; /* as they are written; NULL: by their numbers */
    uint32_t *places;   /* of each entity among them; NULL likewise */
    bool is_exact;      /* the data comes out as it is */
} insp_scene_order;

/* For a scene with rows. KILN_OK or KILN_NO_MEMORY; either way it is ended by
 * insp_scene_order_fini. */
kiln_status insp_scene_order_init(insp_scene_order *order, const insp_scene *scene);
void insp_scene_order_fini(insp_scene_order *order);

#endif
