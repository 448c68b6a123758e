/* Runs a program and takes what it writes. Without a shell: its name and arguments are what they
 * are, standard input is empty, and no other file of ours is open in it. */
#ifndef BAKE_PROGRAM_H
#define BAKE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

typedef enum bake_program_end_kind {
    BAKE_PROGRAM_EXITED,      /* `code` is its exit code */
    BAKE_PROGRAM_KILLED,      /* `code` is the signal */
    BAKE_PROGRAM_TOO_LARGE,   /* it wrote more than it may, and was ended */
    BAKE_PROGRAM_TIMED_OUT,   /* it took longer than it may, and was ended with what it started */
    BAKE_PROGRAM_NOT_STARTED, /* or it could not be read; `code` is why, an errno */
    BAKE_PROGRAM_REFUSED      /* none may be run */
} bake_program_end_kind;

typedef struct bake_program_end {
    bake_program_end_kind kind;
    int code;
    char *output; /* what it wrote to standard output, and a NUL; NULL unless it exited with 0 */
    size_t size;
    char *said; /* otherwise the last 4 KiB of what it wrote to standard error; or NULL */
    size_t said_size;
    bool is_said_cut;  /* there was more before */
    size_t output_max; /* of the program */
} bake_program_end;

typedef struct bake_program {
    const char *const *command; /* ends with NULL; the first is a path where it has a slash, and
                                   looked for in PATH otherwise */
    const char *folder;         /* its current one; NULL or empty: ours */
    size_t output_max;
    unsigned time_max; /* in milliseconds; 0: any */
} bake_program;

/* Waits for the program to end, not for those that it leaves behind. False when memory ran out;
 * the caller ends what is returned. */
bool bake_program_run(const bake_program *program, bake_program_end *ret);
void bake_program_end_fini(bake_program_end *end);

#endif
