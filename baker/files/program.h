/* Runs a program and reads its output. There is no shell: name and arguments are passed as they
 * are. Standard input is empty, and the program inherits no other open file. */
#ifndef BAKE_PROGRAM_H
#define BAKE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

typedef enum bake_program_end_kind {
    BAKE_PROGRAM_EXITED,      /* `code` is its exit code */
    BAKE_PROGRAM_KILLED,      /* `code` is the signal */
    BAKE_PROGRAM_TOO_LARGE,   /* it wrote more than `output_max` and was killed */
    BAKE_PROGRAM_TIMED_OUT,   /* it took longer than `time_max` and was killed with its children */
    BAKE_PROGRAM_NOT_STARTED, /* or its output could not be read; `code` is an errno */
    BAKE_PROGRAM_REFUSED      /* running programs is forbidden */
} bake_program_end_kind;

typedef struct bake_program_end {
    bake_program_end_kind kind;
    int code;
    char *output; /* its standard output and a NUL; NULL unless it exited with 0 */
    size_t size;
    char *errors; /* otherwise the last 4 KiB of its standard error; or NULL */
    size_t errors_size;
    bool is_errors_cut; /* there was more before */
    size_t output_max;  /* of the program */
} bake_program_end;

typedef struct bake_program {
    const char *const *command; /* ends with NULL; the first is a path where it has a slash, and
                                   looked for in PATH otherwise */
    const char *folder;         /* its current one; NULL or empty: ours */
    size_t output_max;
    unsigned time_max; /* in milliseconds; 0: any */
} bake_program;

/* Waits for the program to end, but not for processes that it leaves behind. False if memory runs
 * out; the caller calls bake_program_end_fini otherwise. */
bool bake_program_run(const bake_program *program, bake_program_end *ret);
void bake_program_end_fini(bake_program_end *end);

#endif
