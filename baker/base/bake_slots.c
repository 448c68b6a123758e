#include "bake_slots.h"

#include "bake_memory.h"

enum { SLOTS_MIN = 256 };

bool bake_slots_grow(uint32_t **slots, size_t *slot_count, size_t used, bool *ret_emptied)
{
    *ret_emptied = used * 2 + 2 > *slot_count;
    if (!*ret_emptied)
        return true;
    size_t count = *slot_count ? *slot_count * 2 : SLOTS_MIN;
    uint32_t *larger = bake_alloc_array(count, sizeof *larger);
    if (!larger)
        return false;
    bake_free(*slots);
    *slots = larger;
    *slot_count = count;
    return true;
}
