/* Finds components by name. */
#ifndef BAKE_SCENE_COMPONENTS_H
#define BAKE_SCENE_COMPONENTS_H

#include "scene_report.h"

/* A schema struct that can be a component. */
typedef struct scene_component {
    const char *name;    /* qualified */
    const char *shown;   /* for diagnostics: the short name if it is unique */
    size_t short_length; /* of the part of `name` after the last dot */
    uint32_t type;
    uint32_t size;
    uint32_t next; /* a guess: the component that followed this one in the previous entity */
} scene_component;

typedef struct scene_components {
    scene_component *all; /* ascending by name */
    uint32_t *by_short;   /* indices, ascending by short name */
    uint32_t *by_type;    /* indices, by type of the struct; UINT32_MAX: none */
    uint32_t count;
    uint32_t first; /* a guess: the first component of the previous entity */
} scene_components;

bool bake_scene_components_init(scene_components *components, const bake_schema *schema,
                                bake_store *store);
/* Finds the component that the scalar `node` names, or returns UINT32_MAX after a report. Tries
 * `*guess` first: the component at this position in the previous entity. */
uint32_t bake_scene_component_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_path *path, uint32_t *guess);
/* Reports that the struct cannot be a component, with the reason. */
void bake_scene_reject_component(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 const scene_path *path, const kiln_type *type);
/* Finds the component for an alternative of the union of prefab components, or returns UINT32_MAX
 * after a report. */
uint32_t bake_scene_alternative_find(bake_scenes *s, const bake_scene_words *words,
                                     const bake_tree *tree, bake_node_id node,
                                     const scene_path *path);

#endif
