/* Finds components by name. */
#ifndef BAKE_SCENE_COMPONENTS_H
#define BAKE_SCENE_COMPONENTS_H

#include "scene_report.h"

/* A struct of the schema that may be a component. */
typedef struct scene_component {
    const char *name;    /* qualified */
    const char *shown;   /* for diagnostics: the short name if it is unique */
    size_t short_length; /* of the part of `name` after the last dot */
    uint32_t type;
    uint32_t size;
    uint32_t next; /* the component that followed this one in the previous entity: a guess */
} scene_component;

typedef struct scene_components {
    scene_component *all; /* ascending by name */
    uint32_t *by_short;   /* numbers, ascending by short name */
    uint32_t *by_type;    /* numbers, by the type index of the struct; UINT32_MAX: none */
    uint32_t count;
    uint32_t first; /* the first component of the previous entity: a guess */
} scene_components;

bool bake_scene_components_init(scene_components *components, const bake_schema *schema,
                                bake_store *store);
/* The component that the key names; UINT32_MAX after a report. `*guess` is the component that was
 * at this position in the previous entity, which is tried first. */
uint32_t bake_scene_component_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_path *path, uint32_t *guess);
/* Reports that the struct cannot be a component, and why. */
void bake_scene_refuse_component(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 const scene_path *path, const kiln_type *type);
/* The component for an alternative of the union that lists components of prefabs; UINT32_MAX after
 * a report. */
uint32_t bake_scene_alternative_find(bake_scenes *s, const bake_scene_words *words,
                                     const bake_tree *tree, bake_node_id node,
                                     const scene_path *path);

#endif
