#define _XOPEN_SOURCE 700

#include "bake_memory.h"
#include "gateway.h"
#include "program.h"
#include "scratch_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* The linker replaces these functions in this program. */
int __real_kill(pid_t process, int number);
int __wrap_kill(pid_t process, int number);
int __real_poll(struct pollfd *files, nfds_t count, int time);
int __wrap_poll(struct pollfd *files, nfds_t count, int time);

static unsigned group_signals, stray_signals;
static bool is_poll_late;

/* Counts signals to process groups, and those whose leader was already reaped: such a group may
 * belong to unrelated processes. */
int __wrap_kill(pid_t process, int number)
{
    siginfo_t info;
    if (process < -1) {
        group_signals++;
        stray_signals += waitid(P_PID, (id_t)-process, &info, WEXITED | WNOHANG | WNOWAIT) != 0;
    }
    return __real_kill(process, number);
}

/* If `is_poll_late`, waits until a child has exited and reports no output, as if all output had
 * arrived just after the call. */
int __wrap_poll(struct pollfd *files, nfds_t count, int time)
{
    siginfo_t info;
    if (!is_poll_late)
        return __real_poll(files, count, time);
    waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
    return 0;
}

#ifdef BAKE_PORTABLE_SPAWN
int __real_fchdir(int folder);
int __wrap_fchdir(int folder);

static int fchdirs_left = -1; /* calls that succeed before one fails; negative: all succeed */

int __wrap_fchdir(int folder)
{
    if (fchdirs_left-- != 0)
        return __real_fchdir(folder);
    errno = EACCES;
    return -1;
}
#endif

static bool run_for(const char *script, size_t output_max, unsigned time_max, bake_program_end *ret)
{
    const char *const command[] = {"/bin/sh", "-c", script, NULL};
    bake_program program = {.command = command, .output_max = output_max, .time_max = time_max};
    return bake_program_run(&program, ret);
}

static bool run(const char *script, size_t output_max, bake_program_end *ret)
{
    return run_for(script, output_max, 0, ret);
}

/* The number of open files of this process. Programs must not leave any open. */
static int open_files(void)
{
    int count = 0;
    for (int file = 0; file < 256; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

/* Whether this process has no children, neither running ones nor zombies. */
static bool is_alone(void)
{
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static void every_way_to_exit_is_reported(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        bake_program_end_kind kind;
        int code;
        const char *output, *said;
    } cases[] = {
        {"exit 0", BAKE_PROGRAM_EXITED, 0, "", NULL},
        {"printf text", BAKE_PROGRAM_EXITED, 0, "text", NULL},
        {"printf text; printf said >&2", BAKE_PROGRAM_EXITED, 0, "text", NULL},
        {"printf text; printf said >&2; exit 200", BAKE_PROGRAM_EXITED, 200, NULL, "said"},
        {"exec 1>&- 2>&-; exit 4", BAKE_PROGRAM_EXITED, 4, NULL, NULL},
        {"kill -TERM $$", BAKE_PROGRAM_KILLED, SIGTERM, NULL, NULL},
        {"printf x >&2; kill -KILL $$", BAKE_PROGRAM_KILLED, SIGKILL, NULL, "x"},
        {"cat; printf end", BAKE_PROGRAM_EXITED, 0, "end", NULL},
        {"printf 12345678", BAKE_PROGRAM_EXITED, 0, "12345678", NULL},
        {"printf 123456789", BAKE_PROGRAM_TOO_LARGE, -1, NULL, NULL},
        {"while :; do echo more; done", BAKE_PROGRAM_TOO_LARGE, -1, NULL, NULL},
        {"trap '' TERM PIPE; while :; do echo more; done", BAKE_PROGRAM_TOO_LARGE, -1, NULL, NULL},
        {"nothing-of-that-name 2>/dev/null", BAKE_PROGRAM_EXITED, 127, NULL, NULL},
    };
    int files = open_files();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bake_program_end end;
        assert_true(run(cases[i].script, 8, &end));
        assert_int_equal(end.kind, cases[i].kind);
        if (cases[i].code >= 0)
            assert_int_equal(end.code, cases[i].code);
        if (cases[i].output)
            assert_string_equal(end.output, cases[i].output);
        else
            assert_null(end.output);
        if (cases[i].said)
            assert_string_equal(end.errors, cases[i].said);
        bake_program_end_fini(&end);
        assert_true(is_alone());
        assert_int_equal(open_files(), files);
    }
}

static void a_program_that_cannot_start_is_reported_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int error;
    } cases[] = {
        {"/nothing/of/that/name", ENOENT},
        {"nothing-of-that-name", ENOENT},
        {"/dev/null", EACCES},
        {"/", EACCES},
        {"/dev/null/x", ENOTDIR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const command[] = {cases[i].name, NULL};
        bake_program program = {.command = command, .output_max = 8};
        bake_program_end end;
        assert_true(bake_program_run(&program, &end));
        assert_int_equal(end.kind, BAKE_PROGRAM_NOT_STARTED);
        assert_int_equal(end.code, cases[i].error);
        assert_null(end.output);
        assert_true(is_alone());
    }
    const char *const command[] = {"/bin/sh", NULL};
    bake_program program = {.command = command, .folder = "/nothing/of/that/name", .output_max = 8};
    bake_program_end end;
    assert_true(bake_program_run(&program, &end));
    assert_int_equal(end.kind, BAKE_PROGRAM_NOT_STARTED);
    assert_int_equal(end.code, ENOENT);
}

