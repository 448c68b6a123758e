/* Finds quickly that a payload is valid: either it says so, or it does not know.
 *
 * A writer of canonical form (FORMAT.md section 8) stores objects in the order in which a traversal
 * from the root, fields first to last, names them for the last time; those of alignment 1 behind
 * the others. A sweep goes the same path with a *cursor*: where a field leads to the cursor, it
 * claims a new object there, and the cursor moves behind it. What is claimed cannot overlap, and
 * what the cursor steps over is padding. A field that leads further on *promises* an object
 * (promise_table.h): the traversal must come to claim just that one. Strings are marked where they
 * start (sweep_text.h); in the end each byte behind a NUL must start a string, and no other byte
 * may. So no list of objects is needed, and memory is read nearly in order.
 *
 * A payload in any other order is not judged: verify_judge.h does that, and says what is wrong with
 * an invalid one. Whatever a sweep finds valid, it finds valid too. Both do work linear in the
 * payload.
 *
 * Its place is earned by large payloads, of which verify_judge.h has the figures: a level of 9.7 MB
 * takes a fifth of the time. Payloads below 200 bytes take the same time either way. */
#ifndef KILN_SWEEP_H
#define KILN_SWEEP_H

#include "verify_judge.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef enum sweep_verdict { SWEEP_VALID, SWEEP_UNDECIDED, SWEEP_NO_MEMORY } sweep_verdict;

/* `on_ref` is called when all is known to be valid, or not at all. */
sweep_verdict kiln_sweep(const payload_def *def);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
