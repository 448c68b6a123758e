/* The representation of a tree in memory, and inline accessors. Included by tree.h; names that
 * tree.h does not declare are private to tree.c and the tree_*.c files.
 *
 * `words` contains all nodes in source order, a collection before its contents. The id of a node is
 * the index of its first word. The first word of a node is its kind (two bits) and its place: the
 * offset in the source where the node, including its properties, begins. It is followed by:
 *
 *     scalar    form (two bits), BAKE_PROPERTIES, length in bytes or offset in `text` (29 bits)
 *               with properties: tag, place of the scalar itself
 *     sequence  flags, count of elements (29 bits); index of the word after all its elements
 *               with properties: tag
 *     mapping   like a sequence, but its elements are entries: key, value, key, value ...
 *     alias     the node that it refers to; never an alias itself
 *
 * A tag is an offset into `text` plus one, 0 for none.
 *
 * A mapping with the flag BAKE_EXTENDED has further words at its end. If it has more than
 * BAKE_LINEAR_MAX entries, these words begin with an index of slots; a slot is the word index of a
 * key, 0 for none. If merging or duplicates changed its entries, a list of the entries follows, as
 * aliases. The last three words are the start of the slots; the number of slots, a power of two,
 * with the bit BAKE_INDEX_SORTED if the slots are sorted by key; and the first entry.
 *
 * The index is normally a hash table. XXH3 with a known secret is not safe against deliberate
 * collisions. So if building the table takes too many probes, the index is sorted instead, and no
 * input costs more than O(n log n). */
#ifndef BAKE_TREE_WORDS_H
#define BAKE_TREE_WORDS_H

#include "tree.h"

#include <assert.h>
#include <string.h>

/* The kinds of the first word; the first three are those of bake_node_kind. */
enum { BAKE_WORD_ALIAS = 3 };
#define BAKE_PLACE_BITS 30
#define BAKE_PLACE_MAX ((1u << BAKE_PLACE_BITS) - 1)

/* The second word. */
#define BAKE_PROPERTIES (1u << 29)
#define BAKE_EXTENDED (1u << 30)    /* mapping */
#define BAKE_PLACEHOLDER (1u << 30) /* sequence */
#define BAKE_SIZE_MAX ((1u << 29) - 1)

/* Where the bytes of a scalar are stored. */
typedef enum bake_form {
    BAKE_FORM_PLAIN,  /* in the source */
    BAKE_FORM_QUOTED, /* in the source, after one quote */
    BAKE_FORM_COPIED, /* in `text`: length, end offset in the source, bytes; offset in words */
    BAKE_FORM_FOLDED  /* like COPIED, for a plain scalar */
} bake_form;

/* The line and column of a place. */
typedef struct bake_point {
    uint32_t line;
    uint32_t column;
} bake_point;

#define BAKE_POINT_DISTANCE 2048
#define BAKE_POINT_MARKS 16

typedef struct bake_points {
    size_t count; /* points computed so far */
    /* The last result, because the next place is often shortly after it. */
    size_t last_place;
    bake_point last;
    /* A cache of the marks of long scalars, by node: a few scalars may get many reports. */
    struct {
        uint64_t node; /* plus one; 0: none */
        bake_mark mark;
    } marks[BAKE_POINT_MARKS];
    bake_point at[];
} bake_points;

/* A document. */
typedef struct bake_document {
    uint32_t root;
    uint32_t anchor; /* of the root: an offset into `text` plus one; 0: none */
    uint32_t is_stripped;
} bake_document;

struct bake_tree {
    uint32_t *words;
    size_t word_count;
    size_t word_capacity;
    char *text;
    size_t text_size;
    size_t text_capacity;
    bake_document *documents;
    size_t document_count;
    size_t document_capacity;
    const char *source_text;
    size_t source_size;
    bake_spool *spool;   /* contains `words` and `text` if their capacities are 0; or NULL */
    bake_points *points; /* a cache, updated when marks are computed */
    uint32_t source;
    bool complete;
};

/* The copied bytes of a scalar, and the source offset after the scalar. */
const char *bake_tree_copied(const bake_tree *tree, bake_node_id node, uint32_t *ret_length,
                             uint32_t *ret_end);

static inline unsigned bake_word_kind(const bake_tree *tree, uint32_t at)
{
    return tree->words[at] >> BAKE_PLACE_BITS;
}

/* Resolves an alias; returns any other node itself. */
static inline bake_node_id bake_node_at(const bake_tree *tree, uint32_t at)
{
    return bake_word_kind(tree, at) == BAKE_WORD_ALIAS ? tree->words[at + 1] : at;
}

/* The index of the word after the node and its contents. */
static inline uint32_t bake_node_end(const bake_tree *tree, uint32_t at)
{
    const uint32_t *words = tree->words + at;
    switch (words[0] >> BAKE_PLACE_BITS) {
    case BAKE_NODE_SCALAR:
        return at + 2 + (words[1] & BAKE_PROPERTIES ? 2 : 0);
    case BAKE_WORD_ALIAS:
        return at + 2;
    default:
        return words[2];
    }
}

