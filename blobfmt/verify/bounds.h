/* Whether reading a payload stays within it: less than the rules ask for, and quicker to find.
 *
 * A walk from the root over everything that fields name, as often as they name it: all lies in
 * bounds and aligned (V1 to V3), counts and offsets agree (V4), a NUL ends each string (V5), bools,
 * enumerations, flags, unions and references have allowed values (V8 to V12, V15), and
 * objects nest no deeper than may be (V19). Not looked at are UTF-8 and NULs within strings, keys
 * of maps, padding, and whether objects overlap. No memory is asked for.
 *
 * Objects that lie in many others would make the walk long. It ends when it has come over
 * BOUNDS_VISITS times as many bytes as the payload has, so that it is linear in the payload. */
#ifndef KILN_BOUNDS_H
#define KILN_BOUNDS_H

#include "sweep.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { BOUNDS_VISITS = 8 };

/* False also where that would take too long to find: then the other ways decide. */
bool kiln_bounds_hold(const payload_def *def);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
