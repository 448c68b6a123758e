/* What the memo of a run says about scenes: what each scene and prefab uses, and the work to read
 * it. */
#ifndef BAKE_SCENE_NOTES_H
#define BAKE_SCENE_NOTES_H

#include "bake_scenes.h"
#include "memo.h"

/* Lists the prefabs that all scenes can use in new memory. `scenes` may be NULL. Returns NULL if
 * memory runs out. */
bake_memo_prefab *bake_scene_notes_prefabs(const bake_scenes *scenes, size_t *ret_count);

/* Replaces the parents and weights of scenes and prefabs, after those whose uses count were baked,
 * and raises the cost of the largest scene. With `rows`, only rows whose byte is set change.
 * `scenes` has kept its uses. Returns false if memory runs out, or the memo lacks one of them. */
bool bake_scene_notes_add(bake_memo *memo, const bake_scenes *scenes, const bake_schema *schema,
                          const unsigned char *rows);

/* The row of the asset that is the prototype `id`; UINT32_MAX: none, or memory runs out. */
uint32_t bake_scene_notes_prototype(const bake_memo *memo, const bake_schema *schema,
                                    const char *id, size_t length);

/* The limit of the work of all scenes and prefabs. The limit of a complete run may be higher, since
 * that also counts files without any prefab. */
uint64_t bake_scene_notes_work_max(const bake_memo *memo);
/* Whether all scenes and prefabs stay below the limits of work and size. */
bool bake_scene_notes_fit(const bake_memo *memo);

/* Sets or clears BAKE_MEMO_NOISY for all scenes and prefabs: a report can be the only one of
 * several scenes. */
void bake_scene_notes_set_noisy(bake_memo *memo, bool is_noisy);

#endif
