/* A mistake of the program fails an assertion in a debug build and returns a status in a release
 * build. */
#ifndef MISUSE_H
#define MISUSE_H

#include <kiln/status.h>

/* Returns the result of `call` if asserts are off. If they are on, returns KILN_BAD_ARGUMENT if it
 * aborts, after which the test continues, or KILN_OK if it does not. Not thread-safe. */
kiln_status misuse_status(kiln_status (*call)(void *ctx), void *ctx);

#endif
