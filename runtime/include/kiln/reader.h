/* Reads one component by handle, many times, in two thirds of the time that kiln_entity_read takes.
 *
 * A reader is made once for a component and is valid until the world is destroyed. It finds
 * components correctly after any change of the world.
 *
 *     kiln_reader positions;
 *     kiln_status status = kiln_reader_init(world, position, &positions);
 *     ...
 *     const struct position *at = kiln_reader_read(&positions, entity);
 *
 * For the first reader of a component, the world makes a table of the addresses at which the
 * component's column begins in each chunk: 8 bytes per chunk, in pages that cost nothing until
 * chunks exist. For each such component, the world does one more store when an archetype gets a
 * chunk or hands a chunk over to another archetype.
 *
 * A reader is three words and owns nothing. In a loop, a copy of the reader in a local variable is
 * fastest, because the compiler can then assume that no other code writes to it.
 *
 * Each function's comment ends with its kind: see "Threads" in <kiln/world.h>. */
#ifndef KILN_READER_H
#define KILN_READER_H

#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_reader {
    KILN_ATOMIC(kiln_record *) const *blocks; /* the world's */
    /* By chunk number; NULL for a chunk without the component. */
    const unsigned char *const *columns;
    size_t size; /* of the component */
} kiln_reader;

/* Makes a reader. KILN_BAD_ARGUMENT: the component is unknown. KILN_NO_MEMORY. Open iterators stay
 * valid. Changing. */
kiln_status kiln_reader_init(kiln_world *world, kiln_component component, kiln_reader *ret_reader);

/* The entity's component; NULL if the entity is dead or lacks the component, or if the handle is
 * forged. Valid until the next change. For a tag, which has no bytes, returns a non-NULL address
 * that must not be dereferenced. Reading. */
static inline const void *kiln_reader_read(const kiln_reader *reader, kiln_entity entity)
{
    const kiln_record *record = kiln_block_record(reader->blocks, entity.index);
    if (!record || KILN_LOAD_RELAXED(&record->version) != entity.version)
        return NULL;
    /* A free record has no place, so even versions need no separate check. Empty entities are in
     * chunk 0, which has no columns. */
    uint64_t place = KILN_LOAD_RELAXED(&record->place);
    const unsigned char *column = reader->columns[(place >> 32) / sizeof(kiln_chunk)];
    return column ? column + (size_t)(uint32_t)place * reader->size : NULL;
}

/* Calls kiln_reader_read for `count` entities; `ret_values` must have room for as many. If the
 * entities are scattered over more memory than the cache holds, this is faster than single reads,
 * because cache misses overlap; a few hundred per call are enough for that. Reading. */
void kiln_reader_read_many(const kiln_reader *reader, const kiln_entity *entities, uint32_t count,
                           const void **ret_values);

#ifdef __cplusplus
}
#endif

#endif
