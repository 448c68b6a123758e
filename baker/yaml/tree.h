/* A YAML stream as a compact tree: what libyaml's events say, with aliases resolved, merge keys
 * applied, duplicates refused, and a source mark for every node.
 *
 * Nodes are stored in the order of the text, in one array. A scalar that the source spells
 * literally is not copied, so the source text must not change while the tree exists. An aliased
 * node is one node with several parents; the expanded size (each alias counted as a copy) is
 * limited, so an alias bomb is a diagnostic. Scalars are texts only: no YAML type is ever guessed
 * here.
 *
 * The `%TAG` lines before a stream's first document apply to each later document without
 * directives.
 *
 * Nesting is limited to BAKE_TREE_DEPTH_MAX, so recursion over a tree is safe. Only one thread at a
 * time may use a tree, since marks are computed on demand and cached.
 *
 * Parts: tree.c (nodes and marks), tree_read.c (reading a stream), tree_mapping.c (look-ups). */
#ifndef BAKE_TREE_H
#define BAKE_TREE_H

#include "diagnostics.h"

#define BAKE_TREE_DEPTH_MAX 512
/* Nodes after expansion of aliases: at most this, plus 16 for each byte of input. */
#define BAKE_TREE_EXPANDED_MIN 1000000

typedef enum bake_node_kind {
    BAKE_NODE_SCALAR,
    BAKE_NODE_SEQUENCE,
    BAKE_NODE_MAPPING
} bake_node_kind;

typedef uint32_t bake_node_id; /* opaque; BAKE_NODE_NONE: none */
#define BAKE_NODE_NONE UINT32_MAX

typedef struct bake_tree bake_tree;

/* Reads all documents of `text`, which the tree points into. Problems go to `diagnostics` under
 * `source` (the whole file is read as far as libyaml goes; our own checks report all they find). A
 * BOM is accepted; an empty stream has no documents. NULL only when memory ran out; check
 * bake_diagnostics_errors before using the tree. */
bake_tree *bake_tree_read(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                          size_t size);
void bake_tree_destroy(bake_tree *tree);

/* Whether the whole text was read: false after a syntax error or another error that ends reading. A
 * complete tree may still have had errors, but everything in it was written in the text. */
bool bake_tree_is_complete(const bake_tree *tree);

uint32_t bake_tree_document_count(const bake_tree *tree);
/* The document's root; BAKE_NODE_NONE for an empty document (nothing, or a plain empty scalar). */
bake_node_id bake_tree_document(const bake_tree *tree, uint32_t i);
/* The name of the root's anchor, `123` of `--- !u!4 &123`; NULL. */
const char *bake_tree_document_anchor(const bake_tree *tree, uint32_t i);
/* Whether the word `stripped` follows the anchor: see SCHEMA.md, "Data". */
bool bake_tree_document_is_stripped(const bake_tree *tree, uint32_t i);

static inline bake_node_kind bake_node_kind_of(const bake_tree *tree, bake_node_id node);
/* The place of the node. Counts lines from a place nearby: for reports, not for every node. */
bake_mark bake_node_mark(const bake_tree *tree, bake_node_id node);
/* The explicit tag as libyaml resolves it (`tag:yaml.org,2002:str`, `!local`), or NULL. */
static inline const char *bake_node_tag(const bake_tree *tree, bake_node_id node);
/* The scalar's text of `*ret_length` bytes, without a NUL at its end; "" for collections. */
static inline const char *bake_node_text(const bake_tree *tree, bake_node_id node,
                                         size_t *ret_length);
/* Whether the scalar is plain (unquoted). Only plain ones can be null (``, `~`, `null`, `Null`,
 * `NULL`). */
bool bake_node_is_plain(const bake_tree *tree, bake_node_id node);
static inline bool bake_node_is_null(const bake_tree *tree, bake_node_id node);

/* Everything that the value of a scalar depends on. */
typedef struct bake_scalar_view {
    const char *text;
    uint32_t length;
    bool is_plain;  /* and on one line, so that it may be null */
    bool is_copied; /* its bytes are not those of the source, so they may contain a NUL */
    bool is_bare;   /* without tag and anchor */
} bake_scalar_view;

/* False for collections. */
static inline bool bake_view_scalar(const bake_tree *tree, bake_node_id node,
                                    bake_scalar_view *ret_view);
static inline bool bake_view_is_null(const bake_scalar_view *view);

/* Whether the node replaces an undefined alias, which was reported: further reports would mislead.
 */
bool bake_node_is_placeholder(const bake_tree *tree, bake_node_id node);

/* Sequence: elements. Mapping: entries, after merging; a mapping's own entries come first, in the
 * order of the text. */
static inline uint32_t bake_node_count(const bake_tree *tree, bake_node_id node);

/* An iterator over a collection, in order:
 *
 *     for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);)
 *         ... it.key ... it.value ... */
typedef struct bake_iterator {
    const bake_tree *tree;
    bake_node_id key;   /* of a mapping's current entry */
    bake_node_id value; /* of the entry; of a sequence the current element */
    uint32_t next;      /* private */
    uint32_t left;      /* not yet seen */
    bool is_mapping;
} bake_iterator;

static inline bake_iterator bake_iterator_begin(const bake_tree *tree, bake_node_id node);
static inline bool bake_iterator_next(bake_iterator *it);
/* The place of the alias in `collection` that refers to the iterator's value; for a merged entry,
 * the beginning of the mapping. Line 0: the value itself is written there. */
bake_mark bake_iterator_alias(const bake_iterator *it, bake_node_id collection);
/* The value of the key with exactly this text; BAKE_NODE_NONE if there is none, or `mapping` is not
 * a mapping. Linear for few entries, hashed for more. */
bake_node_id bake_node_find(const bake_tree *tree, bake_node_id mapping, const char *key,
                            size_t length);

#include "tree_words.h"

#endif
