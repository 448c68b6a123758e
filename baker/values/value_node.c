/* Nodes as values: null checks, and tags and keys that are already taken.
 *
 * `taken` is a list on the C stack, innermost first. Entries for the current node precede those of
 * enclosing nodes, so the search ends at the first entry of another node. */
#include "value_node.h"

#include "bake_text.h"

#include <string.h>

bool bake_value_tag_is_taken(const bake_values *b, bake_node_id node)
{
    for (const value_taken *t = b->taken; t && t->node == node && t->tree == b->tree; t = t->up)
        if (!t->key)
            return true;
    return false;
}

bool bake_value_key_is_taken(const bake_values *b, bake_node_id node, const char *key,
                             size_t length)
{
    for (const value_taken *t = b->taken; t && t->node == node && t->tree == b->tree; t = t->up)
        if (t->key && bake_text_is(key, length, t->key))
            return true;
    return false;
}

bool bake_value_is_null(const bake_values *b, bake_node_id node)
{
    if (!bake_node_is_null(b->tree, node))
        return false;
    const char *tag = bake_node_tag(b->tree, node);
    return !tag || strcmp(tag, "tag:yaml.org,2002:null") == 0 || bake_value_tag_is_taken(b, node);
}
