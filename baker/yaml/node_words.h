/* Names of node kinds for messages, and the core tags of YAML. */
#ifndef BAKE_NODE_WORDS_H
#define BAKE_NODE_WORDS_H

#include "tree.h"

/* "null", "a scalar", "a list" or "a mapping". */
const char *bake_node_word(const bake_tree *tree, bake_node_id node);
/* The suffix of a YAML core tag: `str` for `tag:yaml.org,2002:str`. NULL for any other tag and for
 * NULL. */
const char *bake_core_tag(const char *tag);
/* Whether the node has a tag other than the core tag of its kind: str, seq or map. */
bool bake_node_has_foreign_tag(const bake_tree *tree, bake_node_id node);

#endif
