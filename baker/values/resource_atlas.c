/* Atlases among the resources of a run, each read once. */
#include "resource_store.h"

#include "bake_table.h"

#include <string.h>

typedef struct atlas_key {
    const char *file, *names_text;
} atlas_key;

static uint32_t hash_of_atlas(const hash_table *table, atlas_key key)
{
    return hash_of_text(table, (text_key){key.file, strlen(key.file)});
}

static bool is_atlas(const bake_resource_paths *paths, uint32_t number, atlas_key key)
{
    const known_atlas *other = &paths->atlases[number];
    return strcmp(other->atlas->file, key.file) == 0 &&
           strcmp(other->names_text, key.names_text) == 0;
}

HASH_TABLE(atlases_by_file, const bake_resource_paths *, atlas_key, hash_of_atlas, is_atlas)

static bool make_room(bake_resource_paths *paths)
{
    known_atlas *all =
        bake_grow(paths->atlases, &paths->atlas_capacity, paths->atlas_count + 1, sizeof *all);
    if (all)
        paths->atlases = all;
    return all && bake_table_reserve(&paths->atlases_by_file);
}

/* The atlas that a path leads to; NULL when memory ran out. */
static bake_atlas *find_atlas(bake_resource_paths *paths, const bake_resource_path *path)
{
    const bake_resource *resource = path->resource;
    if (!path->found)
        return bake_store_alloc(&paths->store, 1, sizeof(bake_atlas));
    if (!make_room(paths))
        return NULL;
    hash_slot *slot = atlases_by_file_slot(&paths->atlases_by_file, paths,
                                           (atlas_key){path->found, resource->names_text});
    if (!hash_slot_is_empty(slot))
        return paths->atlases[hash_slot_number(slot)].atlas;
    bake_atlas *atlas = bake_store_alloc(&paths->store, 1, sizeof *atlas);
    if (!atlas)
        return NULL;
    atlas->file = path->found;
    if (!bake_atlas_read(atlas, resource, paths->def.gateway, paths->def.diagnostics,
                         &paths->store))
        return NULL;
    paths->atlases[paths->atlas_count] = (known_atlas){atlas, resource->names_text};
    hash_table_put(&paths->atlases_by_file, slot, (uint32_t)paths->atlas_count++);
    return atlas;
}

const bake_atlas *bake_resource_atlas(bake_resource_paths *paths, bake_resource_path *path)
{
    if (!path->atlas)
        path->atlas = find_atlas(paths, path);
    return path->atlas;
}
