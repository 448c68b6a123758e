/* The runs whose system calls are made to fail one at a time. */
#ifndef FAULT_RUNS_H
#define FAULT_RUNS_H

#include <stdbool.h>
#include <stddef.h>

enum { FAULT_OUTPUTS_MAX = 4 };

typedef enum fault_kind {
    FAULT_OF_BAKER,
    FAULT_OF_INSPECTOR,
    FAULT_OF_LIBRARY /* a program that uses the library; exits with 1 on a failure */
} fault_kind;

typedef struct fault_run {
    const char *name;
    fault_kind kind;
    const char *program; /* its name in the test's arguments */
    /* Separated by single spaces; ' represents a space inside an argument. %S is the folder of the
     * samples, %B the folder of their build results. */
    const char *arguments;
    const char *input; /* standard input; NULL for none */
    int code;          /* exit code of the undisturbed run */
    bool varies;       /* its output or its waiting time differs between runs without a failure */
    bool is_telling;   /* its output reports success or failure, so it may differ */
    bool is_tidy;   /* a program that uses the library and frees everything, even after a failure */
    bool has_spool; /* it keeps in memory what it cannot write to its spool */
    bool is_guessing; /* if it cannot read a file, it may succeed with a different output */
    struct {
        const char *path;
        bool was_there; /* a file with different content exists before the run */
    } outputs[FAULT_OUTPUTS_MAX];
} fault_run;

extern const fault_run fault_runs[];
extern const size_t fault_run_count;

/* Writes the inputs of the runs into the current folder and creates the folder `out`. */
void fault_runs_prepare(void);

#endif
