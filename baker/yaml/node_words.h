/* What is said of a node's form, and what its tag says. */
#ifndef BAKE_NODE_WORDS_H
#define BAKE_NODE_WORDS_H

#include "tree.h"

/* "null", "a scalar", "a list" or "a mapping". */
const char *bake_node_word(const bake_tree *tree, bake_node_id node);
/* `str` of a tag that YAML itself has for it, `tag:yaml.org,2002:str`; NULL for NULL and for other
 * tags. */
const char *bake_core_tag(const char *tag);
/* Whether the node has a tag that is not the one which YAML has for its form. */
bool bake_node_has_odd_tag(const bake_tree *tree, bake_node_id node);

#endif
