/* Kills or stops kiln-bake at each of its calls that touch files, or makes that call fail, and
 * checks the files. Every output must have its complete old or new content. A kill may leave at
 * most one temporary file, between the link that names it and the rename, and the next bake removes
 * it. On a file system without unnamed files, a kill may leave more. A bake must not remove
 * temporary files of another bake that is stopped.
 *
 * Arguments: the program and the cut_shim library. */
#define _XOPEN_SOURCE 700

#include "disk_model.h"
#include "power_run.h"
#include "scratch_folder.h"
#include "test_share.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { OUTPUTS_MAX = 6, SKIPPED = 77 };

static char *program;
static char *shim;
static const char *scratch;

typedef enum before { NOTHING, OTHER, SAME } before;

typedef struct scenario {
    const char *what;
    const char *arguments;
    bool durable;
    bool is_stream; /* the output is standard output, which cannot be undone */
    struct {
        const char *path; /* NULL ends the list */
        before before;
    } outputs[OUTPUTS_MAX];
} scenario;

static const scenario scenarios[] = {
    {"a new file and its depfile",
     "-s in/s.yaml -o out/big.kiln -MD -MF out/big.d in/big.yaml",
     false,
     false,
     {{"out/big.kiln", NOTHING}, {"out/big.d", NOTHING}}},
    {"a durable file and its depfile over older ones",
     "--durable -s in/s.yaml -o out/big.kiln -MD -MF out/big.d -MP in/big.yaml",
     true,
     false,
     {{"out/big.kiln", OTHER}, {"out/big.d", OTHER}}},
    {"a file for each input, some new",
     "--durable -s in/s.yaml --each out -MD -MF out/all.d in/a.yaml in/b.yaml in/c.yaml",
     true,
     false,
     {{"out/a.kiln", OTHER}, {"out/b.kiln", NOTHING}, {"out/c.kiln", OTHER}, {"out/all.d", OTHER}}},
    {"only what changes",
     "--durable --if-changed -s in/s.yaml --each out in/a.yaml in/big.yaml in/c.yaml",
     true,
     false,
     {{"out/a.kiln", OTHER}, {"out/big.kiln", SAME}, {"out/c.kiln", NOTHING}}},
    {"a file with a source map and its depfile",
     "-s in/s.yaml -o out/big.kiln --source-map far/big.map -MD -MF out/big.d in/big.yaml",
     false,
     false,
     {{"out/big.kiln", OTHER}, {"far/big.map", OTHER}, {"out/big.d", NOTHING}}},
    {"a C header and its depfile",
     "header --durable -s in/s.yaml -o s.h -MD",
     true,
     false,
     {{"s.h", OTHER}, {"s.d", NOTHING}}},
    {"a file through a link into another folder",
     "--durable -s in/s.yaml -o out/link in/a.yaml",
     true,
     false,
     {{"far/target.kiln", OTHER}}},
    {"standard output", "-s in/s.yaml -o - in/a.yaml", false, true, {{"out/stream", NOTHING}}},
};

/* One scenario while it is tried. */
typedef struct trial {
    const scenario *s;
    size_t count;
    bytes old[OUTPUTS_MAX];
    bytes new[OUTPUTS_MAX];
    char cut[32];
    bool only_named;
} trial;

typedef struct way {
    const char *how;
    const char *calls; /* the calls at which it is tried */
    int signal;
    int error;
    bool is_harmless; /* the program continues and succeeds */
    bool stops;       /* and another bake runs while the program is stopped */
} way;

#define CHANGES                                                                                    \
    " open write close fsync rename unlink ftruncate mkdir link symlink flock fchmod fchown "
#define ANY_CALL " read" CHANGES
#define NEEDS_ROOM " open write close fsync rename ftruncate mkdir link symlink "

static const way ways[] = {
    {"kill", CHANGES, SIGKILL, 0, false, false},
    {"killed", CHANGES, SIGKILL, 0, false, false},
    {"half", " write ", SIGKILL, 0, false, false},
    {"term", ANY_CALL, SIGTERM, 0, false, false},
    {"termed", ANY_CALL, SIGTERM, 0, false, false},
    {"eio", ANY_CALL, 0, EIO, false, false},
    {"enospc", NEEDS_ROOM, 0, ENOSPC, false, false},
    {"full", NEEDS_ROOM, 0, ENOSPC, false, false},
    {"short", " read write ", 0, 0, true, false},
    {"eintr", " open read write close fsync flock ", 0, 0, true, false},
    {"stop", CHANGES, 0, 0, true, true},
    {"stopped", CHANGES, 0, 0, true, true},
    /* Only where a temporary file gets its name. */
    {"stops", " open ", 0, 0, true, true},
};

