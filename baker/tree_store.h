/* How a tree lies in memory, and the parts it is built from. Private to the tree_*.c files.
 *
 * `words` holds all nodes in the order of the text, a collection before what is in it; a node's id
 * is the number of its first word. The first word of each is its kind (two bits) and the place in
 * the source where it begins, its properties included. Then follow:
 *
 *     scalar    form (two bits), BAKE_PROPERTIES, length in bytes or place in `text` (29 bits)
 *               with properties: tag, place of the scalar itself
 *     sequence  flags, count of elements (29 bits); the word behind all its elements
 *               with properties: tag
 *     mapping   the same with its entries: key, value, key, value ...
 *     alias     the node that it leads to; never an alias itself
 *
 * A tag is an offset into `text` plus one, 0 for none.
 *
 * A mapping with the flag BAKE_EXTENDED ends in words of its own: perhaps a list of its entries, as
 * aliases, where these are not just what is written in it; an index, where it has more than
 * BAKE_LINEAR_MAX entries; and three words: where the index's slots are; their number, a power of
 * two, with the bit BAKE_INDEX_SORTED when they hold the entries sorted by key; and where the
 * entries begin. A slot holds the place of an entry's key, 0 for none.
 *
 * The usual index is a hash table. XXH3 with a known secret does not stop someone who makes keys
 * collide on purpose, so when the look-ups while building take more steps than chance allows, the
 * index is sorted instead: no input costs more than O(n log n). */
#ifndef BAKE_TREE_STORE_H
#define BAKE_TREE_STORE_H

#include "tree.h"

#include <assert.h>
#include <string.h>

#define BAKE_LINEAR_MAX 12
#define BAKE_INDEX_SORTED 0x80000000u

/* The kinds of the first word; the first three are those of bake_node_kind. */
enum { BAKE_WORD_ALIAS = 3 };
#define BAKE_PLACE_BITS 30
#define BAKE_PLACE_MAX ((1u << BAKE_PLACE_BITS) - 1)

/* The second word. */
#define BAKE_PROPERTIES (1u << 29)
#define BAKE_EXTENDED (1u << 30)    /* mapping */
#define BAKE_PLACEHOLDER (1u << 30) /* sequence */
#define BAKE_SIZE_MAX ((1u << 29) - 1)

/* Where a scalar's text is. */
typedef enum bake_form {
    BAKE_FORM_PLAIN,  /* in the source */
    BAKE_FORM_QUOTED, /* in the source, behind one quote */
    BAKE_FORM_COPIED, /* in `text`: two words, its length and the place in the source where the
                       * scalar ends, and the bytes; the offset is counted in words */
    BAKE_FORM_FOLDED  /* the same, of a plain scalar */
} bake_form;

/* Places at which line and column are known. */
typedef struct bake_point {
    uint32_t line;
    uint32_t column;
} bake_point;

#define BAKE_POINT_DISTANCE 2048

typedef struct bake_points {
    size_t count; /* points known so far */
    /* The place asked for last: the next is often a little behind it. */
    size_t last_place;
    bake_point last;
    bake_point at[];
} bake_points;

struct bake_tree {
    uint32_t *words;
    size_t word_count;
    size_t word_capacity;
    char *text;
    size_t text_size;
    size_t text_capacity;
    uint32_t *documents;
    size_t document_count;
    size_t document_capacity;
    const char *source_text;
    size_t source_size;
    bake_points *points; /* changes when marks are asked for */
    uint32_t source;
    bool complete;
};

/* Why building goes no further. */
typedef enum bake_build {
    BAKE_BUILD_OK,
    BAKE_BUILD_STOPPED,  /* a problem was reported that nothing can follow */
    BAKE_BUILD_NO_MEMORY /* to be reported by the caller */
} bake_build;

/* tree.c */

