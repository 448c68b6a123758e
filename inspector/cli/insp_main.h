/* kiln-inspect as a function, so that tests can call it.
 *
 * Reads the files named in the arguments, writes results to `out` and messages to `err`, and does
 * not close them. Returns the exit code. Leaves SIGPIPE and SIGXFSZ ignored, so that a closed pipe
 * or the file size limit is a write error. Not thread-safe. */
#ifndef INSP_MAIN_H
#define INSP_MAIN_H

#include "insp_exit.h"

#include <stdio.h>

int insp_main(int argc, char **argv, FILE *out, FILE *err);

#endif
