/* Proves that a bake makes the same files under all conditions (prove_conditions.h).
 *
 * A bake is a child process of the same program, which writes to a folder that is removed
 * afterwards. The first child runs without changes. Another child runs for each condition, and its
 * files and messages are compared with those of the first. */
#ifndef BAKE_PROVE_H
#define BAKE_PROVE_H

#include "bake_result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file that the child writes. */
typedef struct bake_prove_output {
    const char *name; /* for messages: the output of a real bake */
    const char *file; /* in the folder */
    bool is_kiln;     /* a kiln file; otherwise text */
} bake_prove_output;

/* In the folder: standard error of the child. */
#define BAKE_PROVE_MESSAGES "messages"

typedef struct bake_prove_def {
    const char *program; /* kiln-bake */
    /* The command line, which the child receives after its own options. */
    const char *const *arguments;
    size_t argument_count;
    const bake_prove_output *outputs;
    size_t output_count;
    size_t most; /* list at most this many differences; the others are counted */
    bool quiet, verbose;
    FILE *out, *err; /* the report; messages of children */
} bake_prove_def;

/* Writes the report. Returns BAKE_BAD_INPUT if there are differences, the result of the first child
 * if it fails, after its messages, or BAKE_FAILED. A signal that terminates this process does so
 * after everything has been removed. */
bake_result bake_prove(const bake_prove_def *def, bake_failure *failure);

#endif
