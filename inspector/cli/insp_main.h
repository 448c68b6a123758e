/* kiln-inspect as a function, so that tests can call it.
 *
 * Reads what its arguments name, writes results to `out` and talk to `err`. Both stay open. Returns
 * the exit code. Ignores SIGPIPE from then on, so that a reader who leaves ends the program by an
 * error that can be handled. One thread at a time. */
#ifndef INSP_MAIN_H
#define INSP_MAIN_H

#include "insp_exit.h"

#include <stdio.h>

int insp_main(int argc, char **argv, FILE *out, FILE *err);

#endif
