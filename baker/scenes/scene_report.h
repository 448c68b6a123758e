/* Reports about documents of scenes, and the small things that are read in them. */
#ifndef BAKE_SCENE_REPORT_H
#define BAKE_SCENE_REPORT_H

#include "bake_scenes.h"

/* The path to an entity, for diagnostics. */
typedef struct scene_path {
    const struct scene_path *up;
    const char *name;
    size_t length;
    uint32_t number; /* in its list, where it has no name */
} scene_path;

bool bake_scene_report(bake_scenes *s, const bake_tree *tree, bake_node_id node, const char *rule,
                       const scene_path *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* Whether the node is of that kind, and has no other tag; false after a report. */
bool bake_scene_expect(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                       bake_node_kind kind, const scene_path *path, const char *what);
/* Reads a mapping whose keys are among `names`, as bake_schema_read_attributes does. */
bool bake_scene_keys(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                     const scene_path *path, const char *const *names, size_t count,
                     bake_node_id *values);
/* The same at the top of a document, whose heads are none of its keys. */
bool bake_scene_keys_under(bake_scenes *s, const bake_file_rule *rule, const bake_tree *tree,
                           bake_node_id node, const scene_path *path, const char *const *names,
                           size_t count, bake_node_id *values);
/* A text that is not null nor empty; NULL after a report that `what` was expected. */
const char *bake_scene_text(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                            const scene_path *path, const char *what, size_t *ret_length);
/* Notes that memory ran out; false. */
bool bake_scene_no_memory(bake_scenes *s);
/* Counts `amount` copies; false after a report when they are too many. */
bool bake_scene_work(bake_scenes *s, uint64_t amount, const bake_tree *tree, bake_node_id node);
/* Whether this base is wrong for the first entity of a group: all of the group have it, and one
 * report is enough. Remembers it as the last. */
bool bake_scene_claim_base(bake_scenes *s, const bake_tree *tree, bake_node_id node);

#endif
