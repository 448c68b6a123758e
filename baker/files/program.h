/* Runs a program and captures its output. No shell is involved: name and arguments are passed
 * unchanged. Standard input is empty, and the program inherits no other open file. */
#ifndef BAKE_PROGRAM_H
#define BAKE_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum bake_program_end_kind {
    BAKE_PROGRAM_EXITED,      /* `code` is its exit code */
    BAKE_PROGRAM_KILLED,      /* `code` is the signal */
    BAKE_PROGRAM_TOO_LARGE,   /* it wrote more than `output_max` and was killed */
    BAKE_PROGRAM_TIMED_OUT,   /* it took longer than `time_max` and was killed with its children */
    BAKE_PROGRAM_NOT_STARTED, /* or its output could not be read; `code` is the errno */
    BAKE_PROGRAM_REFUSED      /* running programs is forbidden */
} bake_program_end_kind;

typedef struct bake_program_end {
    bake_program_end_kind kind;
    int code;
    char *output; /* standard output, NUL-terminated; NULL unless the exit code is 0 */
    size_t size;
    char *errors; /* on failure, the last 4 KiB of standard error; or NULL */
    size_t errors_size;
    bool is_errors_cut; /* there was more before `errors` */
    size_t output_max;  /* the limit that applied */
} bake_program_end;

typedef struct bake_program {
    const char *const *command; /* NULL-terminated; searched for in PATH unless it has a slash */
    const char *folder;         /* working folder; NULL or empty: that of this process */
    size_t output_max;
    unsigned time_max; /* in milliseconds; 0: no limit */
    unsigned grace;    /* how long it may take to exit after a signal, in milliseconds; 0: 500 */
    char *const *environment; /* NULL-terminated; NULL: that of this process */
    /* The signals that are blocked in the program, and not passed on to it; NULL: those that the
     * calling thread blocks. */
    const sigset_t *mask;
} bake_program;

/* Runs a program and waits until it exits, but not for its background children. Returns false if
 * memory runs out; otherwise the caller must call bake_program_end_fini. */
bool bake_program_run(const bake_program *program, bake_program_end *ret);
void bake_program_end_fini(bake_program_end *end);

#endif
