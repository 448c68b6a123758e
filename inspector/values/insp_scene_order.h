/* The order in which a scene's entities are written as YAML, so that they bake back to the same
 * scene.
 *
 * Entities get their numbers by archetype, and within an archetype in document order; values in the
 * scene's data get theirs at their first use in the document. So each entity of an archetype
 * follows the one before it, and an entity with element k of a list follows some entity with
 * element k - 1. Taking an entity never blocks another one, so taking any possible entity finds an
 * order if there is one. */
#ifndef INSP_SCENE_ORDER_H
#define INSP_SCENE_ORDER_H

#include "insp_scene.h"

typedef struct insp_scene_order {
    uint32_t *entities; /* in the order of the document; NULL: by their numbers */
    uint32_t *places;   /* of each entity in the document; NULL likewise */
    bool is_exact;      /* the data bakes to the same bytes */
} insp_scene_order;

/* For a scene with rows. KILN_OK or KILN_NO_MEMORY; call insp_scene_order_fini in both cases. */
kiln_status insp_scene_order_init(insp_scene_order *order, const insp_scene *scene);
void insp_scene_order_fini(insp_scene_order *order);

#endif
