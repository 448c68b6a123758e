/* Files as inputs: which are mapped, and what happens if they change while they are mapped. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"

#include "insp_input.h"
#include "insp_memory.h"
#include "insp_read.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static size_t page;

/* Writes a file in which byte i is i modulo 251, plus 1. */
static void write_bytes(const char *name, size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i % 251 + 1);
    inspect_write(name, bytes, size);
    free(bytes);
}

static insp_input *open_input(const char *path, insp_use use)
{
    insp_input *input = NULL;
    assert_int_equal(0, insp_input_open(path, 0, use, &input));
    return input;
}

static void expect_bytes(const insp_input *input, size_t begin, size_t end)
{
    const unsigned char *data = insp_input_data(input);
    for (size_t i = begin; i < end; i++)
        if (data[i - begin] != (unsigned char)(i % 251 + 1))
            fail_msg("byte %zu is %u", i, data[i - begin]);
}

static void regular_files_are_mapped_unless_a_copy_is_wanted(void **state)
{
    static const struct {
        size_t size;
        insp_use use;
        bool is_mapped;
    } rows[] = {{0, INSP_USE_ALL, false},       {1, INSP_USE_ALL, true},
                {4095, INSP_USE_ALL, true},     {4096, INSP_USE_ALL, true},
                {4097, INSP_USE_ALL, true},     {300000, INSP_USE_ALL, true},
                {5000000, INSP_USE_ALL, true},  {0, INSP_USE_PARTS, false},
                {1, INSP_USE_PARTS, true},      {4095, INSP_USE_PARTS, true},
                {4096, INSP_USE_PARTS, true},   {4097, INSP_USE_PARTS, true},
                {300000, INSP_USE_PARTS, true}, {5000000, INSP_USE_PARTS, true},
                {0, INSP_USE_COPY, false},      {1, INSP_USE_COPY, false},
                {4095, INSP_USE_COPY, false},   {4096, INSP_USE_COPY, false},
                {4097, INSP_USE_COPY, false},   {300000, INSP_USE_COPY, false},
                {5000000, INSP_USE_COPY, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_bytes("it", rows[i].size);
        insp_input *input = open_input("it", rows[i].use);
        assert_int_equal(rows[i].is_mapped, insp_input_is_mapped(input));
        assert_int_equal(rows[i].size, insp_input_size(input));
        expect_bytes(input, 0, rows[i].size);
        assert_int_equal(0, (uintptr_t)insp_input_data(input) % 4096);
        assert_int_equal(0, insp_input_check(input));
        insp_input_close(input);
    }
}

static void inputs_that_cannot_be_opened_return_the_reason(void **state)
{
    insp_input *input = NULL;
    (void)state;
    for (insp_use use = INSP_USE_ALL; use <= INSP_USE_COPY; use++) {
        assert_int_equal(ENOENT, insp_input_open("missing", 0, use, &input));
        assert_int_equal(EISDIR, insp_input_open(".", 0, use, &input));
        assert_int_equal(INSP_IS_DEVICE, insp_input_open("/dev/zero", 0, use, &input));
        insp_memory_fail_at(0);
        assert_int_equal(ENOMEM, insp_input_open("it", 0, use, &input));
        insp_memory_fail_at(-1);
        assert_null(input);
    }
    insp_input_close(NULL);
}

/* Opens "-" with a descriptor as standard input. */
static insp_input *open_standard(int file)
{
    int before = dup(STDIN_FILENO);
    insp_input *input = NULL;
    assert_true(before >= 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO);
    assert_int_equal(0, insp_input_open("-", 0, INSP_USE_ALL, &input));
    assert_int_equal(STDIN_FILENO, dup2(before, STDIN_FILENO));
    close(before);
    return input;
}

static void standard_input_is_mapped_at_its_beginning_only(void **state)
{
    (void)state;
    write_bytes("it", 5000);
    for (off_t at = 0; at <= 5000; at += 2500) {
        int file = open("it", O_RDONLY);
        assert_int_equal(at, lseek(file, at, SEEK_SET));
        insp_input *input = open_standard(file);
        assert_int_equal(at == 0, insp_input_is_mapped(input));
        assert_int_equal(5000 - at, insp_input_size(input));
        expect_bytes(input, (size_t)at, 5000);
        insp_input_close(input);
        close(file);
    }
}

static void pipes_are_copied(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(0, pipe(ends));
    assert_int_equal(3, write(ends[1], "\1\2\3", 3));
    close(ends[1]);
    insp_input *input = open_standard(ends[0]);
    assert_false(insp_input_is_mapped(input));
    assert_int_equal(3, insp_input_size(input));
    expect_bytes(input, 0, 3);
    assert_int_equal(0, insp_input_check(input));
    insp_input_close(input);
    close(ends[0]);
}

static bool is_zero(const unsigned char *data, size_t begin, size_t end)
{
    while (begin < end && !data[begin])
        begin++;
    return begin >= end;
}

/* Bytes in the last page after the new end are zero or unchanged; later pages are zero. */
static void missing_pages_of_a_truncated_file_are_zero(void **state)
{
    static const size_t sizes[] = {0, 1, 5000, 20000, 40000 - 1};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_bytes("it", 40000);
        insp_input *input = open_input("it", i % 2 ? INSP_USE_PARTS : INSP_USE_ALL);
        size_t last = (sizes[i] + page - 1) / page * page;
        assert_int_equal(0, truncate("it", (off_t)sizes[i]));
        expect_bytes(input, 0, sizes[i]);
        assert_true(is_zero(insp_input_data(input), last, 40000));
        expect_bytes(input, 0, sizes[i]);
        assert_int_equal(INSP_TRUNCATED, insp_input_check(input));
        insp_input_close(input);
    }
}

