/* How a run of the baker ends, and the line that says why it could not continue.
 *
 * Diagnostics report mistakes in the input. A `bake_failure` is for everything else: files that
 * cannot be read or written, lack of memory, bugs in the baker. */
#ifndef BAKE_RESULT_H
#define BAKE_RESULT_H

#include <kiln/status.h>

/* The numbers are the exit codes. */
typedef enum bake_result {
    BAKE_OK = 0,
    BAKE_BAD_INPUT = 1, /* see the diagnostics */
    BAKE_CANNOT = 2,    /* usage, I/O, memory */
    BAKE_BUG = 3,
    BAKE_BREAKS =
        4 /* schema check: baked files cannot be read any more, and their YAML must change */
} bake_result;

typedef struct bake_failure {
    bake_result result;
    char text[512];
} bake_failure;

/* Stores the first failure (later ones are dropped) and returns its result. */
bake_result bake_fail(bake_failure *failure, bake_result result, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
bake_result bake_fail_memory(bake_failure *failure);
/* BAKE_BUG: blobfmt refused what kiln-bake made from correct input. `what` names the thing made;
 * `error` (may be NULL) gives the place in it. No part of the line is empty. */
bake_result bake_fail_bug(bake_failure *failure, const char *what, kiln_status status,
                          const kiln_error *error);
/* "cannot read x.yaml: No such file or directory", from errno. */
bake_result bake_fail_errno(bake_failure *failure, const char *action, const char *path);
/* The same with `why` as the reason, unless errno is ENOMEM: then the line is "out of memory". */
bake_result bake_fail_why(bake_failure *failure, const char *action, const char *path,
                          const char *why);

#endif