static void fail_trial(const trial *t, const power_run *run, const char *what)
{
    fail_msg("%s, KILN_CUT='%s': %s\nexit %d, signal %d\n%s%s", t->s->what, t->cut, what, run->code,
             run->signal, run->said.data ? run->said.data : "",
             run->record.data ? run->record.data : "");
}

static void check(const trial *t, const power_run *run, bool holds, const char *what)
{
    if (!holds)
        fail_trial(t, run, what);
}

static void put_back(const trial *t)
{
    for (size_t i = 0; i < t->count; i++)
        bytes_to_file(t->s->outputs[i].path, t->old[i]);
}

static void bake_meanwhile(void *ctx);

static power_run start(const trial *t, bool with_shim)
{
    power_run_def def = {
        .program = program,
        .shim = with_shim ? shim : NULL,
        .arguments = t->s->arguments,
        .cut = with_shim && t->cut[0] ? t->cut : NULL,
        .output = t->s->is_stream ? t->s->outputs[0].path : NULL,
        .only_named = t->only_named,
        .when_stopped = bake_meanwhile,
        .ctx = &t,
    };
    return power_run_start(&def);
}

/* Counts the files in an output folder that are not outputs, and optionally removes them. */
static size_t count_in(const trial *t, const char *folder, bool removes)
{
    size_t strays = 0;
    DIR *listed = opendir(folder);
    const struct dirent *entry;
    assert_non_null(listed);
    while ((entry = readdir(listed)) != NULL) {
        char path[512];
        struct stat status;
        bool known = false;
        snprintf(path, sizeof path, "%s%s%s", strcmp(folder, ".") ? folder : "",
                 strcmp(folder, ".") ? "/" : "", entry->d_name);
        for (size_t i = 0; i < t->count; i++)
            known = known || strcmp(path, t->s->outputs[i].path) == 0;
        if (known || strcmp(path, "said") == 0 || strcmp(path, "plain_said") == 0 ||
            strcmp(path, "calls") == 0 || lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        if (removes)
            unlink(path);
        strays++;
    }
    closedir(listed);
    return strays;
}

static size_t count_strays(const trial *t, bool removes)
{
    return count_in(t, "out", removes) + count_in(t, "far", removes) + count_in(t, ".", removes);
}

/* The next bake removes the leftovers of a killed one. */
static void check_next(const trial *t, const power_run *killed)
{
    power_run next = start(t, false);
    check(t, killed, next.code == 0, "the next bake fails");
    power_run_fini(&next);
    size_t strays = count_strays(t, true);
    check(t, killed, strays == 0, "the next bake does not remove the leftovers of the killed one");
}

/* Whether a power cut can no longer change the output. An unchanged output (SAME) may be the old
 * file, or a new one if it could not be compared with the old one. */
static bool is_settled(unsigned possible, before was)
{
    return possible == DISK_NEW || (was == SAME && possible == DISK_OLD);
}

/* Follows the record and checks the state that a power failure after each call would leave. */
static void check_disk(const trial *t, const power_run *run)
{
    disk *d = disk_create(scratch);
    assert_non_null(d);
    for (size_t i = 0; i < t->count; i++)
        if (t->s->outputs[i].before == SAME)
            disk_add_unsynced(d, t->s->outputs[i].path);
        else if (t->old[i].data)
            disk_add_old(d, t->s->outputs[i].path);
    for (char *line = run->record.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        bool known = disk_apply(d, line);
        for (size_t i = 0; i < t->count; i++) {
            if (t->s->outputs[i].before == SAME)
                continue;
            unsigned allowed = (t->old[i].data ? DISK_OLD : DISK_ABSENT) | DISK_NEW;
            bool holds = known && (disk_possible(d, t->s->outputs[i].path) & ~allowed) == 0;
            if (!holds)
                fail_msg("%s, KILN_CUT='%s': %s `%s`%s%s", t->s->what, t->cut,
                         known ? "after a power cut after" : "unknown call in the record:", line,
                         known ? " this output is incomplete: " : "",
                         known ? t->s->outputs[i].path : "");
        }
        *end = '\n';
    }
    for (size_t i = 0; i < t->count && run->code == 0; i++)
        check(t, run, is_settled(disk_possible(d, t->s->outputs[i].path), t->s->outputs[i].before),
              "success, but a power cut would undo it");
    disk_destroy(d);
}

/* Counts the outputs with their new content. Each must have its old or new content. */
static size_t count_new(const trial *t, const power_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        bytes now = bytes_of_file(t->s->outputs[i].path);
        bool is_new = bytes_equal(now, t->new[i]);
        bool is_old = bytes_equal(now, t->old[i]);
        bytes_fini(&now);
        if (!is_new && !is_old && !t->s->is_stream)
            fail_trial(t, run, t->s->outputs[i].path);
        count += is_new;
    }
    return count;
}

