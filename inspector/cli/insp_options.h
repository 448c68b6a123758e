/* Parses the command line. */
#ifndef INSP_OPTIONS_H
#define INSP_OPTIONS_H

#include "insp_run.h"

/* Fills `run->options` from the command line. The strings remain in `argv`, whose pointers are
 * reordered. Accesses no file. On a usage error, writes a message and returns INSP_TROUBLE. */
int insp_options_parse(insp_run *run, int argc, char **argv);

#endif
