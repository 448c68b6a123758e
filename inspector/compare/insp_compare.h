/* Compares the values of two files.
 *
 * Values are compared as `dump --flat` shows them: two files have no differences if their flat
 * dumps have the same lines. So the layouts may differ, fields are matched by name, and the number
 * of an enum's value does not matter. Entries of maps are matched by key, entities of scenes by
 * name.
 *
 * Elements of lists are matched by the longest common list of equal elements. If all elements are
 * structs with a field `id`, `key` or `name`, elements are equal if this field is. Between matched
 * elements, lists of the same length are compared by position.
 *
 * Files are not trusted. Nothing is concluded from stored hashes: equal bytes of equal types are
 * equal values, and other values are read with bounds checks. The number of steps is limited,
 * because values can share parts. */
#ifndef INSP_COMPARE_H
#define INSP_COMPARE_H

#include "insp_change.h"
#include "insp_pairing.h"

enum { INSP_IGNORE_MAX = 64 };

typedef struct insp_compare_def {
    /* After insp_file_list, unless `pairing` is known. */
    const insp_file *files[INSP_SIDES];
    const insp_pairing *pairing; /* of the files; NULL or unknown: assets are matched by name */
    /* Patterns for insp_glob_asset; only matching assets are compared. */
    char *const *patterns;
    int pattern_count;          /* 0: all assets, as with a pairing */
    const char *const *ignored; /* patterns of paths; values below them are not compared either */
    int ignored_count;
    double tolerance;   /* floats are equal if they differ by at most this, or this part of them */
    bool compare_bytes; /* also report assets with equal values in different bytes */
    uint64_t steps;     /* limit of the work */
    /* Receives each change: assets in the order of their names. */
    void (*found)(void *ctx, const insp_change *change);
    void *ctx;
} insp_compare_def;

typedef struct insp_compare_result {
    uint64_t changes;
    uint32_t broken; /* number of values that break a rule, not counting equal bytes */
    bool stopped;    /* the limit was reached */
} insp_compare_result;

/* Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_compare_files(const insp_compare_def *def, insp_compare_result *ret_result);

#endif
