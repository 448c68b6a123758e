/* What the records of a node in a source map depend on: its content in order, and its places.
 *
 *     two nodes have the same hash  ==>  their places differ only in the lines, all by the
 *     difference of `line`
 *
 * Places are those of the node, of everything in it, and of aliases in it. */
#ifndef BAKE_NODE_FORM_H
#define BAKE_NODE_FORM_H

#include "tree.h"

#include <kiln/index.h>

/* As it is stored. */
typedef struct bake_node_form {
    kiln_hash128 hash;
    uint32_t line;        /* of the node */
    uint32_t first, last; /* lines of all its places */
    uint32_t zero;
} bake_node_form;

/* Linear in the expanded size of the node, which the tree limits. */
bake_node_form bake_node_form_of(const bake_tree *tree, bake_node_id node);
/* The same for a node with the place of its name, which can be the node itself. */
bake_node_form bake_node_form_with_name(const bake_tree *tree, bake_node_id node,
                                        bake_node_id named_at);

#endif
