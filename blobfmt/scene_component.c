#include "scene_columns.h"

/* Whether 8 bytes at `place` lie over any of 8 bytes at the ascending places; `*at` is how many of
 * these end before it, and only grows. */
static bool lies_over(uint32_t place, const uint32_t *places, uint32_t count, uint32_t *at)
{
    while (*at < count && places[*at] + 8 <= place)
        ++*at;
    return *at < count && places[*at] < place + 8;
}

bool kiln_scene_are_data_places(const kiln_component_def *component, const void *places,
                                size_t stride, uint32_t count)
{
    const unsigned char *next = places;
    uint64_t end = 0;
    uint32_t entities = 0, assets = 0;
    for (uint32_t i = 0; i < count; i++, next += stride) {
        uint32_t place;
        memcpy(&place, next, sizeof place);
        if (place < end || place % 8 != 0 || (uint64_t)place + 8 > component->size ||
            lies_over(place, component->entity_places, component->entity_count, &entities) ||
            lies_over(place, component->asset_places, component->asset_count, &assets))
            return false;
        end = (uint64_t)place + 8;
    }
    return count == 0 || component->alignment >= 8;
}
