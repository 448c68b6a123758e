/* Aligns two lists, so that few elements are added and removed. */
#ifndef INSP_ALIGN_H
#define INSP_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements whose tokens are equal. */
typedef struct insp_aligned {
    uint32_t old_at, new_at;
} insp_aligned;

typedef struct insp_alignment {
    insp_aligned *pairs; /* ascending in both lists; insp_free frees them */
    uint32_t count;
    bool gave_up; /* a limit was reached, so there are no pairs */
} insp_alignment;

/* The limits of the work: of steps, of added and removed elements, and of elements. */
enum { INSP_ALIGN_STEPS = 1 << 24, INSP_ALIGN_DIFFERENCES = 2048, INSP_ALIGN_MAX = 1 << 22 };

/* Finds a longest list of pairs with equal tokens, in O((n + m) x d) steps, where d is the number
 * of added and removed elements. Gives up at a limit, and then finds no pairs. Returns false if
 * memory runs out; `ret` is then zeroed. */
bool insp_align(const uint64_t *old_tokens, uint32_t old_count, const uint64_t *new_tokens,
                uint32_t new_count, insp_alignment *ret);

#endif