static void both_outputs_may_be_large(void **state)
{
    (void)state;
    bake_program_end end;
    /* More bytes than any pipe buffers, written to one stream before the other. */
    assert_true(run("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; "
                    "head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero",
                    6000000, &end));
    assert_int_equal(end.kind, BAKE_PROGRAM_EXITED);
    assert_int_equal(end.size, 6000000);
    bake_program_end_fini(&end);
    assert_true(
        run("head -c 5000 /dev/zero | tr '\\0' a >&2; printf '%4000s' >&2; exit 1", 8, &end));
    assert_int_equal(end.errors_size, 4096);
    assert_true(end.is_errors_cut);
    assert_int_equal(end.errors[95], 'a');
    assert_int_equal(end.errors[96], ' ');
    bake_program_end_fini(&end);
}

static void children_that_are_left_behind_are_not_waited_for(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "sleep 30 & printf '%s ' $!; printf end",
        "sh -c 'trap \"\" PIPE; while :; do echo noise 2>/dev/null || exit; done >&2' & "
        "printf '%s ' $!; printf end",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        bake_program_end end;
        assert_true(run(scripts[i], 100, &end));
        assert_int_equal(end.kind, BAKE_PROGRAM_EXITED);
        assert_int_equal(end.code, 0);
        assert_non_null(strstr(end.output, " end"));
        kill((pid_t)strtol(end.output, NULL, 10), SIGKILL);
        bake_program_end_fini(&end);
    }
}

static void no_signal_is_sent_to_a_group_that_was_reaped(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        size_t max;
        bake_program_end_kind kind;
    } cases[] = {
        {"printf 123456789", 8, BAKE_PROGRAM_TOO_LARGE},
        {"head -c 60000 /dev/zero", 59999, BAKE_PROGRAM_TOO_LARGE},
        {"sleep 30 & printf 123456789", 8, BAKE_PROGRAM_TOO_LARGE},
        {"printf 12345678", 8, BAKE_PROGRAM_EXITED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bake_program_end end;
        group_signals = stray_signals = 0;
        is_poll_late = true;
        bool done = run(cases[i].script, cases[i].max, &end);
        is_poll_late = false;
        assert_true(done);
        assert_int_equal(end.kind, cases[i].kind);
        assert_int_equal(group_signals > 0, cases[i].kind == BAKE_PROGRAM_TOO_LARGE);
        assert_int_equal(stray_signals, 0);
        bake_program_end_fini(&end);
        assert_true(is_alone());
    }
}

/* Waits a short time for a process that is not a child of this one. Returns whether it exited. */
static bool is_gone(pid_t process)
{
    for (int i = 0; i < 500 && kill(process, 0) == 0; i++) {
        char path[64], state = 'Z';
        snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
        FILE *file = fopen(path, "r");
        if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
            state = 'Z';
        if (file)
            fclose(file);
        if (state == 'Z')
            return true;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return kill(process, 0) != 0;
}

static void a_program_that_times_out_is_killed_with_its_children(void **state)
{
    (void)state;
    /* Each command prints the id of the process that must be killed. */
    static const char *const scripts[] = {
        "printf %s $$ >&2; exec sleep 60",
        "trap '' TERM; printf %s $$ >&2; while :; do sleep 1; done",
        "sleep 60 & printf %s $! >&2; wait",
        "(trap '' TERM; while :; do sleep 1; done) & printf %s $! >&2; wait",
        "exec 1>&-; printf %s $$ >&2; exec 2>&-; sleep 60",
        "printf %s $$ >&2; while :; do printf x; done",
    };
    int files = open_files();
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        bake_program_end end;
        assert_true(run_for(scripts[i], (size_t)1 << 30, 600, &end));
        assert_int_equal(end.kind, BAKE_PROGRAM_TIMED_OUT);
        assert_null(end.output);
        assert_non_null(end.errors);
        assert_true(is_gone((pid_t)strtol(end.errors, NULL, 10)));
        assert_true(is_alone());
        assert_int_equal(open_files(), files);
        bake_program_end_fini(&end);
    }
}

