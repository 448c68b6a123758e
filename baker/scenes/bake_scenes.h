/* The scenes of a run. Turns documents with entities, prefabs and nested scenes into a flat list of
 * entities, each with the layers of its components (SCHEMA.md "Scenes").
 *
 * Documents are added while the inputs are read. Any document may refer to any other, so all are
 * resolved together after the last one. Resolution creates *shapes*: the components and children of
 * an entity. Shapes are copy-on-write, so instances of a prefab cost nothing until they are laid
 * out.
 *
 * The value of a component is a stack of layers, not a merged tree: the nodes that set parts of the
 * value, with overriding nodes on top. A merged tree would copy every inherited value into every
 * instance and lose the source positions of its parts. Shapes share layers. Most components have a
 * single layer, which is baked like the value of an asset.
 *
 * The caller owns the trees and must keep them until the last scene is baked.
 *
 * scene_prototypes.c handles assets that are also prefabs. scene_items.h lists prefabs and scenes,
 * and what they depend on. */
#ifndef BAKE_SCENES_H
#define BAKE_SCENES_H

#include "asset_input.h"
#include "asset_names.h"
#include "schema.h"

typedef struct bake_scenes bake_scenes;

/* Returns NULL if memory runs out. */
bake_scenes *bake_scenes_create(const bake_schema *schema, bake_diagnostics *diagnostics);
/* Accepts NULL. */
void bake_scenes_destroy(bake_scenes *scenes);

/* Resolving all documents may make this many copies, plus a number for each byte of a file with
 * scenes or prefabs. Without a limit, a small file of nested prefabs could cause exponential
 * work. */
enum { BAKE_SCENE_WORK_MIN = 1000000, BAKE_SCENE_WORK_PER_BYTE = 16 };

/* A document, its root, and the asset that it defines. `name` is NULL for prefabs, which are not
 * assets; otherwise it must outlive the scenes. */
typedef struct bake_scene_document {
    const bake_tree *tree;
    bake_node_id node;
    const bake_file_rule *rule;
    const char *name;
    size_t name_length;
    uint32_t input; /* for the caller */
} bake_scene_document;

/* Adds a document. `bytes` is the size of its file, which bounds the work of resolving it. Returns
 * false if memory runs out. */
bool bake_scenes_add(bake_scenes *scenes, const bake_scene_document *document, size_t bytes);

/* Adds the assets that a rule declares as prefabs. Inputs that contain such assets keep their trees
 * until the end of the run. Returns false if memory runs out. */
bool bake_scenes_add_prototypes(bake_scenes *scenes, bake_inputs *inputs);

/* Prepares resolving. `work` is the least work that is allowed (see bake_scenes_work_max), for a
 * run that reads only some of the documents. With `keeps_uses`, bake_scenes_uses lists which
 * documents need each other. */
void bake_scenes_prepare(bake_scenes *scenes, uint64_t work, bool keeps_uses);
/* The limit of the work of resolving, which grows with the documents. */
uint64_t bake_scenes_work_max(const bake_scenes *scenes);

/* A document in the tree `by` uses a prefab or scene in the tree `of`. scene_items.h describes
 * both. */
typedef struct bake_scene_use {
    const bake_tree *by, *of;
    const struct scene_unit *user, *used;
} bake_scene_use;

const bake_scene_use *bake_scenes_uses(const bake_scenes *scenes, size_t *ret_count);

/* Resolves all documents and reports errors. Pass `incomplete` if some documents could not be read:
 * unknown names may then exist and are not reported. Returns false if memory runs out. */
bool bake_scenes_resolve(bake_scenes *scenes, bool incomplete);

#endif
