/* One component by handle, over and over: what kiln_entity_read gives, in two thirds of the time.
 *
 * A reader is made once for a component and stays good as long as the world: it sees whatever is
 * created, moved and destroyed after it was made.
 *
 *     kiln_reader positions;
 *     kiln_status status = kiln_reader_make(world, position, &positions);
 *     ...
 *     const struct position *at = kiln_reader_read(&positions, entity);
 *
 * The world keeps a table of where the component's column begins in each chunk, made with the first
 * reader of the component: 8 bytes a chunk, in pages that cost nothing until chunks are there. Each
 * such component makes claiming a chunk and handing it over a little slower, by a store.
 *
 * A reader is three words and owns nothing. Where many are read in a loop, a copy of it in a local
 * variable is quickest, since a compiler sees then that nobody else writes to it. */
#ifndef KILN_READER_H
#define KILN_READER_H

#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_reader {
    KILN_ATOMIC(kiln_record *) const *blocks; /* the world's */
    /* By number of the chunk; NULL in one whose rows have not the component. */
    const unsigned char *const *columns;
    size_t size; /* of the component */
} kiln_reader;

/* KILN_BAD_ARGUMENT: a component that the world has not. KILN_NO_MEMORY. Open walks go on.
 * Changing. */
kiln_status kiln_reader_make(kiln_world *world, kiln_component component, kiln_reader *ret_reader);

/* The entity's component; NULL where it is dead or has it not, as for any other bits. Good until
 * the next change. A tag gives an address without bytes. Reading. */
static inline const void *kiln_reader_read(const kiln_reader *reader, kiln_entity entity)
{
    const kiln_record *record = kiln_block_record(reader->blocks, entity.index);
    if (!record || KILN_LOAD_RELAXED(&record->version) != entity.version)
        return NULL;
    /* A free record has no place, so that an even version need not be told apart; and chunk 0,
     * where bare entities are, has no column. */
    uint64_t place = KILN_LOAD_RELAXED(&record->place);
    const unsigned char *column = reader->columns[(place >> 32) / sizeof(kiln_chunk)];
    return column ? column + (size_t)(uint32_t)place * reader->size : NULL;
}

/* The same for `count` entities: `ret_values` has room for as many. Quicker than one after another
 * where they lie about in more memory than the cache holds, since several are waited for at once;
 * some hundreds a call are enough for that. Reading. */
void kiln_reader_read_many(const kiln_reader *reader, const kiln_entity *entities, uint32_t count,
                           const void **ret_values);

#ifdef __cplusplus
}
#endif

#endif
