#include "tree_store.h"

#include "bake_memory.h"
#include "bake_text.h"

void bake_tree_destroy(bake_tree *tree)
{
    if (!tree)
        return;
    bake_block_free(tree->words, tree->word_capacity * sizeof *tree->words);
    bake_block_free(tree->text, tree->text_capacity);
    bake_free(tree->documents);
    bake_free(tree->points);
    bake_free(tree);
}

bool bake_tree_add_text(bake_tree *tree, const char *text, size_t length, uint32_t *ret_offset)
{
    if (!bake_tree_fits(tree->text_size, length))
        return false;
    size_t end = tree->text_size + length + 1;
    if (end > tree->text_capacity) {
        char *grown = bake_block_grow(tree->text, &tree->text_capacity, end, 1);
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

bool bake_tree_grow_words(bake_tree *tree, size_t count)
{
    if (!bake_tree_fits(tree->word_count, count))
        return false;
    uint32_t *grown = bake_block_grow(tree->words, &tree->word_capacity, tree->word_count + count,
                                      sizeof *tree->words);
    if (grown)
        tree->words = grown;
    return grown != NULL;
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
    return tree->documents[i].root;
}

const char *bake_tree_document_anchor(const bake_tree *tree, uint32_t i)
{
    assert(i < tree->document_count);
    uint32_t anchor = tree->documents[i].anchor;
    return anchor ? tree->text + anchor - 1 : NULL;
}

bool bake_tree_document_is_stripped(const bake_tree *tree, uint32_t i)
{
    assert(i < tree->document_count);
    return tree->documents[i].is_stripped != 0;
}

const char *bake_tree_copied(const bake_tree *tree, bake_node_id node, uint32_t *ret_length,
                             uint32_t *ret_end)
{
    const char *copied = tree->text + (size_t)(tree->words[node + 1] & BAKE_SIZE_MAX) * 4;
    memcpy(ret_length, copied, 4);
    memcpy(ret_end, copied + 4, 4);
    return copied + 8;
}

bool bake_node_is_plain(const bake_tree *tree, bake_node_id node)
{
    const uint32_t *words = bake_words_at(tree, node);
    uint32_t form = words[1] >> 30;
    return words[0] >> BAKE_PLACE_BITS == BAKE_NODE_SCALAR &&
           (form == BAKE_FORM_PLAIN || form == BAKE_FORM_FOLDED);
}

bool bake_node_is_placeholder(const bake_tree *tree, bake_node_id node)
{
    const uint32_t *words = bake_words_at(tree, node);
    return words[0] >> BAKE_PLACE_BITS == BAKE_NODE_SEQUENCE && (words[1] & BAKE_PLACEHOLDER);
}

/* Compares the key that stands at `at` with the text. */
static int compare_key(const bake_tree *tree, uint32_t at, const char *key, size_t length)
{
    uint32_t own_length;
    const char *own = bake_scalar_text(tree, bake_node_at(tree, at), &own_length);
    return bake_compare_text(own, own_length, key, length);
}

static bool is_key(const bake_tree *tree, uint32_t at, const char *key, size_t length)
{
    uint32_t own_length;
    const char *own = bake_scalar_text(tree, bake_node_at(tree, at), &own_length);
    return own_length == length && memcmp(own, key, length) == 0;
}

static uint32_t find_sorted(const bake_tree *tree, const uint32_t *sorted, size_t count,
                            const char *key, size_t length)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_key(tree, sorted[middle], key, length);
        if (order == 0)
            return sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Where the key stands; 0: nowhere. */
static uint32_t find_indexed(const bake_tree *tree, bake_node_id mapping, const char *key,
                             size_t length)
{
    uint32_t end = tree->words[mapping + 2];
    uint32_t index = tree->words[end - 2];
    uint32_t capacity = index & ~BAKE_INDEX_SORTED;
    const uint32_t *slots = tree->words + tree->words[end - 3];
    if (index & BAKE_INDEX_SORTED)
        return find_sorted(tree, slots, tree->words[mapping + 1] & BAKE_SIZE_MAX, key, length);
    size_t at = (size_t)bake_tree_hash(key, length) & (capacity - 1);
    while (slots[at] && !is_key(tree, slots[at], key, length))
        at = (at + 1) & (capacity - 1);
    return slots[at];
}

static uint32_t find_linear(const bake_tree *tree, bake_node_id mapping, const char *key,
                            size_t length)
{
    uint32_t at = bake_node_first(tree, mapping);
    for (uint32_t left = tree->words[mapping + 1] & BAKE_SIZE_MAX; left > 0; left--) {
        if (is_key(tree, at, key, length))
            return at;
        at = bake_node_end(tree, bake_node_end(tree, at));
    }
    return 0;
}

bake_node_id bake_node_find(const bake_tree *tree, bake_node_id mapping, const char *key,
                            size_t length)
{
    const uint32_t *words = bake_words_at(tree, mapping);
    if (words[0] >> BAKE_PLACE_BITS != BAKE_NODE_MAPPING)
        return BAKE_NODE_NONE;
    bool indexed = (words[1] & BAKE_SIZE_MAX) > BAKE_LINEAR_MAX;
    uint32_t at = indexed ? find_indexed(tree, mapping, key, length)
                          : find_linear(tree, mapping, key, length);
    return at ? bake_node_at(tree, bake_node_end(tree, at)) : BAKE_NODE_NONE;
}
