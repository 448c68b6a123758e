#include "number_set.h"

#include "hash.h"

#include <stddef.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

void kiln_number_set_fini(number_set *set, const kiln_allocator *allocator)
{
    if (set->slots)
        allocator->free(allocator->ctx, set->slots, set->slot_count * sizeof *set->slots);
    memset(set, 0, sizeof *set);
}

static uint32_t first_slot(const number_set *set, uint64_t hash)
{
    return (uint32_t)kiln_hash64(&hash, sizeof hash, set->seed) & (set->slot_count - 1);
}

bool kiln_number_set_reserve(number_set *set, const kiln_allocator *allocator, number_hash *hash_of,
                             const void *ctx)
{
    if (set->count < set->slot_count / 2)
        return true;
    number_set larger = {NULL, set->slot_count ? set->slot_count * 2 : FIRST_SLOTS, set->count, 0};
    size_t size = larger.slot_count * sizeof *larger.slots;
    larger.slots = allocator->alloc(allocator->ctx, size, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    memset(larger.slots, 0, size);
    larger.seed = kiln_hash_seed(larger.slots);
    for (uint32_t i = 0; i < set->slot_count; i++) {
        if (!set->slots[i])
            continue;
        uint32_t slot = first_slot(&larger, hash_of(ctx, set->slots[i] - 1));
        while (larger.slots[slot])
            slot = (slot + 1) & (larger.slot_count - 1);
        larger.slots[slot] = set->slots[i];
    }
    kiln_number_set_fini(set, allocator);
    *set = larger;
    return true;
}

static uint32_t find_from(const number_set *set, number_hash *hash_of, const void *ctx,
                          uint64_t hash, uint32_t *slot)
{
    for (; set->slot_count && set->slots[*slot]; *slot = (*slot + 1) & (set->slot_count - 1))
        if (hash_of(ctx, set->slots[*slot] - 1) == hash)
            return set->slots[*slot] - 1;
    return UINT32_MAX;
}

uint32_t kiln_number_set_find(const number_set *set, number_hash *hash_of, const void *ctx,
                              uint64_t hash, uint32_t *ret_slot)
{
    *ret_slot = set->slot_count ? first_slot(set, hash) : 0;
    return find_from(set, hash_of, ctx, hash, ret_slot);
}

uint32_t kiln_number_set_next(const number_set *set, number_hash *hash_of, const void *ctx,
                              uint64_t hash, uint32_t *slot)
{
    *slot = (*slot + 1) & (set->slot_count - 1);
    return find_from(set, hash_of, ctx, hash, slot);
}

void kiln_number_set_put(number_set *set, uint32_t slot, uint32_t number)
{
    set->slots[slot] = number + 1;
    set->count++;
}
