#include "place_set.h"

#include "bake_memory.h"

enum { SLOTS_FIRST = 64 };

struct bake_place {
    uint32_t of; /* plus 1; 0: the slot is free */
    uint32_t source, line, column;
};

static size_t hash_of(const bake_place *place)
{
    uint64_t hash = ((uint64_t)place->line << 32 | place->column) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= ((uint64_t)place->of << 32 | place->source) * UINT64_C(0xc2b2ae3d27d4eb4f);
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 20);
}

/* The slot that has the place, or a free one. */
static bake_place *slot_of(const bake_place_set *set, const bake_place *place)
{
    size_t mask = set->slot_count - 1, at = hash_of(place) & mask;
    for (; set->slots[at].of; at = (at + 1) & mask) {
        const bake_place *other = &set->slots[at];
        if (other->of == place->of && other->source == place->source &&
            other->line == place->line && other->column == place->column)
            break;
    }
    return &set->slots[at];
}

static bool grow(bake_place_set *set)
{
    if (set->count * 2 + 2 <= set->slot_count)
        return true;
    bake_place_set larger = *set;
    larger.slot_count = set->slot_count ? set->slot_count * 2 : SLOTS_FIRST;
    larger.slots = bake_alloc_array(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < set->slot_count; i++)
        if (set->slots[i].of)
            *slot_of(&larger, &set->slots[i]) = set->slots[i];
    bake_free(set->slots);
    *set = larger;
    return true;
}

bool bake_place_set_add(bake_place_set *set, uint32_t of, bake_mark mark, bool *ret_is_new)
{
    bake_place place = {of + 1, mark.source, mark.line, mark.column};
    if (!grow(set))
        return false;
    bake_place *slot = slot_of(set, &place);
    *ret_is_new = !slot->of;
    set->count += *ret_is_new;
    *slot = place;
    return true;
}

void bake_place_set_fini(bake_place_set *set)
{
    bake_free(set->slots);
    *set = (bake_place_set){NULL, 0, 0};
}

bool bake_mark_is_before(bake_mark a, bake_mark b)
{
    if (a.source != b.source)
        return a.source < b.source;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}
