/* Scenes of games: documents with a list of entities. Each has a name, can have the asset that it
 * is made from, and has components, whose type is named by a key (SCHEMA.md "Other words"). */
#ifndef BAKE_INFER_SCENES_H
#define BAKE_INFER_SCENES_H

#include "infer_ids.h"

/* Values that refer to entities of their own scene. */
typedef struct infer_entity_keys {
    infer_table keys;   /* field names with only such values, anywhere in components */
    infer_table fields; /* `Component.field`, and how often it is written in scenes */
} infer_entity_keys;

/* The keys of a scene in the data; NULL: the scene has no such key. */
struct infer_scene {
    const char *entities;
    const char *group_base, *group_entities;
    const char *name, *base, *components;
    const char *by;
    const char *none; /* the text that means no entity */
    const char *prefab_field;
    uint32_t prefab_kind; /* the kind of the assets that bases name */
    uint32_t kind;        /* of the documents before they became scenes */
    uint32_t entity_count;
    uint64_t base_count;
    infer_shape *component; /* of all components */
};

/* Finds the groups that are scenes and turns them into scenes. Call it before shapes are unified.
 * False when memory ran out. */
bool bake_infer_scenes_find(infer_ids *ids, infer_groups *groups, infer_shapes *shapes,
                            infer_entity_keys *entities);
/* Call it after shapes are unified: scenes whose components did not become a union are values
 * again. */
void bake_infer_scenes_settle(infer_ids *ids, infer_groups *groups);

#endif
