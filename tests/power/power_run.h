/* Runs a program with cut_shim loaded, and reads what came of it. Functions end the test where the
 * machine itself fails. */
#ifndef POWER_RUN_H
#define POWER_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a file; `data` NULL: there is none. */
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
    const char *shim;      /* NULL: runs undisturbed */
    const char *arguments; /* separated by single spaces */
    const char *cut;       /* what KILN_CUT is to be; NULL: only record */
    const char *output;    /* what standard output goes to; NULL: nowhere */
    bool only_named;       /* the file system seems to have no unnamed files */
    /* What to do while the program is stopped, before it goes on; NULL: nothing. */
    void (*when_stopped)(void *ctx);
    void *ctx;
} power_run_def;

typedef struct power_run {
    int signal; /* that ended it; 0: none */
    int code;   /* of its exit; -1: a signal */
    bytes said; /* on standard error */
    bytes record;
} power_run;

power_run power_run_start(const power_run_def *def);
void power_run_fini(power_run *run);

/* Whether the program finds its libraries itself, so that nothing can be loaded before them. */
bool power_run_is_static(const char *program);

#endif
