/* The `export` command: the values of files for other programs. */
#include "insp_commands.h"
#include "insp_export_lines.h"
#include "insp_export_sqlite.h"
#include "insp_message.h"

static int export_files(insp_run *run)
{
    insp_options *options = &run->options;
    int i;
    if (!options->to) {
        insp_complain(run, NULL,
                      "export needs --to sqlite, csv or ndjson; see kiln-inspect --help");
        return INSP_TROUBLE;
    }
    if (options->force && strcmp(options->to, "sqlite") != 0) {
        insp_complain(run, NULL, "--force requires --to sqlite; see kiln-inspect --help");
        return INSP_TROUBLE;
    }
    if (options->argument_count - 2 > INSP_LIST_MAX) {
        insp_complain(run, NULL, "export takes at most %d files", INSP_LIST_MAX + 1);
        return INSP_TROUBLE;
    }
    run->command_data = options->arguments[0];
    options->arguments++;
    options->argument_count--;
    for (i = 1; i < options->argument_count; i++)
        options->mounts[i - 1] = options->arguments[i];
    options->mount_count = (uint32_t)options->argument_count - 1;
    return insp_with_mounts(run, strcmp(options->to, "sqlite") == 0 ? insp_export_sqlite
                                                                    : insp_export_lines);
}

const insp_command insp_export_command = {
    .name = "export",
    .arguments = "--to WORD DB|TYPE FILE...",
    .help = "write an SQLite database, CSV or NDJSON",
    .min_arguments = 2,
    .max_arguments = -1,
    .options = "--to --force ",
    .run = export_files,
};
