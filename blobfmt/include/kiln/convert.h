/* Reads blobs of an older layout: compares the layout in a file with the program's layout, and
 * rebuilds the file's values in the program's layout.
 *
 * A `kiln_conversion` is compiled once for a pair of struct types, one from the file's list and one
 * from the program's. Creating it has one of three results:
 *
 * - KILN_CONVERT_SAME: the bytes of every value of the older type are already a value of the newer
 *   type; use the blob in place.
 * - KILN_CONVERT_NEEDED: kiln_conversion_run must rebuild its values.
 * - KILN_UNREADABLE_...: the older type cannot be read. The status is the reason, and the path is
 *   the field: `game.Item.price`, `game.Item.stock[key]`, `game.Effect.burn`.
 *
 * Newer fields, alternatives and values correspond to older ones by name, otherwise by their
 * earlier names (`was`); so do types. A new field gets its default, or is empty if its type has an
 * empty value; removed fields are dropped. Numbers may become wider, never narrower. If an enum
 * value, a flag or an alternative was removed, a run rejects only data that contains it. FORMAT.md
 * section 17 lists all rules.
 *
 * Components are converted as rows, by kiln_conversion_rows. Their values in the scene's data are
 * converted separately, as a blob.
 *
 * Shared objects remain shared. Time and memory of a run are linear in the size of the older and
 * the newer payload. A conversion is immutable: any number of threads may run it at once. Both
 * lists of types must outlive it. */
#ifndef KILN_CONVERT_H
#define KILN_CONVERT_H

#include <kiln/allocator.h>
#include <kiln/status.h>
#include <kiln/types.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kiln_convert_need { KILN_CONVERT_SAME = 0, KILN_CONVERT_NEEDED = 1 } kiln_convert_need;

typedef struct kiln_conversion kiln_conversion;

typedef struct kiln_conversion_def {
    const kiln_types *from;          /* required: the file's types */
    const kiln_types *to;            /* required: the program's */
    uint32_t from_type;              /* required: a struct of `from` */
    uint32_t to_type;                /* required: a struct of `to`, with any name */
    const kiln_allocator *allocator; /* for the conversion itself; NULL: the C library's */
    /* Store 0 instead of a hash in new blobs, to save time. For blobs that stay in memory and are
     * verified only with `skip_hash`, or not at all. Default false. */
    bool skip_hash;
    uint32_t cookie; /* private: set by kiln_conversion_def_default */
} kiln_conversion_def;

kiln_conversion_def kiln_conversion_def_default(void);

/* Compiles a conversion. If kiln_status_is_unreadable is true for the status, the older layout
 * cannot be read: the status is the reason, and `reterr->path` is the newer type's field.
 * BAD_ARGUMENT: the definition breaks its contract. NO_MEMORY. On failure `ret_conversion` is
 * untouched. O(n log n) in the number of types reached. */
kiln_status kiln_conversion_create(const kiln_conversion_def *def, kiln_conversion **ret_conversion,
                                   kiln_error *reterr);
/* NULL is fine. */
void kiln_conversion_destroy(kiln_conversion *conversion);

/* Returns KILN_CONVERT_SAME or KILN_CONVERT_NEEDED, as described above. Any thread. */
kiln_convert_need kiln_conversion_need(const kiln_conversion *conversion);
/* Whether a run may reject values of the older type because an enum value, a flag or an alternative
 * was removed. Does not consider values that would become too large or too deeply nested. Any
 * thread. */
bool kiln_conversion_may_refuse(const kiln_conversion *conversion);

/* Whether the status reports that a type (kiln_conversion_create) or a value (kiln_conversion_run)
 * cannot be converted. */
static inline bool kiln_status_is_unreadable(kiln_status status)
{
    return status >= KILN_UNREADABLE_KIND && status <= KILN_UNREADABLE_KEYS;
}

/* Rebuilds a *verified* blob of the older type as a blob of the newer type. The new blob has the
 * same kind and is not flagged canonical; kiln_verify accepts it. `blob` needs no alignment. On
 * success the caller owns `ret_blob`, whose data is at a multiple of the blob's alignment; on
 * failure `ret_blob` is untouched. Not safe for bytes that were not verified as the older type. Any
 * thread.
 *
 *     KILN_H_LAYOUT           the blob's layout is not that of the older type
 *     KILN_UNREADABLE_VALUE,
 *     KILN_UNREADABLE_KEYS    a value cannot be read; offset and path locate it in `blob`
 *     KILN_TOO_LARGE          the new blob would be too large, or nested too deeply
 *     KILN_BAD_ARGUMENT       a type has entities or data fields: use kiln_conversion_rows
 *     KILN_NO_MEMORY */
kiln_status kiln_conversion_run(const kiln_conversion *conversion, kiln_span blob,
                                const kiln_allocator *allocator, kiln_buffer *ret_blob,
                                kiln_error *reterr);

/* The word that a conversion stores in a new data field that has a default. */
#define KILN_DATA_DEFAULT UINT64_MAX

/* Converts `count` rows, one after another at `from`, to rows at `to`, which must not overlap them.
 * Neither type may have relative fields, and all rows must be aligned as their types require. Words
 * of entities, data and references are copied unchanged. New entity words are 0. New data words are
 * KILN_DATA_DEFAULT if the field has a default, otherwise 0.
 *
 * BAD_ARGUMENT: a type has relative fields. KILN_UNREADABLE_VALUE: a value cannot be read. The
 * offset counts from `from`, the path is like `[7].color`, and earlier rows may have been written.
 * The rows must be valid values of the older type, except for the words named above. Any thread. */
kiln_status kiln_conversion_rows(const kiln_conversion *conversion, const void *from,
                                 uint32_t count, void *to, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
