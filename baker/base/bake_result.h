/* The result of a run, and the message if the run could not continue.
 *
 * Diagnostics report mistakes in the input. A `bake_failure` reports everything else: I/O errors,
 * out of memory, bugs in the baker. */
#ifndef BAKE_RESULT_H
#define BAKE_RESULT_H

#include <kiln/status.h>

/* The values are the exit codes of kiln-bake. */
typedef enum bake_result {
    BAKE_OK = 0,
    BAKE_BAD_INPUT = 1, /* see the diagnostics */
    BAKE_FAILED = 2,    /* usage, I/O, memory */
    BAKE_BUG = 3,
    BAKE_BREAKING =
        4 /* schema check: existing files become unreadable, and their YAML must change */
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
/* Fails with BAKE_BUG: blobfmt rejected an object that kiln-bake built from valid input. `what`
 * names the object; `error` (may be NULL) contains the location of the error in it. */
bake_result bake_fail_bug(bake_failure *failure, const char *what, kiln_status status,
                          const kiln_error *error);
/* Fails with a message made from errno: "cannot read x.yaml: No such file or directory". */
bake_result bake_fail_errno(bake_failure *failure, const char *action, const char *path);
/* Like bake_fail_errno, but the message ends with the reason `why`. If errno is ENOMEM, the message
 * is "out of memory". */
bake_result bake_fail_reason(bake_failure *failure, const char *action, const char *path,
                             const char *why);

#endif
