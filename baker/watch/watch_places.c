/* For lstat and readlink. */
#define _XOPEN_SOURCE 700

#include "watch_places.h"

#include "gateway.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* LINKS_MAX: the number of links in a row that Linux follows, too. */
enum { LINKS_MAX = 40, TARGET_MAX = 4096 };

/* ---- tables ---- */

static bool is_folder(const watch_folder *folders, uint32_t number, text_key key)
{
    const char *path = folders[number].path;
    return strncmp(path, key.text, key.length) == 0 && path[key.length] == '\0';
}
HASH_TABLE(folders_by_path, const watch_folder *, text_key, hash_of_text, is_folder)

typedef struct place_key {
    uint32_t folder;
    text_key name;
} place_key;

static uint32_t hash_of_place(const hash_table *table, place_key key)
{
    return (uint32_t)kiln_hash64(key.name.text, key.name.length, table->seed + key.folder);
}

static bool is_place(const watch_name *names, uint32_t number, place_key key)
{
    const char *name = names[number].name;
    return names[number].folder == key.folder &&
           strncmp(name, key.name.text, key.name.length) == 0 && name[key.name.length] == '\0';
}
HASH_TABLE(names_by_place, const watch_name *, place_key, hash_of_place, is_place)

/* Finds or adds a folder. Returns its number; HASH_TABLE_NONE if memory runs out. */
static uint32_t add_folder(watch_places *p, const char *path, size_t length)
{
    const text_key key = {path, length};
    if (!bake_table_reserve_in(&p->folders_by_path, &p->store))
        return HASH_TABLE_NONE;
    hash_slot *slot = folders_by_path_slot(&p->folders_by_path, p->folders, key);
    if (!hash_slot_is_empty(slot))
        return hash_slot_number(slot);
    watch_folder *folders = bake_store_grow(&p->store, p->folders, &p->folder_capacity,
                                            p->folder_count + 1, sizeof *folders);
    const char *copy = bake_store_text(&p->store, path, length);
    if (!folders || !copy)
        return HASH_TABLE_NONE;
    p->folders = folders;
    folders[p->folder_count] = (watch_folder){.path = copy};
    hash_table_put(&p->folders_by_path, slot, (uint32_t)p->folder_count);
    return (uint32_t)p->folder_count++;
}

/* Adds a name unless it exists. Sets `*ret_is_new`. Returns false if memory runs out. */
static bool add_name(watch_places *p, uint32_t folder, text_key name, bool *ret_is_new)
{
    const place_key key = {folder, name};
    *ret_is_new = false;
    if (folder == HASH_TABLE_NONE || !bake_table_reserve_in(&p->names_by_place, &p->store))
        return false;
    hash_slot *slot = names_by_place_slot(&p->names_by_place, p->names, key);
    if (!hash_slot_is_empty(slot))
        return true;
    watch_name *names =
        bake_store_grow(&p->store, p->names, &p->name_capacity, p->name_count + 1, sizeof *names);
    const char *copy = bake_store_text(&p->store, name.text, name.length);
    if (!names || !copy)
        return false;
    p->names = names;
    names[p->name_count] = (watch_name){folder, copy};
    hash_table_put(&p->names_by_place, slot, (uint32_t)p->name_count++);
    *ret_is_new = true;
    return true;
}

/* ---- paths ---- */

static bool add_path(watch_places *p, const char *path, int links);

/* If the path is a link, adds the components of its target. */
static bool add_target(watch_places *p, const char *path, size_t length, int links)
{
    struct stat status;
    char target[TARGET_MAX];
    const char *link = bake_store_text(&p->store, path, length);
    if (!link)
        return false;
    if (links == 0 || lstat(link, &status) != 0 || !S_ISLNK(status.st_mode))
        return true;
    ssize_t size = readlink(link, target, sizeof target - 1);
    if (size <= 0)
        return true;
    target[size] = '\0';
    const char *slash = strrchr(link, '/'), *resolved = target;
    if (target[0] != '/' && slash) {
        const char *folder = bake_store_text(&p->store, link, (size_t)(slash - link) + 1);
        resolved = folder ? bake_store_join(&p->store, folder, '/', target) : NULL;
    }
    return resolved && add_path(p, resolved, links - 1);
}

/* Adds each component of the path. */
static bool add_path(watch_places *p, const char *path, int links)
{
    size_t folder_length = path[0] == '/';
    const char *name = path + folder_length;
    while (*name) {
        size_t length = strcspn(name, "/"), end = (size_t)(name - path) + length;
        bool is_special = length == 0 || (length == 1 && name[0] == '.') ||
                          (length == 2 && name[0] == '.' && name[1] == '.');
        if (!is_special) {
            bool is_new;
            uint32_t folder =
                folder_length ? add_folder(p, path, folder_length) : add_folder(p, ".", 1);
            if (!add_name(p, folder, (text_key){name, length}, &is_new) ||
                (is_new && !add_target(p, path, end, links)))
                return false;
            if (path[end] == '\0')
                p->folders[folder].has_inputs = true;
        }
        folder_length = end > 0 ? end : folder_length;
        name = path + end + (path[end] == '/');
    }
    return true;
}

static bool add_list(watch_places *p, const char *path, const char *const *suffixes)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    uint32_t folder = add_folder(p, path, length);
    watch_list *list = bake_store_alloc(&p->store, 1, sizeof *list);
    if (folder == HASH_TABLE_NONE || !list)
        return false;
    *list = (watch_list){p->folders[folder].lists, suffixes};
    p->folders[folder].lists = list;
    p->folders[folder].has_inputs = true;
    return true;
}

bool bake_watch_places_add(watch_places *places, const bake_record_list *records)
{
    bool done = true;
    for (size_t i = 0; i < records->count && done; i++) {
        const bake_record *record = records->items[i];
        for (size_t k = 0; k < bake_record_path_count(record) && done; k++)
            done = add_path(places, bake_record_path_at(record, k), LINKS_MAX);
        for (size_t k = 0; k < bake_record_folder_count(record) && done; k++) {
            const char *const *suffixes;
            const char *path = bake_record_folder_at(record, k, &suffixes);
            done = add_path(places, path, LINKS_MAX) && add_list(places, path, suffixes);
        }
    }
    return done;
}

void bake_watch_places_fini(watch_places *places)
{
    bake_store_fini(&places->store);
    *places = (watch_places){0};
}

/* ---- events ---- */

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), size = strlen(suffix);
    return length >= size && strcmp(name + length - size, suffix) == 0;
}

static bool list_contains(const watch_list *list, const char *name, bool is_folder_name)
{
    if (is_folder_name || !list->suffixes || bake_is_yaml_name(name))
        return true;
    for (const char *const *suffix = list->suffixes; *suffix; suffix++)
        if (has_suffix(name, *suffix))
            return true;
    return false;
}

bool bake_watch_places_contain(const watch_places *places, uint32_t folder, const char *name,
                               bool is_folder_name)
{
    const place_key key = {folder, {name, strlen(name)}};
    if (names_by_place_find(&places->names_by_place, places->names, key) != HASH_TABLE_NONE)
        return true;
    if (name[0] == '.')
        return false;
    for (const watch_list *list = places->folders[folder].lists; list; list = list->next)
        if (list_contains(list, name, is_folder_name))
            return true;
    return false;
}
