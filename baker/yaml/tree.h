/* A YAML stream as a compact tree. It has the content of libyaml's events, with aliases resolved,
 * merge keys applied, duplicate keys rejected, and a source mark for every node.
 *
 * Nodes are stored in source order in one array. A scalar whose bytes are the same in the source is
 * not copied, so the source must not change while the tree exists. An aliased node is one node
 * with several parents. The expanded size, with each alias counted as a copy, is limited, so an
 * alias bomb is reported as an error. Scalars are plain strings; the tree assigns no YAML types.
 *
 * The `%TAG` lines before the first document also apply to each later document without directives.
 *
 * Nesting is limited to BAKE_TREE_DEPTH_MAX, so recursion over a tree is safe. Threads may share a
 * complete tree. Marks, which are computed on demand and cached, are behind a lock.
 *
 * Parts: tree.c (nodes and marks), tree_read.c (reading a stream), tree_mapping.c (lookups). */
#ifndef BAKE_TREE_H
#define BAKE_TREE_H

#include "diagnostics.h"
#include "spool.h"

#define BAKE_TREE_DEPTH_MAX 512
/* The limit on nodes after alias expansion is this constant plus 16 for each byte of input. */
#define BAKE_TREE_EXPANDED_MIN 1000000

typedef enum bake_node_kind {
    BAKE_NODE_SCALAR,
    BAKE_NODE_SEQUENCE,
    BAKE_NODE_MAPPING
} bake_node_kind;

typedef uint32_t bake_node_id; /* opaque */
#define BAKE_NODE_NONE UINT32_MAX

typedef struct bake_tree bake_tree;

/* Reads all documents of `text`, which must outlive the tree. Reports errors to `diagnostics` with
 * the source id `source`. Reading stops at the first syntax error. A BOM is accepted; an empty
 * stream has no documents. Returns NULL only if memory runs out; check bake_diagnostics_errors
 * before using the tree. */
bake_tree *bake_tree_read(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                          size_t size);
void bake_tree_destroy(bake_tree *tree);
/* Changes the source id of all marks, for a tree that was read before its source was registered. */
void bake_tree_set_source(bake_tree *tree, uint32_t source);

/* Moves a complete tree to a spool, or leaves it. From now on, nodes cannot change. */
void bake_tree_spool(bake_tree *tree, bake_spool *spool);
/* Notes that nodes of the whole tree will be read. */
void bake_tree_touch(const bake_tree *tree);
/* Notes that the node and its contents will be read, for the spool of the tree, if it has one. Call
 * it before reading each asset. */
void bake_node_touch(const bake_tree *tree, bake_node_id node);

/* Whether the whole source was read: false after a syntax error or another error that stops
 * reading. Errors may have been reported for a complete tree, too, but nothing is missing from
 * it. */
bool bake_tree_is_complete(const bake_tree *tree);

uint32_t bake_tree_document_count(const bake_tree *tree);
/* The document's root; BAKE_NODE_NONE if the document is empty or an empty plain scalar. */
bake_node_id bake_tree_document(const bake_tree *tree, uint32_t i);
/* The name of the root's anchor, for example `123` for `--- !u!4 &123`; NULL if it has none. */
const char *bake_tree_document_anchor(const bake_tree *tree, uint32_t i);
/* Whether the word `stripped` follows the anchor: see SCHEMA.md, "Data". */
bool bake_tree_document_is_stripped(const bake_tree *tree, uint32_t i);

static inline bake_node_kind bake_node_kind_of(const bake_tree *tree, bake_node_id node);
/* The source location of the node. Use it for reports only: computing it scans up to 2 KiB of the
 * source. */
bake_mark bake_node_mark(const bake_tree *tree, bake_node_id node);
/* The explicit tag as libyaml resolves it (`tag:yaml.org,2002:str`, `!local`), or NULL. */
static inline const char *bake_node_tag(const bake_tree *tree, bake_node_id node);
/* The `*ret_length` bytes of the scalar, not NUL-terminated; "" for collections. */
static inline const char *bake_node_text(const bake_tree *tree, bake_node_id node,
                                         size_t *ret_length);
/* Whether the scalar is plain (unquoted). Only plain scalars can be null (``, `~`, `null`, `Null`,
 * `NULL`). */
bool bake_node_is_plain(const bake_tree *tree, bake_node_id node);
static inline bool bake_node_is_null(const bake_tree *tree, bake_node_id node);

/* The properties of a scalar that determine its value. */
typedef struct bake_scalar_view {
    const char *text;
    uint32_t length;
    bool is_plain;  /* plain and on one line, so it may be null */
    bool is_copied; /* not the same bytes as in the source, so it may contain a NUL */
    bool is_bare;   /* has neither tag nor anchor */
} bake_scalar_view;

/* Fills `ret_view`; returns false for collections. */
static inline bool bake_view_scalar(const bake_tree *tree, bake_node_id node,
                                    bake_scalar_view *ret_view);
static inline bool bake_view_is_null(const bake_scalar_view *view);

/* Whether the node replaces an alias that is undefined or contains itself. That was reported
 * already, so do not report errors about this node. */
bool bake_node_is_placeholder(const bake_tree *tree, bake_node_id node);

/* The number of elements of a sequence, or of entries of a mapping after merging. The mapping's own
 * entries come first, in source order, then the merged ones. */
static inline uint32_t bake_node_count(const bake_tree *tree, bake_node_id node);

/* An iterator over a collection, in order:
 *
 *     for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);)
 *         ... it.key ... it.value ... */
typedef struct bake_iterator {
    const bake_tree *tree;
    bake_node_id key;   /* of a mapping's current entry */
    bake_node_id value; /* of the current entry, or the current element of a sequence */
    uint32_t next;      /* private */
    uint32_t left;      /* number of elements or entries not yet visited */
    bool is_mapping;
} bake_iterator;

static inline bake_iterator bake_iterator_begin(const bake_tree *tree, bake_node_id node);
static inline bool bake_iterator_next(bake_iterator *it);
/* The location of the alias in `collection` that refers to the iterator's value; for a merged
 * entry, the start of the mapping. The line is 0 if the value is not an alias. */
bake_mark bake_iterator_alias(const bake_iterator *it, bake_node_id collection);
/* Looks up the value of a key, with a linear search in small mappings and a hash table in others.
 * Returns BAKE_NODE_NONE if the key does not exist or `mapping` is not a mapping. */
bake_node_id bake_node_find(const bake_tree *tree, bake_node_id mapping, const char *key,
                            size_t length);

#include "tree_words.h"

#endif
