/* Components of entities: rows of a scene, and the scene's data that they refer to. Parts:
 * value_component.c, value_data.c (the data), value_words.c (references to entities). */
#ifndef BAKE_VALUE_COMPONENT_H
#define BAKE_VALUE_COMPONENT_H

#include "value_bake.h"

/* A struct as a component: where in its row the words for data are. */
typedef struct bake_component {
    uint32_t type;
    const char *shown;             /* its name, in paths */
    const uint32_t *field_places;  /* of data, ascending */
    const uint32_t *field_members; /* their lists: members of SceneData */
    uint32_t field_count;
} bake_component;

/* A text that names an entity. */
typedef struct bake_site {
    const bake_tree *tree;
    bake_node_id node;
    bool is_reported; /* as unresolved */
} bake_site;

typedef struct bake_component_value {
    const char *root_name; /* of the scene, or the prefab */
    const char *name;      /* of the entity, not NUL-terminated; NULL: its number is shown */
    size_t name_length;
    uint32_t number;
    bool is_prefab; /* there is no entity */
    const bake_component *component;
    const bake_layer *top; /* NULL: no layer writes it; reports then have the place */
    const bake_tree *tree; /* of the entity, at this node */
    bake_node_id node;
    bool is_silent;  /* reports are discarded */
    bool is_partial; /* parts of it could not be read: nothing counts as missing */
} bake_component_value;

/* Begins a scene with data of the type `data_type` (KILN_TYPE_NONE: no data) and ends the previous
 * one. False after filling the failure. */
bool bake_values_begin_scene(bake_values *values, uint32_t data_type);
/* Finds the entity with this name, from the outermost level of the scene. True with its number plus
 * 1, or with 0 if it may still be defined later; false if the scene has no such entity. */
typedef bool bake_find_entity(void *ctx, const char *name, size_t length, uint32_t *ret_number);
/* Hints at entities with names like that one. */
typedef void bake_hint_entity(void *ctx, const char *name, size_t length);
/* Sets the functions that know the entities of the scene that was begun, for newtypes with `entity:
 * true`, and the text for no entity, or NULL. */
void bake_values_set_entities(bake_values *values, bake_find_entity *find, bake_hint_entity *hint,
                              void *ctx, const char *none);
void bake_values_end_scene(bake_values *values);
/* Writes a component as a row: refs as ids, data as words of the scene, and entities as numbers of
 * sites plus 1, 64 bits, 0 for none. The row is zeroed. False after reports, or with the failure
 * filled. Where the run has errors, words of data are 0. */
bool bake_values_component(bake_values *values, const bake_component_value *value, void *row);
/* The sites so far; the next component may move them. */
bake_site *bake_values_sites(bake_values *values, size_t *ret_count);
/* Drops all but the first `count` sites. */
void bake_values_forget_sites(bake_values *values, size_t count);
/* Makes the blob of the data of the scene `name`, which is written at `mark`: empty where no
 * component has data. The caller ends it. False after reports, also earlier ones, or with the
 * failure filled. */
bool bake_values_scene_data(bake_values *values, uint32_t data_type, const char *name,
                            const bake_mark *mark, kiln_buffer *ret_blob);

#endif
