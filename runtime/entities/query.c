/* Queries cache the archetypes that they match.
 *
 * Sets of components are compared once for each pair of query and archetype, when either is
 * created. After that, an iteration only visits lists. Room for a new match is reserved in every
 * query before an archetype is created, so that adding it cannot fail. */
#include "query_object.h"

#include <string.h>

static uint32_t count_present(const archetype *a, const kiln_component *components, uint32_t count)
{
    uint32_t present = 0;
    for (uint32_t i = 0; i < count; i++)
        present += archetype_has(a, components[i]);
    return present;
}

/* The null archetype has no rows, so no query matches it. */
static bool is_match(const kiln_query *query, const archetype *a)
{
    const kiln_component *with = query->components, *any = with + query->with_count,
                         *without = with + query_read_count(query);
    return a->number.number && count_present(a, with, query->with_count) == query->with_count &&
           (query->any_count == 0 || count_present(a, any, query->any_count) > 0) &&
           count_present(a, without, query->without_count) == 0;
}

static kiln_query *query_at(const kiln_world *world, uint32_t i)
{
    return ((kiln_query **)world->queries.items)[i];
}

bool kiln_queries_reserve(kiln_world *world)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        if (!kiln_list_grow(&world->allocator, &query_at(world, i)->matches, sizeof(archetype *)))
            return false;
    }
    return true;
}

void kiln_queries_match(kiln_world *world, archetype *a)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        kiln_query *query = query_at(world, i);
        if (is_match(query, a))
            ((archetype **)query->matches.items)[query->matches.count++] = a;
    }
}

bool kiln_queries_are_valid(const kiln_world *world)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        const kiln_query *query = query_at(world, i);
        uint32_t found = 0;
        for (uint32_t j = 0; j < world->archetypes.count; j++) {
            archetype *a = ((archetype **)world->archetypes.items)[j];
            if (!is_match(query, a))
                continue;
            if (found >= query->matches.count || match_at(query, found) != a)
                return false;
            found++;
        }
        if (found != query->matches.count)
            return false;
    }
    return true;
}

static size_t set_size(const kiln_query *query)
{
    return ((size_t)query_read_count(query) + query->without_count + 1) * sizeof(kiln_component);
}

static kiln_status match_all(kiln_query *query)
{
    for (uint32_t i = 0; i < query->world->archetypes.count; i++) {
        archetype *a = ((archetype **)query->world->archetypes.items)[i];
        if (!is_match(query, a))
            continue;
        if (!kiln_list_grow(&query->world->allocator, &query->matches, sizeof a))
            return KILN_NO_MEMORY;
        ((archetype **)query->matches.items)[query->matches.count++] = a;
    }
    return KILN_OK;
}

static void free_query(kiln_query *query)
{
    kiln_world *world = query->world;
    world_free(world, query->components, set_size(query));
    kiln_list_fini(&world->allocator, &query->matches, sizeof(archetype *));
    world_free(world, query, sizeof *query);
}

/* Copies the components of the terms of one kind to `to` and returns their number. */
static uint32_t copy_kind(kiln_component *to, kiln_term_kind kind, const kiln_query_term *terms,
                          uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (terms[i].kind == kind)
            to[found++] = terms[i].component;
    }
    return found;
}

static void copy_terms(kiln_query *query, const kiln_query_term *terms, uint32_t count)
{
    kiln_component *to = query->components;
    to += query->with_count = copy_kind(to, KILN_TERM_WITH, terms, count);
    to += query->any_count = copy_kind(to, KILN_TERM_ANY, terms, count);
    to += query->optional_count = copy_kind(to, KILN_TERM_OPTIONAL, terms, count);
    query->without_count = copy_kind(to, KILN_TERM_WITHOUT, terms, count);
}

static bool terms_are_valid(const kiln_world *world, const kiln_query_term *terms, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!world_component(world, terms[i].component) ||
            (unsigned)terms[i].kind > KILN_TERM_OPTIONAL)
            return false;
    }
    return true;
}

kiln_status kiln_query_create(kiln_world *world, const kiln_query_term *terms, uint32_t count,
                              kiln_query **ret_query)
{
    if (!terms_are_valid(world, terms, count))
        return MISUSE("unknown component or kind of term");
    kiln_query *query = world_alloc(world, sizeof *query);
    if (!query)
        return KILN_NO_MEMORY;
    memset(query, 0, sizeof *query);
    query->world = world;
    /* Until the terms are sorted by kind, this is the number of all terms, so that set_size is
     * correct if the next steps fail. */
    query->without_count = count;
    query->components = world_alloc(world, set_size(query));
    kiln_status status = KILN_NO_MEMORY;
    if (query->components && kiln_list_grow(&world->allocator, &world->queries, sizeof query)) {
        copy_terms(query, terms, count);
        status = match_all(query);
    }
    if (status) {
        free_query(query);
        return status;
    }
    ((kiln_query **)world->queries.items)[world->queries.count++] = query;
    *ret_query = query;
    return KILN_OK;
}

void kiln_query_destroy(kiln_query *query)
{
    if (!query)
        return;
    kiln_world *world = query->world;
    for (uint32_t i = 0; i < world->queries.count; i++) {
        /* The order of queries has no meaning, so the last one fills the gap. */
        if (query_at(world, i) == query) {
            ((kiln_query **)world->queries.items)[i] = query_at(world, world->queries.count - 1);
            world->queries.count--;
            break;
        }
    }
    free_query(query);
}

uint64_t kiln_query_rows(const kiln_query *query)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < query->matches.count; i++)
        rows += match_at(query, i)->rows;
    return rows;
}

uint32_t kiln_query_chunks(const kiln_query *query)
{
    uint32_t chunks = 0;
    for (uint32_t i = 0; i < query->matches.count; i++)
        chunks += match_at(query, i)->chunk_count;
    return chunks;
}
