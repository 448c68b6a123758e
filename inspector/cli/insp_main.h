/* kiln-inspect as a function, so that tests can call it.
 *
 * Reads what its arguments name, writes results to `out` and talk to `err`. Both stay open. Returns
 * the exit code. Ignores SIGPIPE from then on, so that a reader who leaves ends the program by an
 * error that can be handled. One thread at a time. */
#ifndef INSP_MAIN_H
#define INSP_MAIN_H

#include <stdio.h>

/* Exit codes, in ascending order of weight: the heaviest of a run counts. */
enum {
    INSP_OK = 0,      /* done, and nothing wrong with the data */
    INSP_BAD = 1,     /* the data is broken, or what was asked for is not in it */
    INSP_TROUBLE = 2, /* wrong usage, no memory, or a file that cannot be read or written */
    INSP_BUG = 3      /* a mistake in this program */
};

int insp_main(int argc, char **argv, FILE *out, FILE *err);

#endif
