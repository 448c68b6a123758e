/* Queries as the rest of the room sees them: what is matched is told to them. */
#ifndef KILN_QUERY_OBJECT_H
#define KILN_QUERY_OBJECT_H

#include "world_object.h"

#include <kiln/query.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

struct kiln_query {
    kiln_world *world;
    kiln_component *components; /* those of `all`, `any` and `none`, one after another */
    uint32_t all_count, any_count, none_count;
    kiln_list matches; /* of archetype * */
};

static inline archetype *match_at(const kiln_query *query, uint32_t i)
{
    return ((archetype **)query->matches.items)[i];
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
