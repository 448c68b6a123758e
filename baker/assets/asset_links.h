/* Ids that references may use although no asset of the run has them: old ids of renamed assets, ids
 * of deleted assets, and accepted ids. */
#ifndef BAKE_ASSET_LINKS_H
#define BAKE_ASSET_LINKS_H

#include "asset_input.h"
#include "hash_table.h"

typedef enum bake_link_kind {
    BAKE_LINK_RENAMED,
    BAKE_LINK_DELETED,
    BAKE_LINK_ACCEPTED /* references to it are valid, although no known asset has it */
} bake_link_kind;

typedef struct bake_link {
    const char *name; /* `Kind/id` */
    size_t length;
    const char *to; /* the new `Kind/id` of a renamed asset */
    size_t to_length;
    const bake_tree *tree; /* the tree that contains it; NULL: it is in the schema */
    bake_node_id node;
    uint32_t input; /* the input of `tree` */
    bake_link_kind kind;
    bool is_listed; /* accepted in a dump of a file; renames and deletions override it */
    uint8_t state;  /* private */
} bake_link;

typedef struct bake_links {
    bake_link *all;
    size_t count, capacity;
    hash_table by_name;
    bool out_of_memory;
} bake_links;

/* Creates links for the accepted names of the schema. Returns NULL if memory runs out. */
bake_links *bake_links_create(const bake_schema *schema);
void bake_links_destroy(bake_links *links);

/* Adds a copy of `link`, whose strings must outlive the list. If the name is already known, sets
 * `*ret_other` to its first link; otherwise sets `*ret_other` to NULL. Listed links never conflict:
 * renames and deletions override them, and they never replace another link. Returns false if memory
 * runs out. */
bool bake_links_add(bake_links *links, const bake_link *link, const bake_link **ret_other);
/* Resolves chains of renames, so that every old name maps to its current one. Reports cycles, and
 * assets whose names are listed as renamed or deleted. */
void bake_links_resolve(bake_links *links, const bake_inputs *inputs,
                        bake_diagnostics *diagnostics);
/* Returns NULL if there is no link for the name. `links` may be NULL. */
const bake_link *bake_links_find(const bake_links *links, const char *name, size_t length);

#endif
