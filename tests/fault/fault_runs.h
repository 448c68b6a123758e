/* The runs of which each system call is made to fail once. */
#ifndef FAULT_RUNS_H
#define FAULT_RUNS_H

#include <stdbool.h>
#include <stddef.h>

enum { FAULT_OUTPUTS_MAX = 4 };

typedef enum fault_kind {
    FAULT_OF_BAKER,
    FAULT_OF_INSPECTOR,
    FAULT_OF_LIBRARY /* a program that uses the library: exits with 1 when something fails */
} fault_kind;

typedef struct fault_run {
    const char *name;
    fault_kind kind;
    const char *program; /* as the test's arguments call it */
    /* Separated by single spaces; ' stands for one that is part of an argument. %S is the folder of
     * the samples, %B that of what was built of them. */
    const char *arguments;
    const char *input; /* standard input; NULL: nothing */
    int code;          /* of the undisturbed exit */
    bool varies;       /* what it prints, or how long it waits, is different each time */
    bool is_telling;   /* its output tells how it ended */
    bool is_tidy;      /* a program of the library that frees everything when it fails, too */
    bool is_guessing;  /* what it may not read makes its output another */
    struct {
        const char *path;
        bool was_there; /* with other content */
    } outputs[FAULT_OUTPUTS_MAX];
} fault_run;

extern const fault_run fault_runs[];
extern const size_t fault_run_count;

/* Writes what the runs read into the current folder, and makes the folder out. */
void fault_runs_prepare(void);

#endif
