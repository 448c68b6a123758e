/* A hash of everything in a node that its value can depend on.
 *
 * Comments, indentation, quotes of different kinds, the order of keys, and whether a value is
 * written in place or with an alias have no effect on it. */
#ifndef BAKE_NODE_MEANING_H
#define BAKE_NODE_MEANING_H

#include "tree.h"

#include <kiln/index.h>

/* Linear in the expanded size of the node, which the tree limits. */
kiln_hash128 bake_node_meaning(const bake_tree *tree, bake_node_id node);
/* Like bake_node_meaning, but the order of keys matters, as it does in a schema. */
kiln_hash128 bake_node_meaning_in_order(const bake_tree *tree, bake_node_id node);

#endif
