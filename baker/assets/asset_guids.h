/* Files identified by guids. The guid of a file is stored in a companion file next to it. */
#ifndef BAKE_ASSET_GUIDS_H
#define BAKE_ASSET_GUIDS_H

#include "asset_input.h"
#include "hash_table.h"

typedef struct bake_guid {
    const char *guid;
    size_t length;
    const char *path; /* of the file, relative to the base */
    size_t path_length;
    bake_mark mark; /* of the guid */
    uint32_t input; /* that defines it; UINT32_MAX: a file outside of the run */
    /* The rule of the file, or NULL if it is not an input of this run. */
    const bake_file_rule *rule;
    const char *id; /* its id if the rule takes ids from paths, or NULL */
    size_t id_length;
} bake_guid;

typedef struct bake_guids {
    bake_guid *all;
    size_t count, capacity;
    hash_table by_guid;
    bake_store store;
    struct bake_links *links; /* receives file names accepted as references */
} bake_guids;

/* A guid that a file outside of the run defines. */
typedef struct bake_rest_guid {
    const char *guid;
    size_t length;
    const char *path; /* of the file, as in bake_guid */
    bool is_input;    /* the file is an input of the bundle */
} bake_rest_guid;

/* Returns NULL if memory runs out. */
bake_guids *bake_guids_create(void);
void bake_guids_destroy(bake_guids *guids);

/* Adds a guid and copies its strings. If the guid is already known, adds nothing and sets
 * `*ret_other` to the first one; otherwise sets it to NULL. Returns false if memory runs out. */
bool bake_guids_add(bake_guids *guids, const bake_guid *guid, const bake_guid **ret_other);
/* Looks up the file of each guid among the inputs. */
void bake_guids_resolve(bake_guids *guids, const bake_inputs *inputs);
/* Adds a resolved guid of a file that is not read, unless it is already known. Its strings must
 * outlive the guids. Returns false if memory runs out. */
bool bake_guids_add_rest(bake_guids *guids, const bake_schema *schema, const bake_rest_guid *rest);
/* Returns NULL if no file has this guid. `guids` may be NULL. */
const bake_guid *bake_guids_find(const bake_guids *guids, const char *guid, size_t length);
/* Accepts references to a file by this name from now on. Returns false if memory runs out. */
bool bake_guids_accept(bake_guids *guids, const char *name, size_t length);

#endif
