/* State for baking one scene, whose shape is complete.
 *
 * Implemented in scene_bake.c (scenes, and prefabs outside of scenes), scene_rows.c (component rows
 * and the references in them) and scene_baker.c (reports). */
#ifndef BAKE_SCENE_BAKER_H
#define BAKE_SCENE_BAKER_H

#include "scene_bake.h"
#include "scene_info.h"
#include "scene_nodes.h"

/* The result of bake_values_component for a stack of layers, shared by all entities that share the
 * stack. */
typedef struct scene_image {
    const bake_layer *top;
    size_t offset; /* in `bytes` of the baker */
    bool failed;
} scene_image;

/* A component column of the current run of entities with one archetype. */
typedef struct scene_column {
    unsigned char *row; /* of the next entity */
    uint32_t left;      /* rows that follow it */
} scene_column;

typedef struct scene_baker {
    const bake_scene_def *def;
    bake_scenes *s;
    scene_unit *unit;
    uint32_t scene;
    scene_nodes nodes;
    kiln_scene_writer *writer;
    scene_image *images;
    size_t image_count, image_capacity;
    unsigned char *bytes; /* of images */
    size_t byte_count, byte_capacity;
    scene_column *columns;
    size_t column_capacity;
    uint32_t *numbers; /* component numbers of an archetype */
    size_t number_capacity;
    uint32_t
        *final_numbers; /* maps writer entity numbers to file entity numbers; NULL until needed */
    uint32_t parent;    /* the component that stores the parent, or UINT32_MAX */
    uint32_t parent_place;
} scene_baker;

/* scene_baker.c: turns a status of the scene writer into a report or a failure. Returns true for
 * KILN_OK. */
bool bake_scene_status(const scene_baker *k, kiln_status status);
/* Reports an error in an entity, or in its `component` if that is not NULL. Returns false. */
bool bake_scene_entity_report(const scene_baker *k, const bake_tree *tree, bake_node_id node,
                              const char *rule, uint32_t at, const char *component,
                              const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 7, 8)))
#endif
    ;

/* scene_rows.c: adds the rows of all entities to the writer and fills them. Returns false after
 * filling the failure. */
bool bake_scene_rows_bake(scene_baker *k);

/* Whether the entity needs a component that stores its parent. */
static inline bool scene_is_child(const scene_baker *k, uint32_t at)
{
    uint32_t up = k->nodes.all[at].up;
    return k->parent != UINT32_MAX && up != UINT32_MAX && scene_node_is_entity(&k->nodes.all[up]);
}

#endif