static void a_terminated_program_may_still_write_a_message(void **state)
{
    (void)state;
    bake_program_end end;
    assert_true(run_for("trap 'printf cleaned >&2; exit 0' TERM; while :; do sleep 0.02; done", 8,
                        800, &end));
    assert_int_equal(end.kind, BAKE_PROGRAM_TIMED_OUT);
    assert_non_null(strstr(end.errors, "cleaned"));
    bake_program_end_fini(&end);
    assert_true(run_for("sleep 0.1; printf done", 8, 60000, &end));
    assert_int_equal(end.kind, BAKE_PROGRAM_EXITED);
    assert_string_equal(end.output, "done");
    bake_program_end_fini(&end);
}

/* Ends the process like kiln-bake's handler, which also removes unfinished outputs. */
static void end_by_default(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* A signal that ends the caller must end the program first: the program has its own process group,
 * which does not receive the signal. */
static void signals_that_end_the_caller_end_the_program(void **state)
{
    (void)state;
    static const struct {
        int number;
        void (*handler)(int);
    } rows[] = {{SIGINT, SIG_DFL},  {SIGTERM, SIG_DFL},       {SIGHUP, SIG_DFL},
                {SIGQUIT, SIG_DFL}, {SIGINT, end_by_default}, {SIGTERM, end_by_default}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int number = rows[i].number;
        int ends[2], status;
        char said[32] = "";
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            bake_program_end end;
            char script[100];
            /* The program inherits no files except the standard streams, so it opens the pipe
             * through /proc. */
            snprintf(script, sizeof script, "printf %%s $$ >/proc/%d/fd/%d; exec sleep 60",
                     (int)getpid(), ends[1]);
            signal(number, rows[i].handler);
            run(script, 8, &end);
            _exit(0);
        }
        assert_true(read(ends[0], said, sizeof said - 1) > 0);
        assert_int_equal(kill(child, number), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
        assert_true(is_gone((pid_t)strtol(said, NULL, 10)));
        close(ends[0]);
        close(ends[1]);
    }
}

static void programs_inherit_no_files_and_no_signal_dispositions(void **state)
{
    (void)state;
    bake_program_end end;
    int leak = fcntl(STDERR_FILENO, F_DUPFD, 77);
    assert_true(leak >= 77);
    void (*pipe_before)(int) = signal(SIGPIPE, SIG_IGN);
    void (*size_before)(int) = signal(SIGXFSZ, SIG_IGN);
    char script[100];
    snprintf(script, sizeof script, "(: >&%d) 2>/dev/null && printf leak; kill -PIPE $$", leak);
    assert_true(run("yes 2>/dev/null | head -n 1", 8, &end));
    assert_string_equal(end.output, "y\n");
    bake_program_end_fini(&end);
    assert_true(run(script, 8, &end));
    assert_int_equal(end.kind, BAKE_PROGRAM_KILLED);
    assert_int_equal(end.code, SIGPIPE);
    bake_program_end_fini(&end);
    snprintf(script, sizeof script, "(: >&%d) 2>/dev/null && printf leak; exit 0", leak);
    assert_true(run(script, 8, &end));
    assert_string_equal(end.output, "");
    bake_program_end_fini(&end);
    void (*child_before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_true(run("exit 3", 8, &end));
    assert_int_equal(end.kind, BAKE_PROGRAM_EXITED);
    assert_int_equal(end.code, 3);
    bake_program_end_fini(&end);
    signal(SIGCHLD, child_before);
    signal(SIGPIPE, pipe_before);
    signal(SIGXFSZ, size_before);
    close(leak);
}

/* Runs in a child process without standard streams, so that the pipes get the file descriptors 0 to
 * 2. */
static void standard_streams_may_be_closed(void **state)
{
    (void)state;
    for (int closed = 1; closed < 8; closed++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            bake_program_end end;
            for (int file = 0; file < 3; file++)
                if (closed & 1 << file)
                    close(file);
            bool good = run("read -r x; printf good; printf bad >&2", 8, &end) && end.output &&
                        strcmp(end.output, "good") == 0;
            good = good && run("printf bad >&2; exit 1", 8, &end) && end.errors &&
                   strcmp(end.errors, "bad") == 0;
            _exit(good ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void nothing(int number)
{
    (void)number;
}

static void signals_do_not_interrupt_a_run(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = nothing}, before;
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    bake_program_end end;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    bool done = run("sleep 0.1; head -c 200000 /dev/zero; exec 1>&- 2>&-; sleep 0.1", 200000, &end);
    bake_program_end late;
    bool is_ended = run_for("exec 1>&- 2>&-; exec sleep 20", 1, 300, &late);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    sigaction(SIGALRM, &before, NULL);
    assert_true(done);
    assert_int_equal(end.kind, BAKE_PROGRAM_EXITED);
    assert_int_equal(end.size, 200000);
    bake_program_end_fini(&end);
    assert_true(is_ended);
    assert_int_equal(late.kind, BAKE_PROGRAM_TIMED_OUT);
    bake_program_end_fini(&late);
}

static void running_out_of_files_or_memory_is_reported(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int files = open_files(), refused = 0;
    bake_program_end end;
    for (int more = 0; more < 8; more++) {
        struct rlimit few = before;
        few.rlim_cur = (rlim_t)(3 + more);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        bool done = run("exit 0", 8, &end);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_true(done);
        refused += end.kind == BAKE_PROGRAM_NOT_STARTED;
        if (end.kind == BAKE_PROGRAM_NOT_STARTED)
            assert_true(end.code == EMFILE || end.code == EINVAL);
        bake_program_end_fini(&end);
        assert_int_equal(open_files(), files);
    }
    assert_true(refused > 0);
    bool failed = true;
    for (long n = 0; failed; n++) {
        assert_true(n < 100);
        bake_memory_fail_after(n);
        bool done = run("printf text; printf said >&2; exit 1", 8, &end);
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_int_equal(done, !failed);
        bake_program_end_fini(&end);
        assert_true(is_alone());
        assert_int_equal(open_files(), files);
    }
}

static const char *folder;

static const char *in_folder(char out[300], const char *name)
{
    snprintf(out, 300, "%s/%s", folder, name);
    return out;
}

static void make_folder(void)
{
    folder = scratch_folder_enter("kiln-program", SCRATCH_MEMORY);
    assert_non_null(folder);
    for (int i = 0; i < 40; i++) {
        char name[16], path[300];
        snprintf(name, sizeof name, "%d", i);
        FILE *file = fopen(in_folder(path, name), "wb");
        assert_non_null(file);
        fputs(name, file);
        assert_int_equal(fclose(file), 0);
    }
}

static void gateways_run_each_program_once_for_a_file(void **state)
{
    (void)state;
    char script[400], path[300], name[16];
    make_folder();
    snprintf(script, sizeof script, "printf x >>%s/log; cat \"$0\"", folder);
    const char *const command[] = {"sh", "-c", script, NULL}, *const other[] = {"echo", NULL};
    bake_gateway *gateway = bake_gateway_create(NULL);
    assert_non_null(gateway);
    for (int i = 0; i < 120; i++) {
        snprintf(name, sizeof name, "%d", i % 40);
        const bake_program_end *end = bake_gateway_run(
            gateway, &(bake_program_call){
                         .command = command, .folder = folder, .source = in_folder(path, name)});
        assert_non_null(end);
        assert_string_equal(end->output, name);
    }
    /* A different command for the same file is a separate run. */
    assert_string_equal(
        bake_gateway_run(gateway,
                         &(bake_program_call){.command = other, .folder = folder, .source = path})
            ->output,
        "39\n");
    const char *none = in_folder(path, "none");
    assert_null(bake_gateway_run(
        gateway, &(bake_program_call){.command = command, .folder = folder, .source = none}));
    assert_int_equal(errno, ENOENT);
    assert_null(bake_gateway_run(
        gateway, &(bake_program_call){.command = command, .folder = folder, .source = folder}));
    assert_int_equal(errno, EISDIR);
    bake_gateway_refuse_programs(gateway);
    assert_int_equal(
        bake_gateway_run(gateway,
                         &(bake_program_call){.command = other, .folder = NULL, .source = none})
            ->kind,
        BAKE_PROGRAM_REFUSED);
    size_t size;
    assert_non_null(bake_gateway_read(gateway, in_folder(path, "log"), &size));
    assert_int_equal(size, 40);
    bake_gateway_destroy(gateway);
    assert_true(scratch_folder_leave());
}

static void memory_may_run_out_between_programs(void **state)
{
    (void)state;
    char path[300];
    const char *const command[] = {"./tool", "-x", NULL};
    make_folder();
    in_folder(path, "7");
    bool failed = true;
    for (long n = 0; failed; n++) {
        assert_true(n < 100);
        bake_gateway *gateway = bake_gateway_create(NULL);
        assert_non_null(gateway);
        bake_memory_fail_after(n);
        const bake_program_end *end = bake_gateway_run(
            gateway, &(bake_program_call){.command = command, .folder = folder, .source = path});
        int error = errno;
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_int_equal(end != NULL, !failed);
        assert_true(end || error == ENOMEM);
        /* If memory ran out, no result was recorded, so the program is started again. */
        end = bake_gateway_run(
            gateway, &(bake_program_call){.command = command, .folder = folder, .source = path});
        assert_non_null(end);
        assert_int_equal(end->kind, BAKE_PROGRAM_NOT_STARTED);
        bake_gateway_destroy(gateway);
    }
    assert_true(scratch_folder_leave());
}

#ifdef BAKE_PORTABLE_SPAWN
/* The working folder of this process becomes that of the program for a moment. */
static void a_program_is_ended_if_its_folder_cannot_be_left(void **state)
{
    (void)state;
    const char *const command[] = {"/bin/sh", "-c", "exec sleep 60", NULL};
    bake_program program = {.command = command, .folder = "/", .output_max = 8};
    int files = open_files(), here = open(".", O_RDONLY);
    assert_true(here >= 0);
    for (int calls = 0; calls < 2; calls++) {
        bake_program_end end;
        fchdirs_left = calls;
        assert_true(bake_program_run(&program, &end));
        fchdirs_left = -1;
        assert_int_equal(fchdir(here), 0);
        assert_int_equal(end.kind, BAKE_PROGRAM_NOT_STARTED);
        assert_int_equal(end.code, EACCES);
        assert_true(is_alone());
    }
    close(here);
    assert_int_equal(open_files(), files);
}

static void the_working_folder_is_unchanged_after_a_run(void **state)
{
    (void)state;
    static const char *const folders[] = {"/", "/nothing/of/that/name", "/dev/null"};
    char before[4096], after[4096];
    assert_non_null(getcwd(before, sizeof before));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *const command[] = {"pwd", NULL};
        bake_program program = {.command = command, .folder = folders[i], .output_max = 8};
        bake_program_end end;
        assert_true(bake_program_run(&program, &end));
        assert_int_equal(end.kind, i == 0 ? BAKE_PROGRAM_EXITED : BAKE_PROGRAM_NOT_STARTED);
        if (i == 0)
            assert_string_equal(end.output, "/\n");
        bake_program_end_fini(&end);
        assert_non_null(getcwd(after, sizeof after));
        assert_string_equal(before, after);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_exit_is_reported),
        cmocka_unit_test(a_program_that_cannot_start_is_reported_with_the_reason),
        cmocka_unit_test(both_outputs_may_be_large),
        cmocka_unit_test(children_that_are_left_behind_are_not_waited_for),
        cmocka_unit_test(no_signal_is_sent_to_a_group_that_was_reaped),
        cmocka_unit_test(a_program_that_times_out_is_killed_with_its_children),
        cmocka_unit_test(a_terminated_program_may_still_write_a_message),
        cmocka_unit_test(signals_that_end_the_caller_end_the_program),
        cmocka_unit_test(programs_inherit_no_files_and_no_signal_dispositions),
        cmocka_unit_test(standard_streams_may_be_closed),
        cmocka_unit_test(signals_do_not_interrupt_a_run),
        cmocka_unit_test(running_out_of_files_or_memory_is_reported),
        cmocka_unit_test(gateways_run_each_program_once_for_a_file),
        cmocka_unit_test(memory_may_run_out_between_programs),
#ifdef BAKE_PORTABLE_SPAWN
        cmocka_unit_test(a_program_is_ended_if_its_folder_cannot_be_left),
        cmocka_unit_test(the_working_folder_is_unchanged_after_a_run),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
