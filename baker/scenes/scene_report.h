/* Reports about scene documents, and functions that read strings and mappings in them. */
#ifndef BAKE_SCENE_REPORT_H
#define BAKE_SCENE_REPORT_H

#include "bake_scenes.h"

/* The path to an entity, for diagnostics. */
typedef struct scene_path {
    const struct scene_path *up;
    const char *name;
    size_t length;
    uint32_t number; /* its index in the list, if it has no name */
} scene_path;

bool bake_scene_report(bake_scenes *s, const bake_tree *tree, bake_node_id node, const char *rule,
                       const scene_path *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* Checks that the node has this kind and no unknown tag. Otherwise returns false after a report, or
 * without one if the node is a placeholder. */
bool bake_scene_expect(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                       bake_node_kind kind, const scene_path *path, const char *what);
/* Reads a mapping into `values`, one for each of `names`, like bake_schema_read_attributes. Reports
 * unknown keys and returns false if there are any. */
bool bake_scene_keys(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                     const scene_path *path, const char *const *names, size_t count,
                     bake_node_id *values);
/* Like bake_scene_keys, for the top level of a document, where the head keys of the rule are
 * ignored. */
bool bake_scene_keys_under(bake_scenes *s, const bake_file_rule *rule, const bake_tree *tree,
                           bake_node_id node, const scene_path *path, const char *const *names,
                           size_t count, bake_node_id *values);
/* Returns a string that is neither null nor empty. Otherwise reports that `what` was expected and
 * returns NULL. */
const char *bake_scene_text(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                            const scene_path *path, const char *what, size_t *ret_length);
/* Records that memory ran out. Returns false. */
bool bake_scene_no_memory(bake_scenes *s);
/* Counts `amount` copies. Returns false after a report if the work limit is exceeded. */
bool bake_scene_work(bake_scenes *s, uint64_t amount, const bake_tree *tree, bake_node_id node);
/* Returns whether this wrong base must be reported, and remembers it. All entities of a group share
 * one base, and one report is enough. */
bool bake_scene_claim_base(bake_scenes *s, const bake_tree *tree, bake_node_id node);

#endif
