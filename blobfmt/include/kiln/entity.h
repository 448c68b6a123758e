/* The handle of an entity, as all parts of Kiln use it.
 *
 * An entity is an index and a version. The index is a place in the data blocks of a world and does
 * not change while the entity is alive. The version of the place grows by one when an entity is
 * created there and when it is destroyed: it is odd while the place has an entity, and even while
 * it is free. A handle to a destroyed entity therefore never matches a later entity at the same
 * place; a place is retired before its version would wrap around. No entity has version 0, so a
 * zeroed handle is null. */
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