/* The word index of the first child of a collection. */
static inline uint32_t bake_node_first(const bake_tree *tree, bake_node_id node)
{
    const uint32_t *words = tree->words + node;
    if (words[0] >> BAKE_PLACE_BITS == BAKE_NODE_MAPPING && (words[1] & BAKE_EXTENDED))
        return tree->words[words[2] - 1];
    return node + 3 + (words[1] & BAKE_PROPERTIES ? 1 : 0);
}

static inline const char *bake_scalar_text(const bake_tree *tree, bake_node_id node,
                                           uint32_t *ret_length)
{
    const uint32_t *words = tree->words + node;
    uint32_t form = words[1] >> 30, end;
    if (form >= BAKE_FORM_COPIED)
        return bake_tree_copied(tree, node, ret_length, &end);
    *ret_length = words[1] & BAKE_SIZE_MAX;
    uint32_t place = words[1] & BAKE_PROPERTIES ? words[3] : words[0] & BAKE_PLACE_MAX;
    return tree->source_text + place + form;
}

static inline const uint32_t *bake_words_at(const bake_tree *tree, bake_node_id id)
{
    assert(id < tree->word_count && bake_word_kind(tree, id) != BAKE_WORD_ALIAS);
    return tree->words + id;
}

static inline bake_node_kind bake_node_kind_of(const bake_tree *tree, bake_node_id node)
{
    return (bake_node_kind)(*bake_words_at(tree, node) >> BAKE_PLACE_BITS);
}

static inline const char *bake_node_tag(const bake_tree *tree, bake_node_id node)
{
    const uint32_t *words = bake_words_at(tree, node);
    if (!(words[1] & BAKE_PROPERTIES))
        return NULL;
    uint32_t tag = words[words[0] >> BAKE_PLACE_BITS == BAKE_NODE_SCALAR ? 2 : 3];
    return tag ? tree->text + tag - 1 : NULL;
}

static inline const char *bake_node_text(const bake_tree *tree, bake_node_id node,
                                         size_t *ret_length)
{
    uint32_t length;
    *ret_length = 0;
    if (*bake_words_at(tree, node) >> BAKE_PLACE_BITS != BAKE_NODE_SCALAR)
        return "";
    const char *text = bake_scalar_text(tree, node, &length);
    *ret_length = length;
    return text;
}

static inline bool bake_view_scalar(const bake_tree *tree, bake_node_id node,
                                    bake_scalar_view *ret_view)
{
    const uint32_t *words = bake_words_at(tree, node);
    uint32_t form = words[1] >> 30;
    if (words[0] >> BAKE_PLACE_BITS != BAKE_NODE_SCALAR)
        return false;
    ret_view->text = bake_scalar_text(tree, node, &ret_view->length);
    ret_view->is_plain = form == BAKE_FORM_PLAIN;
    ret_view->is_copied = form >= BAKE_FORM_COPIED;
    ret_view->is_bare = !(words[1] & BAKE_PROPERTIES);
    return true;
}

static inline bool bake_view_is_null(const bake_scalar_view *view)
{
    const char *text = view->text;
    if (!view->is_plain)
        return false;
    if (view->length == 4)
        return memcmp(text, "null", 4) == 0 || memcmp(text, "Null", 4) == 0 ||
               memcmp(text, "NULL", 4) == 0;
    return view->length == 0 || (view->length == 1 && *text == '~');
}

static inline bool bake_node_is_null(const bake_tree *tree, bake_node_id node)
{
    bake_scalar_view view;
    return bake_view_scalar(tree, node, &view) && bake_view_is_null(&view);
}

static inline uint32_t bake_node_count(const bake_tree *tree, bake_node_id node)
{
    const uint32_t *words = bake_words_at(tree, node);
    return words[0] >> BAKE_PLACE_BITS == BAKE_NODE_SCALAR ? 0 : words[1] & BAKE_SIZE_MAX;
}

static inline bake_iterator bake_iterator_begin(const bake_tree *tree, bake_node_id node)
{
    const uint32_t *words = bake_words_at(tree, node);
    unsigned kind = words[0] >> BAKE_PLACE_BITS;
    bake_iterator it = {tree, BAKE_NODE_NONE, BAKE_NODE_NONE, 0, 0, kind == BAKE_NODE_MAPPING};
    if (kind != BAKE_NODE_SCALAR) {
        it.left = words[1] & BAKE_SIZE_MAX;
        it.next = bake_node_first(tree, node);
    }
    return it;
}

static inline bool bake_iterator_next(bake_iterator *it)
{
    if (it->left == 0)
        return false;
    it->left--;
    uint32_t at = it->next;
    if (it->is_mapping) {
        it->key = bake_node_at(it->tree, at);
        at = bake_node_end(it->tree, at);
    }
    it->value = bake_node_at(it->tree, at);
    it->next = bake_node_end(it->tree, at);
    return true;
}

#endif
