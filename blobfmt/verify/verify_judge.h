/* The general engine of the verifier: decides whether a payload in any order is valid, and reports
 * what is wrong with an invalid one.
 *
 * There are three engines. The table gives microseconds for a payload that all three accept, best
 * of many runs (gcc 12 -O2, AMD EPYC). The payloads are two levels of tests/bench in canonical
 * order, and the 161 assets of samples/game, per asset, with 151 bytes on average:
 *
 *                            level, 9.7 MB     level, 1.2 KB     samples/game
 *     verify_judge.h         14,800            1.6               0.17
 *     sweep.h                3,200             0.8               0.18
 *     bounds.h               1,050             0.5               0.05
 *
 * Only this engine accepts every valid payload and reports errors, so it decides every case that
 * the others leave undecided. The sweep saves four fifths of the time for large payloads in
 * canonical order. The bounds check guarantees less, in roughly a third to two thirds of the
 * sweep's time, for callers that need no more than that. */
#ifndef KILN_VERIFY_JUDGE_H
#define KILN_VERIFY_JUDGE_H

#include <kiln/verify.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct payload_def {
    const kiln_types *types;
    uint32_t type; /* the root's, of any kind */
    const unsigned char *payload;
    uint32_t size;
    uint32_t align;                  /* of the payload: no object may require more */
    const kiln_allocator *allocator; /* NULL: the C library's */
    uint64_t base;                   /* added to the offsets in `on_ref` and in errors */
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset); /* as in kiln_verify_def */
    void *on_ref_ctx;
} payload_def;

/* Rules V1 to V19. Calls `on_ref` during the traversal, before the result is known. */
kiln_status kiln_judge(const payload_def *def, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
