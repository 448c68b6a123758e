/* The state of the scenes of a run. */
#ifndef BAKE_SCENE_READER_H
#define BAKE_SCENE_READER_H

#include "scene_components.h"
#include "scene_table.h"

/* Limits of nesting: of entities, including nested scenes and their parents; of prefabs that are
 * based on one another; and of both together. */
enum { SCENE_HEIGHT_MAX = 128, SCENE_BASES_MAX = 64, SCENE_DEPTH_MAX = 320 };
/* The longest name of an entity, without the path. */
enum { SCENE_NAME_MAX = 255 };
/* Resolution may make this many copies, plus 16 for each byte of input. Without the limit, a small
 * file with prefabs that nest one another could cause exponential work. */
enum { SCENE_WORK_MIN = 1000000 };

/* A hint compares a name with every other name. After so many errors no hints are given. */
enum { SCENE_HINTS_MAX = 100 };

/* The state of the recursion of scene_entity.h. */
typedef struct scene_reading {
    scene_unit *unit; /* the one that is being read */
    uint32_t depth;   /* number of entities around the current one */
    uint32_t bases;   /* number of units around the current one */
    uint32_t owner;   /* of the shapes that the current unit may change; counted from 1 */
    uint32_t owner_count, list_count;
    bake_node_id group_base; /* base of the next entity to be read; BAKE_NODE_NONE */
    /* The wrong base that was reported last. All entities of a group have the same base. */
    const bake_tree *bad_base_tree;
    bake_node_id bad_base;
} scene_reading;

struct bake_scenes {
    const bake_schema *schema;
    bake_diagnostics *diagnostics;
    bake_store store;
    scene_components components;
    scene_table prefabs, scenes;
    scene_table prototypes; /* by id, and the assets that they inherit from */
    struct bake_bases *asset_bases;
    const struct bake_links *links; /* or NULL */
    uint64_t work, work_max;
    bool out_of_memory;
    bool incomplete; /* some documents could not be read, so unknown names may exist */
    bool stopped;    /* the limit of work was exceeded: nothing more is read */
    scene_reading reading;
    struct scene_info *infos; /* scene_info.h, by the number of the component */
    uint32_t scene_count;     /* baked so far */
};

/* Whether a key was given a value that is not null. */
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
