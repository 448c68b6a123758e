/* A type table as stored in a file: the `kiln_types` of all its values, as a blob whose own layout
 * is fixed.
 *
 * It makes a file self-describing: the inspector reads names, documentation, defaults and enum
 * values from it, the verifier reads layouts, and the runtime reads older layouts. FORMAT.md
 * section 7. */
#ifndef KILN_TYPE_TABLE_H
#define KILN_TYPE_TABLE_H

#include <kiln/relative.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_table_member {
    kiln_string name;
    kiln_string doc;
    kiln_array was;           /* kiln_string */
    kiln_bytes default_image; /* empty if there is none */
    KILN_ALIGNAS(8) uint64_t value;
    KILN_ALIGNAS(8) uint64_t min;
    KILN_ALIGNAS(8) uint64_t max;
    uint32_t type; /* KILN_TYPE_NONE if there is none */
    uint32_t offset;
    uint32_t flags;
    uint32_t reserved; /* 0 */
} kiln_table_member;

typedef struct kiln_table_type {
    kiln_string name;
    kiln_string doc;
    kiln_array was; /* kiln_string */
    KILN_ALIGNAS(8) uint64_t layout;
    uint32_t size;
    uint32_t align;
    uint32_t element;
    uint32_t key;
    uint32_t count;
    uint32_t align_at;
    kiln_array members; /* kiln_table_member */
    uint32_t flags;
    uint8_t kind;
    uint8_t base;
    uint16_t reserved; /* 0 */
} kiln_table_type;

typedef struct kiln_type_table {
    kiln_array types; /* kiln_table_type */
} kiln_type_table;

KILN_STATIC_ASSERT(sizeof(kiln_table_member) == 72, "FORMAT.md 7: member");
KILN_STATIC_ASSERT(sizeof(kiln_table_type) == 72, "FORMAT.md 7: type");

/* The types that describe the format's own blobs: `kiln.TypeTable`, `kiln.Index` and what they are
 * made of. */
kiln_status kiln_types_create_builtin(const kiln_allocator *allocator, kiln_types **ret_types,
                                      kiln_error *reterr);

/* Reads a type table blob of exactly `size` bytes: header, every V rule, every T rule. Safe on
 * hostile bytes. `blob` must be at a multiple of 16, and is not needed afterwards. On failure
 * `ret_types` is untouched. */
kiln_status kiln_type_table_read(const kiln_allocator *allocator, const void *blob, size_t size,
                                 kiln_types **ret_types, kiln_error *reterr);

/* The unfolded size of the list's table (FORMAT.md section 11), which bounds how
 * much a reader copies. */
uint64_t kiln_types_unfolded_size(const kiln_types *types);
/* Writes the list as a canonical type table blob; the caller frees `ret_blob` (kiln_buffer_fini).
 * L_UNFOLDED: the table would unfold to more than readers accept. */
kiln_status kiln_type_table_write(const kiln_allocator *allocator, const kiln_types *types,
                                  kiln_buffer *ret_blob, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
