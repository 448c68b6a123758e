/* Finds the assets of two files that may differ, in the order of their ids.
 *
 * Most assets of two versions of a file are equal. They are passed over without reading the names
 * and members of both files into memory, and without sorting. */
#ifndef INSP_PAIRING_H
#define INSP_PAIRING_H

#include "insp_file.h"

/* The numbers of an asset in the old and the new file; KILN_ASSET_NONE: the file lacks it. */
typedef struct insp_pair {
    uint32_t number[2];
} insp_pair;

typedef struct insp_pairing {
    insp_pair *pairs; /* in the order of ids; insp_free frees them */
    size_t count;
    bool is_known; /* otherwise there are no pairs, and the files must be compared by names */
} insp_pairing;

/* Nothing is known if a file lacks a valid frame, is truncated or contains a scene. The same holds
 * if the hash, the ids, the numbers or the members of an index are invalid, or if assets with the
 * same id have different names. Other rules of the index are not checked. Safe on unverified
 * bytes. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_pairing_find(const insp_file *before, const insp_file *after,
                              insp_pairing *ret_pairing);

#endif
