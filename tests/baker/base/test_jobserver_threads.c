/* The jobserver of GNU make: flags, pipes, FIFOs, tokens, threads. */
#define _GNU_SOURCE

#include "bake_threads.h"
#include "jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int ends[2]; /* of the jobserver's pipe */

static int open_server(void **state)
{
    (void)state;
    return pipe(ends);
}

static int close_server(void **state)
{
    (void)state;
    bake_jobserver_close();
    close(ends[0]);
    close(ends[1]);
    return 0;
}

static void connect_to(const char *format)
{
    char flags[200];
    snprintf(flags, sizeof flags, format, ends[0], ends[1]);
    bake_jobserver_open(flags);
}

static void add_tokens(const char *bytes)
{
    assert_int_equal(write(ends[1], bytes, strlen(bytes)), strlen(bytes));
}

/* Reads all tokens, sorted. */
static const char *rest(void)
{
    static char bytes[100];
    int flags = fcntl(ends[0], F_GETFL);
    fcntl(ends[0], F_SETFL, flags | O_NONBLOCK);
    ssize_t got = read(ends[0], bytes, sizeof bytes - 1);
    fcntl(ends[0], F_SETFL, flags);
    bytes[got > 0 ? got : 0] = '\0';
    for (size_t i = 0; bytes[i]; i++)
        for (size_t k = i; k > 0 && bytes[k] < bytes[k - 1]; k--) {
            char byte = bytes[k];
            bytes[k] = bytes[k - 1];
            bytes[k - 1] = byte;
        }
    return bytes;
}

