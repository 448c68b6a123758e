/* A list of owners, which insp_owner_find.c and insp_owner_row.c fill. It contains at most
 * INSP_OWNERS_MAX owners, because users read only a few; `more` shows that there are others. */
#include "insp_owner.h"

#include "insp_memory.h"

#include <stdio.h>

kiln_status insp_owners_add(insp_owners *owners, insp_text asset, const char *first,
                            const kiln_path *path)
{
    insp_owner *grown;
    bool dot = path->length && path->text[0] != '[';
    if (owners->count >= INSP_OWNERS_MAX) {
        owners->more = true;
        return KILN_OK;
    }
    grown = insp_grow(owners->items, &owners->capacity, owners->count + 1, sizeof *grown);
    if (!grown)
        return KILN_NO_MEMORY;
    owners->items = grown;
    grown[owners->count].asset = asset;
    snprintf(grown[owners->count].path, INSP_OWNER_PATH_SIZE, "%s%s%s", first, dot ? "." : "",
             path->text);
    owners->count++;
    return KILN_OK;
}

void insp_owners_fini(insp_owners *owners)
{
    insp_free(owners->items);
    *owners = (insp_owners){0};
}
