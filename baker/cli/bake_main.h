/* kiln-bake as a function, for main.c and for tests. */
#ifndef BAKE_MAIN_H
#define BAKE_MAIN_H

#include <stdio.h>

/* Runs kiln-bake: prints help and version to `out`, messages to `err`; writes data to files or to
 * standard output. Returns the exit code. */
int bake_main(int argc, char **argv, FILE *out, FILE *err);

#endif