static void flags_name_the_last_jobserver(void **state)
{
    static const struct {
        const char *flags;
        bake_jobserver_kind expected;
    } rows[] = {
        {"", BAKE_JOBSERVER_NONE},
        {"kw -j4 --output-sync", BAKE_JOBSERVER_NONE},
        {"-- --jobserver-auth=%d,%d", BAKE_JOBSERVER_NONE},
        {" -j4 --jobserver-auth=%d,%d", BAKE_JOBSERVER_OPEN},
        {"--jobserver-fds=%d,%d -j", BAKE_JOBSERVER_OPEN},
        {"k\t--jobserver-auth=%d,%d -- V=a\\ b", BAKE_JOBSERVER_OPEN},
        {"--jobserver-auth=98,99 --jobserver-auth=%d,%d", BAKE_JOBSERVER_OPEN},
        {"--jobserver-auth=%d,%d --jobserver-auth=98,99", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=-2,-2", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=%d", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=%d,%dx", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=%2$d,%1$d", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=99999999999,%d", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=fifo:/nothing/here", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=fifo:/dev/null", BAKE_JOBSERVER_UNAVAILABLE},
        {"--jobserver-auth=1,1", BAKE_JOBSERVER_UNAVAILABLE},
        {"\\", BAKE_JOBSERVER_NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        connect_to(rows[i].flags);
        if (bake_jobserver_state() != rows[i].expected)
            fail_msg("row %zu: %d", i, bake_jobserver_state());
    }
    bake_jobserver_open(NULL);
    assert_int_equal(bake_jobserver_state(), BAKE_JOBSERVER_NONE);
}

static void descriptors_of_other_pipes_and_files_are_refused(void **state)
{
    int other[2];
    char flags[100], name[] = "/tmp/kiln-jobserver.XXXXXX";
    (void)state;
    assert_int_equal(pipe(other), 0);
    snprintf(flags, sizeof flags, "--jobserver-auth=%d,%d", ends[0], other[1]);
    bake_jobserver_open(flags);
    assert_int_equal(bake_jobserver_state(), BAKE_JOBSERVER_UNAVAILABLE);
    close(other[0]);
    close(other[1]);
    int file = mkstemp(name);
    assert_true(file >= 0);
    unlink(name);
    snprintf(flags, sizeof flags, "--jobserver-auth=%d,%d", file, file);
    bake_jobserver_open(flags);
    assert_int_equal(bake_jobserver_state(), BAKE_JOBSERVER_UNAVAILABLE);
    assert_int_equal(bake_threads_default(), 1);
    close(file);
}

static void the_mode_of_the_shared_descriptor_stays(void **state)
{
    (void)state;
    connect_to("--jobserver-auth=%d,%d");
    assert_false(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
    assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
    bake_jobserver_close();
    assert_true(fcntl(ends[0], F_GETFD) >= 0 && fcntl(ends[1], F_GETFD) >= 0);
}

static void the_same_bytes_are_returned(void **state)
{
    int stop[2];
    (void)state;
    assert_int_equal(pipe(stop), 0);
    connect_to("--jobserver-auth=%d,%d");
    add_tokens("+a\xff");
    for (int i = 0; i < 3; i++)
        assert_true(bake_jobserver_take(stop[0]));
    assert_string_equal(rest(), "");
    close(stop[1]);
    assert_false(bake_jobserver_take(stop[0]));
    for (int i = 0; i < 3; i++)
        bake_jobserver_return();
    bake_jobserver_return(); /* there is none */
    assert_int_equal(strlen(rest()), 3);
    close(stop[0]);
}

static void a_fifo_is_read_and_written(void **state)
{
    char folder[] = "/tmp/kiln jobserver.XXXXXX", path[60], flags[100] = "--jobserver-auth=fifo:";
    int stop[2];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    size_t at = strlen(flags);
    for (const char *c = path; *c; c++) {
        if (*c == ' ')
            flags[at++] = '\\';
        flags[at++] = *c;
    }
    close(ends[0]);
    close(ends[1]);
    ends[0] = open(path, O_RDWR | O_NONBLOCK);
    ends[1] = open(path, O_WRONLY);
    add_tokens("+x");
    bake_jobserver_open(flags);
    assert_int_equal(bake_jobserver_state(), BAKE_JOBSERVER_OPEN);
    assert_int_equal(pipe(stop), 0);
    assert_true(bake_jobserver_take(stop[0]));
    assert_int_equal(strlen(rest()), 1);
    bake_jobserver_return();
    assert_int_equal(strlen(rest()), 1);
    close(stop[0]);
    close(stop[1]);
    unlink(path);
    rmdir(folder);
}

static void all_tokens_are_returned_at_once_and_no_more_are_taken(void **state)
{
    int stop[2];
    (void)state;
    assert_int_equal(pipe(stop), 0);
    connect_to("--jobserver-auth=%d,%d");
    add_tokens("abc");
    assert_true(bake_jobserver_take(stop[0]));
    assert_true(bake_jobserver_take(stop[0]));
    errno = 7;
    bake_jobserver_return_all();
    assert_int_equal(errno, 7);
    assert_false(bake_jobserver_take(stop[0]));
    assert_string_equal(rest(), "abc");
    bake_jobserver_return();
    assert_string_equal(rest(), "");
    close(stop[0]);
    close(stop[1]);
}

/* ---- threads ---- */

typedef struct job {
    atomic_int running, most, calls;
    atomic_bool may_end;
} job;

static void nap(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static void work(void *ctx, size_t number)
{
    job *j = ctx;
    (void)number;
    int now = atomic_fetch_add(&j->running, 1) + 1, most = atomic_load(&j->most);
    while (now > most && !atomic_compare_exchange_weak(&j->most, &most, now))
        continue;
    atomic_fetch_add(&j->calls, 1);
    while (!atomic_load(&j->may_end))
        nap();
    atomic_fetch_sub(&j->running, 1);
}

static void each_helper_has_a_token(void **state)
{
    static const char *const tokens[] = {"", "+", "+-", "+-*", "+-*/:"};
    (void)state;
    connect_to("-j9 --jobserver-auth=%d,%d");
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        job j = {0};
        bake_helpers helpers = {.count = 0};
        int expected = (int)strlen(tokens[i]) < 3 ? (int)strlen(tokens[i]) : 3;
        add_tokens(tokens[i]);
        bake_helpers_start(&helpers, 0, 3, work, &j);
        while (atomic_load(&j.running) < expected)
            nap();
        assert_int_equal(helpers.count, 3);
        atomic_store(&j.may_end, true);
        bake_helpers_join(&helpers);
        assert_in_range(atomic_load(&j.most), expected > 0, expected);
        assert_int_equal(strlen(rest()), strlen(tokens[i]));
    }
}

static void a_helper_begins_when_another_job_of_the_build_has_ended(void **state)
{
    job j = {0};
    bake_helpers helpers = {.count = 0};
    (void)state;
    connect_to("--jobserver-auth=%d,%d");
    add_tokens("a");
    bake_helpers_start(&helpers, 0, 2, work, &j);
    while (atomic_load(&j.running) < 1)
        nap();
    assert_int_equal(atomic_load(&j.running), 1);
    add_tokens("b");
    while (atomic_load(&j.running) < 2)
        nap();
    atomic_store(&j.may_end, true);
    bake_helpers_join(&helpers);
    assert_string_equal(rest(), "ab");
}

static void a_given_number_of_threads_needs_no_tokens(void **state)
{
    job j = {0};
    bake_helpers helpers = {.count = 0};
    (void)state;
    connect_to("--jobserver-auth=%d,%d");
    bake_helpers_start(&helpers, 3, 2, work, &j);
    while (atomic_load(&j.running) < 2)
        nap();
    atomic_store(&j.may_end, true);
    bake_helpers_join(&helpers);
    assert_int_equal(atomic_load(&j.calls), 2);
}

/* A child process takes and returns tokens in several threads, until a signal ends it. */
static void cycle(void *ctx, size_t number)
{
    int *stop = ctx;
    (void)number;
    while (bake_jobserver_take(*stop))
        bake_jobserver_return();
}

static void end(int number)
{
    (void)number;
    bake_jobserver_return_all();
    _exit(0);
}

static void a_signal_at_any_moment_loses_no_token(void **state)
{
    (void)state;
    add_tokens("abcd");
    for (int i = 0; i < 40; i++) {
        pid_t child = fork();
        if (child == 0) {
            int stop[2];
            bake_helpers helpers = {.count = 0};
            connect_to("--jobserver-auth=%d,%d");
            signal(SIGINT, end);
            if (pipe(stop) != 0)
                _exit(1);
            bake_helpers_start(&helpers, 9, 6, cycle, &stop[0]);
            for (;;)
                pause();
        }
        nanosleep(&(struct timespec){0, 1000000 + i * 10007}, NULL);
        int status;
        /* A child that is still starting has the default action. */
        kill(child, SIGINT);
        assert_int_equal(waitpid(child, &status, 0), child);
        const char *bytes = rest();
        assert_string_equal(bytes, "abcd");
        add_tokens("abcd");
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_server, close_server)
    const struct CMUnitTest tests[] = {
        TEST(flags_name_the_last_jobserver),
        TEST(descriptors_of_other_pipes_and_files_are_refused),
        TEST(the_mode_of_the_shared_descriptor_stays),
        TEST(the_same_bytes_are_returned),
        TEST(a_fifo_is_read_and_written),
        TEST(all_tokens_are_returned_at_once_and_no_more_are_taken),
        TEST(each_helper_has_a_token),
        TEST(a_helper_begins_when_another_job_of_the_build_has_ended),
        TEST(a_given_number_of_threads_needs_no_tokens),
        TEST(a_signal_at_any_moment_loses_no_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
