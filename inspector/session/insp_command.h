/* A command of kiln-inspect: its line in the help, its arguments and options, and the function that
 * does the work. */
#ifndef INSP_COMMAND_H
#define INSP_COMMAND_H

#include "insp_exit.h"
#include "insp_file.h"
#include "insp_run.h"

struct insp_command {
    const char *name;
    const char *arguments; /* in the help */
    const char *help;
    int least, most; /* arguments; most < 0: any number */
    /* Names, each followed by a space: the formats that --format selects from, with the default
     * first, and the options that only some commands take. NULL: none. */
    const char *formats;
    const char *options;
    /* One of the two is set. `show` gets the file in the first argument. Both return an exit code.
     */
    int (*show)(insp_run *run, const insp_file *file);
    int (*run)(insp_run *run);
};

#endif
