/* Creates entities one at a time in a loop, each at about the cost of appending a row to an array.
 *
 * kiln_entity_create is one library call per entity, and each call adds the entity to its
 * archetype. An *appender* reserves rows and ids a few hundred at a time. Creating the next entity
 * then takes a few inline instructions, and the caller writes values directly to the columns:
 *
 *     kiln_component components[] = {position, velocity};
 *     kiln_appender appender;
 *     kiln_appender_open(world, archetype, components, 2, &appender);
 *     while (there is more to create) {
 *         kiln_entity entity;
 *         uint32_t row;
 *         if (kiln_appender_next(&appender, &entity, &row))
 *             break; // no memory, or a limit; earlier entities stay
 *         ((struct position *)appender.columns[0])[row] = ...;
 *         ((struct velocity *)appender.columns[1])[row] = ...;
 *     }
 *     kiln_appender_close(&appender);
 *
 * While it is open, an appender is a batch (<kiln/batch.h>) that grows: its chunks have no other
 * rows, and are added to the archetype when it is closed. Until then:
 *
 *     - An entity is alive from the call that returned it. Its components can be read and written
 *       by handle, but it can neither be destroyed nor moved (KILN_BAD_ARGUMENT).
 *     - No query, iterator or count of an archetype sees the rows. So appending is allowed during
 *       an iteration, even one over the same archetype.
 *     - Any other change is allowed, also through other open appenders and batches, except
 *       kiln_world_clear, which returns KILN_BAD_ARGUMENT.
 *     - Up to KILN_APPENDER_WINDOW ids are reserved. So other calls may return KILN_LIMIT when that
 *       many ids or fewer are left.
 *
 * Closing fills the archetype's partly filled chunk with rows of the appender's last chunk, so that
 * many short loops leave no more chunks behind than kiln_entity_create does. Because rows may move
 * then, addresses in columns are valid only until the appender is closed.
 *
 * Each function's comment ends with its kind: see "Threads" in <kiln/world.h>. */
#ifndef KILN_APPENDER_H
#define KILN_APPENDER_H

#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KILN_APPENDER_COLUMNS = 16,
    KILN_APPENDER_WINDOW = 512 /* maximum number of rows and ids reserved at once */
};

/* An appender, in the caller's memory. The caller may move it between calls. Its members are
 * visible only because kiln_appender_next is inline; programs use only `columns`. */
typedef struct kiln_appender {
    /* The beginning of each column in the current chunk, in the order of the `components` given.
     * The pointers change with the chunk: read them again for each row. */
    void *columns[KILN_APPENDER_COLUMNS];
    /* The rest is private. The window contains the next rows and ids, which are consecutive; the
     * first `used` of `count` have been handed out. */
    uint32_t used, count;
    uint32_t index, row; /* of the window's first entity, like `records` and `place` */
    kiln_record *records;
    uint64_t place;
    kiln_chunk *chunk; /* NULL before the first row */
    kiln_world *world; /* NULL: closed */
    kiln_archetype archetype;
    uint32_t first_chunk; /* number of the first chunk; each has the number of the next */
    uint32_t column_count;
    kiln_component components[KILN_APPENDER_COLUMNS];
} kiln_appender;

/* Opens an appender of `archetype`, which must not be null, with columns for `count` of its
 * components, at most KILN_APPENDER_COLUMNS. The caller must write these components in every row,
 * because their bytes are undefined; the archetype's other components are zeroed.
 * KILN_BAD_ARGUMENT: a component is not in the archetype. Nothing is reserved yet. Changing.
 */
kiln_status kiln_appender_open(kiln_world *world, kiln_archetype archetype,
                               const kiln_component *components, uint32_t count,
                               kiln_appender *ret_appender);

/* Reserves more rows and ids. Called only by kiln_appender_next, when none are left. */
kiln_status kiln_appender_refill(kiln_appender *appender);

/* Creates the next entity and returns its row in the columns. On KILN_NO_MEMORY and KILN_LIMIT no
 * entity is created, `*ret_entity` is null, and the appender stays open; a later call may succeed.
 * Changing, but allowed during an iteration. */
static inline kiln_status kiln_appender_next(kiln_appender *appender, kiln_entity *ret_entity,
                                             uint32_t *ret_row)
{
    if (appender->used == appender->count) {
        kiln_status status = kiln_appender_refill(appender);
        if (status) {
            *ret_entity = kiln_entity_null();
            *ret_row = 0;
            return status;
        }
    }
    uint32_t used = appender->used;
    kiln_record *record = appender->records + used;
    uint32_t version = KILN_LOAD_RELAXED(&record->version) + 1;
    KILN_STORE_RELAXED(&record->version, version);
    KILN_STORE_RELEASE(&record->place, appender->place + used);
    appender->used = used + 1;
    ret_entity->index = appender->index + used;
    ret_entity->version = version;
    *ret_row = appender->row + used;
    return KILN_OK;
}

/* Publishes the rows in their archetype and releases unused rows and ids. Does nothing for a closed
 * or zeroed appender. Changing. */
void kiln_appender_close(kiln_appender *appender);
/* Closes the appender and destroys its entities, as if it had never been opened. Changing. */
void kiln_appender_discard(kiln_appender *appender);

#ifdef __cplusplus
}
#endif

#endif
