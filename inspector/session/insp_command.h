/* A command of kiln-inspect: its help, its arguments and options, and its function. */
#ifndef INSP_COMMAND_H
#define INSP_COMMAND_H

#include "insp_exit.h"
#include "insp_file.h"
#include "insp_run.h"

struct insp_command {
    const char *name;
    const char *arguments; /* as shown in the help */
    const char *help;
    int min_arguments, max_arguments; /* max_arguments < 0: no limit */
    /* Lists of names, each followed by a space; NULL: none. `formats` are the values of --format,
     * the default first. `options` are those that this command accepts in addition to the options
     * of all commands. */
    const char *formats;
    const char *options;
    /* Whether the command, with these options, uses only the functions of insp_file.h that do not
     * need insp_file_list, which is then not called for a file with a valid frame; NULL: no. */
    bool (*reads_part)(const insp_options *options);
    /* Exactly one of the two is set. `show` gets the file named by the first argument. Both return
     * an exit code. */
    int (*show)(insp_run *run, const insp_file *file);
    int (*run)(insp_run *run);
};

#endif
