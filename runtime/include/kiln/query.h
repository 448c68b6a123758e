/* Queries: which archetypes have these components, and walking their rows chunk by chunk.
 *
 *     kiln_walk walk = kiln_query_walk(query);
 *     while (kiln_walk_next(&walk)) {
 *         const velocity *v = kiln_walk_read(&walk, world_velocity);
 *         position *p = kiln_walk_write(&walk, world_position);
 *         for (uint32_t i = 0; i < walk.count; i++)
 *             ...
 *     }
 *
 * A query keeps the list of the archetypes it matches, and a new archetype finds its queries when
 * it is made, so walking asks nothing twice. Bare entities have no archetype, so no query finds
 * them. Reading a column changes nothing; only asking for it to write marks it as changed, the
 * chunk's column and no other. A walk asks for the next chunk's memory while a chunk is worked on:
 * for the columns of the query's components, so a query is quickest that names those that are read.
 * Where there are many chunks, it comes by each in pieces of some rows, and asks for the next
 * chunk's at the same pace.
 *
 * Creating, destroying, adding and removing are not allowed between kiln_query_walk and the last
 * kiln_walk_next: they go to a command buffer. Only what has no row may come and go meanwhile, that
 * is bare entities, and names may be given. Where the library has assertions, the next
 * kiln_walk_next stops with one; otherwise the walk ends, and `status` says so. A walk that the
 * program leaves early needs nothing. */
#ifndef KILN_QUERY_H
#define KILN_QUERY_H

#include <kiln/entity_tables.h>
#include <kiln/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_query kiln_query;

/* An archetype matches that has every component of `all`, at least one of `any` unless that is
 * empty, and none of `none`. Nothing at all matches every archetype. */
typedef struct kiln_query_def {
    const kiln_component *all, *any, *none;
    uint32_t all_count, any_count, none_count;
} kiln_query_def;

/* Copies the definition. Changing. */
kiln_status kiln_query_create(kiln_world *world, const kiln_query_def *def, kiln_query **ret_query);
/* NULL is fine. Changing. */
void kiln_query_destroy(kiln_query *query);

/* Rows and chunks that it matches now. Linear in archetypes. Reading. */
uint64_t kiln_query_rows(const kiln_query *query);
uint32_t kiln_query_chunks(const kiln_query *query);

/* A walk over rows, each time some of one chunk: all of them, or a piece. The fields above the line
 * are for the program. */
typedef struct kiln_walk {
    kiln_chunk *chunk;  /* the one being walked */
    uint32_t first;     /* row of it that is the first one handed out */
    uint32_t count;     /* rows handed out */
    kiln_status status; /* KILN_OK, or KILN_BAD_ARGUMENT where the world changed meanwhile */
    /* Chunks that did not change after it are passed over, as kiln_query_walk_changed says it; 0:
     * none are. May be set before the first kiln_walk_next, so that a part looks at changes only.
     */
    uint64_t since;
    /* ---- */
    const kiln_query *query;
    const kiln_world_tables *tables;
    uint64_t structure; /* the world's at the beginning */
    uint32_t archetype; /* among the query's */
    uint32_t next;      /* chunk of it */
    uint32_t left;      /* chunks that the walk still covers */
    uint32_t piece;     /* most rows of the chunk that are handed out at once */
    bool is_large;
    const kiln_chunk *ahead; /* the next one, NULL where it is not asked for */
} kiln_walk;

/* Every chunk that matches. Reading. */
kiln_walk kiln_query_walk(const kiln_query *query);
/* Only chunks of which a component of `all` or `any` was written, or into which a row was created
 * or moved, after the call of kiln_world_mark that gave `since`. Reading. */
kiln_walk kiln_query_walk_changed(const kiln_query *query, uint64_t since);
/* Part `part` of `parts` equal ones, each for another thread of the caller's: together they cover
 * every chunk once. Reading. */
kiln_walk kiln_query_walk_part(const kiln_query *query, uint32_t part, uint32_t parts);
/* Goes on to the next rows; false behind the last ones. Reading. */
bool kiln_walk_next(kiln_walk *walk);

/* The column as an array of `count`; NULL where the chunk has it not. */
static inline const void *kiln_walk_read(const kiln_walk *walk, kiln_component component)
{
    const kiln_column *column = kiln_chunk_column(walk->chunk, component);
    return column ? walk->chunk->data + column->offset + (size_t)walk->first * column->size : NULL;
}

/* The same for writing, marked as changed. */
static inline void *kiln_walk_write(kiln_walk *walk, kiln_component component)
{
    const kiln_column *column = kiln_chunk_column(walk->chunk, component);
    if (!column)
        return NULL;
    walk->chunk->marks[column->number] = KILN_LOAD_RELAXED(&walk->tables->mark);
    return walk->chunk->data + column->offset + (size_t)walk->first * column->size;
}

/* The entity of a row below `count`. */
kiln_entity kiln_walk_entity(const kiln_walk *walk, uint32_t row);

/* A change of every row that matches, in one operation, as kiln_archetype_add and the like do it.
 * They cover the archetypes that match when they begin. Changing. */
kiln_status kiln_query_add(kiln_query *query, kiln_component component, const void *value);
kiln_status kiln_query_remove(kiln_query *query, kiln_component component);
kiln_status kiln_query_clear(kiln_query *query);

#ifdef __cplusplus
}
#endif

#endif
