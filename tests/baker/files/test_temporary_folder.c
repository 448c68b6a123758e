/* A folder that exists only while the process runs. */
#include "bake_fixture.h"

#include "temporary_folder.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static void the_folder_is_private_and_removed_with_its_content(void **state)
{
    bake_temporary_folder folder;
    char path[200], name[300];
    (void)state;
    assert_int_equal(mkdir("scratch", 0700), 0);
    setenv("TMPDIR", "scratch", 1);
    assert_true(bake_temporary_folder_begin(&folder));
    struct stat status;
    assert_int_equal(stat(folder.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_memory_equal(folder.path, "scratch/", 8);
    snprintf(path, sizeof path, "%s", folder.path);
    snprintf(name, sizeof name, "%s/sub", path);
    assert_int_equal(mkdir(name, 0700), 0);
    snprintf(name, sizeof name, "%s/sub/file", path);
    fixture_write(name, "text");
    assert_true(bake_temporary_folder_end(&folder));
    assert_false(exists(path));
    assert_true(bake_temporary_folder_end(&folder));
    unsetenv("TMPDIR");
    assert_true(bake_temporary_folder_begin(&folder));
    assert_memory_equal(folder.path, "/tmp/", 5);
    assert_true(bake_temporary_folder_end(&folder));
}

static void failures_block_no_signal(void **state)
{
    bake_temporary_folder folder;
    sigset_t before, after;
    (void)state;
    sigprocmask(SIG_SETMASK, NULL, &before);
    setenv("TMPDIR", "nothing/here", 1);
    errno = 0;
    assert_false(bake_temporary_folder_begin(&folder));
    assert_int_equal(errno, ENOENT);
    bake_memory_fail_after(0);
    assert_false(bake_temporary_folder_begin(&folder));
    assert_int_equal(errno, ENOMEM);
    bake_memory_fail_after(-1);
    unsetenv("TMPDIR");
    assert_true(bake_temporary_folder_end(&folder));
    sigprocmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

static void a_folder_that_cannot_be_removed_is_a_failure(void **state)
{
    bake_temporary_folder folder;
    (void)state;
    assert_true(bake_temporary_folder_begin(&folder));
    assert_int_equal(rmdir(folder.path), 0);
    assert_false(bake_temporary_folder_end(&folder));
}

/* Returns the status of a child to which the signal is sent while it has a folder, whose path it
 * writes to `path`. */
static int interrupt(int number, bool ignores, char path[200])
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        bake_temporary_folder folder;
        signal(number, ignores ? SIG_IGN : SIG_DFL);
        if (!bake_temporary_folder_begin(&folder) ||
            write(ends[1], folder.path, strlen(folder.path)) < 0 ||
            bake_temporary_folder_must_end(&folder))
            _exit(1);
        raise(number);
        if (bake_temporary_folder_must_end(&folder) == ignores || !exists(folder.path))
            _exit(2);
        bake_temporary_folder_end(&folder);
        _exit(3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    ssize_t got = read(ends[0], path, 199);
    assert_true(got > 0);
    path[got] = '\0';
    close(ends[0]);
    close(ends[1]);
    return status;
}

static void a_signal_ends_the_process_after_the_folder_is_removed(void **state)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char path[200];
        int status = interrupt(numbers[i], false, path);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_false(exists(path));
        status = interrupt(numbers[i], true, path);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 3);
        assert_false(exists(path));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_folder_is_private_and_removed_with_its_content),
        TEST(failures_block_no_signal),
        TEST(a_folder_that_cannot_be_removed_is_a_failure),
        TEST(a_signal_ends_the_process_after_the_folder_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
