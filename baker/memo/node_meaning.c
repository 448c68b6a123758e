#include "node_meaning.h"

#include <string.h>

/* What is hashed of each node. The hash of a collection is built from those of its parts. */
typedef struct node_digest {
    kiln_hash128 content, tag;
    KILN_ALIGNAS(8) uint64_t kind; /* and whether a scalar is plain, because only those are null */
    KILN_ALIGNAS(8) uint64_t count;
} node_digest;

typedef struct hash_pair {
    kiln_hash128 first, second;
} hash_pair;

static kiln_hash128 hash_of_pair(kiln_hash128 first, kiln_hash128 second)
{
    hash_pair pair = {first, second};
    return kiln_content_hash(&pair, sizeof pair);
}

static kiln_hash128 hash_of_node(const bake_tree *tree, bake_node_id node, bool in_order);

/* The entries of a mapping are added up if their order has no effect. */
static kiln_hash128 hash_of_entries(const bake_tree *tree, bake_node_id node, bool in_order)
{
    kiln_hash128 sum = {0, 0};
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);) {
        kiln_hash128 entry = hash_of_pair(hash_of_node(tree, it.key, in_order),
                                          hash_of_node(tree, it.value, in_order));
        if (in_order) {
            sum = hash_of_pair(sum, entry);
        } else {
            sum.low += entry.low;
            sum.high += entry.high;
        }
    }
    return sum;
}

static kiln_hash128 hash_of_elements(const bake_tree *tree, bake_node_id node, bool in_order)
{
    kiln_hash128 chain = {0, 0};
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);)
        chain = hash_of_pair(chain, hash_of_node(tree, it.value, in_order));
    return chain;
}

static kiln_hash128 hash_of_node(const bake_tree *tree, bake_node_id node, bool in_order)
{
    node_digest digest;
    size_t length;
    const char *tag = bake_node_tag(tree, node);
    memset(&digest, 0, sizeof digest);
    bake_node_kind kind = bake_node_kind_of(tree, node);
    digest.kind = (uint64_t)kind * 8 + (tag ? 4 : 0);
    digest.count = bake_node_count(tree, node);
    if (tag)
        digest.tag = kiln_content_hash(tag, strlen(tag));
    if (kind == BAKE_NODE_SCALAR) {
        const char *text = bake_node_text(tree, node, &length);
        digest.kind += (bake_node_is_plain(tree, node) ? 2 : 0) + bake_node_is_null(tree, node);
        digest.content = kiln_content_hash(text, length);
    } else if (kind == BAKE_NODE_MAPPING) {
        digest.content = hash_of_entries(tree, node, in_order);
    } else {
        digest.content = hash_of_elements(tree, node, in_order);
    }
    return kiln_content_hash(&digest, sizeof digest);
}

kiln_hash128 bake_node_meaning(const bake_tree *tree, bake_node_id node)
{
    return hash_of_node(tree, node, false);
}

kiln_hash128 bake_node_meaning_in_order(const bake_tree *tree, bake_node_id node)
{
    return hash_of_node(tree, node, true);
}
