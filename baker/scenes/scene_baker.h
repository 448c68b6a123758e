/* The baking of one scene, whose shape is known.
 *
 * Parts: scene_bake.c (the scene, and prefabs by themselves), scene_rows.c (rows of components,
 * and the references in them) and scene_baker.c (reports). */
#ifndef BAKE_SCENE_BAKER_H
#define BAKE_SCENE_BAKER_H

#include "scene_bake.h"
#include "scene_info.h"
#include "scene_nodes.h"

/* The bytes to which bake_values_component baked a stack of layers. Entities that share the stack
 * share them. */
typedef struct scene_image {
    const bake_layer *top;
    size_t place; /* in `images` */
    bool failed;
} scene_image;

/* A component of the current run of entities of one archetype. */
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
    uint32_t *numbers; /* of an archetype's components */
    size_t number_capacity;
    uint32_t
        *finals; /* maps the writer's entity numbers to those in the file; NULL: not known yet */
    uint32_t parent; /* the component that names the parent, or UINT32_MAX */
    uint32_t parent_place;
} scene_baker;

/* scene_baker.c: turns a status of blobfmt's scene writer into a report or a failure. True for
 * KILN_OK. */
bool bake_scene_status(const scene_baker *k, kiln_status status);
/* Reports an error in a component of an entity; returns false. */
bool bake_scene_entity_report(const scene_baker *k, const bake_tree *tree, bake_node_id node,
                              const char *rule, uint32_t at, const char *component,
                              const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 7, 8)))
#endif
    ;

/* scene_rows.c: adds the rows of all entities to the writer and fills them. False after filling the
 * failure. */
bool bake_scene_rows_bake(scene_baker *k);

static inline bool scene_is_child(const scene_baker *k, uint32_t at)
{
    uint32_t up = k->nodes.all[at].up;
    return k->parent != UINT32_MAX && up != UINT32_MAX && scene_node_is_entity(&k->nodes.all[up]);
}

#endif
