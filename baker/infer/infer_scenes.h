/* Maps of games: documents that list entities, each with a name, perhaps the asset that it is made
 * from, and components that say what they are by a key (SCHEMA.md "Other words"). */
#ifndef BAKE_INFER_SCENES_H
#define BAKE_INFER_SCENES_H

#include "infer_ids.h"

/* Values that are entities of the scene they stand in. */
typedef struct infer_entity_keys {
    infer_table keys;   /* names of fields of which all values are, anywhere in components */
    infer_table fields; /* `Component.field`, and how often it is written in scenes */
} infer_entity_keys;

/* The words of a scene; those that are NULL it does not have. */
struct infer_scene {
    const char *entities;
    const char *group_base, *group_entities;
    const char *name, *base, *components;
    const char *by;
    const char *none; /* what is written for no entity */
    const char *prefab_field;
    uint32_t prefab_kind; /* whose assets the bases are */
    uint32_t kind;        /* of the documents, as long as they were values */
    uint32_t entity_count;
    uint64_t base_count;
    infer_shape *component; /* of all components */
};

/* Makes scenes of the groups that are, before shapes are unified. `store` is that of the ids. False
 * when memory ran out. */
bool bake_infer_scenes_find(infer_ids *ids, infer_groups *groups, infer_shapes *shapes,
                            infer_entity_keys *entities);
/* After that: those of which the components are no union after all are values again. */
void bake_infer_scenes_settle(infer_ids *ids, infer_groups *groups);

#endif
