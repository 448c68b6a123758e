/* Components of a world, and information about its archetypes.
 *
 * A component is registered once and never removed. Registering the same name again is allowed if
 * size, alignment and layout agree, so that independent libraries can register the same component.
 * The search by name is linear, because programs register components at startup and keep the
 * handles. */
#include "world_object.h"

#include <string.h>

/* Creates the entry, followed by copies of its places and name. */
static kiln_component_entry *copy_desc(kiln_world *world, const kiln_component_desc *desc)
{
    size_t name = strlen(desc->name) + 1;
    size_t places = ((size_t)desc->entity_count + desc->asset_count) * sizeof(uint32_t);
    size_t size = sizeof(kiln_component_entry) + places + name;
    kiln_component_entry *entry = world_alloc(world, size);
    if (!entry)
        return NULL;
    entry->desc = *desc;
    entry->size = size;
    entry->on_remove = NULL;
    entry->on_remove_ctx = NULL;
    uint32_t *copy = (uint32_t *)(entry + 1);
    if (desc->entity_count)
        memcpy(copy, desc->entity_places, desc->entity_count * sizeof *copy);
    if (desc->asset_count)
        memcpy(copy + desc->entity_count, desc->asset_places, desc->asset_count * sizeof *copy);
    entry->desc.entity_places = desc->entity_count ? copy : NULL;
    entry->desc.asset_places = desc->asset_count ? copy + desc->entity_count : NULL;
    char *text = (char *)(copy + desc->entity_count + desc->asset_count);
    memcpy(text, desc->name, name);
    entry->desc.name = text;
    return entry;
}

kiln_status kiln_component_register(kiln_world *world, const kiln_component_desc *desc,
                                    kiln_component *ret_component)
{
    if (kiln_component_desc_check(desc))
        return MISUSE("description that kiln_component_desc_check rejects");
    kiln_component known = kiln_component_find(world, desc->name);
    if (known.number) {
        const kiln_component_desc *other = &world_component(world, known)->desc;
        if (other->layout != desc->layout || other->size != desc->size ||
            other->alignment != desc->alignment)
            return KILN_DUPLICATE;
        *ret_component = known;
        return KILN_OK;
    }
    if (!kiln_list_grow(&world->allocator, &world->components, sizeof(void *)))
        return KILN_NO_MEMORY;
    kiln_component_entry *entry = copy_desc(world, desc);
    if (!entry)
        return KILN_NO_MEMORY;
    ret_component->number = world->components.count;
    ((kiln_component_entry **)world->components.items)[world->components.count++] = entry;
    return KILN_OK;
}

kiln_component kiln_component_find(const kiln_world *world, const char *name)
{
    kiln_component component = {0};
    for (uint32_t i = 1; name && i < world->components.count; i++) {
        kiln_component at = {i};
        if (strcmp(world_component(world, at)->desc.name, name) == 0)
            component = at;
    }
    return component;
}

const kiln_component_desc *kiln_component_get(const kiln_world *world, kiln_component component)
{
    const kiln_component_entry *entry = world_component(world, component);
    return entry ? &entry->desc : NULL;
}

uint32_t kiln_archetype_count(const kiln_world *world)
{
    return world->archetypes.count - 1;
}

bool kiln_archetype_get(const kiln_world *world, kiln_archetype number,
                        kiln_archetype_info *ret_info)
{
    const archetype *a = number.number ? world_archetype(world, number) : NULL;
    if (!a)
        return false;
    kiln_archetype_info info = {.components = a->components,
                                .component_count = a->component_count,
                                .row_size = a->row_size,
                                .rows_per_chunk = a->capacity,
                                .chunks = a->chunk_count,
                                .rows = a->rows,
                                .waste = (uint64_t)a->chunk_count * KILN_CHUNK_SIZE -
                                         a->rows * a->row_size};
    *ret_info = info;
    return true;
}
