/* Parses the arguments and chooses what to run. */
#include "bake_main.h"

#include "bake_options.h"
#include "cache_command.h"
#include "init_command.h"
#include "jobserver.h"
#include "project_command.h"
#include "prove_command.h"
#include "single_run.h"
#include "watch_command.h"

#include <errno.h>
#include <kiln/version.h>
#include <string.h>

static void print_failure(const bake_failure *failure, FILE *err)
{
    if (failure->text[0])
        fprintf(err, "kiln-bake: %s\n", failure->text);
}

/* The caller must set errno to 0 before it prints the output. */
static int finish_output(FILE *out, FILE *err)
{
    if (fflush(out) == 0 && !ferror(out))
        return BAKE_OK;
    fprintf(err, "kiln-bake: cannot write standard output: %s\n", strerror(errno ? errno : EIO));
    return BAKE_FAILED;
}

/* GNU make prints the same if it cannot use the jobserver. */
static void warn_of_jobserver(const bake_options *options, FILE *err)
{
    bool has_threads = options->command == BAKE_COMMAND_BUILD ||
                       options->command == BAKE_COMMAND_CHECK ||
                       options->command == BAKE_COMMAND_SCHEMA;
    bool is_text = options->format == BAKE_FORMAT_TEXT || options->diagnostics_file;
    if (has_threads && is_text && options->jobs == 0 && !options->quiet &&
        bake_jobserver_state() == BAKE_JOBSERVER_UNAVAILABLE)
        fputs("kiln-bake: warning: jobserver unavailable: using one thread; add '+' to the make "
              "rule, or use -j\n",
              err);
}

static int choose(const bake_options *options, FILE *out, FILE *err)
{
    /* C does not require printf to set errno, so clear it in order not to report an old value. */
    errno = 0;
    if (options->help || options->command == BAKE_COMMAND_HELP) {
        bake_options_help(out);
        return finish_output(out, err);
    }
    if (options->version) {
        fprintf(out, "kiln-bake %s, file format %s\n", kiln_version(), kiln_format_version());
        return finish_output(out, err);
    }
    if (options->command == BAKE_COMMAND_INIT)
        return (int)bake_init_run(options, err);
    if (options->command == BAKE_COMMAND_CACHE) {
        int code = bake_cache_command(options, out, err);
        return finish_output(out, err) ? BAKE_FAILED : code;
    }
    warn_of_jobserver(options, err);
    if (options->command == BAKE_COMMAND_WATCH)
        return (int)bake_watch_run(options, out, err);
    bool is_project;
    int code = bake_project_command(options, out, err, &is_project);
    if (!is_project && options->proves)
        code = (int)bake_prove_single(options, out, err);
    else if (!is_project)
        return (int)bake_single_run(options, err);
    return finish_output(out, err) ? BAKE_FAILED : code;
}

/* Runs `prove`, or one of its children. */
static int choose_proof(bake_options *options, bake_store *store, FILE *out, FILE *err)
{
    options->proves = !options->prove_into;
    options->command = BAKE_COMMAND_BUILD;
    if (options->proves)
        return choose(options, out, err);
    FILE *messages = bake_prove_child(options, store);
    if (!messages) {
        fprintf(err, "kiln-bake: cannot write messages: %s\n", strerror(errno));
        return BAKE_FAILED;
    }
    int code = choose(options, out, messages);
    bool is_bad = ferror(messages) != 0;
    if (fclose(messages) == 0 && !is_bad)
        return code;
    fprintf(err, "kiln-bake: cannot write messages: %s\n", strerror(errno ? errno : EIO));
    return BAKE_FAILED;
}

int bake_main(int argc, char **argv, FILE *out, FILE *err)
{
    bake_store store;
    bake_failure failure;
    bake_options options;
    memset(&store, 0, sizeof store);
    memset(&failure, 0, sizeof failure);
    size_t count = argc > 0 ? (size_t)argc - 1 : 0;
    const char *const *arguments = (const char *const *)argv + 1;
    int code;
    if (bake_options_expand(&store, &count, &arguments, &failure) ||
        bake_options_parse(&options, &store, count, arguments, &failure)) {
        print_failure(&failure, err);
        code = (int)failure.result;
    } else if (count == 0 && !bake_project_is_here(&options)) {
        bake_options_help(err);
        code = BAKE_FAILED;
    } else if (options.command == BAKE_COMMAND_PROVE && !options.help && !options.version) {
        options.program = argv[0];
        options.arguments = arguments;
        options.argument_count = count;
        code = choose_proof(&options, &store, out, err);
    } else {
        code = choose(&options, out, err);
    }
    bake_store_fini(&store);
    return code;
}
