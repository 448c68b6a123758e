/* Reports about scene documents, and the reading of texts and mappings in them. */
#ifndef BAKE_SCENE_REPORT_H
#define BAKE_SCENE_REPORT_H

#include "bake_scenes.h"

/* The path to an entity, for diagnostics. */
typedef struct scene_path {
    const struct scene_path *up;
    const char *name;
    size_t length;
    uint32_t number; /* in its list, if it has no name */
} scene_path;

bool bake_scene_report(bake_scenes *s, const bake_tree *tree, bake_node_id node, const char *rule,
                       const scene_path *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* Whether the node has that kind and no foreign tag; false after a report. */
bool bake_scene_expect(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                       bake_node_kind kind, const scene_path *path, const char *what);
/* Reads a mapping whose keys are among `names`, as bake_schema_read_attributes does. */
bool bake_scene_keys(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                     const scene_path *path, const char *const *names, size_t count,
                     bake_node_id *values);
/* The same at the top of a document, where keys of the rule's heads are ignored. */
bool bake_scene_keys_under(bake_scenes *s, const bake_file_rule *rule, const bake_tree *tree,
                           bake_node_id node, const scene_path *path, const char *const *names,
                           size_t count, bake_node_id *values);
/* A text that is neither null nor empty; NULL after a report that `what` was expected. */
const char *bake_scene_text(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                            const scene_path *path, const char *what, size_t *ret_length);
/* Records that memory ran out; returns false. */
bool bake_scene_no_memory(bake_scenes *s);
/* Counts `amount` copies; false after a report if the limit of work is exceeded. */
bool bake_scene_work(bake_scenes *s, uint64_t amount, const bake_tree *tree, bake_node_id node);
/* Whether this wrong base is a new one. All entities of a group have the same base, and one report
 * is enough. Stores it as the last one. */
bool bake_scene_claim_base(bake_scenes *s, const bake_tree *tree, bake_node_id node);

#endif
