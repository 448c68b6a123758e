/* Atlases among the resources of a run, each read once. */
#include "resource_store.h"

#include "bake_memory.h"
#include "bake_slots.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint32_t *atlas_slot(const bake_resource_paths *paths, const char *file,
                            const char *names_text)
{
    size_t mask = paths->atlas_slot_count - 1;
    size_t at = (size_t)XXH3_64bits(file, strlen(file)) & mask;
    for (; paths->atlas_slots[at]; at = (at + 1) & mask) {
        const known_atlas *other = &paths->atlases[paths->atlas_slots[at] - 1];
        if (strcmp(other->atlas->file, file) == 0 && strcmp(other->names_text, names_text) == 0)
            break;
    }
    return &paths->atlas_slots[at];
}

static bool grow_atlases(bake_resource_paths *paths)
{
    known_atlas *all =
        bake_grow(paths->atlases, &paths->atlas_capacity, paths->atlas_count + 1, sizeof *all);
    bool emptied;
    if (!all)
        return false;
    paths->atlases = all;
    if (!bake_slots_grow(&paths->atlas_slots, &paths->atlas_slot_count, paths->atlas_count,
                         &emptied))
        return false;
    for (size_t i = 0; emptied && i < paths->atlas_count; i++)
        *atlas_slot(paths, all[i].atlas->file, all[i].names_text) = (uint32_t)i + 1;
    return true;
}

/* The atlas that a path leads to; NULL when memory ran out. */
static bake_atlas *find_atlas(bake_resource_paths *paths, const bake_resource_path *path)
{
    const bake_resource *resource = path->resource;
    if (!path->found)
        return bake_store_alloc(&paths->store, 1, sizeof(bake_atlas));
    if (!grow_atlases(paths))
        return NULL;
    uint32_t *slot = atlas_slot(paths, path->found, resource->names_text);
    if (*slot)
        return paths->atlases[*slot - 1].atlas;
    bake_atlas *atlas = bake_store_alloc(&paths->store, 1, sizeof *atlas);
    if (!atlas)
        return NULL;
    atlas->file = path->found;
    if (!bake_atlas_read(atlas, resource, paths->def.gateway, paths->def.diagnostics,
                         &paths->store))
        return NULL;
    paths->atlases[paths->atlas_count] = (known_atlas){atlas, resource->names_text};
    *slot = (uint32_t)++paths->atlas_count;
    return atlas;
}

const bake_atlas *bake_resource_atlas(bake_resource_paths *paths, bake_resource_path *path)
{
    if (!path->atlas)
        path->atlas = find_atlas(paths, path);
    return path->atlas;
}
