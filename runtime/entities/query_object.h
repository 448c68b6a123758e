/* Queries: each lists the archetypes that it matches, and the world adds new archetypes to these
 * lists. Files: query.c, query_change.c (changes of all rows that match), iterator.c (iterators
 * over the chunks). */
#ifndef KILN_QUERY_OBJECT_H
#define KILN_QUERY_OBJECT_H

#include "world_object.h"

#include <kiln/query.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

struct kiln_query {
    kiln_world *world;
    /* The components of the terms, sorted by kind: with, any, optional, without. */
    kiln_component *components;
    uint32_t with_count, any_count, optional_count, without_count;
    kiln_list matches; /* of archetype * */
};

/* The number of components that may be read: those of all terms except KILN_TERM_WITHOUT. They come
 * first in `components`. */
static inline uint32_t query_read_count(const kiln_query *query)
{
    return query->with_count + query->any_count + query->optional_count;
}

static inline archetype *match_at(const kiln_query *query, uint32_t i)
{
    return ((archetype **)query->matches.items)[i];
}

/* Makes room for one more match in every query, so that kiln_queries_match cannot fail. */
bool kiln_queries_reserve(kiln_world *world);
void kiln_queries_match(kiln_world *world, archetype *a);
bool kiln_queries_are_valid(const kiln_world *world);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
