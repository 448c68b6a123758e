/* Runs the program: parses options, runs the command and finishes the output.
 *
 * Commands write output without checking for errors; insp_out records the first one, and it is
 * handled here at the end. SIGPIPE and SIGXFSZ are ignored, so that a closed pipe or the file size
 * limit is an ordinary write error. */
#define _POSIX_C_SOURCE 200809L
#include "insp_main.h"

#include "insp_commands.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_options.h"
#include "insp_read.h"

#include <errno.h>
#include <kiln/version.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int print_help(insp_run *run)
{
    int i;
    insp_put(
        &run->out,
        "kiln-inspect - show the contents of Kiln files; FILE can be - for standard input\n\n");
    for (i = 0; i < insp_command_count; i++) {
        insp_putf(&run->out, "  kiln-inspect %s %s", insp_commands[i]->name,
                  insp_commands[i]->arguments);
        insp_put_to_column(&run->out, 47);
        insp_putf(&run->out, "%s\n", insp_commands[i]->help);
    }
    insp_put(
        &run->out,
        "\n"
        "  -f, --format NAME    dump and get: tree (default), yaml, json; other commands: text\n"
        "                       (default), json; clusters, refs, rdeps, why, orphans, cycles: "
        "also\n"
        "                       dot; find: also paths, offsets\n"
        "  --sort COLUMN        ls: by name, type, size, stored or references\n"
        "  --type TYPE, --min-size SIZE, --max-size SIZE\n"
        "                       ls: only assets of this type, or with sizes in this range\n"
        "  --data               type: also the values of fields, and smaller types for them\n"
        "  --decompress         hex: show the blob of ASSET, or of the member with the byte @AT,\n"
        "                       after decompression\n"
        "  --flat               dump: one path and value per line\n"
        "  --by LIST            du: only part, type, field, scene or asset\n"
        "  --top N              ls, du, stats: the N largest rows of each list (du, stats: 10)\n"
        "  --compare FILE       du: what changed since this earlier file\n"
        "  -a, --all            do not shorten trees and lists\n"
        "  --chunks             scene: also list the chunks\n"
        "  --match WORD         find: value (default), text, regex, ref, type\n"
        "  -0, --null           find: end lines with NUL\n"
        "  --mount FILE         get, refs, rdeps, why, orphans, cycles, find: also use the assets\n"
        "                       of this file; later files override\n"
        "  --root PATTERN       orphans: list assets that these assets do not reach\n"
        "  --stat, --bytes      diff: count changes per asset; also show changes of sizes\n"
        "  --tolerance NUMBER   diff: floats that differ by at most this, or this part, are equal\n"
        "  --ignore PATTERN     diff: leave out the values with such paths; can be repeated\n"
        "  --git                diff: the arguments are those of an external diff of git\n"
        "  --to WORD            export: sqlite (all values, to a new file DB), csv or ndjson (the\n"
        "                       values of a TYPE, to standard output)\n"
        "  --force              export: replace an existing DB\n"
        "  --source-map FILE    where: the map that kiln-bake wrote (default: FILE.map)\n"
        "  -C DIR               where: the folder for relative names of sources\n"
        "  --color WHEN         auto (default: on a terminal, unless NO_COLOR is set or TERM "
        "is dumb),\n"
        "                       always, never\n"
        "  --copy               read each file at once, even while other programs write to it\n"
        "  --max-errors N       verify: print N errors of each file (default: 1000); 0: all\n"
        "  -j, --jobs N         verify: use N threads, 1 to 64 (default: one for each processor)\n"
        "  --max-input SIZE     largest input from a pipe, such as 4G (default: 1G)\n"
        "  --max-bytes SIZE     largest output, such as 4M; 0: no limit (default: 256 for each "
        "byte\n"
        "                       of the file, plus 1M)\n"
        "  --help, --version\n\n"
        "Exit code: 0 success; 1 broken data, something not found, or truncated output; 2 usage "
        "error,\nI/O error or out of memory; 3 bug in kiln-inspect. diff: 1 differences; 2 also "
        "broken data.\n");
    return INSP_OK;
}

static int print_version(insp_run *run)
{
    insp_putf(&run->out, "kiln-inspect %s, file format %s\n", kiln_version(),
              kiln_format_version());
    return INSP_OK;
}

/* Whether to use colours with `--color auto`. */
static bool wants_color(const insp_out *out)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return out->terminal && !(no_color && *no_color) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

static int run_command(insp_run *run)
{
    const insp_command *command = run->options.command;
    bool wanted = wants_color(&run->out);
    /* Values are read in place, so the host must be little-endian like the format. */
    if (kiln_host_check() != KILN_OK) {
        insp_complain(run, NULL, "%s", kiln_status_text(kiln_host_check()));
        return INSP_TROUBLE;
    }
    if (run->options.color != INSP_COLOR_AUTO)
        wanted = run->options.color == INSP_COLOR_ALWAYS;
    run->out.color = wanted;
    if (run->options.help)
        return print_help(run);
    if (run->options.version)
        return print_version(run);
    return command->show ? insp_with_file(run, run->options.arguments[0], command->show)
                         : command->run(run);
}

int insp_main(int argc, char **argv, FILE *out, FILE *err)
{
    insp_run run;
    int result;
    run.options = (insp_options){
        .max_input = INSP_INPUT_MAX, .max_errors = INSP_ERRORS_MAX, .max_size = UINT64_MAX};
    signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
    /* Do not buffer on a terminal: the first line must appear at once, and messages must appear
     * between the results. */
    insp_out_init(&run.out, out, false);
    run.out.eager = run.out.terminal;
    insp_out_init(&run.err, err, false);
    run.path = NULL;
    run.mounts = NULL;
    run.command_data = NULL;
    result = insp_options_parse(&run, argc, argv);
    if (!result) {
        run.out.limit = run.options.max_bytes ? run.options.max_bytes : UINT64_MAX;
        if (!run.options.has_max_bytes)
            run.out.limit = INSP_BYTES_MIN;
        result = run_command(&run);
    }
    insp_out_finish(&run.out);
    if (run.out.error == INSP_CUT) {
        int cut = insp_complain_cut(&run);
        /* git shows nothing more after an external diff that fails. */
        result = insp_worse(result, run.options.git ? INSP_OK : cut);
    } else if (run.out.error) {
        /* A reader such as head closes the pipe on purpose, so print no message. The exit code
         * still shows that the output is incomplete. */
        if (run.out.error != EPIPE)
            insp_complain(&run, NULL, "cannot write the output: %s", strerror(run.out.error));
        result = INSP_TROUBLE;
    }
    insp_out_finish(&run.err);
    return result;
}
