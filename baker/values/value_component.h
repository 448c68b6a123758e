/* Components of entities: the rows of a scene, and the scene data that rows refer to. Implemented
 * in value_component.c, value_data.c (scene data) and value_words.c (references to entities). */
#ifndef BAKE_VALUE_COMPONENT_H
#define BAKE_VALUE_COMPONENT_H

#include "value_bake.h"

/* A component type, and the positions of the data words in its rows. */
typedef struct bake_component {
    uint32_t type;
    const char *shown;             /* its name, in paths */
    const uint32_t *field_places;  /* offsets of data words, ascending */
    const uint32_t *field_members; /* their lists, as members of SceneData */
    uint32_t field_count;
} bake_component;

/* A scalar that names an entity. */
typedef struct bake_site {
    const bake_tree *tree;
    bake_node_id node;
    bool is_reported; /* already reported as unresolved */
} bake_site;

typedef struct bake_component_value {
    const char *root_name; /* of the scene, or the prefab */
    const char *name;      /* of the entity, not NUL-terminated; NULL: show the number */
    size_t name_length;
    uint32_t number;
    bool is_prefab; /* a prefab, not an entity */
    const bake_component *component;
    const bake_layer *top; /* NULL: no layer sets it; reports then have the position of `node` */
    const bake_tree *tree; /* of the entity or prefab, with `node` */
    bake_node_id node;
    bool is_silent;  /* reports are discarded */
    bool is_partial; /* parts could not be read, so missing fields are not reported */
} bake_component_value;

/* Begins a scene with data of type `data_type` (KILN_TYPE_NONE: no data), and ends the previous
 * scene. bake_values_is_noisy and bake_values_used_payloads then count from here. Returns false
 * after filling the failure. */
bool bake_values_begin_scene(bake_values *values, uint32_t data_type);
/* Finds an entity by name from the outermost level of the scene. Returns true with its number plus
 * 1, or with 0 if it may exist in an unread part. Returns false if there is no such entity. */
typedef bool bake_find_entity(void *ctx, const char *name, size_t length, uint32_t *ret_number);
/* Adds a hint with similar entity names. */
typedef void bake_hint_entity(void *ctx, const char *name, size_t length);
/* Sets the callbacks for newtypes with `entity: true` in the current scene. `none` is the string
 * that means "no entity", or NULL. */
void bake_values_set_entities(bake_values *values, bake_find_entity *find, bake_hint_entity *hint,
                              void *ctx, const char *none);
void bake_values_end_scene(bake_values *values);
/* Bakes a component into a row, which must be zeroed. References become ids, data becomes data
 * words, and an entity becomes its 64-bit site number plus 1, or 0 for none. Returns false after
 * reports or after filling the failure. If the run has errors, data words may be 0. */
bool bake_values_component(bake_values *values, const bake_component_value *value, void *row);
/* Returns the sites so far. The next component may move them. */
bake_site *bake_values_sites(bake_values *values, size_t *ret_count);
/* Drops all but the first `count` sites. */
void bake_values_forget_sites(bake_values *values, size_t count);
/* Creates the blob with the data of scene `name`. Errors are reported at `mark`. `ret_blob` is
 * empty if no component has data; the caller frees it with kiln_buffer_fini. Returns false if the
 * run has errors, or after filling the failure. */
bool bake_values_scene_data(bake_values *values, uint32_t data_type, const char *name,
                            const bake_mark *mark, kiln_buffer *ret_blob);

#endif
