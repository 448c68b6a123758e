/* Reading a blob of an older layout: compares the layout that a file has with the one that a
 * program knows, and rebuilds the file's values in the program's layout.
 *
 * A `kiln_conversion` is compiled once for a pair of struct types, one of the file's list and one
 * of the program's. Creating it has one of three results:
 *
 * - KILN_CONVERT_SAME: every valid blob of the older type is also a valid value of the newer type:
 * use it in place.
 * - KILN_CONVERT_NEEDED: its values have to be rebuilt, by kiln_conversion_run.
 * - KILN_UNREADABLE_...: it cannot be read; the status is the reason, the path the field:
 *   `game.Item.price`, `game.Item.stock[key]`, `game.Effect.burn`.
 *
 * Fields, alternatives and values correspond by name, otherwise by the newer one's earlier names
 * (`was`); so do types. A new field takes its default, or is empty if its type has an empty value.
 * A removed field is left out. Numbers can become wider, never narrower. If an enum's value, a flag
 * or a union's alternative was removed, only blobs that use it are refused. FORMAT.md section 16
 * has every rule.
 *
 * Components are converted as rows, by kiln_conversion_rows. The values in the scene's data are
 * converted separately, as a blob.
 *
 * Objects that were shared stay shared. Time and memory of a run are linear in the older and the
 * newer payload. A conversion is immutable: any number of threads may run it at once. Both lists of
 * types must outlive it. */
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
    uint32_t to_type;                /* required: a struct of `to`, whatever its name */
    const kiln_allocator *allocator; /* of the conversion; NULL: the C library's */
    /* Writes 0 in place of the hash of each blob, which takes less time. For blobs that stay in
     * memory and are not verified, or only with kiln_verify_def's `skip_hash`. Default false. */
    bool skip_hash;
    uint32_t cookie; /* private: set by kiln_conversion_def_default */
} kiln_conversion_def;

kiln_conversion_def kiln_conversion_def_default(void);

/* Compiles a conversion. On failure `ret_conversion` is untouched; a status for which
 * kiln_status_is_unreadable is true says why the older layout cannot be read, and `reterr->path` is
 * the path of the newer type's field. Work is O(n log n) in the types that are reached. */
kiln_status kiln_conversion_create(const kiln_conversion_def *def, kiln_conversion **ret_conversion,
                                   kiln_error *reterr);
/* NULL is fine. */
void kiln_conversion_destroy(kiln_conversion *conversion);

kiln_convert_need kiln_conversion_need(const kiln_conversion *conversion);
/* Whether there are values of the older type that a run refuses: an enum's value, a flag or an
 * alternative was removed. Values too large or nested too deep for the newer layout do not count.
 */
bool kiln_conversion_may_refuse(const kiln_conversion *conversion);

/* Whether the status is one of kiln_conversion_create's or kiln_conversion_run's reasons. */
static inline bool kiln_status_is_unreadable(kiln_status status)
{
    return status >= KILN_UNREADABLE_KIND && status <= KILN_UNREADABLE_KEYS;
}

/* Rebuilds a *verified* blob of the older type as a blob of the newer one. The caller frees
 * `ret_blob` (kiln_buffer_fini); its data is at a multiple of the blob's alignment. The new blob
 * has the same kind, is not flagged canonical, and is valid for kiln_verify. `blob` needs no
 * alignment and stays the caller's.
 *
 * KILN_H_LAYOUT: the blob has another layout. KILN_UNREADABLE_VALUE or KILN_UNREADABLE_KEYS: a
 * value cannot be read; offset and path are those of the value in `blob`. KILN_TOO_LARGE: the
 * result would be larger than a blob can be, or nested too deep. BAD_ARGUMENT: one of the types is
 * that of rows. On failure `ret_blob` is untouched. Not safe for bytes that were not verified as
 * the older type. */
kiln_status kiln_conversion_run(const kiln_conversion *conversion, kiln_span blob,
                                const kiln_allocator *allocator, kiln_buffer *ret_blob,
                                kiln_error *reterr);

/* The word of a data field that the older rows do not have and that has a default. */
#define KILN_DATA_DEFAULT UINT64_MAX

/* Converts `count` consecutive rows of types without relative fields to `to`, which must not
 * overlap the older rows. Rows must be aligned as their types require. Words of entities, data and
 * refs are copied unchanged. New words of entities and data are 0; those of data with a default are
 * KILN_DATA_DEFAULT.
 *
 * BAD_ARGUMENT: a type has relative fields. KILN_UNREADABLE_VALUE: a value cannot be read; the
 * offset counts from `from`, and the path has the form `[7].color`; rows before it may have been
 * written. Not safe for bytes that are not valid rows of the older type, except that the words
 * above may have any value. */
kiln_status kiln_conversion_rows(const kiln_conversion *conversion, const void *from,
                                 uint32_t count, void *to, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
