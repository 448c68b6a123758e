/* A clock that never jumps back. */
#ifndef BAKE_MONOTONIC_CLOCK_H
#define BAKE_MONOTONIC_CLOCK_H

#include <stdint.h>

/* Nanoseconds since an unspecified time. Any thread. */
uint64_t bake_monotonic_now(void);

#endif
