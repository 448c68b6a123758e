/* Changes all rows that a query matches, archetype by archetype (see archetype_change.c). A failure
 * ends the call; what was changed before stays changed. */
#include "query_object.h"

/* The change itself can create archetypes that match, which are appended to `matches`. Their rows
 * have already been changed, so only the first `count` archetypes are visited. */
kiln_status kiln_query_add(kiln_query *query, kiln_component component, const void *value)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0, count = query->matches.count; i < count && !status; i++)
        status = kiln_archetype_add(query->world, match_at(query, i)->number, component, value);
    return status;
}

kiln_status kiln_query_remove(kiln_query *query, kiln_component component)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0, count = query->matches.count; i < count && !status; i++)
        status = kiln_archetype_remove(query->world, match_at(query, i)->number, component);
    return status;
}

kiln_status kiln_query_clear(kiln_query *query)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < query->matches.count && !status; i++)
        status = kiln_archetype_clear(query->world, match_at(query, i)->number);
    return status;
}
