/* Reading a blob of an older layout: compares the layout that a file has with the one that a
 * program knows, and rebuilds the file's values in the program's layout.
 *
 * A `kiln_conversion` is compiled once for a pair of struct types, one of the file's list and one
 * of the program's. Making it says one of three things:
 *
 * - KILN_CONVERT_SAME: a valid blob of the older type is a valid value of the newer one where it
 *   lies: use it in place.
 * - KILN_CONVERT_NEEDED: its values have to be rebuilt, by kiln_conversion_run.
 * - KILN_UNREADABLE_...: it cannot be read; the status is the reason, the path the field:
 *   `game.Item.price`, `game.Item.stock[key]`, `game.Effect.burn`.
 *
 * Fields, alternatives and values stand for one another by name, then by the newer one's earlier
 * names (`was`); so do types. What is new takes its default, or is empty where its type has an
 * empty value; what was removed is left out; numbers become wider, never narrower. An enum's value,
 * a flag or a union's alternative that was removed is refused where the data has it, and only
 * there. FORMAT.md section 16 has every rule.
 *
 * Components are converted as rows, by kiln_conversion_rows: what lies in the scene's data is
 * converted apart, as a blob.
 *
 * Objects that were shared stay shared. Time and memory of a run are linear in the payload and in
 * what it becomes. A conversion is immutable: any number of threads may run it at once. Both lists
 * of types must outlive it. */
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
    /* The blobs made have 0 in place of their hash, which takes less time: for those that stay in
     * memory and are not verified, or with `skip_hash` only. Default false. */
    bool skip_hash;
    uint32_t cookie; /* private: set by kiln_conversion_def_default */
} kiln_conversion_def;

kiln_conversion_def kiln_conversion_def_default(void);

/* Compiles a conversion. On failure `ret_conversion` is untouched; a status for which
 * kiln_status_is_unreadable is true says why the older layout cannot be read, and `reterr->path`
 * names the newer type's field. Work is n log n in the types that are reached. */
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

/* Rebuilds a *verified* blob of the older type as a blob of the newer one; the caller ends
 * `ret_blob`, whose data lies at the blob's alignment. Its kind is kept; it is not flagged
 * canonical, and kiln_verify accepts it. `blob` needs no alignment and stays the caller's.
 *
 * KILN_H_LAYOUT where the blob is of another layout; KILN_UNREADABLE_VALUE or
 * KILN_UNREADABLE_KEYS where a value cannot be read: offset and path are of that value in `blob`;
 * KILN_TOO_LARGE where the newer layout would take more than a blob holds or nest too deep. On
 * BAD_ARGUMENT where one of the types is of rows. On failure `ret_blob` is untouched. Not safe for
 * bytes that no verifier accepted as the older type. */
kiln_status kiln_conversion_run(const kiln_conversion *conversion, kiln_span blob,
                                const kiln_allocator *allocator, kiln_buffer *ret_blob,
                                kiln_error *reterr);

/* The word of a data field that the older rows do not have and that has a default. */
#define KILN_DATA_DEFAULT UINT64_MAX

/* Converts `count` rows that lie one after another, of types without relative fields, to `to`,
 * where they do not overlap the older ones. Rows are aligned as their types ask. Words of
 * entities, data and refs are carried over as they are, whatever they mean; those of entities and
 * data that are new are 0, of data with a default KILN_DATA_DEFAULT.
 *
 * BAD_ARGUMENT where a type has relative fields. KILN_UNREADABLE_VALUE where a value cannot be
 * read: the offset is its place from `from` on, the path `[7].color`; rows up to there may have
 * been written. Not safe for bytes that are no valid rows of the older type, but for the words just
 * named. */
kiln_status kiln_conversion_rows(const kiln_conversion *conversion, const void *from,
                                 uint32_t count, void *to, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
