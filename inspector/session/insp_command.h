/* A command of kiln-inspect: what its line of the help says, which arguments and options it takes,
 * and the function that does the work. */
#ifndef INSP_COMMAND_H
#define INSP_COMMAND_H

#include "insp_exit.h"
#include "insp_file.h"
#include "insp_run.h"

struct insp_command {
    const char *name;
    const char *arguments; /* as the help writes them */
    const char *help;
    int least, most; /* arguments; most < 0: any number */
    /* Names with a blank behind each: the formats of which --format chooses one, the first if it is
     * not given, and the options that this command takes and others do not. NULL: none. */
    const char *formats;
    const char *options;
    /* One of the two is set. `show` gets the file that the first argument names. Both return an
     * exit code. */
    int (*show)(insp_run *run, const insp_file *file);
    int (*run)(insp_run *run);
};

#endif
