/* The command line. */
#ifndef INSP_OPTIONS_H
#define INSP_OPTIONS_H

#include "insp_run.h"

/* Fills `run->options` from the command line; the strings stay in `argv`, whose order of pointers
 * changes. Touches no file. On wrong usage writes a message and returns INSP_TROUBLE. */
int insp_options_parse(insp_run *run, int argc, char **argv);

#endif
