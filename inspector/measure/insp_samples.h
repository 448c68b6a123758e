/* The values of one field of a struct, sorted for statistics.
 *
 * A sample is a number: of a number, an enum, flags or a reference its value; of a string, bytes, a
 * list or a map its length; of a union the tag of the alternative; of an entity or a data word its
 * bits. Optionals with a value and
 * newtypes are read through, and each element of a fixed array is a sample. */
#ifndef INSP_SAMPLES_H
#define INSP_SAMPLES_H

#include "insp_struct_walk.h"

typedef struct insp_sample {
    uint64_t key;     /* increases with the number; see insp_sample_number */
    uint64_t text;    /* of a string: its hash */
    uint32_t asset;   /* its number in the index */
    uint32_t ordinal; /* of the sample among those of the field in the asset */
} insp_sample;

/* A value that occurs `count` times. */
typedef struct insp_common {
    insp_sample sample; /* one of them */
    uint64_t count;
} insp_common;

typedef struct insp_samples {
    const insp_file *file;
    uint32_t type, field;
    const kiln_type *of; /* of the samples; for a fixed array, of its elements */
    uint32_t of_type;
    insp_sample *rows; /* ascending by key, then by `text`, asset and ordinal */
    size_t count, capacity;
    uint64_t absent;   /* optionals without a value, and unions without an alternative */
    uint64_t nans;     /* these are not in `rows` */
    uint64_t distinct; /* of the values; not of their lengths */
    uint64_t assets;   /* with at least one value, or one that is absent */
    uint64_t total; /* of strings, bytes, lists and maps: the sum of the lengths, up to 2^64 - 1 */
    double mean;
    bool stopped; /* there are more values than the limit allows */
    uint32_t broken;
} insp_samples;

/* Reads the values of `field` of struct `type`, both numbers in the types of the file. Reads at
 * most `limit` steps. Returns KILN_OK or KILN_NO_MEMORY; call
 * insp_samples_fini in both cases. */
kiln_status insp_samples_init(insp_samples *samples, const insp_file *file, uint32_t type,
                              uint32_t field, uint64_t limit);
void insp_samples_fini(insp_samples *samples);

/* Whether samples are lengths. */
bool insp_samples_are_lengths(const insp_samples *samples);
/* Whether samples have an order that is of interest: numbers and lengths. */
bool insp_samples_are_ordered(const insp_samples *samples);

/* A sample as a floating-point number. */
double insp_sample_number(const insp_samples *samples, const insp_sample *sample);
/* The bits of a sample, as kiln_value_uint returns them; of a float, those of an f64. */
uint64_t insp_sample_bits(const insp_samples *samples, const insp_sample *sample);

/* The smallest sample that is not below `share`, from 0 to 1, of all samples. There must be one. */
const insp_sample *insp_samples_quantile(const insp_samples *samples, double share);

/* Finds up to `most` values that occur most often, at least twice, in descending order. `ret_rows`
 * is released with insp_free. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_samples_common(const insp_samples *samples, size_t most, insp_common **ret_rows,
                                size_t *ret_count);

/* Where a sample comes from. */
typedef struct insp_found {
    insp_path path;
    char *text; /* of a string, not NUL-terminated; otherwise NULL */
    uint32_t length;
} insp_found;

/* Reads the assets of `count` samples again, each asset once. `ret_found[i]` belongs to
 * `wanted[i]`, and is empty if that cannot be read. Returns KILN_OK, or KILN_NO_MEMORY with
 * `*ret_found` NULL; the caller calls insp_found_free. */
kiln_status insp_samples_find(const insp_samples *samples, const insp_sample *const *wanted,
                              size_t count, insp_found **ret_found);
/* Accepts NULL. */
void insp_found_free(insp_found *found, size_t count);

/* The samples further than three interquartile ranges outside of the quartiles (Tukey's far
 * outliers): the first `ret_low` rows and the last `ret_high` rows. None if the quartiles are
 * equal. */
void insp_samples_outliers(const insp_samples *samples, size_t *ret_low, size_t *ret_high);

#endif
