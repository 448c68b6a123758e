/* The layout of entities' rows in a chunk, and the description of a component.
 *
 * A chunk is 16 KiB of columns and nothing else. In a column with `size` bytes for each row, row r
 * is at `offset + r * size`. A column begins at a multiple of 64, so a component's alignment (at
 * most 64) holds in every row, and no two columns share a cache line. Columns are in the order of
 * their components' names, compared as bytes. A chunk has as many rows as fit: the largest r, at
 * most KILN_CHUNK_ROWS_MAX, for which
 *
 *     sum over the columns of (r * size rounded up to 64)  <=  KILN_CHUNK_SIZE
 *
 * A component of size 0 (a tag) has no column. FORMAT.md section 13 specifies the same layout,
 * because the runtime maps chunks that the baker writes. */
#ifndef KILN_CHUNK_LAYOUT_H
#define KILN_CHUNK_LAYOUT_H

#include <kiln/limits.h>
#include <kiln/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KILN_CHUNK_ALIGN = 16384, /* of a chunk's first byte */
    KILN_MEGA_CHUNKS = 64,    /* chunks in a mega chunk, one after another */
    KILN_MEGA_SIZE = KILN_CHUNK_SIZE * KILN_MEGA_CHUNKS
};

/* The description of a component. Its values are moved with memcpy, so they must not contain
 * pointers into themselves. */
typedef struct kiln_component_desc {
    const char *name; /* unique in a world; any text except "" */
    uint64_t layout;  /* hash of the layout, as in generated headers; 0 if it is unknown */
    uint32_t size; /* of a row, at most KILN_CHUNK_SIZE, a multiple of `alignment`; 0 for a tag */
    uint32_t alignment; /* power of two, at most KILN_COLUMN_ALIGN; 1 for a tag */
    /* The offsets in a row of entities (kiln_entity) and of references to assets (64 bits),
     * ascending and without overlaps; NULL if there are none. */
    const uint32_t *entity_places, *asset_places;
    uint32_t entity_count, asset_count;
} kiln_component_desc;

/* Initializers that describe the type `type` as a component of that name: without entities, with
 * entities, and as a tag. For variables and arrays, constant or not:
 *
 *     static const uint32_t parent_places[] = {offsetof(parent, of)};
 *     static const kiln_component_desc defs[] = {
 *         KILN_COMPONENT(position), KILN_COMPONENT_WITH_ENTITIES(parent, parent_places),
 *         KILN_TAG(is_lit)};
 *
 * They set neither the layout hash nor references to assets; set those afterwards. For each type of
 * a schema that can be a component, the generated header has `NAME_COMPONENT`, which sets both. */
/* clang-format off */
#define KILN_COMPONENT(type) \
    {#type, 0, sizeof(type), KILN_ALIGN_OF(type), KILN_NO_PLACES, KILN_NO_PLACES, 0, 0}
#define KILN_COMPONENT_WITH_ENTITIES(type, places) \
    {#type, 0, sizeof(type), KILN_ALIGN_OF(type), places, KILN_NO_PLACES, \
     sizeof(places) / sizeof *(places), 0}
#define KILN_TAG(name) {#name, 0, 0, 1, KILN_NO_PLACES, KILN_NO_PLACES, 0, 0}
/* clang-format on */

#ifdef __cplusplus
#define KILN_ALIGN_OF(type) alignof(type)
#define KILN_NO_PLACES nullptr
#else
#define KILN_ALIGN_OF(type) _Alignof(type)
#define KILN_NO_PLACES 0
#endif

/* Lays out columns whose rows have `sizes[0..count)` bytes, in the order of their components'
 * names. Returns the number of rows of a chunk and fills `ret_offsets` (0 for a tag). If not even
 * one row fits, returns 0 and leaves the offsets untouched. */
uint32_t kiln_chunk_layout(const uint32_t *sizes, uint32_t count, uint32_t *ret_offsets);

/* Whether `def` obeys the rules above: KILN_OK, or KILN_BAD_ARGUMENT. */
kiln_status kiln_component_desc_check(const kiln_component_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
