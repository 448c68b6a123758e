/* Types are found by name and, if no type has the name, by earlier names (`was`). The second search
 * is linear, but it runs once per asset, and only for files that are older than a rename. */
#include "asset_types.h"

#include <string.h>

static bool was_called(const kiln_type *type, const char *name)
{
    for (uint32_t i = 0; i < type->was_count; i++)
        if (strcmp(type->was[i], name) == 0)
            return true;
    return false;
}

uint32_t kiln_asset_program_type(const kiln_assets *assets, const char *name)
{
    uint32_t count = assets->types ? kiln_types_count(assets->types) : 0;
    uint32_t found = count ? kiln_types_find(assets->types, name) : KILN_TYPE_NONE;
    for (uint32_t i = 0; found == KILN_TYPE_NONE && i < count; i++)
        if (was_called(kiln_types_get(assets->types, i), name))
            found = i;
    bool is_struct =
        found != KILN_TYPE_NONE && kiln_types_get(assets->types, found)->kind == KILN_KIND_STRUCT;
    return is_struct ? found : KILN_TYPE_NONE;
}
