/* Finds definitions that do not come from their `..._def_default()`, whose defaults would be zeros
 * (seen in box2d src/types.c). A forgotten call is a mistake of the program: an assert in debug
 * builds, KILN_BAD_ARGUMENT in all others. */
#ifndef DEF_COOKIE_H
#define DEF_COOKIE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { DEF_COOKIE = 0x6b646566 }; /* a number that memory rarely has by chance */

static inline bool def_is_set(uint32_t cookie)
{
    assert(cookie == DEF_COOKIE && "a definition begins with its ..._def_default()");
    return cookie == DEF_COOKIE;
}

#endif
