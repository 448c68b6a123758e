/* A program's mistake is an assert in a debug build and a status in a release. */
#ifndef MISUSE_H
#define MISUSE_H

#include <kiln/status.h>

/* What `call` returns where asserts are off. Where they are on: KILN_BAD_ARGUMENT if it aborts,
 * and the test goes on from there; KILN_OK if it does not. One thread at a time. */
kiln_status misuse_status(kiln_status (*call)(void *ctx), void *ctx);

#endif
