/* Nodes as values: null checks, and *taken* tags and keys. A tag or key that names the alternative
 * of a union is taken: the alternative's value does not include it. */
#ifndef BAKE_VALUE_NODE_H
#define BAKE_VALUE_NODE_H

#include "value_baker.h"

/* Whether a key of the node is taken. */
bool bake_value_key_is_taken(const bake_values *b, bake_node_id node, const char *key,
                             size_t length);
/* Whether the tag of the node is taken. */
bool bake_value_tag_is_taken(const bake_values *b, bake_node_id node);
/* Whether the node is null, and no tag makes it a string. */
bool bake_value_is_null(const bake_values *b, bake_node_id node);

/* Like bake_value_is_null, regardless of taken tags. */
static inline bool value_is_written_null(const bake_tree *tree, bake_node_id node)
{
    const char *tag = bake_node_tag(tree, node);
    return bake_node_is_null(tree, node) && (!tag || strcmp(tag, "tag:yaml.org,2002:null") == 0);
}

#endif
