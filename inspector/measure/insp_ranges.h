/* Which values the fields of structs have in a whole file, and which smaller types would suffice.
 */
#ifndef INSP_RANGES_H
#define INSP_RANGES_H

#include "insp_struct_walk.h"

/* The values of one field. Optionals with a value and newtypes are read through, and each element
 * of a fixed array is a value. */
typedef struct insp_range {
    uint64_t values, absent; /* an absent one is an optional or a union without a value */
    kiln_kind kind;          /* of the values, if there are any */
    uint64_t defaults;  /* values of the field, with those that are absent, equal to its default */
    uint64_t all;       /* values of the field, of which `defaults` are the default */
    bool is_constant;   /* all values are equal */
    bool is_f32;        /* all numbers are exact as f32 */
    double least, most; /* of numbers and lengths */
    int64_t least_int;  /* of integers and lengths: up to INT64_MAX */
    uint64_t most_int;  /* of integers and lengths: 0 if all are negative */
    uint64_t first;     /* private: the first value, or its hash */
    bool has_length;    /* the values are lengths, of strings, bytes, lists and maps */
} insp_range;

typedef struct insp_ranges {
    const insp_file *file;
    size_t *first;     /* by type: its first field in `rows` */
    insp_range *rows;  /* of the fields of all types */
    uint64_t *structs; /* by type: how often it is visited */
    bool stopped;      /* there are more values than the limit allows */
    uint32_t broken;
} insp_ranges;

/* Reads the structs whose element in `wanted` is set, as for insp_struct_walk_init, in at most
 * `limit` steps. Returns KILN_OK or KILN_NO_MEMORY; call insp_ranges_fini in both cases. */
kiln_status insp_ranges_init(insp_ranges *ranges, const insp_file *file, const bool *wanted,
                             uint64_t limit);
void insp_ranges_fini(insp_ranges *ranges);

static inline const insp_range *insp_ranges_field(const insp_ranges *ranges, uint32_t type,
                                                  uint32_t field)
{
    return &ranges->rows[ranges->first[type] + field];
}

/* The smallest number kind that stores all values of field `field` of struct `type`, its default
 * and the bounds that its schema states; the kind of the field if none is smaller or it is no
 * number. */
kiln_kind insp_ranges_kind(const insp_ranges *ranges, uint32_t type, uint32_t field);

/* The size of a struct whose fields have these sizes and alignments, in this order, or in the order
 * that needs the fewest bytes. `align_at` as in kiln_type. */
typedef struct insp_field_size {
    uint32_t size, align;
} insp_field_size;

uint64_t insp_struct_size(const insp_field_size *fields, uint32_t count, uint32_t align_at);
/* Sorts the fields by descending alignment, which leaves no hole between them. */
void insp_struct_sort(insp_field_size *fields, uint32_t count);

#endif
