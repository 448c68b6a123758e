/* Checks that reading a payload never accesses bytes outside it. This guarantees less than all V
 * rules together, but takes less time.
 *
 * The check traverses everything from the root, and visits a shared object once for each field that
 * points to the object. It checks that objects are in bounds and aligned (V1 to V3), and that they
 * are not nested too deeply (V19). It checks that counts and offsets agree (V4), and that each
 * string ends with a NUL (V5). It checks the values of bools, enums, flag sets, unions and
 * references (V8 to V12, V15). It checks neither UTF-8 nor NULs inside strings, nor map keys,
 * padding or overlapping objects. It allocates no memory.
 *
 * Shared objects could make the traversal exponential. The check therefore stops after reading
 * BOUNDS_VISITS times the size of the payload, which keeps the work linear.
 *
 * This is the implementation of kiln_verify_def.bounds_only, which promises exactly these checks.
 * For large payloads, the check takes a third of the time of a sweep (figures: verify_judge.h), and
 * 0.43 of the time of FlatBuffers' verifier, which gives the same guarantee
 * (tests/bench/figures.csv). */
#ifndef KILN_BOUNDS_H
#define KILN_BOUNDS_H

#include "verify_judge.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { BOUNDS_VISITS = 8 };

/* Also returns false if the budget is exhausted; the other engines then decide. */
bool kiln_bounds_hold(const payload_def *def);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