/* Adds `length` bytes and a NUL to the text; false when there is no memory. */
bool bake_tree_add_text(bake_tree *tree, const char *text, size_t length, uint32_t *ret_offset);
/* Makes room for `count` more words; false when there is no memory. */
bool bake_tree_grow_words(bake_tree *tree, size_t count);
/* The text of a scalar in `text`, and the place in the source where that ends. */
const char *bake_tree_copied(const bake_tree *tree, bake_node_id node, uint32_t *ret_length,
                             uint32_t *ret_end);

/* tree_mark.c: where the byte at `place` stands, and its line alone. */
bake_point bake_tree_point(const bake_tree *tree, uint32_t place);
bake_points *bake_points_create(size_t size);

/* Whether `more` fits beside `used` in numbers of 32 bits, of which the largest means "none". */
static inline bool bake_tree_fits(size_t used, size_t more)
{
    return used < UINT32_MAX && more < UINT32_MAX - used;
}

static inline unsigned bake_word_kind(const bake_tree *tree, uint32_t at)
{
    return tree->words[at] >> BAKE_PLACE_BITS;
}

/* The node itself, or that which it leads to as an alias. */
static inline bake_node_id bake_node_at(const bake_tree *tree, uint32_t at)
{
    return bake_word_kind(tree, at) == BAKE_WORD_ALIAS ? tree->words[at + 1] : at;
}

/* The word behind the node and all that is in it. */
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

/* Where the first child of a collection stands. */
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

/* Orders two texts bytewise; a beginning comes before the whole. */
static inline int bake_compare_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* tree_mapping.c */

/* Ends the mapping `id`, whose `count` entries are the last words of the tree: merges what merge
 * keys name, drops entries whose key is no scalar, reports duplicates, makes the index. `special`
 * tells that there is a merge key or such a key. Without `diagnostics` a problem stops. `*scratch`
 * has room for `*capacity` numbers and may be replaced. */
typedef struct bake_scratch {
    uint32_t *items;
    size_t capacity;
} bake_scratch;

bake_build bake_tree_end_mapping(bake_tree *tree, bake_diagnostics *diagnostics, bake_node_id id,
                                 size_t count, bool special, bake_scratch *scratch);
/* Whether the scalar is a merge key when it stands at a key's place. */
bool bake_tree_is_merge_key(const bake_tree *tree, bake_node_id node);
/* The hash that the indexes of this process use. */
uint64_t bake_tree_hash(const char *text, size_t length);
/* For tests: hashes of keys are cut to the bits of `mask`, so that they collide. */
void bake_tree_weaken_hash(uint64_t mask);

/* tree_anchor.c */

typedef struct bake_anchor {
    uint32_t name; /* offset into the tree's text */
    uint32_t name_length;
    bake_node_id node;
    uint32_t height; /* levels of collections in the node: 0 for a scalar */
    uint64_t weight; /* nodes in it, each alias counted as a copy */
    bool open;       /* the node is not complete yet */
} bake_anchor;

/* The anchors of a stream, in order; those before `first` belong to earlier documents. */
typedef struct bake_anchors {
    bake_anchor *items;
    size_t count;
    size_t capacity;
    size_t first;
    uint32_t *slots; /* number of an item plus one; items before `first` count as none */
    size_t slot_count;
} bake_anchors;

void bake_anchors_fini(bake_anchors *anchors);
/* Forgets all names, as a document's end does. */
void bake_anchors_next_document(bake_anchors *anchors);
/* Adds an anchor; a later one of the same name hides the earlier. False when there is no memory. */
bool bake_anchors_add(bake_anchors *anchors, bake_tree *tree, const char *name, size_t length,
                      bake_anchor added, size_t *ret_number);
bake_anchor *bake_anchors_find(const bake_anchors *anchors, const bake_tree *tree, const char *name,
                               size_t length);
/* Hints at an anchor whose name is like `name`. */
void bake_anchors_hint(const bake_anchors *anchors, const bake_tree *tree,
                       bake_diagnostics *diagnostics, const char *name, size_t length);

#endif
