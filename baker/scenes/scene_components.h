/* Components by name. */
#ifndef BAKE_SCENE_COMPONENTS_H
#define BAKE_SCENE_COMPONENTS_H

#include "scene_report.h"

/* A struct of the schema that may be a component. */
typedef struct scene_component {
    const char *name;    /* qualified */
    const char *shown;   /* as diagnostics have it: short where that is enough */
    size_t short_length; /* of what is behind the last dot of `name` */
    uint32_t type;
    uint32_t size;
    uint32_t next; /* the component that was written after this one last time */
} scene_component;

typedef struct scene_components {
    scene_component *all; /* ascending by name */
    uint32_t *by_short;   /* numbers, ascending by short name */
    uint32_t *by_type;    /* numbers, by the struct that names them; UINT32_MAX: none */
    uint32_t count;
    uint32_t first; /* the one that was written first in an entity last time */
} scene_components;

bool bake_scene_components_init(scene_components *components, const bake_schema *schema,
                                bake_store *store);
/* The component that the key names; UINT32_MAX after a report. `*guess` is the one that came at
 * this place before. */
uint32_t bake_scene_component_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_path *path, uint32_t *guess);
/* Reports that the struct cannot be a component, and why. */
void bake_scene_refuse_component(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 const scene_path *path, const kiln_type *type);
/* The component that an alternative of the union of prefabs' components is; UINT32_MAX after a
 * report. */
uint32_t bake_scene_alternative_find(bake_scenes *s, const bake_scene_words *words,
                                     const bake_tree *tree, bake_node_id node,
                                     const scene_path *path);

#endif
