#include "world_object.h"

/* Asks for the entity's record. */
static void prefetch_record(const kiln_world *world, kiln_entity entity)
{
#if defined(__GNUC__)
    const kiln_record *record = kiln_index_record(world, entity.index);
    if (record)
        __builtin_prefetch(record);
#else
    (void)world;
    (void)entity;
#endif
}

static void prefetch_value(const void *value)
{
#if defined(__GNUC__)
    __builtin_prefetch(value);
#else
    (void)value;
#endif
}

void kiln_entity_read_many(const kiln_world *world, const kiln_entity *entities, uint32_t count,
                           kiln_component component, const void **ret_values)
{
    enum { AHEAD = 16 };
    for (uint32_t i = 0; i < count && i < AHEAD; i++)
        prefetch_record(world, entities[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (count - i > AHEAD)
            prefetch_record(world, entities[i + AHEAD]);
        ret_values[i] = kiln_entity_read(world, entities[i], component);
        prefetch_value(ret_values[i]);
    }
}
