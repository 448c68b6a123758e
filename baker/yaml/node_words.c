/* Messages call a sequence "a list", as the schema language does. */
#include "node_words.h"

#include <string.h>

const char *bake_node_word(const bake_tree *tree, bake_node_id node)
{
    if (bake_node_is_null(tree, node))
        return "null";
    switch (bake_node_kind_of(tree, node)) {
    case BAKE_NODE_SEQUENCE:
        return "a list";
    case BAKE_NODE_MAPPING:
        return "a mapping";
    default:
        return "a scalar";
    }
}

const char *bake_core_tag(const char *tag)
{
    static const char core[] = "tag:yaml.org,2002:";
    return tag && strncmp(tag, core, sizeof core - 1) == 0 ? tag + sizeof core - 1 : NULL;
}

bool bake_node_has_foreign_tag(const bake_tree *tree, bake_node_id node)
{
    static const char *const words[] = {"str", "seq", "map"};
    const char *tag = bake_node_tag(tree, node), *word = bake_core_tag(tag);
    return tag && (!word || strcmp(word, words[bake_node_kind_of(tree, node)]) != 0);
}
