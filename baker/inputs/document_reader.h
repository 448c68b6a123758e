/* What the readers of documents share; private to bake_documents.c and document_*.c, of which each
 * reads documents of some shapes. */
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
    const bake_file_rule *rule; /* NULL: none fits, so it is read by kinds */
    uint32_t document;          /* number of the one being read, in its file */
    bool has_scene;             /* its bytes are counted among those of scenes */
    bool out_of_memory;
} document_reader;

/* NULL after a report, or when memory ran out. The name of a `kind` goes before
 * the id; `named_at` is where that is written. */
bake_asset *bake_document_add(document_reader *d, const char *kind, uint32_t type, const char *id,
                              size_t id_length, bake_node_id node, bake_node_id named_at);
/* Notes that a patch takes an asset away. */
void bake_document_delete(document_reader *d, const char *kind, uint32_t type, const char *id,
                          size_t id_length, bake_node_id named_at);
/* Whether a mapping or list around assets is one; reports that `what` was expected. They have no
 * type that a tag could agree with but their own. */
bool bake_document_expect(document_reader *d, bake_node_id node, bake_node_kind kind,
                          const char *what);

/* The kind that a scalar names; NULL after a report. */
const bake_kind *bake_document_kind(document_reader *d, bake_node_id node);
/* The id that bake_path_id takes from the input's path; false after a report. */
bool bake_document_path_id(document_reader *d, bake_node_id node, bake_id_source source,
                           const char *text, const char **ret_id, size_t *ret_length);

/* document_kinds.c */
void bake_document_kinds(document_reader *d, bake_node_id node);
/* Of shape map. */
void bake_document_map(document_reader *d, bake_node_id node);

/* The kind that the value of the rule's `by` names in a mapping; NULL after a report. */
const bake_kind *bake_document_kind_by(document_reader *d, bake_node_id node);

/* document_links.c: old ids, and ids that may lead nowhere. */
void bake_document_renames(document_reader *d, bake_node_id node);
void bake_document_accepted(document_reader *d, bake_node_id node);

/* document_guids.c: what the file beside is called. */
void bake_document_guids(document_reader *d, bake_node_id node);

void bake_document_list(document_reader *d, bake_node_id node);

/* document_one.c: one asset, or entities. */

/* Whether an entry at the top of a document is its head, which is then an asset of its own. */
bool bake_document_head(document_reader *d, bake_node_id key, bake_node_id value);
/* All heads among the entries of a mapping. */
void bake_document_heads(document_reader *d, bake_node_id node);
void bake_document_one(document_reader *d, bake_node_id node);
void bake_document_entities(document_reader *d, bake_node_id node);
/* A scene that is read by `rule`; its name is as in bake_document_add. */
void bake_document_scene(document_reader *d, const bake_file_rule *rule, const char *kind,
                         const char *id, size_t id_length, bake_node_id node,
                         bake_node_id named_at);

/* document_objects.c: the document of that number. */
void bake_document_object(document_reader *d, bake_node_id node, uint32_t number);

#endif
