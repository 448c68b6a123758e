/* Iterates over the chunks that a query matches.
 *
 * An iterator stores the world's `structure`, so the next step detects a change of the world during
 * the iteration. A part of an iteration visits a range of all chunks, so threads share the work
 * evenly without synchronization.
 *
 * The next chunk is prefetched while the program works on the current one: piece by piece if many
 * chunks match; otherwise the beginning of each page at once. */
#include "query_object.h"

#include "prefetch.h"

#include <kiln/chunk_layout.h>

/* With at least this many chunks (8 MiB), an iterator returns rows in pieces. Fewer chunks usually
 * fit into a cache, where pieces gain nothing. */
enum { LARGE_QUERY = 512 };

static bool is_large(const kiln_query *query)
{
    uint32_t chunks = 0;
    for (uint32_t i = 0; i < query->matches.count && chunks < LARGE_QUERY; i++)
        chunks += match_at(query, i)->chunk_count;
    return chunks >= LARGE_QUERY;
}

static kiln_iterator new_iterator(const kiln_query *query)
{
    kiln_iterator it = {.query = query,
                        .tables = &query->world->tables,
                        .structure = query->world->structure,
                        .left = UINT32_MAX,
                        .is_large = is_large(query)};
    return it;
}

kiln_iterator kiln_query_iterate(const kiln_query *query)
{
    return new_iterator(query);
}

kiln_iterator kiln_query_iterate_changed(const kiln_query *query, uint64_t since)
{
    kiln_iterator it = new_iterator(query);
    it.since = since;
    return it;
}

kiln_iterator kiln_query_iterate_part(const kiln_query *query, uint32_t part, uint32_t parts)
{
    kiln_iterator it = new_iterator(query);
    if (parts == 0 || part >= parts) {
        it.status = MISUSE("part number out of range");
        it.left = 0;
        return it;
    }
    uint64_t chunks = kiln_query_chunks(query);
    uint64_t begin = chunks * part / parts, end = chunks * (part + 1) / parts;
    it.left = (uint32_t)(end - begin);
    while (it.archetype < query->matches.count &&
           begin >= match_at(query, it.archetype)->chunk_count)
        begin -= match_at(query, it.archetype++)->chunk_count;
    it.next = (uint32_t)begin;
    return it;
}

/* Whether a component of the query was written after `since`, or a row was added. */
static bool has_changed(const kiln_query *query, const kiln_chunk *chunk, uint64_t since)
{
    if (chunk->ticks[0] > since)
        return true;
    for (uint32_t i = 0; i < query_read_count(query); i++) {
        const kiln_column *column = kiln_chunk_column(chunk, query->components[i]);
        if (column && chunk->ticks[column->number] > since)
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
 * chunk is prefetched while the chunk before it is processed, at the same pace. Prefetching it all
 * at once would be more than the processor can have in flight. The target is the second-level
 * cache, because the first-level cache is needed for the current rows. */
static void fetch_piece(const kiln_iterator *it)
{
    enum { LINE = 64 };
    const kiln_query *query = it->query;
    const kiln_chunk *ahead = it->ahead;
    if (it->first >= ahead->count)
        return;
    uint32_t left = ahead->count - it->first;
    uint32_t rows = left < it->piece ? left : it->piece;
    for (uint32_t i = 0; i < query_read_count(query); i++) {
        const kiln_column *column = kiln_chunk_column(ahead, query->components[i]);
        if (!column)
            continue;
        const unsigned char *from = ahead->data + column->offset + (size_t)it->first * column->size;
        const unsigned char *end = from + (size_t)rows * column->size;
        for (; from < end; from += LINE)
            prefetch_second_level(from, 0);
    }
}

/* The next chunk, changed or not; NULL after the last one. */
static kiln_chunk *next_chunk(kiln_iterator *it)
{
    const kiln_query *query = it->query;
    while (it->left > 0 && it->archetype < query->matches.count) {
        const archetype *a = match_at(query, it->archetype);
        if (it->next < a->chunk_count) {
            kiln_chunk *chunks = query->world->tables.chunks;
            it->left--;
            /* A chunk of another part is not prefetched, because another thread may be writing its
             * ticks. */
            bool is_last = it->left == 0 || it->next + 1 == a->chunk_count;
            it->ahead = is_last ? NULL : &chunks[a->chunks[it->next + 1]];
            return &chunks[a->chunks[it->next++]];
        }
        it->archetype++;
        it->next = 0;
    }
    return NULL;
}

/* Starts the current chunk: chooses the size of its pieces, and prefetches the next chunk. */
static void begin_chunk(kiln_iterator *it)
{
    enum { PIECES = 4, PIECE_ROWS = 64 };
    const kiln_chunk *ahead = it->ahead;
    if (ahead && it->since && !has_changed(it->query, ahead, it->since))
        it->ahead = ahead = NULL;
    if (ahead && !it->is_large)
        fetch_chunk(ahead);
    it->first = 0;
    /* The columns of a piece are as well aligned as those of the chunk. */
    it->piece =
        it->is_large ? (it->chunk->capacity / PIECES / PIECE_ROWS + 1) * PIECE_ROWS : UINT32_MAX;
}

bool kiln_iterator_next(kiln_iterator *it)
{
    const kiln_world *world = it->query->world;
    if (it->structure != world->structure) {
        it->status = MISUSE("world changed during an iteration");
        it->left = 0;
    }
    it->first += it->count;
    it->count = 0;
    if (!it->chunk || it->first >= it->chunk->count || it->status) {
        do
            it->chunk = next_chunk(it);
        while (it->chunk && it->since && !has_changed(it->query, it->chunk, it->since));
        if (it->chunk)
            begin_chunk(it);
    }
    if (!it->chunk)
        return false;
    uint32_t left = it->chunk->count - it->first;
    it->count = left < it->piece ? left : it->piece;
    if (it->is_large && it->ahead)
        fetch_piece(it);
    return true;
}

kiln_entity kiln_iterator_entity(const kiln_iterator *it, uint32_t row)
{
    return kiln_entity_at(it->query->world, kiln_chunk_index(it->chunk, it->first + row));
}
