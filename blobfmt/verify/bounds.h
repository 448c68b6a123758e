/* Checks that reading a payload stays inside it. This proves less than all rules do, in less time.
 *
 * It traverses everything from the root, and visits shared objects as often as fields point to
 * them. It checks that objects are in bounds and aligned (V1 to V3), and that they do not nest too
 * deep (V19). It checks that counts and offsets agree (V4), and that each string ends with a NUL
 * (V5). It checks the values of bools, enumerations, flags, unions and references (V8 to V12, V15).
 * It does not check UTF-8 and NULs inside strings, keys of maps, padding, and whether objects
 * overlap. It allocates nothing.
 *
 * Shared objects could make the traversal exponential. It therefore ends when it has read
 * BOUNDS_VISITS times as many bytes as the payload has, so that its work is linear in the payload.
 *
 * It exists for kiln_verify_def's `bounds_only`, which promises exactly this. It takes a third of
 * the time of sweep.h (figures: verify_judge.h), and 0.43 of the time of FlatBuffers' verifier,
 * which proves the same (tests/bench/figures.csv). */
#ifndef KILN_BOUNDS_H
#define KILN_BOUNDS_H

#include "verify_judge.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { BOUNDS_VISITS = 8 };

/* Returns false also if the budget is used up: then the other engines decide. */
bool kiln_bounds_hold(const payload_def *def);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
