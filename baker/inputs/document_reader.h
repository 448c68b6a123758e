/* The state and functions of document readers. Private to bake_documents.c, document_reader.c and
 * document_links.c. */
#ifndef BAKE_DOCUMENT_READER_H
#define BAKE_DOCUMENT_READER_H

#include "bake_documents.h"

typedef struct document_reader {
    bake_inputs *inputs;
    uint32_t input;
    const bake_inputs_def *def;
    const bake_schema *schema;
    bake_diagnostics *diagnostics;
    const bake_tree *tree;
    const bake_file_rule *rule; /* NULL: no rule matches; the shape is `kinds` */
    uint32_t document;          /* index of the current document in its file */
    bool has_scene;             /* the size of the file is already counted for scenes */
    bool out_of_memory;
} document_reader;

/* Makes `kind/id` in the store of the inputs. Returns NULL after a report at `named_at` or if
 * memory runs out. */
const char *bake_document_name(document_reader *d, const char *kind, const char *id,
                               size_t id_length, bake_node_id named_at, size_t *ret_length);
/* Reports an invalid id; returns false. */
bool bake_document_refuse_id(document_reader *d, bake_node_id node);
/* Adds the asset `kind/id`, or a patch of it if the rule has `patches`; `named_at` is the node of
 * the id. Returns NULL after a report or if memory runs out. */
bake_asset *bake_document_add(document_reader *d, const char *kind, uint32_t type, const char *id,
                              size_t id_length, bake_node_id node, bake_node_id named_at);
/* Checks that a node that contains assets is of `kind`; otherwise reports that `what` was expected.
 * Such a node has no type, so only the core tag of its kind is allowed. */
bool bake_document_expect(document_reader *d, bake_node_id node, bake_node_kind kind,
                          const char *what);

/* Whether a kind of the schema is equal or similar to a word. */
bool bake_document_is_like_kind(const document_reader *d, const char *text, size_t length);
/* Looks up the kind that a scalar names; NULL after a report. */
const bake_kind *bake_document_kind(document_reader *d, bake_node_id node);
/* Makes an id from the input's path with bake_path_id. Returns false after a report. */
bool bake_document_path_id(document_reader *d, bake_node_id node, bake_id_source source,
                           const char *text, const char **ret_id, size_t *ret_length);

/* document_links.c: documents that describe ids. */
void bake_document_renames(document_reader *d, bake_node_id node);
void bake_document_accepted(document_reader *d, bake_node_id node);
/* Returns true if the document defines a guid for a file. The document may also be an asset. */
bool bake_document_guids(document_reader *d, bake_node_id node);

#endif
