/* Runs a program with cut_shim preloaded and collects the results. Functions exit the test if the
 * machine itself fails. */
#ifndef POWER_RUN_H
#define POWER_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of a file; `data` is NULL if the file does not exist. */
typedef struct bytes {
    char *data;
    size_t size;
} bytes;

bytes bytes_of_file(const char *path);
void bytes_to_file(const char *path, bytes content);
bool bytes_equal(bytes a, bytes b);
void bytes_fini(bytes *b);

typedef struct power_run_def {
    const char *program;
    const char *shim;      /* NULL runs the program undisturbed */
    const char *arguments; /* separated by single spaces */
    const char *cut;       /* value of KILN_CUT; NULL only records */
    const char *output;    /* file for standard output; NULL discards it */
    bool only_named;       /* pretend that the file system has no unnamed files */
    /* Called while the program is stopped, before it continues; may be NULL. */
    void (*when_stopped)(void *ctx);
    void *ctx;
} power_run_def;

typedef struct power_run {
    int signal; /* that killed it; 0 for none */
    int code;   /* exit code; -1 if a signal killed it */
    bytes said; /* standard error */
    bytes record;
} power_run;

power_run power_run_start(const power_run_def *def);
void power_run_fini(power_run *run);

/* Whether the program is statically linked, so that nothing can be preloaded. */
bool power_run_is_static(const char *program);

#endif