static void pages_are_replaced_in_the_input_that_lost_them(void **state)
{
    (void)state;
    write_bytes("it", 40000);
    write_bytes("other", 40000);
    insp_input *other = open_input("other", INSP_USE_PARTS),
               *input = open_input("it", INSP_USE_ALL),
               *third = open_input("other", INSP_USE_PARTS);
    assert_int_equal(0, truncate("it", 0));
    assert_true(is_zero(insp_input_data(input), 0, 40000));
    expect_bytes(other, 0, 40000);
    expect_bytes(third, 0, 40000);
    assert_int_equal(0, insp_input_check(other));
    insp_input_close(other);
    assert_true(is_zero(insp_input_data(input), 0, 40000));
    assert_int_equal(INSP_TRUNCATED, insp_input_check(input));
    insp_input_close(input);
    assert_int_equal(0, insp_input_check(third));
    insp_input_close(third);
}

static void changes_are_found(void **state)
{
    static const struct {
        const char *what;
        int expected;
    } rows[] = {{"nothing", 0}, {"grown", INSP_GREW}, {"written", INSP_CHANGED}, {"replaced", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
        write_bytes("it", 100);
        assert_int_equal(0, utimensat(AT_FDCWD, "it", times, 0));
        insp_input *input = open_input("it", INSP_USE_ALL);
        if (i == 1)
            assert_int_equal(0, truncate("it", 101));
        times[1].tv_nsec = 1;
        if (i == 2)
            assert_int_equal(0, utimensat(AT_FDCWD, "it", times, 0));
        write_bytes("new", 50);
        if (i == 3)
            assert_int_equal(0, rename("new", "it"));
        assert_int_equal(rows[i].expected, insp_input_check(input));
        expect_bytes(input, 0, 100);
        insp_input_close(input);
    }
}

/* Reads a page of its own mapping of a truncated file, in a process with an open input. */
static void fail_elsewhere(void)
{
    signal(SIGBUS, SIG_DFL);
    write_bytes("it", 100);
    write_bytes("other", 100);
    open_input("it", INSP_USE_ALL);
    int file = open("other", O_RDONLY);
    const volatile unsigned char *own = mmap(NULL, 100, PROT_READ, MAP_PRIVATE, file, 0);
    if (own == MAP_FAILED || truncate("other", 0) != 0)
        _exit(2);
    _exit(own[0] == 0 ? 3 : 4);
}

static void other_bus_errors_still_end_the_program(void **state)
{
    int status = 0;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        fail_elsewhere();
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(SIGBUS, WTERMSIG(status));
}

static void exit_with_error(void *ctx, const char *path, int error)
{
    _exit(ctx == &page && strcmp(path, "it") == 0 && error == INSP_TRUNCATED ? 7 : 8);
}

/* Fails with a signal while an input is open, which has changed or not. */
static void fail_with(int number, bool is_changed)
{
    signal(number, SIG_DFL);
    insp_input_on_lost(exit_with_error, &page);
    write_bytes("it", 100);
    write_bytes("other", 100);
    open_input("it", INSP_USE_ALL);
    open_input("other", INSP_USE_PARTS);
    if (is_changed && truncate("it", 50) != 0)
        _exit(2);
    raise(number);
    _exit(3);
}

static void a_failure_is_reported_if_a_file_has_changed(void **state)
{
    static const int numbers[] = {SIGSEGV, SIGFPE, SIGABRT, SIGBUS};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof numbers / sizeof *numbers; i++) {
        int status = 0, number = numbers[i / 2];
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            fail_with(number, i % 2);
        assert_int_equal(child, waitpid(child, &status, 0));
        assert_int_equal(i % 2, WIFEXITED(status));
        if (i % 2)
            assert_int_equal(7, WEXITSTATUS(status));
        else
            assert_int_equal(number, WTERMSIG(status));
    }
}

static void the_handler_is_removed_with_the_last_input(void **state)
{
    struct sigaction before, during, after;
    (void)state;
    write_bytes("it", 100);
    assert_int_equal(0, sigaction(SIGBUS, NULL, &before));
    insp_input *first = open_input("it", INSP_USE_ALL), *second = open_input("it", INSP_USE_ALL);
    insp_input_close(first);
    assert_int_equal(0, sigaction(SIGBUS, NULL, &during));
    assert_true(during.sa_handler != before.sa_handler);
    insp_input_close(second);
    assert_int_equal(0, sigaction(SIGBUS, NULL, &after));
    assert_true(after.sa_handler == before.sa_handler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_files_are_mapped_unless_a_copy_is_wanted),
        cmocka_unit_test(inputs_that_cannot_be_opened_return_the_reason),
        cmocka_unit_test(standard_input_is_mapped_at_its_beginning_only),
        cmocka_unit_test(pipes_are_copied),
        cmocka_unit_test(missing_pages_of_a_truncated_file_are_zero),
        cmocka_unit_test(pages_are_replaced_in_the_input_that_lost_them),
        cmocka_unit_test(changes_are_found),
        cmocka_unit_test(other_bus_errors_still_end_the_program),
        cmocka_unit_test(a_failure_is_reported_if_a_file_has_changed),
        cmocka_unit_test(the_handler_is_removed_with_the_last_input),
    };
    int failed;
    page = (size_t)sysconf(_SC_PAGESIZE);
    inspect_enter_folder();
    failed = cmocka_run_group_tests_name("inspect_input", tests, NULL, NULL);
    inspect_leave_folder();
    return failed;
}
