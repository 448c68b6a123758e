/* The places in the file system where a change can change the inputs of a bake: folders, and names
 * in them.
 *
 * For each path of a record, these are all its components, each in its folder: if `data/a/x.yaml`
 * is an input, then `data` in the current folder, `a` in `data`, and `x.yaml` in `data/a`. So a
 * folder that is moved, deleted or created again is noticed. If a component is a link, the
 * components of its target are places, too. Paths need not exist. A listed folder is the place of
 * all names that the list can contain.
 *
 * One thread. The texts of the records must live as long as the places. */
#ifndef BAKE_WATCH_PLACES_H
#define BAKE_WATCH_PLACES_H

#include "bake_table.h"
#include "record_inputs.h"

/* A list of the names in a folder. */
typedef struct watch_list {
    const struct watch_list *next; /* of the same folder */
    const char *const *suffixes;   /* see bake_record_folder_at */
} watch_list;

typedef struct watch_folder {
    const char *path;
    const watch_list *lists;
    bool has_inputs; /* it was listed or contains a path of a record itself */
} watch_folder;

/* A name in a folder. */
typedef struct watch_name {
    uint32_t folder;
    const char *name;
} watch_name;

/* Zeroed, it is empty. */
typedef struct watch_places {
    watch_folder *folders;
    watch_name *names;
    size_t folder_count, folder_capacity, name_count, name_capacity;
    hash_table folders_by_path, names_by_place;
    bake_store store;
} watch_places;

/* Adds the places of all inputs. Returns false if memory runs out. */
bool bake_watch_places_add(watch_places *places, const bake_record_list *records);
void bake_watch_places_fini(watch_places *places);

/* Whether a change of this name in the folder may be one of an input. `is_folder` is true if the
 * name is or was that of a folder. */
bool bake_watch_places_contain(const watch_places *places, uint32_t folder, const char *name,
                               bool is_folder);

#endif
