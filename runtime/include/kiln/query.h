/* Queries find the archetypes that have given components, and iterate over their rows chunk by
 * chunk.
 *
 *     kiln_iterator it = kiln_query_iterate(query);
 *     while (kiln_iterator_next(&it)) {
 *         const velocity *v = kiln_iterator_read(&it, world_velocity);
 *         position *p = kiln_iterator_write(&it, world_position);
 *         for (uint32_t i = 0; i < it.count; i++)
 *             ...
 *     }
 *
 * A query has a list of the archetypes that it matches. A new archetype is added to the lists of
 * all queries that match it, so an iterator (kiln_iterator) need not search. Empty entities have no
 * row, so no query finds them. Reading a column changes nothing. Getting write access to a column
 * marks only this column, in this chunk, as changed. While a chunk is processed, the iterator
 * prefetches the next one: the columns of the query's components. So a query is fastest if it has
 * terms for exactly the components that the program uses. If many chunks match, the iterator
 * returns each chunk in pieces of a few rows, and prefetches the next chunk at the same pace.
 *
 * Creating and destroying entities, and adding and removing components, are not allowed between
 * kiln_query_iterate and the last kiln_iterator_next: use a command buffer. Meanwhile, only empty
 * entities, which have no row, may be created and destroyed, names may be set, and open appenders
 * may create entities (<kiln/appender.h>). After any other change, the next kiln_iterator_next
 * fails an assertion in debug builds of the library; in other builds the iteration ends, and
 * `status` has the error. A program may leave an iteration early; nothing needs to be freed.
 *
 * Each function's comment ends with its kind: see "Threads" in <kiln/world.h>. */
#ifndef KILN_QUERY_H
#define KILN_QUERY_H

#include <kiln/entity_tables.h>
#include <kiln/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_query kiln_query;

/* What a term of a query requires of an archetype. */
typedef enum kiln_term_kind {
    KILN_TERM_WITH,    /* it has the component */
    KILN_TERM_ANY,     /* it has the component of at least one term of this kind */
    KILN_TERM_WITHOUT, /* it does not have the component */
    /* Nothing. But if an archetype has the component, its column is prefetched, and writing to it
     * counts as a change of the chunk. */
    KILN_TERM_OPTIONAL
} kiln_term_kind;

typedef struct kiln_query_term {
    kiln_component component;
    kiln_term_kind kind;
} kiln_query_term;

/* Creates a query for the archetypes that satisfy all of `count` terms, in any order. A query
 * without terms matches every archetype. The terms are copied. KILN_BAD_ARGUMENT: a component or a
 * kind does not exist. KILN_NO_MEMORY. Changing. */
kiln_status kiln_query_create(kiln_world *world, const kiln_query_term *terms, uint32_t count,
                              kiln_query **ret_query);
/* NULL is fine. Changing. */
void kiln_query_destroy(kiln_query *query);

/* The number of rows and of chunks that match now. Linear in the number of archetypes. Reading. */
uint64_t kiln_query_rows(const kiln_query *query);
uint32_t kiln_query_chunks(const kiln_query *query);

/* An iterator over rows. Each step gives rows of one chunk: all of them, or a piece. The fields
 * above the line are public. */
typedef struct kiln_iterator {
    kiln_chunk *chunk;  /* the current one */
    uint32_t first;     /* its first row of this step */
    uint32_t count;     /* rows of this step */
    kiln_status status; /* KILN_OK, or KILN_BAD_ARGUMENT if the world changed meanwhile */
    /* Skip chunks that did not change after this tick, as kiln_query_iterate_changed does; 0: skip
     * none. May be set before the first kiln_iterator_next, so that a part visits only changed
     * chunks. */
    uint64_t since;
    /* ---- */
    const kiln_query *query;
    const kiln_world_tables *tables;
    uint64_t structure; /* the world's count of changes at the beginning */
    uint32_t archetype; /* index among the query's */
    uint32_t next;      /* next chunk of that archetype */
    uint32_t left;      /* chunks that remain */
    uint32_t piece;     /* maximum rows per step */
    bool is_large;
    const kiln_chunk *ahead; /* the next chunk; NULL if it is not prefetched */
} kiln_iterator;

/* Iterates over every chunk that matches. Reading. */
kiln_iterator kiln_query_iterate(const kiln_query *query);
/* Iterates only over chunks that changed after the call of kiln_world_tick that returned `since`: a
 * component of the query was written (except those of KILN_TERM_WITHOUT), or a row was created
 * there or moved there. Reading. */
kiln_iterator kiln_query_iterate_changed(const kiln_query *query, uint64_t since);
/* Iterates over part number `part` of `parts` equal parts, for example one for each thread.
 * Together the parts visit every chunk once. Reading. */
kiln_iterator kiln_query_iterate_part(const kiln_query *query, uint32_t part, uint32_t parts);
/* Advances to the next rows. Returns false after the last ones. Reading. */
bool kiln_iterator_next(kiln_iterator *it);

/* The column as an array of `count` values; NULL if the chunk does not have it. Reading. */
static inline const void *kiln_iterator_read(const kiln_iterator *it, kiln_component component)
{
    const kiln_column *column = kiln_chunk_column(it->chunk, component);
    return column ? it->chunk->data + column->offset + (size_t)it->first * column->size : NULL;
}

/* Like kiln_iterator_read, but for writing: sets the tick of the column in this chunk. Reading; see
 * "Threads" in <kiln/world.h>. */
static inline void *kiln_iterator_write(kiln_iterator *it, kiln_component component)
{
    const kiln_column *column = kiln_chunk_column(it->chunk, component);
    if (!column)
        return NULL;
    it->chunk->ticks[column->number] = KILN_LOAD_RELAXED(&it->tables->tick);
    return it->chunk->data + column->offset + (size_t)it->first * column->size;
}

/* The entity in row `row` of this step; `row` must be less than `count`. Reading. */
kiln_entity kiln_iterator_entity(const kiln_iterator *it, uint32_t row);

/* Changes all rows that match in one operation, like kiln_archetype_add, _remove and _clear. Only
 * archetypes that match at the beginning are changed. Changing. */
kiln_status kiln_query_add(kiln_query *query, kiln_component component, const void *value);
kiln_status kiln_query_remove(kiln_query *query, kiln_component component);
kiln_status kiln_query_clear(kiln_query *query);

#ifdef __cplusplus
}
#endif

#endif
