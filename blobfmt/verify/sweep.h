/* Decides quickly that a payload is valid, or leaves it undecided.
 *
 * A writer of canonical form (FORMAT.md section 8) stores objects in the order of a traversal from
 * the root, fields first to last. The last visit of an object counts. Objects of alignment 1 come
 * after the others. A sweep makes this traversal with a *cursor*: a field that leads to the cursor
 * claims a new object there, and the cursor moves behind it. Claimed objects therefore cannot
 * overlap, and the bytes that the cursor skips must be padding. A field that leads beyond the
 * cursor *promises* an object (promise_table.h): the traversal must later claim exactly this
 * object. Strings are marked where they start (sweep_text.h). At the end, each byte after a NUL
 * must start a string, and no other byte may. So a sweep needs no list of objects, and reads memory
 * nearly in order.
 *
 * A sweep leaves a payload in any other order undecided. verify_judge.h decides it, and says what
 * is wrong with an invalid one. Every payload that a sweep finds valid is valid for verify_judge.h
 * too. Both do work linear in the payload.
 *
 * It exists for large payloads: a level of 9.7 MB takes a fifth of the time (figures:
 * verify_judge.h). Payloads below 200 bytes take the same time either way. */
#ifndef KILN_SWEEP_H
#define KILN_SWEEP_H

#include "verify_judge.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef enum sweep_verdict { SWEEP_VALID, SWEEP_UNDECIDED, SWEEP_NO_MEMORY } sweep_verdict;

/* Calls `on_ref` only if the payload is valid, after everything was checked. */
sweep_verdict kiln_sweep(const payload_def *def);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
