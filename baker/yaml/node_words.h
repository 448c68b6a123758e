/* Words for the form of a node in messages, and the tags of YAML itself. */
#ifndef BAKE_NODE_WORDS_H
#define BAKE_NODE_WORDS_H

#include "tree.h"

/* "null", "a scalar", "a list" or "a mapping". */
const char *bake_node_word(const bake_tree *tree, bake_node_id node);
/* The last part of a tag of YAML's own: `str` of `tag:yaml.org,2002:str`. NULL for NULL and for
 * other tags. */
const char *bake_core_tag(const char *tag);
/* Whether the node has a tag other than YAML's own for its form: str, seq or map. */
bool bake_node_has_odd_tag(const bake_tree *tree, bake_node_id node);

#endif
