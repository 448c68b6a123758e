/* Converts between kiln_list, which counts in 32 bits like ids and slots, and kiln_grow, which
 * counts in size_t. */
#include "list.h"

#include "grow.h"

#include <string.h>

bool kiln_list_grow(const kiln_allocator *allocator, kiln_list *list, size_t item_size)
{
    if (list->count < list->room)
        return true;
    size_t room = list->room;
    /* A doubled list must still be countable in 32 bits. */
    void *items = room <= UINT32_MAX / 2
                      ? kiln_grow(allocator, list->items, &room, room + 1, item_size)
                      : NULL;
    if (!items)
        return false;
    list->items = items;
    list->room = (uint32_t)room;
    return true;
}

void *kiln_list_push(const kiln_allocator *allocator, kiln_list *list, size_t item_size)
{
    if (!kiln_list_grow(allocator, list, item_size))
        return NULL;
    return (unsigned char *)list->items + item_size * list->count++;
}

void kiln_list_fini(const kiln_allocator *allocator, kiln_list *list, size_t item_size)
{
    if (list->items)
        allocator->free(allocator->ctx, list->items, list->room * item_size);
    memset(list, 0, sizeof *list);
}
