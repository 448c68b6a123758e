/* The type table of a file: its list of types (`kiln_types`), as a blob with a fixed layout.
 *
 * With a type table a file describes itself: names, documentation, defaults and enum values for the
 * inspector, layouts for the verifier, older layouts for the runtime. FORMAT.md section 7. */
#ifndef KILN_TYPE_TABLE_H
#define KILN_TYPE_TABLE_H

#include <kiln/relative.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The structs as they are stored. See kiln_member and kiln_type (<kiln/types.h>) for their fields.
 */
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

/* Creates the list of types for the format's own blobs: `kiln.TypeTable`, `kiln.Index` and the
 * types in them. Free it with kiln_types_destroy. NO_MEMORY. On failure `ret_types` is untouched.
 */
kiln_status kiln_types_create_builtin(const kiln_allocator *allocator, kiln_types **ret_types,
                                      kiln_error *reterr);

/* Reads a type table blob of exactly `size` bytes and checks every H, V and T rule, and C1. `blob`
 * must be at a multiple of the blob's alignment, and is not needed afterwards. Free the list with
 * kiln_types_destroy. On failure `ret_types` is untouched. L2: a type is too large. L3: the
 * unfolded size of the table is too large. NO_MEMORY. Safe on hostile bytes. */
kiln_status kiln_type_table_read(const kiln_allocator *allocator, const void *blob, size_t size,
                                 kiln_types **ret_types, kiln_error *reterr);

/* Returns the unfolded size of the list's type table (FORMAT.md section 11): an upper bound on the
 * bytes that a reader of the table copies. */
uint64_t kiln_types_unfolded_size(const kiln_types *types);
/* Writes the list as a canonical type table blob. On success the caller owns `ret_blob`.
 * L_UNFOLDED: the table's unfolded size is larger than readers accept. */
kiln_status kiln_type_table_write(const kiln_allocator *allocator, const kiln_types *types,
                                  kiln_buffer *ret_blob, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
