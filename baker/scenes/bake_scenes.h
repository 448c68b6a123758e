/* The scenes of a run: from documents with entities, prefabs and nested scenes to a flat list of
 * entities, each with the layers of its components (SCHEMA.md "Scenes").
 *
 * Documents are added while the inputs are read, and resolved together once all are there, since
 * any may name any other. Resolution makes *shapes*: what an entity is made of, which children it
 * has. A shape that nothing changes is shared by all who have it, so that instances of a prefab
 * cost nothing until they are laid out; one that is changed is copied once.
 *
 * The value of a component is no merged tree but a stack of layers: nodes of the documents that say
 * something about it, the last word on top. A merged tree would have to copy every inherited value
 * into every instance and could not say where each part is written; layers are shared between
 * shapes like the rest, every part of a value keeps the mark of its own file, and where there is
 * one layer, as in most entities, its node is baked straight as the values of assets are.
 *
 * Trees are kept by the caller, and must live until the last scene is baked. */
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

/* A document, its root, and the asset that it is; prefabs are none (`name` NULL). The name lives as
 * long as the scenes. */
typedef struct bake_scene_document {
    const bake_tree *tree;
    bake_node_id node;
    const bake_file_rule *rule;
    const char *name;
    size_t name_length;
} bake_scene_document;

/* Notes a document. False when memory ran out. `bytes` of text are what it was read from, by which
 * the work is bounded. */
bool bake_scenes_add(bake_scenes *scenes, const bake_scene_document *document, size_t bytes);

/* Lets the assets that a rule calls prefabs be found as such. The trees of inputs with some are
 * kept to the end. False when memory ran out. */
bool bake_scenes_add_prototypes(bake_scenes *scenes, bake_inputs *inputs);

/* Resolves all; mistakes are reported. `incomplete`: some documents could not be read, so that
 * names which are not there may be right. False when memory ran out. */
bool bake_scenes_resolve(bake_scenes *scenes, bool incomplete);

#endif
