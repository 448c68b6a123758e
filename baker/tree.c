#include "tree_store.h"

#include "bake_memory.h"

#include <assert.h>

void bake_tree_destroy(bake_tree *tree)
{
    if (!tree)
        return;
    bake_free(tree->nodes);
    bake_free(tree->text);
    bake_free(tree->links);
    bake_free(tree->documents);
    bake_free(tree);
}

bool bake_tree_add_text(bake_tree *tree, const char *text, size_t length, uint32_t *ret_offset)
{
    if (!bake_tree_fits(tree->text_size, length))
        return false;
    size_t end = tree->text_size + length + 1;
    if (end > tree->text_capacity) {
        char *grown = bake_grow(tree->text, &tree->text_capacity, end, 1);
        if (!grown)
            return false;
        tree->text = grown;
    }
    char *copy = tree->text + tree->text_size;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    *ret_offset = (uint32_t)tree->text_size;
    tree->text_size = end;
    return true;
}

bool bake_tree_add_links(bake_tree *tree, size_t count, size_t *ret_offset)
{
    if (!bake_tree_fits(tree->link_count, count))
        return false;
    size_t end = tree->link_count + count;
    if (end > tree->link_capacity) {
        uint32_t *grown = bake_grow(tree->links, &tree->link_capacity, end, sizeof *grown);
        if (!grown)
            return false;
        tree->links = grown;
    }
    *ret_offset = tree->link_count;
    tree->link_count = end;
    return true;
}

static const bake_node *node_at(const bake_tree *tree, bake_node_id id)
{
    assert(id < tree->node_count);
    return &tree->nodes[id];
}

bool bake_tree_is_complete(const bake_tree *tree)
{
    return tree->complete;
}

uint32_t bake_tree_document_count(const bake_tree *tree)
{
    return (uint32_t)tree->document_count;
}

bake_node_id bake_tree_document(const bake_tree *tree, uint32_t i)
{
    assert(i < tree->document_count);
    return tree->documents[i];
}

bake_node_kind bake_node_kind_of(const bake_tree *tree, bake_node_id node)
{
    return (bake_node_kind)node_at(tree, node)->kind;
}

bake_mark bake_node_mark(const bake_tree *tree, bake_node_id node)
{
    const bake_node *n = node_at(tree, node);
    bake_mark mark = {tree->source, n->line, n->column,
                      n->length ? n->length : BAKE_MARK_TO_LINE_END};
    return mark;
}

const char *bake_node_tag(const bake_tree *tree, bake_node_id node)
{
    uint32_t tag = node_at(tree, node)->tag;
    return tag ? tree->text + tag - 1 : NULL;
}

const char *bake_node_text(const bake_tree *tree, bake_node_id node, size_t *ret_length)
{
    const bake_node *n = node_at(tree, node);
    bool is_scalar = n->kind == BAKE_NODE_SCALAR;
    if (ret_length)
        *ret_length = is_scalar ? n->count : 0;
    return is_scalar ? tree->text + n->content : "";
}

bool bake_node_is_plain(const bake_tree *tree, bake_node_id node)
{
    const bake_node *n = node_at(tree, node);
    return n->plain && n->kind == BAKE_NODE_SCALAR;
}

bool bake_node_is_placeholder(const bake_tree *tree, bake_node_id node)
{
    const bake_node *n = node_at(tree, node);
    return n->plain && n->kind == BAKE_NODE_SEQUENCE;
}

bool bake_node_is_null(const bake_tree *tree, bake_node_id node)
{
    const bake_node *n = node_at(tree, node);
    if (!n->plain || n->kind != BAKE_NODE_SCALAR)
        return false;
    const char *text = tree->text + n->content;
    if (n->count == 4)
        return memcmp(text, "null", 4) == 0 || memcmp(text, "Null", 4) == 0 ||
               memcmp(text, "NULL", 4) == 0;
    return n->count == 0 || (n->count == 1 && *text == '~');
}

uint32_t bake_node_count(const bake_tree *tree, bake_node_id node)
{
    const bake_node *n = node_at(tree, node);
    return n->kind == BAKE_NODE_SCALAR ? 0 : n->count;
}

