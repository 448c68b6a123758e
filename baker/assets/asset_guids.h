/* Files that are identified by a guid, a text in another file next to each of them. */
#ifndef BAKE_ASSET_GUIDS_H
#define BAKE_ASSET_GUIDS_H

#include "asset_input.h"
#include "hash_table.h"

typedef struct bake_guid {
    const char *guid;
    size_t length;
    const char *path; /* of the file, from the base */
    size_t path_length;
    bake_mark mark; /* of the guid */
    /* The rule of the file where it is an input of the run; or NULL. */
    const bake_file_rule *rule;
    const char *id; /* its id, if that rule takes ids from paths; or NULL */
    size_t id_length;
} bake_guid;

typedef struct bake_guids {
    bake_guid *all;
    size_t count, capacity;
    hash_table by_guid;
    bake_store store;
    struct bake_links *links; /* where names of files are accepted as such */
} bake_guids;

/* NULL when memory ran out. */
bake_guids *bake_guids_create(void);
void bake_guids_destroy(bake_guids *guids);

/* Adds a guid and copies its texts. If the guid is already known, adds nothing and gives the first
 * one in `ret_other` (otherwise NULL). False if memory runs out. */
bool bake_guids_add(bake_guids *guids, const bake_guid *guid, const bake_guid **ret_other);
/* Finds the files among the inputs. */
void bake_guids_resolve(bake_guids *guids, const bake_inputs *inputs);
/* NULL if no file has this guid; `guids` may be NULL. */
const bake_guid *bake_guids_find(const bake_guids *guids, const char *guid, size_t length);
/* Allows references to a file by this name from now on. False if memory runs out. */
bool bake_guids_accept(bake_guids *guids, const char *name, size_t length);

#endif
