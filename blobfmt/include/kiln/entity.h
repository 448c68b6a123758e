/* Handles of entities, in worlds and in scenes.
 *
 * A handle is an index and a version. The index identifies a slot in the data blocks of a world and
 * stays the same while the entity lives. The version of a slot is incremented each time an entity
 * is created or destroyed there: odd means alive, even means free. A slot is retired before its
 * version would wrap, so the handle of a dead entity never refers to a later entity in the same
 * slot. Version 0 is even, and no entity has it, so a zeroed handle is null. */
#ifndef KILN_ENTITY_H
#define KILN_ENTITY_H

#include <kiln/limits.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_entity {
    uint32_t index;
    uint32_t version;
} kiln_entity;

static inline kiln_entity kiln_entity_null(void)
{
    kiln_entity entity = {0, 0};
    return entity;
}

static inline bool kiln_entity_same(kiln_entity a, kiln_entity b)
{
    return a.index == b.index && a.version == b.version;
}

static inline bool kiln_entity_is_null(kiln_entity entity)
{
    return entity.version == 0;
}

#ifdef __cplusplus
}
#endif

#endif