/* The maximum number of temporary files that may remain if the run ends at the call in `line`. */
static size_t strays_allowed(const trial *t, const char *line, const char *end, const way *w)
{
    const char *temporary = strstr(line, ".kiln-bake.");
    bool is_removal = strncmp(line, "unlink", 6) == 0;
    if (t->only_named && w->signal == SIGKILL)
        return OUTPUTS_MAX + 2;
    if (!temporary || temporary > end)
        return 0;
    if (w->signal == SIGKILL)
        return strncmp(line, "link", 4) == 0     ? strcmp(w->how, "killed") == 0
               : strncmp(line, "rename", 6) == 0 ? strcmp(w->how, "kill") == 0
                                                 : 0;
    return is_removal && w->error;
}

static void try_way(trial *t, const way *w, size_t number, bool matters, size_t strays_max)
{
    snprintf(t->cut, sizeof t->cut, "%zu %s", number, w->how);
    put_back(t);
    power_run run = start(t, true);
    check(t, &run, run.record.data != NULL, "no record");
    check(t, &run, run.signal == w->signal, "did not end as expected");
    size_t new_count = count_new(t, &run);
    size_t strays = count_strays(t, strays_max == 0);
    if (strays > strays_max)
        fail_trial(t, &run, "leaves temporary files");
    if (strays > 0)
        check_next(t, &run);
    if (run.code == 0)
        check(t, &run, new_count == t->count, "success, but outputs are missing");
    if (w->error && matters)
        check(t, &run, run.code != 0, "success despite a failed write");
    if (w->is_harmless)
        check(t, &run, run.code == 0, "did not continue");
    if (w->error && run.code != 0) {
        check(t, &run, run.code == 2, "the exit status is not 2");
        check(t, &run, strstr(run.said.data, strerror(w->error)) != NULL,
              "does not name the reason");
    }
    if (t->s->durable && !w->stops)
        check_disk(t, &run);
    power_run_fini(&run);
}

static void prepare(trial *t, const scenario *s, bool only_named)
{
    static char text[] = "This is no output of kiln-bake.";
    const bytes other = {text, sizeof text - 1};
    memset(t, 0, sizeof *t);
    t->s = s;
    t->only_named = only_named;
    for (; t->count < OUTPUTS_MAX && s->outputs[t->count].path; t->count++)
        if (s->outputs[t->count].before == OTHER)
            bytes_to_file(s->outputs[t->count].path, other);
    power_run run = start(t, false);
    check(t, &run, run.code == 0, "fails undisturbed");
    for (size_t i = 0; i < t->count; i++) {
        t->new[i] = bytes_of_file(s->outputs[i].path);
        check(t, &run, t->new[i].data && !bytes_equal(t->new[i], other), s->outputs[i].path);
        if (s->outputs[i].before == OTHER)
            bytes_to_file(s->outputs[i].path, other);
        if (s->outputs[i].before != NOTHING)
            t->old[i] = bytes_of_file(s->outputs[i].path);
    }
    check(t, &run, count_strays(t, true) == 0, "leaves temporary files without a failure");
    power_run_fini(&run);
}

/* Whether the failure of a call makes the result of a write uncertain. `writes` records for each
 * descriptor whether anything was written to it. */
static bool loses_data(const char *line, const char *call, bool writes[16])
{
    int result, file;
    if (sscanf(line, "open %d", &file) == 1 && file >= 0 && file < 16)
        writes[file] = false;
    if (sscanf(line, "write %d %d", &result, &file) == 2 && file >= 0 && file < 16)
        writes[file] = true;
    if (sscanf(line, "close %d %d", &result, &file) == 2)
        return file >= 0 && file < 16 && writes[file];
    return strstr(" write fsync rename link ", call) != NULL;
}

