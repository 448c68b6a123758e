/* Temporary files: their permissions, their number, and their removal. */
#include "gateway_fixture.h"
#include "gateway_folder.h"

/* Begins `count` outputs named "0", "1" and so on, and writes a digit to each. */
static bool begin_many(bake_gateway *gateway, unsigned count)
{
    bool done = true;
    for (unsigned i = 0; i < count && done; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        bake_output *output = bake_output_begin(gateway, name);
        done = output && bake_output_write(output, &"01234567"[i % 8], 1);
    }
    return done;
}

static void more_outputs_than_open_files_are_written(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit few = before;
    few.rlim_cur = 90;
    for (int careful = 0; careful < 2; careful++) {
        bake_gateway *gateway = create(NULL);
        bake_output *first = begin(gateway, "first", "one,");
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        bool done = begin_many(gateway, 120) && bake_output_write(first, " two", 4) &&
                    bake_output_write(first, " and more", 9);
        const char *path = NULL;
        done = done && bake_gateway_commit(gateway, careful, careful, &path);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_true(done);
        bake_gateway_destroy(gateway);
        check_file("first", "one, two and more");
        check_file("12", "4");
        check_file("119", "7");
        assert_int_equal(count_names("."), 121);
    }
}

static void signals_leave_no_temporary_files(void **state)
{
    (void)state;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(numbers[i], SIG_DFL);
            bake_gateway_clean_up_on_signals();
            bake_gateway *gateway = create(NULL);
            bake_output *one = bake_output_begin(gateway, "one");
            if (one && begin_many(gateway, 600))
                raise(numbers[i]);
            _exit(1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_int_equal(count_names("."), 0);
    }
}

static unsigned count_temporary(void)
{
    DIR *folder = opendir(".");
    assert_non_null(folder);
    unsigned count = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        count += strncmp(entry->d_name, ".kiln-bake.", 11) == 0;
    closedir(folder);
    return count;
}

/* Kills a process that has begun `count` outputs and may open at most `files` files. Returns the
 * number of temporary files that remain. */
static unsigned leave_behind(unsigned count, rlim_t files)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {files, files};
        bake_gateway *gateway = create(NULL);
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && begin_many(gateway, count))
            raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    return count_temporary();
}

static void the_next_output_removes_leftovers_of_a_killed_process(void **state)
{
    (void)state;
    /* At most 30 of the 100 outputs can be open unnamed files. The others have names, which a guard
     * file protects. */
    unsigned expected = only_named ? 101 : 71;
    assert_int_equal(leave_behind(100, 60), expected);
    bake_gateway *gateway = create(NULL);
    begin(gateway, "0", "new");
    assert_int_equal(count_temporary(), only_named ? 2 : 0);
    commit(gateway, false, false);
    bake_gateway_destroy(gateway);
    check_file("0", "new");
    assert_int_equal(count_names("."), 1);
}

static void outputs_of_other_processes_are_left_alone(void **state)
{
    (void)state;
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 60;
    bake_gateway *slow = create(NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    bool begun = begin_many(slow, 100);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(begun);
    unsigned waiting = count_temporary();
    assert_int_equal(waiting, only_named ? 101 : 71);
    for (int i = 0; i < 3; i++) {
        bake_gateway *quick = create(NULL);
        begin(quick, "3", "quick");
        assert_int_equal(count_temporary(), waiting + (only_named ? 2 : 0));
        commit(quick, false, false);
        bake_gateway_destroy(quick);
    }
    check_file("3", "quick");
    commit(slow, false, false);
    bake_gateway_destroy(slow);
    check_file("3", "3");
    check_file("99", "3");
    assert_int_equal(count_names("."), 100);
}

static void a_stale_errno_does_not_affect_a_lock(void **state)
{
    (void)state;
    char here[] = "";
    output_folder folder = {.path = here, .guard_file = -1};
    errno = 0;
    int before = bake_folder_open_unnamed(&folder, 0600);
    if (before < 0)
        skip(); /* the file system does not support unnamed files */
    errno = EWOULDBLOCK;
    int file = bake_folder_open_unnamed(&folder, 0600);
    assert_true(file >= 0);
    close(file);
    close(before);
}

/* A named temporary file must not grant more permissions than the file that it replaces. */
static void a_temporary_file_is_as_private_as_the_file_it_replaces(void **state)
{
    (void)state;
    make_file("secret", "old");
    assert_int_equal(chmod("secret", 0600), 0);
    bake_gateway *gateway = create(NULL);
    bake_gateway_refuse_unnamed(gateway);
    begin(gateway, "secret", "new");
    DIR *folder = opendir(".");
    assert_non_null(folder);
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, ".kiln-bake.", 11) == 0)
            assert_int_equal(mode_of(entry->d_name), 0600);
    closedir(folder);
    assert_int_equal(count_temporary(), 2);
    bake_gateway_destroy(gateway);
}

static bool do_everything(void)
{
    bake_gateway *gateway = bake_gateway_create(".");
    if (!gateway)
        return false;
    if (only_named)
        bake_gateway_refuse_unnamed(gateway);
    size_t count;
    const char *path;
    bool done = bake_gateway_path_kind(gateway, "d") == BAKE_PATH_FOLDER &&
                bake_gateway_list(gateway, "d", NULL, &count, NULL) != NULL &&
                bake_gateway_read(gateway, "a.yaml", NULL) != NULL;
    bake_output *output = done ? bake_output_begin(gateway, "link") : NULL;
    bake_output *direct = output ? bake_output_begin(gateway, "/dev/null") : NULL;
    static const char data[100000] = {0};
    done = direct && bake_output_write(output, "x", 1) &&
           bake_output_write(direct, data, sizeof data) &&
           bake_gateway_write_depfile(gateway, output, &path, 0, true, true) &&
           bake_gateway_commit(gateway, true, true, &path);
    int error = errno;
    bake_gateway_destroy(gateway);
    errno = error;
    return done;
}

static void failing_allocations_leave_no_temporary_file(void **state)
{
    (void)state;
    make_file("a.yaml", "text");
    make_file("target", "before");
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(mkdir("d/e", 0777), 0);
    make_file("d/e/b.yml", "");
    bool failed = true;
    for (long n = 0; failed; n++) {
        make_file("target", "before");
        bake_memory_fail_after(n);
        bool done = do_everything();
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_true(done || failed);
        if (!done)
            check_file("target", "before");
        assert_int_equal(count_names("."), 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(more_outputs_than_open_files_are_written),
        NAMED(more_outputs_than_open_files_are_written),
        TEST(signals_leave_no_temporary_files),
        NAMED(signals_leave_no_temporary_files),
        TEST(the_next_output_removes_leftovers_of_a_killed_process),
        NAMED(the_next_output_removes_leftovers_of_a_killed_process),
        TEST(outputs_of_other_processes_are_left_alone),
        NAMED(outputs_of_other_processes_are_left_alone),
        TEST(a_stale_errno_does_not_affect_a_lock),
        TEST(a_temporary_file_is_as_private_as_the_file_it_replaces),
        TEST(failing_allocations_leave_no_temporary_file),
        NAMED(failing_allocations_leave_no_temporary_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
