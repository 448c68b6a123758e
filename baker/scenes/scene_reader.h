/* The state of reading the scenes of a run. */
#ifndef BAKE_SCENE_READER_H
#define BAKE_SCENE_READER_H

#include "scene_components.h"
#include "scene_table.h"

/* Nesting limits: of entities, including nested scenes; of chains of base prefabs; and of both
 * combined. */
enum { SCENE_HEIGHT_MAX = 128, SCENE_BASES_MAX = 64, SCENE_DEPTH_MAX = 320 };
/* Maximum length of an entity name, without the path. */
enum { SCENE_NAME_MAX = 255 };

/* No hints after this many errors: each hint compares a name with every other name. */
enum { SCENE_HINTS_MAX = 100 };

/* The state of the recursive functions in scene_entity.h. */
typedef struct scene_reading {
    scene_unit *unit; /* the unit being read */
    uint32_t depth;   /* number of enclosing entities */
    uint32_t bases;   /* number of enclosing units */
    uint32_t owner;   /* owner of the shapes that the current unit may change, counted from 1 */
    uint32_t owner_count, list_count;
    uint64_t inner_work;     /* of the units that the current one uses */
    bake_node_id group_base; /* base of the next entity to be read, or BAKE_NODE_NONE */
    /* The last wrong base that was reported. All entities of a group share one base. */
    const bake_tree *bad_base_tree;
    bake_node_id bad_base;
} scene_reading;

struct bake_scenes {
    const bake_schema *schema;
    bake_diagnostics *diagnostics;
    bake_store store;
    scene_components components;
    scene_table prefabs, scenes;
    scene_table prototypes; /* assets that are also prefabs, by id */
    struct bake_bases *asset_bases;
    const struct bake_links *links; /* may be NULL */
    uint64_t work, work_max;
    bool out_of_memory;
    bool incomplete; /* some documents could not be read, so unknown names may exist */
    bool stopped;    /* a limit was exceeded, so reading stops */
    scene_reading reading;
    bool keeps_uses;
    bake_scene_use *uses; /* not the same one twice in a row */
    size_t use_count, use_capacity;
    struct scene_info *infos; /* by component, see scene_info.h */
    uint32_t scene_count;     /* scenes baked so far */
};

/* Whether a key has a value other than null. */
static inline bool scene_is_given(const bake_tree *tree, bake_node_id value)
{
    return value != BAKE_NODE_NONE && !bake_node_is_null(tree, value);
}

/* The keys that the rule of the current unit defines for its documents. */
static inline const bake_scene_words *bake_scene_words_of(const bake_scenes *s)
{
    const bake_file_rule *rule = s->reading.unit ? s->reading.unit->rule : NULL;
    return rule && rule->words ? rule->words : &bake_scene_words_default;
}

#endif
