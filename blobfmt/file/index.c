/* Lookups in an index: FORMAT.md section 10.
 *
 * Nothing here allocates or fails. An index may have been checked only partially
 * (kiln_index_frame_read), so find must stay in bounds even if the directory is wrong. The other
 * functions require the checks that kiln/index.h documents. */
#include <kiln/index.h>

#include "hash.h"
#include "hash_inline.h"
#include "index_directory.h"
#include "index_rules.h"
#include "lower_bound.h"
#include "prefetch.h"
#include "utf8.h"

#include <assert.h>
#include <string.h>

_Static_assert(offsetof(kiln_index_member, compression) == 56, "FORMAT.md 10: member");
_Static_assert(offsetof(kiln_index, type_table) == 80, "FORMAT.md 10: index");

unsigned kiln_index_directory_bits(uint32_t assets)
{
    unsigned bits = 0;
    while (UINT64_C(1) << bits < assets)
        bits++;
    return bits;
}

void kiln_index_directory_fill(uint32_t *directory, const kiln_id *ids, uint32_t assets)
{
    unsigned bits = kiln_index_directory_bits(assets);
    uint32_t below = 0;
    for (uint32_t bucket = 0; bucket < 1u << bits; bucket++) {
        while (below < assets && kiln_index_bucket(ids[below], bits) < bucket)
            below++;
        directory[bucket] = below;
    }
    directory[1u << bits] = assets;
}

static const void *elements(const kiln_array *array)
{
    return kiln_relative_get(array, array->offset);
}

/* Requires an array that is not empty. */
static const void *first_of(const kiln_array *array)
{
    return (const unsigned char *)array + array->offset;
}

/* A bucket has one id on average, and rarely more than WINDOW, because ids are hashes. Counting the
 * smaller ids in a window takes no branch that depends on the id. The processor can therefore begin
 * the next lookup before the loads of this one arrive. The directory may contain anything: it only
 * positions the window, and ids are found by comparison. */
static inline uint32_t find(const kiln_index *index, kiln_id id)
{
    enum { WINDOW = 4 };
    const kiln_id *ids = first_of(&index->ids);
    uint32_t count = index->ids.count, at;
    if (count < WINDOW) {
        at = (uint32_t)lower_bound_u64(ids, 0, count, id);
    } else {
        /* The upper bits of the id: in a valid directory, count - 1 is a power of two. For any
         * other count, the result is still below count - 1. */
        uint64_t bucket = (id >> 32) * (index->directory.count - 1) >> 32;
        const uint32_t *start = (const uint32_t *)first_of(&index->directory) + bucket;
        at = *start < count - WINDOW ? *start : count - WINDOW;
        const kiln_id *window = ids + at;
        /* The caller will read the entry of this asset next, wherever in the window it is. */
        prefetch((const kiln_index_asset *)first_of(&index->assets) + at, 0);
        uint32_t below = (uint32_t)(window[0] < id) + (uint32_t)(window[1] < id) +
                         (uint32_t)(window[2] < id) + (uint32_t)(window[3] < id);
        at += below;
        if (below == WINDOW)
            at = (uint32_t)lower_bound_u64(ids, at, start[1] < count ? start[1] : count, id);
    }
    return at < count && ids[at] == id ? at : KILN_ASSET_NONE;
}

uint32_t kiln_index_find(const kiln_index *index, kiln_id id)
{
    return find(index, id);
}

uint32_t kiln_index_find_name(const kiln_index *index, const char *name, size_t length)
{
    return length ? find(index, hash64_inline(name, length, 0)) : KILN_ASSET_NONE;
}

const uint32_t *kiln_index_edges(const kiln_index *index, uint32_t number, uint32_t *ret_count)
{
    const uint32_t *starts = elements(&index->edge_starts), *edges = elements(&index->edges);
    assert(number < index->assets.count);
    *ret_count = starts ? starts[number + 1] - starts[number] : 0;
    return starts ? edges + starts[number] : NULL;
}

static bool import_is_below(const void *index, size_t at, const void *id)
{
    return kiln_index_import_at(index, (uint32_t)at)->id < *(const kiln_id *)id;
}

uint32_t kiln_index_edge_of(const kiln_index *index, kiln_id id)
{
    uint32_t number = kiln_index_find(index, id);
    if (number != KILN_ASSET_NONE)
        return number;
    uint32_t count = index->imports.count;
    uint32_t at = (uint32_t)lower_bound(index, 0, count, import_is_below, &id);
    return at < count && kiln_index_import_at(index, at)->id == id
               ? kiln_index_asset_count(index) + at
               : KILN_ASSET_NONE;
}

bool kiln_index_has_edge(const kiln_index *index, uint32_t number, kiln_id id)
{
    uint32_t count;
    const uint32_t *edges = kiln_index_edges(index, number, &count);
    size_t at;
    /* No edge is KILN_ASSET_NONE. */
    return find_u32(edges, count, kiln_index_edge_of(index, id), &at);
}

kiln_id kiln_index_edge_id(const kiln_index *index, uint32_t edge)
{
    uint32_t assets = kiln_index_asset_count(index);
    return edge < assets ? kiln_index_id(index, edge)
                         : kiln_index_import_at(index, edge - assets)->id;
}
