/* Makes each system call of kiln-bake, kiln-inspect and the samples fail once with each error that
 * its manual page lists. Checks the exit of the program and the files that it leaves.
 *
 * test_faults [--all | --every N] [--run NAME] ERRNOS SAMPLES BUILT_SAMPLES SHIM PROGRAM... */
#define _XOPEN_SOURCE 700

#include "fault_errnos.h"
#include "fault_judge.h"
#include "scratch_folder.h"
#include "test_share.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORDS_MAX = 40, SKIPPED = 77, SHOWN_MAX = 10000, EVERY = 13 };

#define PRINTED "printed"
#define SAID "said"

static struct {
    char *errnos, *samples, *built, *shim;
    char **programs;
    int program_count;
    const char *only; /* name of a run; NULL for all */
    size_t every;     /* tries one case out of this many */
} settings = {.every = EVERY};

static const char *scratch;
static size_t tried_count, wrong_count, call_count, case_count;

static char *program_named(const char *name)
{
    for (int i = 0; i < settings.program_count; i++) {
        const char *slash = strrchr(settings.programs[i], '/');
        if (strcmp(slash ? slash + 1 : settings.programs[i], name) == 0)
            return settings.programs[i];
    }
    fail_msg("no program %s", name);
    return NULL;
}

/* Replaces %S and %B with the folders. */
static char *expand(const char *arguments)
{
    size_t room = strlen(arguments) + 8 * (strlen(settings.samples) + strlen(settings.built));
    char *text = malloc(room + 1), *to = text;
    assert_non_null(text);
    for (const char *from = arguments; *from; from++) {
        const char *folder = *from != '%'     ? NULL
                             : from[1] == 'S' ? settings.samples
                                              : settings.built;
        if (folder) {
            to = stpcpy(to, folder);
            from++;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return text;
}

static fault_result start(const char *program, const char *arguments, const char *input,
                          const fault_way *way)
{
    char preload[600];
    char *text = expand(arguments), *words[WORDS_MAX + 2] = {program_named(program)};
    char locale[] = "LC_ALL=C";
    char *environment[] = {locale, preload, NULL};
    size_t count = 1;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", settings.shim);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        assert_true(count <= WORDS_MAX);
        words[count++] = word;
    }
    fault_trace_def def = {.words = words,
                           .environment = environment,
                           .folder = scratch,
                           .input = input ? input : "/dev/null",
                           .output = PRINTED,
                           .said = SAID};
    if (way)
        def.way = *way;
    else
        def.records = true;
    fault_result result;
    memset(&result, 0, sizeof result);
    result.trace = fault_trace_start(&def);
    result.printed = bytes_of_file(PRINTED);
    result.said = bytes_of_file(SAID);
    free(text);
    return result;
}

static bool is_output(const fault_run *run, const char *name)
{
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++)
        if (strcmp(run->outputs[i].path + strlen("out/"), name) == 0)
            return true;
    return false;
}

/* Removes files that are not outputs, and records the name of one. */
static void sweep(const fault_run *run, char *ret_stray, size_t size)
{
    DIR *folder = opendir("out");
    const struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char path[300];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            is_output(run, entry->d_name))
            continue;
        snprintf(ret_stray, size, "%s", entry->d_name);
        snprintf(path, sizeof path, "out/%s", entry->d_name);
        remove(path);
    }
    closedir(folder);
}

#define ATTRIBUTE "user.kiln"

/* Existing outputs get a mode and an attribute that new files do not have. */
static void put_outputs(const fault_run *run, const bytes *before)
{
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++) {
        unlink(run->outputs[i].path);
        bytes_to_file(run->outputs[i].path, before[i]);
        if (before[i].data &&
            (chmod(run->outputs[i].path, 0640) != 0 ||
             (setxattr(run->outputs[i].path, ATTRIBUTE, "kept", 4, 0) != 0 && errno != ENOTSUP)))
            fail_msg("%s: %s", run->outputs[i].path, strerror(errno));
    }
}

