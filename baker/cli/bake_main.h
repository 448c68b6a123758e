/* kiln-bake as a function, for main.c and for tests. */
#ifndef BAKE_MAIN_H
#define BAKE_MAIN_H

#include <stdio.h>

/* Runs kiln-bake. Prints help and version to `out` and messages to `err`; writes data to files or
 * standard output. Returns the exit code. */
int bake_main(int argc, char **argv, FILE *out, FILE *err);

#endif
