/* Scenes of games: documents with a list of entities. Each entity has a name, optionally a base,
 * and a list of components. A key of each component names its type (SCHEMA.md "Scenes", other
 * keys). */
#ifndef BAKE_INFER_SCENES_H
#define BAKE_INFER_SCENES_H

#include "infer_ids.h"

/* Keys whose values refer to entities of the same scene. */
typedef struct infer_entity_keys {
    infer_table keys;   /* keys anywhere in components, with the number of values */
    infer_table fields; /* `Component.field`, with the number of uses in scenes */
} infer_entity_keys;

/* The keys of scenes in the data; NULL: no such key. */
struct infer_scene {
    const char *entities;
    const char *group_base, *group_entities;
    const char *name, *base, *components;
    const char *by;
    const char *none; /* the word for no entity */
    const char *prefab_field;
    uint32_t prefab_kind; /* the kind of the prefabs */
    uint32_t kind;        /* the former kind of the documents */
    uint32_t entity_count;
    uint64_t base_count;
    infer_shape *component; /* shape of all components */
};

/* Finds groups of scenes. Call this before shapes are unified. Returns false if memory runs out. */
bool bake_infer_scenes_find(infer_ids *ids, infer_groups *groups, infer_shapes *shapes,
                            infer_entity_keys *entities);
/* Turns scenes back into assets if their components did not become a union. Call this after shapes
 * are unified. */
void bake_infer_scenes_confirm(infer_ids *ids, infer_groups *groups);

#endif
