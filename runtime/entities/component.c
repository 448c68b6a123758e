/* Components of a world, and information about its archetypes.
 *
 * A component is registered once and never removed. Registering the same name again is allowed if
 * size, alignment and layout agree, so that libraries can register without knowing of one another.
 * The search by name is linear: programs register at the start and keep the handles. */
#include "world_object.h"

#include <string.h>

/* The entry with copies of name and places behind it. */
static kiln_component_entry *copy_def(kiln_world *world, const kiln_component_def *def)
{
    size_t name = strlen(def->name) + 1;
    size_t places = ((size_t)def->entity_count + def->asset_count) * sizeof(uint32_t);
    size_t size = sizeof(kiln_component_entry) + places + name;
    kiln_component_entry *entry = world_alloc(world, size);
    if (!entry)
        return NULL;
    entry->def = *def;
    entry->size = size;
    uint32_t *copy = (uint32_t *)(entry + 1);
    if (def->entity_count)
        memcpy(copy, def->entity_places, def->entity_count * sizeof *copy);
    if (def->asset_count)
        memcpy(copy + def->entity_count, def->asset_places, def->asset_count * sizeof *copy);
    entry->def.entity_places = def->entity_count ? copy : NULL;
    entry->def.asset_places = def->asset_count ? copy + def->entity_count : NULL;
    char *text = (char *)(copy + def->entity_count + def->asset_count);
    memcpy(text, def->name, name);
    entry->def.name = text;
    return entry;
}

kiln_status kiln_component_register(kiln_world *world, const kiln_component_def *def,
                                    kiln_component *ret_component)
{
    if (kiln_component_def_check(def))
        return MISUSE("a definition that kiln_component_def_check refuses");
    kiln_component known = kiln_component_find(world, def->name);
    if (known.number) {
        const kiln_component_def *other = &world_component(world, known)->def;
        if (other->layout != def->layout || other->size != def->size ||
            other->alignment != def->alignment)
            return KILN_DUPLICATE;
        *ret_component = known;
        return KILN_OK;
    }
    if (!kiln_list_grow(&world->allocator, &world->components, sizeof(void *)))
        return KILN_NO_MEMORY;
    kiln_component_entry *entry = copy_def(world, def);
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
        if (strcmp(world_component(world, at)->def.name, name) == 0)
            component = at;
    }
    return component;
}

const kiln_component_def *kiln_component_get(const kiln_world *world, kiln_component component)
{
    const kiln_component_entry *entry = world_component(world, component);
    return entry ? &entry->def : NULL;
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
