/* The state of the scenes of a run. */
#ifndef BAKE_SCENE_READER_H
#define BAKE_SCENE_READER_H

#include "scene_components.h"
#include "scene_table.h"

/* How deep entities nest, nested scenes and what contains them included; how many
 * prefabs are based on one another; and how far both together may go. */
enum { SCENE_HEIGHT_MAX = 128, SCENE_BASES_MAX = 64, SCENE_DEPTH_MAX = 320 };
/* The longest name of an entity, without the path. */
enum { SCENE_NAME_MAX = 255 };
/* Copies that resolution may make: at most this, plus 16 for each byte of input. */
enum { SCENE_WORK_MIN = 1000000 };

/* Hints cost a look at every name; beyond so many errors they help no reader. */
enum { SCENE_HINTS_MAX = 100 };

/* Where the recursion of scene_entity.h stands. */
typedef struct scene_reading {
    scene_unit *unit; /* that is being read */
    uint32_t depth;   /* of entities around the present one */
    uint32_t bases;   /* of units around the present one */
    uint32_t owner;   /* of shapes that the present unit may change; counted from 1 */
    uint32_t owner_count, list_count;
    bake_node_id group_base; /* of the next entity that is read; BAKE_NODE_NONE */
    /* The wrong base that was reported last: all of a group have it. */
    const bake_tree *bad_base_tree;
    bake_node_id bad_base;
} scene_reading;

struct bake_scenes {
    const bake_schema *schema;
    bake_diagnostics *diagnostics;
    bake_store store;
    scene_components components;
    scene_table prefabs, scenes;
    scene_table prototypes; /* by id, and what they inherit */
    struct bake_bases *asset_bases;
    const struct bake_links *links; /* or NULL */
    uint64_t work, work_max;
    bool out_of_memory;
    bool incomplete; /* not all documents could be read: what is missing may be there */
    bool stopped;    /* the work is too much: nothing more is read */
    scene_reading reading;
    struct scene_info *infos; /* scene_info.c: what baking knows of components, by number */
    uint32_t scene_count;     /* baked so far */
};

/* Whether a key was given a value that is not null. */
static inline bool scene_is_given(const bake_tree *tree, bake_node_id value)
{
    return value != BAKE_NODE_NONE && !bake_node_is_null(tree, value);
}

/* The words by which the unit that is being read is written, as its rule gives them. */
static inline const bake_scene_words *bake_scene_words_of(const bake_scenes *s)
{
    const bake_file_rule *rule = s->reading.unit ? s->reading.unit->rule : NULL;
    return rule && rule->words ? rule->words : &bake_scene_words_default;
}

#endif
