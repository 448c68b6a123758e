/* What the readers of documents share; private to bake_documents.c, document_reader.c and
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
    const bake_file_rule *rule; /* NULL: no rule matches the file, which is read by kinds */
    uint32_t document;          /* number of the current document in its file */
    bool has_scene;             /* the bytes of the file are counted for scenes */
    bool out_of_memory;
} document_reader;

/* Makes `kind/id` in the store of the inputs. NULL after a report at `named_at`, or when memory ran
 * out. */
const char *bake_document_name(document_reader *d, const char *kind, const char *id,
                               size_t id_length, bake_node_id named_at, size_t *ret_length);
/* Reports an invalid id; returns false. */
bool bake_document_refuse_id(document_reader *d, bake_node_id node);
/* Adds the asset `kind/id`, a patch if the rule has `patches`; `named_at` is the node of the id.
 * NULL after a report, or when memory ran out. */
bake_asset *bake_document_add(document_reader *d, const char *kind, uint32_t type, const char *id,
                              size_t id_length, bake_node_id node, bake_node_id named_at);
/* Whether a node around assets is of the kind; otherwise reports that `what` was expected. It has
 * no type, so it can have no tag except that of its own kind. */
bool bake_document_expect(document_reader *d, bake_node_id node, bake_node_kind kind,
                          const char *what);

/* The kind that a scalar names; NULL after a report. */
const bake_kind *bake_document_kind(document_reader *d, bake_node_id node);
/* The id that bake_path_id takes from the input's path; false after a report. */
bool bake_document_path_id(document_reader *d, bake_node_id node, bake_id_source source,
                           const char *text, const char **ret_id, size_t *ret_length);

/* document_links.c: ids instead of assets. */
void bake_document_renames(document_reader *d, bake_node_id node);
void bake_document_accepted(document_reader *d, bake_node_id node);
/* True if the document names a file by a guid; it can be an asset, too. */
bool bake_document_guids(document_reader *d, bake_node_id node);

#endif
