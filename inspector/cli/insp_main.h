/* kiln-inspect as a function, so that tests can call it.
 *
 * Reads the files in its arguments, writes results to `out` and messages to `err`, and leaves both
 * open. Returns the exit code. Ignores SIGPIPE from then on, so that a closed pipe is an error of a
 * write. One thread at a time. */
#ifndef INSP_MAIN_H
#define INSP_MAIN_H

#include "insp_exit.h"

#include <stdio.h>

int insp_main(int argc, char **argv, FILE *out, FILE *err);

#endif
