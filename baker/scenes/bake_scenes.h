/* The scenes of a run: turns documents with entities, prefabs and nested scenes into a flat list of
 * entities, each with the layers of its components (SCHEMA.md "Scenes").
 *
 * Documents are added while the inputs are read. Any document may name any other, so they are
 * resolved together after the last one. Resolution makes *shapes*: the components and children of
 * an entity. Users share a shape as long as none of them changes it, so instances of a prefab cost
 * nothing until they are laid out. A shape that is changed is copied once.
 *
 * The value of a component is a stack of layers, not a merged tree: the nodes of the documents that
 * set parts of it, the overriding one on top. A merged tree would copy every inherited value into
 * every instance, and would lose the place where each part was written. Shapes share layers, each
 * part of a value keeps its place in its file, and a single layer, as most entities have, is baked
 * directly as the values of assets are.
 *
 * Trees belong to the caller, and must exist until the last scene is baked.
 *
 * Part: scene_prototypes.c (assets that are also prefabs). */
#ifndef BAKE_SCENES_H
#define BAKE_SCENES_H

#include "asset_input.h"
#include "asset_names.h"
#include "schema.h"

typedef struct bake_scenes bake_scenes;

/* NULL when memory ran out. */
bake_scenes *bake_scenes_create(const bake_schema *schema, bake_diagnostics *diagnostics);
/* NULL is fine. */
void bake_scenes_destroy(bake_scenes *scenes);

/* A document, its root, and the asset that it defines. Prefabs are not assets: `name` is NULL. The
 * name must exist as long as the scenes. */
typedef struct bake_scene_document {
    const bake_tree *tree;
    bake_node_id node;
    const bake_file_rule *rule;
    const char *name;
    size_t name_length;
} bake_scene_document;

/* Adds a document. `bytes` is the size of its text, which bounds the work that resolving it may
 * cause. False if memory ran out. */
bool bake_scenes_add(bake_scenes *scenes, const bake_scene_document *document, size_t bytes);

/* Adds the assets that a rule declares as prefabs. The trees of inputs that have any are not
 * released before the end. False if memory ran out. */
bool bake_scenes_add_prototypes(bake_scenes *scenes, bake_inputs *inputs);

/* Resolves all documents and reports mistakes. `incomplete`: some documents could not be read, so
 * an unknown name may be correct and is not reported. False if memory ran out. */
bool bake_scenes_resolve(bake_scenes *scenes, bool incomplete);

#endif
