/* The layout of chunks (FORMAT.md section 13), and the check of component descriptions.
 *
 * The world, the scene writer and the scene reader all call kiln_chunk_layout, so chunks in a file
 * can be mapped and used in place. */
#include <kiln/chunk_layout.h>

#include <kiln/entity.h>
#include <stdbool.h>

static uint64_t column_bytes(uint32_t size, uint32_t rows)
{
    uint64_t mask = KILN_COLUMN_ALIGN - 1;
    return ((uint64_t)size * rows + mask) & ~mask;
}

/* Whether the columns fit in a chunk. The loop stops once the sum exceeds the chunk, so the sum
 * cannot wrap. */
static bool fits(const uint32_t *sizes, uint32_t count, uint32_t rows)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count && sum <= KILN_CHUNK_SIZE; i++)
        sum += column_bytes(sizes[i], rows);
    return sum <= KILN_CHUNK_SIZE;
}

uint32_t kiln_chunk_layout(const uint32_t *sizes, uint32_t count, uint32_t *ret_offsets)
{
    /* If r rows fit, so do fewer: binary search finds the maximum. */
    uint32_t low = 0, high = KILN_CHUNK_ROWS_MAX;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (fits(sizes, count, middle))
            low = middle;
        else
            high = middle - 1;
    }
    uint64_t offset = 0;
    for (uint32_t i = 0; low > 0 && i < count; i++) {
        ret_offsets[i] = sizes[i] ? (uint32_t)offset : 0;
        offset += column_bytes(sizes[i], low);
    }
    return low;
}

/* Whether the offsets are ascending, aligned and inside the component, and do not overlap. */
static bool are_valid_places(const kiln_component_desc *desc, const uint32_t *places,
                             uint32_t count, uint32_t align)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!places || places[i] < end || places[i] % align != 0)
            return false;
        end = (uint64_t)places[i] + 8;
        if (end > desc->size)
            return false;
    }
    return count == 0 || desc->alignment >= align;
}

/* Whether no entity word overlaps an asset word. Merges the two lists, which must be ascending. */
static bool are_disjoint(const kiln_component_desc *desc)
{
    uint32_t e = 0, a = 0;
    while (e < desc->entity_count && a < desc->asset_count) {
        uint32_t entity = desc->entity_places[e], asset = desc->asset_places[a];
        if (entity < asset + 8 && asset < entity + 8)
            return false;
        if (entity < asset)
            e++;
        else
            a++;
    }
    return true;
}

kiln_status kiln_component_desc_check(const kiln_component_desc *desc)
{
    bool ok =
        desc && desc->name && desc->name[0] != '\0' && desc->size <= KILN_CHUNK_SIZE &&
        desc->alignment > 0 && (desc->alignment & (desc->alignment - 1)) == 0 &&
        desc->alignment <= KILN_COLUMN_ALIGN && desc->size % desc->alignment == 0 &&
        (desc->size > 0 || desc->alignment == 1) &&
        are_valid_places(desc, desc->entity_places, desc->entity_count, _Alignof(kiln_entity)) &&
        are_valid_places(desc, desc->asset_places, desc->asset_count, 8) && are_disjoint(desc);
    return ok ? KILN_OK : KILN_BAD_ARGUMENT;
}
