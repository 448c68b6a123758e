/* Tables of prefabs and scenes by name. */
#ifndef BAKE_SCENE_TABLE_H
#define BAKE_SCENE_TABLE_H

#include "hash_table.h"
#include "scene_shape.h"

typedef enum scene_state { SCENE_UNREAD, SCENE_OPEN, SCENE_READ } scene_state;

/* A prefab or a scene. It has a name and is resolved on first use. */
typedef struct scene_unit {
    const char *name;
    size_t length;
    const bake_tree *tree;
    bake_node_id node, named_at;
    const struct scene_unit
        *home;                  /* in a prefab: the only scene that can use it, or NULL for all */
    const bake_file_rule *rule; /* scenes only */
    scene_state state;
    bool is_scene, is_abstract;
    bool is_prototype; /* an asset that is also a prefab */
    bool is_accepted;  /* a placeholder for an accepted id whose asset may be missing */
    uint32_t base;     /* of a prototype: index of its bake_base, or UINT32_MAX */
    bool is_shared;    /* several entities may use its layers */
    uint32_t levels;   /* depth of its bases and children */
    uint32_t input;    /* of its document */
    uint64_t work;     /* copies made to read it, without those of units that it uses */
    const struct scene_unit *last_user; /* that was recorded */
    scene_shape *shape;                 /* NULL if it could not be read */
    struct scene_unit *user;            /* while being read: the unit that uses it */
} scene_unit;

/* Units, found by name. */
typedef struct scene_table {
    scene_unit **units; /* each allocated in the store */
    size_t count, capacity;
    hash_table by_name; /* key: home and name */
} scene_table;

scene_unit *bake_scene_unit_add(bake_scenes *s, scene_table *table, const scene_unit *unit);
scene_unit *bake_scene_unit_find(const scene_table *table, const scene_unit *home, const char *name,
                                 size_t length);
void bake_scene_tables_fini(bake_scenes *s);

#endif
