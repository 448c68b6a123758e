/* Whether reading a payload stays within it: less than the rules ask for, and quicker to find.
 *
 * A traversal from the root over everything that fields name, as often as they name it: all is in
 * bounds and aligned (V1 to V3), counts and offsets agree (V4), a NUL ends each string (V5), bools,
 * enumerations, flags, unions and references have allowed values (V8 to V12, V15), and objects nest
 * no deeper than they may (V19). Not checked are UTF-8 and NULs within strings, keys of maps,
 * padding, and whether objects overlap. It allocates nothing.
 *
 * Objects that many others name would make the traversal long. It ends when it has read
 * BOUNDS_VISITS times as many bytes as the payload has, so that it is linear in the payload.
 *
 * Its place is earned by kiln_verify_def's `bounds_only`, which promises just this: a third of the
 * time of sweep.h (figures: verify_judge.h), and 0.43 of that of FlatBuffers' verifier, which
 * proves the same (tests/bench/figures.csv). */
#ifndef KILN_BOUNDS_H
#define KILN_BOUNDS_H

#include "verify_judge.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { BOUNDS_VISITS = 8 };

/* False also where that would take too long to find: then the other engines decide. */
bool kiln_bounds_hold(const payload_def *def);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