static void read_attributes(const fault_run *run, fault_result *result)
{
    struct stat status;
    char *to = result->attributes, value[8];
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++) {
        if (stat(run->outputs[i].path, &status) != 0)
            continue;
        bool has = getxattr(run->outputs[i].path, ATTRIBUTE, value, sizeof value) == 4;
        to += sprintf(to, "%o%s ", (unsigned)status.st_mode & 07777, has ? " kept" : "");
    }
}

static fault_result start_run(const fault_run *run, const bytes *before, const fault_way *way)
{
    put_outputs(run, before);
    fault_result result = start(run->program, run->arguments, run->input, way);
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++)
        result.outputs[i] = bytes_of_file(run->outputs[i].path);
    read_attributes(run, &result);
    sweep(run, result.stray, sizeof result.stray);
    return result;
}

/* Whether a file with unexpected content is complete: a kiln file, or a file with the expected
 * end. */
static bool is_whole(const char *path, bytes content)
{
    char arguments[300];
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 5, ".kiln") != 0)
        return content.size > 2 && content.data[content.size - 1] == '\n';
    snprintf(arguments, sizeof arguments, "verify %s", path);
    fault_result verified = start("kiln-inspect", arguments, NULL, NULL);
    bool is_good = verified.trace.code == 0;
    fault_result_fini(&verified);
    return is_good;
}

static void look_at_outputs(const fault_run *run, fault_result *result, const fault_result *plain)
{
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++)
        if (result->trace.code == 0 || run->is_telling)
            result->is_broken =
                result->is_broken || (!bytes_equal(result->outputs[i], plain->outputs[i]) &&
                                      !is_whole(run->outputs[i].path, result->outputs[i]));
}

static void show(const fault_run *run, const fault_way *way, const fault_result *result,
                 const char *wrong)
{
    wrong_count++;
    if (wrong_count > SHOWN_MAX)
        return;
    const fault_trace *t = &result->trace;
    print_message("# %s: %s %u of task %u, %s%s%s: %s (exit %d, signal %d%s%s%s%s; %ld blocks)\n",
                  run->name, fault_call_name(way->call.number), way->call.ordinal, way->call.task,
                  fault_errno_name(way->error), t->file[0] ? ", " : "", t->file, wrong, t->code,
                  t->signal, t->left[0] ? ", left " : "", t->left,
                  result->stray[0] ? ", stray " : "", result->stray, t->heap_blocks);
    if (result->said.size)
        print_message("#   said: %.200s\n", result->said.data);
}

static void try_fault(const fault_run *run, const fault_way *way, const fault_result *plain,
                      const bytes *before)
{
    fault_result result = start_run(run, before, way);
    tried_count++;
    look_at_outputs(run, &result, plain);
    /* With threads or other programs, the selected call may not occur. */
    bool must_come = run->kind != FAULT_OF_LIBRARY && !run->varies;
    const char *wrong = !result.trace.is_hit && must_come
                            ? "the call was not made"
                            : fault_judge(run, way, &result, plain, before);
    if (wrong)
        show(run, way, &result, wrong);
    fault_result_fini(&result);
}

static void try_call(const fault_run *run, const fault_call *call, const fault_result *plain,
                     const bytes *before)
{
    const char *name = fault_call_name(call->number);
    const fault_ways *ways = name ? fault_errnos_of(name) : NULL;
    if (!ways)
        fail_msg("%s: call %u (%s) is not in fault_calls.c or errnos.txt", run->name, call->number,
                 name ? name : "?");
    call_count++;
    for (size_t i = 0; i < ways->count; i++) {
        fault_way what = {*call, ways->errors[i], true};
        if (fault_is_left_out(call, what.error))
            continue;
        size_t number = case_count++;
        if (number % settings.every == 0 && test_share_has(number / settings.every))
            try_fault(run, &what, plain, before);
    }
}

