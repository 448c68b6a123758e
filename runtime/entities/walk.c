/* Iterates over the chunks that a query matches.
 *
 * An iterator remembers the world's `structure`, so a change of the world during the iteration is
 * noticed at the next step. A part of an iteration visits a range of all chunks, so that threads
 * share the work evenly without talking to each other.
 *
 * In a large world the next chunk is prefetched while the program works on the current one. */
#include "query_object.h"

#include "prefetch.h"

#include <kiln/chunk_layout.h>

/* From this number of chunks on (8 MiB), an iterator returns rows in pieces. Fewer chunks are
 * mostly in a cache, where pieces gain nothing. */
enum { LARGE_WALK = 512 };

static bool is_large(const kiln_query *query)
{
    uint32_t chunks = 0;
    for (uint32_t i = 0; i < query->matches.count && chunks < LARGE_WALK; i++)
        chunks += match_at(query, i)->chunk_count;
    return chunks >= LARGE_WALK;
}

static kiln_walk begin_walk(const kiln_query *query)
{
    kiln_walk walk = {.query = query,
                      .tables = &query->world->tables,
                      .structure = query->world->structure,
                      .left = UINT32_MAX,
                      .is_large = is_large(query)};
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
        walk.status = MISUSE("a part number out of range");
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

/* Whether a component of the query was written after `since`, or a row was added. */
static bool has_changed(const kiln_query *query, const kiln_chunk *chunk, uint64_t since)
{
    if (chunk->marks[0] > since)
        return true;
    for (uint32_t i = 0; i < query_read_count(query); i++) {
        const kiln_column *column = kiln_chunk_column(chunk, query->components[i]);
        if (column && chunk->marks[column->number] > since)
            return true;
    }
    return false;
}

/* Prefetches the beginning of each page of the chunk. The processor's own prefetcher continues from
 * there, but it stops at the end of a page. */
static void fetch_chunk(const kiln_chunk *chunk)
{
    enum { PAGE = 4096, LINE = 64, LINES = 3 };
    for (uint32_t page = 0; page < KILN_CHUNK_SIZE; page += PAGE) {
        for (uint32_t line = 0; line < LINES; line++)
            prefetch(chunk->data, page + line * LINE);
    }
}

/* Prefetches the rows of the next chunk that correspond to the rows of this piece. So the whole
 * chunk is prefetched while the chunk before it is processed, at the same pace; all at once would
 * be more than the processor can have in flight. The target is the second-level cache, since the
 * first is needed for the current rows. */
static void fetch_piece(const kiln_walk *walk)
{
    enum { LINE = 64 };
    const kiln_query *query = walk->query;
    const kiln_chunk *ahead = walk->ahead;
    if (walk->first >= ahead->count)
        return;
    uint32_t left = ahead->count - walk->first;
    uint32_t rows = left < walk->piece ? left : walk->piece;
    for (uint32_t i = 0; i < query_read_count(query); i++) {
        const kiln_column *column = kiln_chunk_column(ahead, query->components[i]);
        if (!column)
            continue;
        const unsigned char *from =
            ahead->data + column->offset + (size_t)walk->first * column->size;
        const unsigned char *end = from + (size_t)rows * column->size;
        for (; from < end; from += LINE)
            prefetch_second_level(from, 0);
    }
}

/* The next chunk, changed or not; NULL behind the last one. */
static kiln_chunk *next_chunk(kiln_walk *walk)
{
    const kiln_query *query = walk->query;
    while (walk->left > 0 && walk->archetype < query->matches.count) {
        const archetype *a = match_at(query, walk->archetype);
        if (walk->next < a->chunk_count) {
            kiln_chunk *chunks = query->world->tables.chunks;
            walk->left--;
            /* A chunk of another part is not prefetched: its marks may just be written. */
            bool is_last = walk->left == 0 || walk->next + 1 == a->chunk_count;
            walk->ahead = is_last ? NULL : &chunks[a->chunks[walk->next + 1]];
            return &chunks[a->chunks[walk->next++]];
        }
        walk->archetype++;
        walk->next = 0;
    }
    return NULL;
}

/* Begins the chunk that the iterator has reached. */
static void begin_chunk(kiln_walk *walk)
{
    enum { PIECES = 4, PIECE_ROWS = 64 };
    const kiln_chunk *ahead = walk->ahead;
    if (ahead && walk->since && !has_changed(walk->query, ahead, walk->since))
        walk->ahead = ahead = NULL;
    if (ahead && !walk->is_large)
        fetch_chunk(ahead);
    walk->first = 0;
    /* Each column is as well aligned at the beginning of a piece as at the beginning of the chunk.
     */
    walk->piece = walk->is_large ? (walk->chunk->capacity / PIECES / PIECE_ROWS + 1) * PIECE_ROWS
                                 : UINT32_MAX;
}

bool kiln_walk_next(kiln_walk *walk)
{
    const kiln_world *world = walk->query->world;
    if (walk->structure != world->structure) {
        walk->status = MISUSE("a change of the world during the iteration");
        walk->left = 0;
    }
    walk->first += walk->count;
    walk->count = 0;
    if (!walk->chunk || walk->first >= walk->chunk->count || walk->status) {
        do
            walk->chunk = next_chunk(walk);
        while (walk->chunk && walk->since && !has_changed(walk->query, walk->chunk, walk->since));
        if (walk->chunk)
            begin_chunk(walk);
    }
    if (!walk->chunk)
        return false;
    uint32_t left = walk->chunk->count - walk->first;
    walk->count = left < walk->piece ? left : walk->piece;
    if (walk->is_large && walk->ahead)
        fetch_piece(walk);
    return true;
}

kiln_entity kiln_walk_entity(const kiln_walk *walk, uint32_t row)
{
    return kiln_entity_at(walk->query->world, kiln_chunk_index(walk->chunk, walk->first + row));
}
