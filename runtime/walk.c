#include "query_object.h"

#include <kiln/chunk_layout.h>

static kiln_walk begin_walk(const kiln_query *query)
{
    kiln_walk walk = {.query = query,
                      .tables = &query->world->tables,
                      .structure = query->world->structure,
                      .left = UINT32_MAX};
    return walk;
}

kiln_walk kiln_query_walk(const kiln_query *query)
{
    return begin_walk(query);
}

kiln_walk kiln_query_walk_changed(const kiln_query *query, uint64_t since)
{
    kiln_walk walk = begin_walk(query);
    walk.since = since;
    return walk;
}

kiln_walk kiln_query_walk_part(const kiln_query *query, uint32_t part, uint32_t parts)
{
    kiln_walk walk = begin_walk(query);
    if (parts == 0 || part >= parts) {
        walk.status = MISUSE("a part that is not there");
        walk.left = 0;
        return walk;
    }
    uint64_t chunks = kiln_query_chunks(query);
    uint64_t begin = chunks * part / parts, end = chunks * (part + 1) / parts;
    walk.left = (uint32_t)(end - begin);
    while (walk.archetype < query->matches.count &&
           begin >= match_at(query, walk.archetype)->chunk_count)
        begin -= match_at(query, walk.archetype++)->chunk_count;
    walk.next = (uint32_t)begin;
    return walk;
}

/* Whether a component that the query asks for was written, or a row came, after `since`. */
static bool has_changed(const kiln_query *query, const kiln_chunk *chunk, uint64_t since)
{
    if (chunk->marks[0] > since)
        return true;
    for (uint32_t i = 0; i < query->all_count + query->any_count; i++) {
        const kiln_column *column = kiln_chunk_column(chunk, query->components[i]);
        if (column && chunk->marks[column->number] > since)
            return true;
    }
    return false;
}

/* Asks for the beginning of each page of the chunk, from where the processor goes on by itself: at
 * the end of a page it could not know where the walk continues. */
static void fetch_chunk(const kiln_chunk *chunk)
{
#if defined(__GNUC__)
    enum { PAGE = 4096, LINE = 64, LINES = 3 };
    for (uint32_t page = 0; page < KILN_CHUNK_SIZE; page += PAGE) {
        for (uint32_t line = 0; line < LINES; line++)
            __builtin_prefetch(chunk->data + page + line * LINE);
    }
#else
    (void)chunk;
#endif
}

/* The next chunk there is, changed or not; NULL behind the last one. */
static kiln_chunk *next_chunk(kiln_walk *walk)
{
    const kiln_query *query = walk->query;
    while (walk->left > 0 && walk->archetype < query->matches.count) {
        const archetype *a = match_at(query, walk->archetype);
        if (walk->next < a->chunk_count) {
            kiln_chunk *chunks = query->world->tables.chunks;
            walk->left--;
            if (walk->next + 1 < a->chunk_count)
                fetch_chunk(&chunks[a->chunks[walk->next + 1]]);
            return &chunks[a->chunks[walk->next++]];
        }
        walk->archetype++;
        walk->next = 0;
    }
    return NULL;
}

bool kiln_walk_next(kiln_walk *walk)
{
    const kiln_world *world = walk->query->world;
    if (walk->structure != world->structure) {
        walk->status = MISUSE("a change while walking");
        walk->left = 0;
    }
    do
        walk->chunk = next_chunk(walk);
    while (walk->chunk && walk->since && !has_changed(walk->query, walk->chunk, walk->since));
    walk->count = walk->chunk ? walk->chunk->count : 0;
    return walk->chunk != NULL;
}

kiln_entity kiln_walk_entity(const kiln_walk *walk, uint32_t row)
{
    return kiln_entity_at(walk->query->world, kiln_chunk_index(walk->chunk, row));
}
