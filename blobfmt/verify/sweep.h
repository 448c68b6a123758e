/* Quickly decides that a payload is valid, or leaves it undecided.
 *
 * In canonical form (FORMAT.md section 8), objects are in the order of a traversal that starts at
 * the root and visits fields from first to last. If an object is visited several times, its last
 * visit counts. Objects of alignment 1 come after all others. A sweep performs this traversal with
 * a *cursor*: a field that points to the cursor claims a new object there, and the cursor moves
 * past it. Claimed objects therefore cannot overlap, and the bytes that the cursor skips must be
 * padding. A field that points beyond the cursor *promises* an object (promise_table.h): the
 * traversal must later claim exactly this object. The starts of strings are marked (sweep_text.h).
 * At the end, each byte after a NUL must start a string, and no other byte may. So a sweep needs no
 * list of objects, and reads memory nearly in order.
 *
 * A sweep leaves a payload in any other order undecided. verify_judge.h then decides, and reports
 * what is wrong with an invalid payload. Every payload that a sweep accepts is also accepted by
 * verify_judge.h. Both do work linear in the payload.
 *
 * The sweep exists for large payloads: for a level of 9.7 MB it takes a fifth of the time of
 * verify_judge.h (which has the figures). For payloads below 200 bytes both take the same time. */
#ifndef KILN_SWEEP_H
#define KILN_SWEEP_H

#include "verify_judge.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef enum sweep_verdict { SWEEP_VALID, SWEEP_UNDECIDED, SWEEP_NO_MEMORY } sweep_verdict;

/* Calls `on_ref` only if the payload is valid, after all checks. */
sweep_verdict kiln_sweep(const payload_def *def);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
