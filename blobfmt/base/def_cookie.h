/* Detects definitions that were not initialized with their `..._def_default()` (the technique of
 * box2d src/types.c). Using such a definition is a bug in the program: an assert fails in debug
 * builds, and all other builds return KILN_BAD_ARGUMENT. */
#ifndef DEF_COOKIE_H
#define DEF_COOKIE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { DEF_COOKIE = 0x6b646566 }; /* a value that uninitialized memory is unlikely to contain */

static inline bool def_is_set(uint32_t cookie)
{
    assert(cookie == DEF_COOKIE && "definition was not initialized with its ..._def_default()");
    return cookie == DEF_COOKIE;
}

#endif