bake_node_id bake_node_element(const bake_tree *tree, bake_node_id node, uint32_t i)
{
    const bake_node *n = node_at(tree, node);
    assert(n->kind == BAKE_NODE_SEQUENCE && i < n->count);
    return tree->links[n->content + i];
}

bake_node_id bake_node_key(const bake_tree *tree, bake_node_id node, uint32_t i)
{
    const bake_node *n = node_at(tree, node);
    assert(n->kind == BAKE_NODE_MAPPING && i < n->count);
    return tree->links[n->content + (size_t)2 * i];
}

bake_node_id bake_node_value(const bake_tree *tree, bake_node_id node, uint32_t i)
{
    const bake_node *n = node_at(tree, node);
    assert(n->kind == BAKE_NODE_MAPPING && i < n->count);
    return tree->links[n->content + (size_t)2 * i + 1];
}

/* Compares the key of entry `i` with the text. */
static int compare_entry(const bake_tree *tree, const bake_node *mapping, size_t i, const char *key,
                         size_t length)
{
    const bake_node *k = &tree->nodes[tree->links[mapping->content + 2 * i]];
    return bake_compare_text(tree->text + k->content, k->count, key, length);
}

static bool entry_has_key(const bake_tree *tree, const bake_node *mapping, size_t i,
                          const char *key, size_t length)
{
    const bake_node *k = &tree->nodes[tree->links[mapping->content + 2 * i]];
    return k->count == length && memcmp(tree->text + k->content, key, length) == 0;
}

static size_t find_sorted(const bake_tree *tree, const bake_node *mapping, const uint32_t *sorted,
                          const char *key, size_t length)
{
    size_t low = 0;
    size_t high = mapping->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_entry(tree, mapping, sorted[middle], key, length);
        if (order == 0)
            return sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

static size_t find_entry(const bake_tree *tree, const bake_node *mapping, const char *key,
                         size_t length)
{
    if (mapping->count <= BAKE_LINEAR_MAX) {
        for (size_t i = 0; i < mapping->count; i++)
            if (entry_has_key(tree, mapping, i, key, length))
                return i;
        return SIZE_MAX;
    }
    uint32_t index = tree->links[mapping->content - 1];
    size_t capacity = index & ~BAKE_INDEX_SORTED;
    const uint32_t *slots = tree->links + mapping->content - 1 - capacity;
    if (index & BAKE_INDEX_SORTED)
        return find_sorted(tree, mapping, slots, key, length);
    size_t at = (size_t)bake_tree_hash(key, length) & (capacity - 1);
    for (; slots[at]; at = (at + 1) & (capacity - 1))
        if (entry_has_key(tree, mapping, slots[at] - 1, key, length))
            return slots[at] - 1;
    return SIZE_MAX;
}

bake_walk bake_walk_begin(const bake_tree *tree, bake_node_id node)
{
    bake_walk walk = {tree, BAKE_NODE_NONE, BAKE_NODE_NONE, node, 0, bake_node_count(tree, node)};
    return walk;
}

bool bake_walk_next(bake_walk *walk)
{
    if (walk->left == 0)
        return false;
    walk->left--;
    if (bake_node_kind_of(walk->tree, walk->node) == BAKE_NODE_MAPPING) {
        walk->key = bake_node_key(walk->tree, walk->node, walk->next);
        walk->value = bake_node_value(walk->tree, walk->node, walk->next++);
    } else {
        walk->value = bake_node_element(walk->tree, walk->node, walk->next++);
    }
    return true;
}

bake_node_id bake_node_find(const bake_tree *tree, bake_node_id mapping, const char *key,
                            size_t length)
{
    const bake_node *node = node_at(tree, mapping);
    if (node->kind != BAKE_NODE_MAPPING)
        return BAKE_NODE_NONE;
    size_t i = find_entry(tree, node, key, length);
    return i == SIZE_MAX ? BAKE_NODE_NONE : bake_node_value(tree, mapping, (uint32_t)i);
}
