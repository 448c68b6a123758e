/* Lists the prefabs and scenes of a run, what they depend on, and which names a document may use.
 *
 * A later run that changes some documents needs this to decide which scenes it must bake. A prefab
 * in a scene counts as a part of that scene. */
#ifndef BAKE_SCENE_ITEMS_H
#define BAKE_SCENE_ITEMS_H

#include "bake_scenes.h"

typedef enum bake_scene_item_kind {
    BAKE_ITEM_SCENE,
    BAKE_ITEM_PREFAB,   /* for all scenes */
    BAKE_ITEM_PROTOTYPE /* an asset that is also a prefab */
} bake_scene_item_kind;

typedef struct bake_scene_item {
    bake_scene_item_kind kind;
    const char *name; /* of a scene: `Kind/id`, of a prototype: its id */
    size_t name_length;
    const bake_tree *tree;
    bake_node_id node;
    uint32_t input;
    uint64_t work;    /* copies made to read it, without those of units that it uses */
    uint64_t cost;    /* of a scene: its entities and components; otherwise 0 */
    bool is_accepted; /* a prototype without an asset, whose id is only accepted */
} bake_scene_item;

/* The prefabs and scenes. A scene with prefabs of its own is listed several times; the work of all
 * these units belongs to it. Numbers begin at 0. */
size_t bake_scene_items_count(const bake_scenes *scenes);
bake_scene_item bake_scene_items_get(const bake_scenes *scenes, size_t number);
/* The unit of `bake_scene_use`. */
bake_scene_item bake_scene_items_of(const struct scene_unit *unit);

typedef enum bake_scene_word {
    BAKE_WORD_PREFAB, /* the name of a prefab, or the id of a prototype */
    BAKE_WORD_SCENE   /* a scene: a whole name or an id */
} bake_scene_word;

/* Returns false to stop. */
typedef bool bake_scene_words_visit(void *ctx, bake_scene_word word, const char *text,
                                    size_t length);

/* Calls `visit` for everything in a node that names a prefab or a scene if the node is a scene, a
 * prefab or the components of one, and perhaps for other texts. Returns false if `visit` does.
 * Linear in the expanded size of the node, which the tree limits. */
bool bake_scene_words_list(const bake_tree *tree, bake_node_id node, const bake_scene_words *words,
                           bake_scene_words_visit *visit, void *ctx);

#endif
