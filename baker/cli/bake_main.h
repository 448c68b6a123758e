/* The program as a function. */
#ifndef BAKE_MAIN_H
#define BAKE_MAIN_H

#include <stdio.h>

/* Runs kiln-bake: help and version go to `out`, talk to `err`, data to standard output or files.
 * Returns the exit code. */
int bake_main(int argc, char **argv, FILE *out, FILE *err);

#endif
