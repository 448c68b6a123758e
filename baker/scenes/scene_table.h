/* Prefabs and scenes by name. */
#ifndef BAKE_SCENE_TABLE_H
#define BAKE_SCENE_TABLE_H

#include "hash_table.h"
#include "scene_shape.h"

typedef enum scene_state { SCENE_UNREAD, SCENE_OPEN, SCENE_READ } scene_state;

/* What has a name and is resolved when it is first needed: a prefab, or a scene. */
typedef struct scene_unit {
    const char *name;
    size_t length;
    const bake_tree *tree;
    bake_node_id node, named_at;
    const struct scene_unit *home; /* prefab: the scene that alone sees it, or NULL */
    const bake_file_rule *rule;    /* scene */
    scene_state state;
    bool is_scene, is_abstract;
    bool is_prototype;       /* an asset that is a prefab as well */
    bool is_accepted;        /* of which nothing is known but that it may be missing */
    uint32_t base;           /* of such: its number among the bases, or UINT32_MAX */
    bool is_shared;          /* its layers come in more than one entity */
    uint32_t levels;         /* of what it is made of */
    scene_shape *shape;      /* NULL where it could not be read */
    struct scene_unit *user; /* while open: the unit that needs it */
} scene_unit;

/* Units by name. */
typedef struct scene_table {
    scene_unit **units; /* each in the store */
    size_t count, capacity;
    hash_table by_name; /* and home */
} scene_table;

scene_unit *bake_scene_unit_add(bake_scenes *s, scene_table *table, const scene_unit *unit);
scene_unit *bake_scene_unit_find(const scene_table *table, const scene_unit *home, const char *name,
                                 size_t length);
void bake_scene_tables_fini(bake_scenes *s);

#endif
