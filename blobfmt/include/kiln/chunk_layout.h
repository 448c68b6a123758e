/* Descriptions of components, and the layout of rows in a chunk.
 *
 * A chunk is 16 KiB and consists only of columns. Row r of a column with `size` bytes per row is at
 * `offset + r * size`. Columns begin at multiples of 64, so every row is aligned for its component
 * (at most 64), and no two columns share a cache line. Columns are in the order of their
 * components' names, compared as bytes. A chunk has as many rows as fit: the largest r, at most
 * KILN_CHUNK_ROWS_MAX, for which
 *
 *     sum over the columns of (r * size rounded up to 64)  <=  KILN_CHUNK_SIZE
 *
 * A component of size 0 (a tag) has no column. FORMAT.md section 13 specifies this layout, because
 * the runtime maps chunks that the baker wrote. */
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

/* Describes a component. Its bytes are moved with memcpy, so it must not contain a pointer into
 * itself. */
typedef struct kiln_component_desc {
    const char *name;   /* unique in a world; any non-empty string */
    uint64_t layout;    /* layout hash, as in generated headers; 0 if it is not known */
    uint32_t size;      /* bytes of a row, at most KILN_CHUNK_SIZE, a multiple of `alignment`; 0
                           for a tag */
    uint32_t alignment; /* power of two, at most KILN_COLUMN_ALIGN; 1 for a tag */
    /* Byte offsets, within a row, of the entities (kiln_entity, multiples of 4) and of the
     * references to assets (64 bits, multiples of 8). Ascending, and no two words overlap. NULL if
     * there are none. */
    const uint32_t *entity_places, *asset_places;
    uint32_t entity_count, asset_count;
} kiln_component_desc;

/* Initializers for a kiln_component_desc whose name is the name of the C type: for a component, for
 * one that contains entities, and for a tag. They can initialize variables and array elements,
 * constant or not:
 *
 *     static const uint32_t parent_places[] = {offsetof(parent, of)};
 *     static const kiln_component_desc descs[] = {
 *         KILN_COMPONENT(position), KILN_COMPONENT_WITH_ENTITIES(parent, parent_places),
 *         KILN_TAG(is_lit)};
 *
 * They set no layout hash and no references to assets; the program sets these afterwards. Generated
 * headers define `NAME_COMPONENT`, which sets both, for each type of the schema that can be a
 * component. */
/* clang-format off */
#define KILN_COMPONENT(type) \
    {#type, 0, sizeof(type), KILN_ALIGN_OF(type), KILN_NO_PLACES, KILN_NO_PLACES, 0, 0}
#define KILN_COMPONENT_WITH_ENTITIES(type, places) \
    {#type, 0, sizeof(type), KILN_ALIGN_OF(type), places, KILN_NO_PLACES, \
     sizeof(places) / sizeof *(places), 0}
#define KILN_TAG(name) {#name, 0, 0, 1, KILN_NO_PLACES, KILN_NO_PLACES, 0, 0}
/* clang-format on */

/* The macros above are expanded in C and in C++. C++ spells _Alignof alignof, and compilers may
 * warn there about 0 as a null pointer. */
#ifdef __cplusplus
#define KILN_ALIGN_OF(type) alignof(type)
#define KILN_NO_PLACES nullptr
#else
#define KILN_ALIGN_OF(type) _Alignof(type)
#define KILN_NO_PLACES 0
#endif

/* Lays out `count` columns with `sizes[i]` bytes per row, in the order of their components' names.
 * Returns the number of rows in a chunk, and writes the columns' byte offsets (0 for a tag) to
 * `ret_offsets`, which must have room for `count`. Returns 0 if not even one row fits;
 * `ret_offsets` is then untouched. */
uint32_t kiln_chunk_layout(const uint32_t *sizes, uint32_t count, uint32_t *ret_offsets);

/* Returns KILN_OK if `desc` follows the rules above, otherwise KILN_BAD_ARGUMENT. */
kiln_status kiln_component_desc_check(const kiln_component_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
