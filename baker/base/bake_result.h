/* How a run of the baker ends, and the one line that says why it could not go on.
 *
 * What is wrong with the input is told by diagnostics; a `bake_failure` is for the rest: files that
 * cannot be read or written, memory that ran out, mistakes of our own. */
#ifndef BAKE_RESULT_H
#define BAKE_RESULT_H

#include <kiln/status.h>

/* The numbers are the exit codes. */
typedef enum bake_result {
    BAKE_OK = 0,
    BAKE_BAD_INPUT = 1, /* diagnostics say what */
    BAKE_CANNOT = 2,    /* usage, I/O, memory */
    BAKE_BUG = 3,
    BAKE_BREAKS = 4 /* schema check: what was baked is not read, and its YAML has to change */
} bake_result;

typedef struct bake_failure {
    bake_result result;
    char text[512];
} bake_failure;

/* Notes the first failure (later ones are dropped) and returns its result. */
bake_result bake_fail(bake_failure *failure, bake_result result, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
bake_result bake_fail_memory(bake_failure *failure);
/* BAKE_BUG: a function refused what kiln-bake made of correct input. `what` was made; `error` (may
 * be NULL) says where. No part of the line is empty. */
bake_result bake_fail_bug(bake_failure *failure, const char *what, kiln_status status,
                          const kiln_error *error);
/* "cannot read x.yaml: No such file or directory", by errno. */
bake_result bake_fail_errno(bake_failure *failure, const char *action, const char *path);
/* The same with the reason in words; errno says only whether memory ran out. */
bake_result bake_fail_why(bake_failure *failure, const char *action, const char *path,
                          const char *why);

#endif
