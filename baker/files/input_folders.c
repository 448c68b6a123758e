/* The table of the folders whose entries the result of a run depends on. */
#define _POSIX_C_SOURCE 200809L

#include "input_folders.h"

#include "gateway_store.h"

#include "bake_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool has_path(const bake_gateway *gateway, uint32_t number, text_key path)
{
    return strcmp(gateway->input_folders[number].path, path.text) == 0;
}

HASH_TABLE(folders_by_path, const bake_gateway *, text_key, hash_of_text, has_path)

void bake_free_suffixes(char **suffixes)
{
    for (size_t i = 0; suffixes && suffixes[i]; i++)
        bake_free(suffixes[i]);
    bake_free(suffixes);
}

char **bake_copy_suffixes(const char *const *suffixes)
{
    size_t count = 0;
    while (suffixes && suffixes[count])
        count++;
    char **copy = bake_alloc_array(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = bake_copy_text(suffixes[i], strlen(suffixes[i]));
        if (!copy[i]) {
            bake_free_suffixes(copy);
            return NULL;
        }
    }
    return copy;
}

void bake_gateway_free_folders(bake_gateway *gateway)
{
    for (size_t i = 0; i < gateway->input_folder_count; i++) {
        bake_free(gateway->input_folders[i].path);
        bake_free_suffixes(gateway->input_folders[i].suffixes);
    }
    bake_free(gateway->input_folders);
    bake_table_fini(&gateway->input_folders_by_path);
}

input_folder *bake_gateway_add_folder(bake_gateway *gateway, const char *path,
                                      const struct stat *status)
{
    input_folder *folders = bake_table_grow_rows(
        &gateway->input_folders_by_path, gateway->input_folders, &gateway->input_folder_capacity,
        gateway->input_folder_count, sizeof *folders);
    if (folders)
        gateway->input_folders = folders;
    hash_slot *slot = folders ? folders_by_path_slot(&gateway->input_folders_by_path, gateway,
                                                     (text_key){path, strlen(path)})
                              : NULL;
    if (slot && !hash_slot_is_empty(slot))
        return &folders[hash_slot_number(slot)];
    input_folder added = {.path = slot ? bake_copy_text(path, strlen(path)) : NULL,
                          .seconds = status->st_mtim.tv_sec,
                          .nanoseconds = status->st_mtim.tv_nsec};
    if (!added.path) {
        errno = ENOMEM;
        return NULL;
    }
    hash_table_put(&gateway->input_folders_by_path, slot, (uint32_t)gateway->input_folder_count);
    folders[gateway->input_folder_count] = added;
    return &folders[gateway->input_folder_count++];
}

bool bake_gateway_add_listed(bake_gateway *gateway, const char *path, const char *const *suffixes,
                             const struct stat *status, uint64_t names)
{
    input_folder *folder = bake_gateway_add_folder(gateway, path, status);
    if (!folder || folder->is_listed)
        return folder != NULL;
    folder->suffixes = bake_copy_suffixes(suffixes);
    if (!folder->suffixes) {
        errno = ENOMEM;
        return false;
    }
    folder->is_listed = true;
    folder->names = names;
    return true;
}
