/* Counts the bytes of values by the fields of structs that contain them.
 *
 * Each byte is counted once. It belongs to the innermost field that contains it: the bytes of an
 * array of numbers to the field with the array, those of an array of structs to the fields of the
 * structs. An object that several fields refer to, and every object of a blob that several assets
 * share, counts as shared; its bytes are added to the field that reaches them first. The work is
 * linear in the size of the blobs, even for hostile ones. */
#ifndef INSP_USAGE_WALK_H
#define INSP_USAGE_WALK_H

#include <kiln/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct insp_field_usage {
    uint64_t own;    /* bytes of this field, without those of fields in its structs */
    uint64_t shared; /* the same, in shared objects */
    uint64_t total; /* both, with all that the field contains or refers to; in recursive types, only
                       from the outermost field */
    bool is_open;   /* private */
} insp_field_usage;

/* The bytes of all payloads; each is in one of the first four sums. */
typedef struct insp_usage_sums {
    uint64_t values, strings; /* `strings` includes the NUL of each */
    uint64_t shared, padding;
    uint64_t saved;   /* what shared objects would take in addition if each field had its own;
                         a lower bound, because copies of their parts are not counted */
    uint64_t repeats; /* the number of fields without an object of their own */
} insp_usage_sums;

typedef struct insp_usage_walk {
    const kiln_types *types;
    size_t *first;            /* by type: its first field in `fields` */
    insp_field_usage *fields; /* of all types */
    size_t field_count;
    uint64_t *values[2]; /* private: by type, the number of structs; the second, of shared ones */
    insp_usage_sums sums;
    unsigned char *seen; /* private: a bit for each byte of a payload, twice */
    size_t seen_capacity;
} insp_usage_walk;

/* Returns KILN_OK or KILN_NO_MEMORY; call insp_usage_walk_fini in both cases. */
kiln_status insp_usage_walk_init(insp_usage_walk *walk, const kiln_types *types);
void insp_usage_walk_fini(insp_usage_walk *walk);

/* Adds the payload of a blob whose root is of type `type`. If `is_shared`, all of it counts as
 * shared. `payload` need not be valid, but must be aligned as the blob requires. Returns KILN_OK or
 * KILN_NO_MEMORY. */
kiln_status insp_usage_walk_add(insp_usage_walk *walk, uint32_t type, const unsigned char *payload,
                                uint64_t size, bool is_shared);

/* Completes `fields` and `sums` after the last blob. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_usage_walk_end(insp_usage_walk *walk);

/* The usage of field `field` of struct type `type`. */
static inline const insp_field_usage *insp_usage_walk_field(const insp_usage_walk *walk,
                                                            uint32_t type, uint32_t field)
{
    return &walk->fields[walk->first[type] + field];
}

#endif
