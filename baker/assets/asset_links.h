/* Ids that no asset of the run has but that references may use: earlier ids of renamed assets, ids
 * of deleted ones, and accepted ones. */
#ifndef BAKE_ASSET_LINKS_H
#define BAKE_ASSET_LINKS_H

#include "asset_input.h"
#include "hash_table.h"

typedef enum bake_link_kind {
    BAKE_LINK_RENAMED,
    BAKE_LINK_DELETED,
    BAKE_LINK_ACCEPTED /* references to it are valid, wherever it is */
} bake_link_kind;

typedef struct bake_link {
    const char *name; /* `Kind/id` */
    size_t length;
    const char *to; /* renamed: `Kind/id` as it is now */
    size_t to_length;
    const bake_tree *tree; /* where it is written; NULL: in the schema */
    bake_node_id node;
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

/* The accepted names of the schema. NULL when memory ran out. */
bake_links *bake_links_create(const bake_schema *schema);
void bake_links_destroy(bake_links *links);

/* Adds a copy of `link`, whose texts must outlive the list. If the name is already known, gives the
 * first one in `ret_other` (otherwise NULL), except for a listed one. False if memory runs out. */
bool bake_links_add(bake_links *links, const bake_link *link, const bake_link **ret_other);
/* Follows chains of renames, so that every old name has its current one. Reports cycles, and assets
 * with old names. */
void bake_links_resolve(bake_links *links, const bake_inputs *inputs,
                        bake_diagnostics *diagnostics);
/* NULL if the name is not listed; `links` may be NULL. */
const bake_link *bake_links_find(const bake_links *links, const char *name, size_t length);

#endif
