/* The folders whose entries the result of a run depends on. input_folders.c is their table, and
 * folder_times.c finds those of missing paths and restores modification times. */
#ifndef INPUT_FOLDERS_H
#define INPUT_FOLDERS_H

#include <stdbool.h>
#include <stdint.h>

struct bake_gateway;
struct stat;

/* A folder whose entries the result depends on: it was listed, or a file was looked for in it. */
typedef struct input_folder {
    char *path;
    char **suffixes; /* of the listed files; see bake_gateway_list */
    bool is_listed;
    uint64_t names; /* of a listed folder: the sum of the hashes of the listed names */
    int64_t seconds, nanoseconds; /* its modification time, read before its entries */
    bool is_restored;             /* the folder has this time again */
} input_folder;

/* Finds or adds an input folder. Returns NULL with errno ENOMEM. */
input_folder *bake_gateway_add_folder(struct bake_gateway *gateway, const char *path,
                                      const struct stat *status);
/* Adds a listed folder to the input folders. Returns false with errno ENOMEM. */
bool bake_gateway_add_listed(struct bake_gateway *gateway, const char *path,
                             const char *const *suffixes, const struct stat *status,
                             uint64_t names);
/* Adds the nearest existing folder of each missing path to the input folders. Returns false with
 * errno set. */
bool bake_gateway_add_missing(struct bake_gateway *gateway);
/* Gives each input folder the modification time that it had when it was read, if the entries that
 * matter are unchanged: then only outputs have changed it. */
void bake_gateway_restore_times(struct bake_gateway *gateway);
/* Copies a list that ends with NULL; NULL is an empty list. Returns NULL if memory runs out. */
char **bake_copy_suffixes(const char *const *suffixes);
/* Accepts NULL. */
void bake_free_suffixes(char **suffixes);
void bake_gateway_free_folders(struct bake_gateway *gateway);

#endif
