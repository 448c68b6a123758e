/* How the rows of entities lie in a chunk, and what a component is.
 *
 * A chunk is 16 KiB of columns and nothing else: row r of a column of `size` bytes a row lies at
 * `offset + r * size`. A column begins at a multiple of 64, so a component's alignment (at most 64)
 * holds in every row, and no two columns share a cache line. Columns stand in the order of their
 * components' names, compared as bytes. A chunk has as many rows as then fit: the largest r, at
 * most KILN_CHUNK_ROWS_MAX, for which
 *
 *     sum over the columns of (r * size rounded up to 64)  <=  KILN_CHUNK_SIZE
 *
 * A component of size 0 (a tag) has no column. FORMAT.md section 13 publishes the same, because the
 * baker writes what the runtime maps. */
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

/* What is known of a component. Bytes of a component are moved freely with memcpy; it holds no
 * pointer into itself. */
typedef struct kiln_component_desc {
    const char *name;   /* unique in a world; any text but "" */
    uint64_t layout;    /* hash of the layout, as in generated headers; 0 where nobody says */
    uint32_t size;      /* bytes a row, at most KILN_CHUNK_SIZE, a multiple of `alignment`; 0 is a
                           tag */
    uint32_t alignment; /* power of two, at most KILN_COLUMN_ALIGN; 1 for a tag */
    /* Where in a row's bytes entities (kiln_entity) and references to assets (64 bits) stand,
     * ascending, none over another; NULL where there are none. */
    const uint32_t *entity_places, *asset_places;
    uint32_t entity_count, asset_count;
} kiln_component_desc;

/* The definition of the type `type` as a component of that name, of one in which entities stand,
 * and of a tag; for variables and arrays, constant or not:
 *
 *     static const uint32_t parent_places[] = {offsetof(parent, of)};
 *     static const kiln_component_desc defs[] = {
 *         KILN_COMPONENT(position), KILN_COMPONENT_WITH_ENTITIES(parent, parent_places),
 *         KILN_TAG(is_lit)};
 *
 * They know no layout hash and no references to assets; those are set afterwards. Generated headers
 * have `NAME_COMPONENT`, which does, for each type of the schema that can be one. */
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

/* Lays out columns of `sizes[0..count)` bytes a row, which the caller has in the order of their
 * components' names. Returns the rows of a chunk and fills `ret_offsets` (0 for a tag); returns 0,
 * with the offsets untouched, where not even one row fits. */
uint32_t kiln_chunk_layout(const uint32_t *sizes, uint32_t count, uint32_t *ret_offsets);

/* Whether `def` obeys the rules above: KILN_OK, or KILN_BAD_ARGUMENT. */
kiln_status kiln_component_desc_check(const kiln_component_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
