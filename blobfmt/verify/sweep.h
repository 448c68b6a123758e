/* The quick way to find that a payload is valid: either it says so, or it does not know.
 *
 * A writer of canonical form (FORMAT.md section 8) lays objects out in the order in which a walk
 * from the root, fields first to last, names them for the last time; those of alignment 1 behind
 * the others. A sweep walks so with a *cursor*: where a field leads to the cursor, it claims a new
 * object there, and the cursor moves behind it. What is claimed cannot overlap, and what the cursor
 * steps over is padding. A field that leads further on *promises* an object: the walk must come to
 * claim just that one. Strings are marked where they start; in the end each byte behind a NUL must
 * start a string, and no other byte may. So no list of objects is needed, and memory is read nearly
 * in order.
 *
 * A payload in any other order is not judged: the general verifier (verify.c) does that, and says
 * what is wrong with an invalid one. Whatever a sweep finds valid, the general verifier does too.
 * Both do work linear in the payload. */
#ifndef KILN_SWEEP_H
#define KILN_SWEEP_H

#include <kiln/verify.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct payload_def {
    const kiln_types *types;
    uint32_t type; /* the root's, of any kind */
    const unsigned char *payload;
    uint32_t size;
    uint32_t align;                  /* the payload's: objects may ask for no more */
    const kiln_allocator *allocator; /* NULL: the C library's */
    uint64_t base;                   /* of the offsets that `on_ref` and errors tell */
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset); /* as in kiln_verify_def */
    void *on_ref_ctx;
} payload_def;

typedef enum sweep_verdict { SWEEP_VALID, SWEEP_UNDECIDED, SWEEP_NO_MEMORY } sweep_verdict;

/* `on_ref` is called when all is known to be valid, or not at all. */
sweep_verdict kiln_sweep(const payload_def *def);

/* The general verifier (verify.c): rules V1 to V19. `on_ref` is called as it goes. */
kiln_status kiln_judge(const payload_def *def, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