static void try_scenario(const scenario *s, bool only_named)
{
    trial t;
    size_t number = 0, named = 0, changed = 0;
    bool writes[16] = {false};
    prepare(&t, s, only_named);
    put_back(&t);
    power_run plain = start(&t, true);
    check(&t, &plain, plain.code == 0, "fails undisturbed");
    check(&t, &plain, plain.record.data && count_new(&t, &plain) == t.count, "not recorded");
    if (s->durable)
        check_disk(&t, &plain);
    for (char *line = plain.record.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        char call[24];
        snprintf(call, sizeof call, " %.*s ", (int)strcspn(line, " "), line);
        bool matters = loses_data(line, call, writes);
        number++;
        const char *temporary = strstr(line, ".kiln-bake.");
        bool is_temporary = temporary && temporary < end;
        named += strcmp(call, " rename ") == 0 || (strcmp(call, " link ") == 0 && !is_temporary);
        for (size_t i = 0; test_share_has(number) && i < sizeof ways / sizeof *ways; i++) {
            size_t most = strays_allowed(&t, line, end, &ways[i]);
            bool is_wanted = strcmp(ways[i].how, "stops") != 0 || (only_named && is_temporary);
            if (strstr(ways[i].calls, call) && is_wanted)
                try_way(&t, &ways[i], number, matters, most);
        }
    }
    for (size_t i = 0; i < t.count; i++) {
        changed += !s->is_stream && s->outputs[i].before != SAME;
        bytes_fini(&t.old[i]);
        bytes_fini(&t.new[i]);
        unlink(s->outputs[i].path);
    }
    check(&t, &plain, named == changed, "names are missing from the record");
    power_run_fini(&plain);
}

/* The stopped bake keeps the outputs that it has begun, and the other bake writes all of its
 * outputs. */
static void bake_meanwhile(void *ctx)
{
    const trial *t = *(const trial *const *)ctx;
    power_run_def def = {.program = program, .arguments = t->s->arguments};
    power_run run = power_run_start(&def);
    check(t, &run, run.code == 0, "fails while another bake is stopped");
    check(t, &run, t->s->is_stream || count_new(t, &run) == t->count,
          "does not write its output while another bake is stopped");
    power_run_fini(&run);
}

static void a_cut_leaves_old_or_new_content(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        try_scenario(&scenarios[i], false);
}

static void a_cut_without_unnamed_files_leaves_old_or_new_content(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        try_scenario(&scenarios[i], true);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Larger than the baker's buffers, so that one output takes several writes. */
static void write_big_input(void)
{
    FILE *file = fopen("in/big.yaml", "wb");
    assert_non_null(file);
    fputs("Note:\n  big:\n    text: ", file);
    for (int i = 0; i < 70000; i++)
        fputc('a' + i % 23, file);
    fputs("\n    numbers: [1, 2, 3]\n", file);
    assert_int_equal(fclose(file), 0);
}

static int enter(void **state)
{
    (void)state;
    scratch = scratch_folder_enter("kiln-power", SCRATCH_MEMORY);
    if (!scratch)
        return -1;
    assert_int_equal(mkdir("in", 0777), 0);
    assert_int_equal(mkdir("out", 0777), 0);
    assert_int_equal(mkdir("far", 0777), 0);
    write_text("in/s.yaml", "kiln: 1\ntypes:\n  Note:\n"
                            "    struct: {text: string, numbers: \"u32[]\"}\n    asset: true\n");
    write_text("in/a.yaml", "Note: {a: {text: first, numbers: [1]}}\n");
    write_text("in/b.yaml", "Note: {b: {text: second, numbers: [2]}}\n");
    write_text("in/c.yaml", "Note: {c: {text: third, numbers: [3]}}\n");
    write_big_input();
    return symlink("../far/target.kiln", "out/link");
}

static int leave(void **state)
{
    (void)state;
    return scratch_folder_leave() ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_cut_leaves_old_or_new_content, enter, leave),
        cmocka_unit_test_setup_teardown(a_cut_without_unnamed_files_leaves_old_or_new_content,
                                        enter, leave),
    };
    if (argc != 3)
        return 1;
    program = realpath(argv[1], NULL);
    shim = realpath(argv[2], NULL);
    if (!program || !shim)
        return 1;
    if (power_run_is_static(program)) {
        puts("1..0 # SKIP the program is linked statically, so the shim cannot be preloaded");
        return SKIPPED;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(program);
    free(shim);
    return failed;
}