static void try_run(const fault_run *run)
{
    static char text[] = "This is no output.";
    const bytes other = {text, sizeof text - 1}, nothing = {NULL, 0};
    bytes before[FAULT_OUTPUTS_MAX];
    size_t tried = tried_count, wrong = wrong_count, calls = call_count;
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX; i++)
        before[i] = run->outputs[i].was_there ? other : nothing;
    fault_result plain = start_run(run, before, NULL);
    if (plain.trace.code != run->code || plain.trace.left[0] || plain.stray[0] ||
        !plain.trace.counts_heap)
        fail_msg("%s, undisturbed: exit %d, signal %d, left %s, stray %s, heap %d\n%s", run->name,
                 plain.trace.code, plain.trace.signal, plain.trace.left, plain.stray,
                 plain.trace.counts_heap, plain.said.data);
    if (run->kind != FAULT_OF_LIBRARY && plain.trace.heap_blocks)
        fail_msg("%s, undisturbed: %ld blocks left", run->name, plain.trace.heap_blocks);
    for (size_t i = 0; i < plain.trace.call_count; i++)
        try_call(run, &plain.trace.calls[i], &plain, before);
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++)
        unlink(run->outputs[i].path);
    fault_result_fini(&plain);
    print_message("# %-32s %5zu calls %6zu faults %5zu wrong\n", run->name, call_count - calls,
                  tried_count - tried, wrong_count - wrong);
}

static void make_input(const char *arguments)
{
    fault_result result = start("kiln-bake", arguments, NULL, NULL);
    if (result.trace.code != 0)
        fail_msg("kiln-bake %s: exit %d\n%s", arguments, result.trace.code, result.said.data);
    fault_result_fini(&result);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    fault_errnos_read(settings.errnos);
    make_input("-s in/s.yaml -o in/base.kiln in/a.yaml in/b.yaml");
    make_input(
        "-s in/s.yaml -o in/mapped.kiln --source-map in/mapped.kiln.map in/a.yaml in/b.yaml");
    make_input("names -s in/s.yaml -o in/all.names in/a.yaml in/b.yaml");
    make_input("-s in/s.yaml --names in/all.names -o in/1.part in/a.yaml");
    make_input("-s in/s.yaml --names in/all.names -o in/2.part in/b.yaml");
    make_input("-C %S/game/data -s %S/game/game.schema.yaml --compress 3 -o in/packed.kiln .");
    for (size_t i = 0; i < fault_run_count; i++)
        if (!settings.only || strcmp(settings.only, fault_runs[i].name) == 0)
            try_run(&fault_runs[i]);
    print_message("# all: %zu calls, %zu ways to fail, %zu tried, %zu wrong\n", call_count,
                  case_count, tried_count, wrong_count);
    if (tried_count == 0)
        fail_msg("no failure was tried%s%s", settings.only ? ": unknown run " : "",
                 settings.only ? settings.only : "");
    if (wrong_count)
        fail_msg("%zu of %zu failures broke a promise: each is printed above", wrong_count,
                 tried_count);
}

static int enter(void **state)
{
    (void)state;
    scratch = scratch_folder_enter("kiln-fault", SCRATCH_MEMORY);
    if (!scratch)
        return -1;
    fault_runs_prepare();
    return 0;
}

static int leave(void **state)
{
    (void)state;
    return scratch_folder_leave() ? 0 : -1;
}

static bool read_arguments(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--all") == 0)
            settings.every = 1;
        else if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
            settings.every = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--run") == 0 && i + 1 < argc)
            settings.only = argv[++i];
        else
            return false;
    }
    if (argc - i < 5 || settings.every == 0)
        return false;
    settings.errnos = realpath(argv[i], NULL);
    settings.samples = realpath(argv[i + 1], NULL);
    settings.built = realpath(argv[i + 2], NULL);
    settings.shim = realpath(argv[i + 3], NULL);
    settings.programs = argv + i + 4;
    settings.program_count = argc - i - 4;
    for (int program = 0; program < settings.program_count; program++)
        if (!(settings.programs[program] = realpath(settings.programs[program], NULL)))
            return false;
    return settings.errnos && settings.samples && settings.built && settings.shim;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_call_may_fail, enter, leave),
    };
    if (!read_arguments(argc, argv))
        return 2;
    if (!fault_trace_is_possible()) {
        puts("1..0 # SKIP the system does not allow ptrace");
        return SKIPPED;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(settings.errnos);
    free(settings.samples);
    free(settings.built);
    free(settings.shim);
    for (int i = 0; i < settings.program_count; i++)
        free(settings.programs[i]);
    return failed;
}
