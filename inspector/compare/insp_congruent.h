/* Values that are stored in the same place of two payloads of the same size.
 *
 * If most bytes of the payloads are equal, most values need not be compared: a value is the same in
 * both if neither its own bytes nor those of the objects that it refers to contain a difference.
 * Only the old payload is read for that. The types must have the same layout. */
#ifndef INSP_CONGRUENT_H
#define INSP_CONGRUENT_H

#include <kiln/value.h>

enum { INSP_RANGES_MAX = 64 };

/* Offsets in the payload, ascending. */
typedef struct insp_range {
    uint64_t from, to;
} insp_range;

typedef struct insp_congruent {
    const unsigned char *begin[2]; /* of both payloads; NULL: nothing is known */
    insp_range ranges[INSP_RANGES_MAX];
    uint32_t count;
} insp_congruent;

/* Finds the bytes that differ. If there are too many places, or the payloads have different sizes,
 * nothing is known. */
void insp_congruent_init(insp_congruent *congruent, const kiln_value *before,
                         const kiln_value *after);

/* Whether two values are surely the same, in at most `*left` steps, which are subtracted. Safe on
 * unverified bytes. */
bool insp_congruent_is_same(const insp_congruent *congruent, const kiln_value *before,
                            const kiln_value *after, uint64_t *left);

#endif
