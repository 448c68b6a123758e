/* Outputs become visible all at once at the commit, or not at all. */
#include "gateway_fixture.h"

static void outputs_appear_at_commit_and_not_before(void **state)
{
    (void)state;
    make_file("old", "before");
    mode_t mask = umask(027);
    bake_gateway *gateway = create("not for outputs");
    begin(gateway, "old", "after");
    begin(gateway, "new", "");
    check_file("old", "before");
    assert_int_equal(access("new", F_OK), -1);
    commit(gateway, true, false);
    umask(mask);
    check_file("old", "after");
    check_file("new", "");
    struct stat status;
    assert_int_equal(stat("new", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    bake_gateway_destroy(gateway);
    assert_int_equal(count_names("."), 2);
}

static void discarded_outputs_leave_nothing(void **state)
{
    (void)state;
    make_file("old", "before");
    bake_gateway *gateway = create(NULL);
    begin(gateway, "old", "after");
    begin(gateway, "new", "x");
    bake_gateway_destroy(gateway);
    check_file("old", "before");
    assert_int_equal(count_names("."), 1);
}

static void outputs_larger_than_the_buffer_are_whole(void **state)
{
    (void)state;
    static const size_t pieces[] = {1, 65536, 65535, 3, 200000, 0, 70000};
    char *data = malloc(200000);
    assert_non_null(data);
    for (size_t i = 0; i < 200000; i++)
        data[i] = (char)(i * 7);
    bake_gateway *gateway = create(NULL);
    bake_output *output = bake_output_begin(gateway, "big");
    assert_non_null(output);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_true(bake_output_write(output, data, pieces[i]));
    commit(gateway, false, false);
    size_t size;
    const char *text = bake_gateway_read(gateway, "big", &size);
    assert_non_null(text);
    size_t at = 0;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        assert_memory_equal(text + at, data, pieces[i]);
        at += pieces[i];
    }
    assert_int_equal(size, at);
    bake_gateway_destroy(gateway);
    free(data);
}

static void equal_outputs_are_left_untouched_on_request(void **state)
{
    (void)state;
    make_file("same", "text");
    make_file("longer", "text and more");
    make_file("other", "texT");
    struct stat before;
    struct stat after;
    assert_int_equal(stat("same", &before), 0);
    bake_gateway *gateway = create(NULL);
    begin(gateway, "same", "text");
    begin(gateway, "longer", "text");
    begin(gateway, "other", "text");
    begin(gateway, "new", "text");
    commit(gateway, false, true);
    bake_gateway_destroy(gateway);
    assert_int_equal(stat("same", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    check_file("longer", "text");
    check_file("other", "text");
    check_file("new", "text");
    assert_int_equal(count_names("."), 4);
    gateway = create(NULL);
    begin(gateway, "same", "text");
    commit(gateway, false, false);
    assert_int_equal(stat("same", &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
    bake_gateway_destroy(gateway);
}

static void a_replaced_file_keeps_its_mode(void **state)
{
    (void)state;
    make_file("secret", "old");
    assert_int_equal(chmod("secret", 0600), 0);
    make_file("gone", "old");
    assert_int_equal(chmod("gone", 0640), 0);
    mode_t mask = umask(022);
    bake_gateway *gateway = create(NULL);
    begin(gateway, "secret", "new");
    begin(gateway, "gone", "new");
    begin(gateway, "come", "new");
    /* Changes that other programs make before the commit are respected. */
    assert_int_equal(unlink("gone"), 0);
    make_file("come", "old");
    assert_int_equal(chmod("come", 0600), 0);
    commit(gateway, false, false);
    bake_gateway_destroy(gateway);
    umask(mask);
    check_file("come", "new");
    assert_int_equal(mode_of("secret"), 0600);
    assert_int_equal(mode_of("gone"), 0640);
    assert_int_equal(mode_of("come"), 0600);
    assert_int_equal(count_names("."), 3);
}

static void impossible_outputs_are_refused_at_once(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    bake_gateway *gateway = create(NULL);
    static const struct {
        const char *path;
        int error;
    } refused[] = {{"folder", EISDIR},
                   {"missing/x", ENOENT},
                   {"", ENOENT},
                   {"new/", EISDIR},
                   {"twice", BAKE_OUTPUT_TAKEN},
                   {"-", BAKE_OUTPUT_TAKEN},
                   {"./twice", BAKE_OUTPUT_TAKEN},
                   {"folder/../twice", BAKE_OUTPUT_TAKEN},
                   {"here/twice", BAKE_OUTPUT_TAKEN},
                   {"to", BAKE_OUTPUT_TAKEN},
                   {"/dev/stdout", BAKE_OUTPUT_TAKEN}};
    assert_int_equal(symlink(".", "here"), 0);
    make_file("target", "");
    assert_int_equal(symlink("target", "to"), 0);
    begin(gateway, "here/target", "");
    begin(gateway, "twice", "");
    begin(gateway, "-", "");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        errno = 0;
        assert_null(bake_output_begin(gateway, refused[i].path));
        assert_int_equal(errno, refused[i].error);
    }
    bake_gateway_destroy(gateway);
    assert_int_equal(count_names("."), 4);
}

static void links_are_followed_and_devices_not_replaced(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    make_file("folder/target", "before");
    assert_int_equal(symlink("folder/target", "link"), 0);
    bake_gateway *gateway = create(NULL);
    begin(gateway, "link", "after");
    begin(gateway, "/dev/null", "nothing");
    begin(gateway, "/dev/null", "again");
    commit(gateway, false, true);
    struct stat status;
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    check_file("folder/target", "after");
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(count_names("folder"), 1);
    bake_gateway_destroy(gateway);
}

static void names_of_full_length_can_be_written(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    bake_gateway *gateway = create(NULL);
    begin(gateway, name, "x");
    commit(gateway, false, false);
    bake_gateway_destroy(gateway);
    check_file(name, "x");
    assert_int_equal(count_names("."), 1);
}

static void a_failed_commit_names_the_output_and_discards_the_rest(void **state)
{
    (void)state;
    bake_gateway *gateway = create(NULL);
    begin(gateway, "first", "1");
    begin(gateway, "second", "2");
    begin(gateway, "third", "3");
    /* A folder created in the meantime cannot be replaced by a rename. */
    assert_int_equal(mkdir("second", 0777), 0);
    const char *path = NULL;
    errno = 0;
    assert_false(bake_gateway_commit(gateway, false, false, &path));
    assert_int_equal(errno, EISDIR);
    assert_string_equal(path, "second");
    check_file("third", "3");
    assert_int_equal(count_names("."), 2);
    bake_gateway_destroy(gateway);
}

static void a_full_disk_fails_the_write_and_the_commit(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = before;
    small.rlim_cur = 100000;
    bake_gateway *gateway = create(NULL);
    begin(gateway, "fits", "x");
    bake_output *output = bake_output_begin(gateway, "full");
    assert_non_null(output);
    char data[5000] = {0};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool written = true;
    for (unsigned i = 0; i < 40 && written; i++)
        written = bake_output_write(output, data, sizeof data);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(written);
    assert_int_equal(errno, EFBIG);
    errno = 0;
    assert_false(bake_output_write(output, data, 1));
    assert_int_equal(errno, EFBIG);
    const char *path = NULL;
    assert_false(bake_gateway_commit(gateway, false, false, &path));
    assert_int_equal(errno, EFBIG);
    assert_string_equal(path, "full");
    bake_gateway_destroy(gateway);
    assert_int_equal(count_names("."), 0);
    gateway = create(NULL);
    begin(gateway, "/dev/full", "x");
    assert_false(bake_gateway_commit(gateway, false, false, &path));
    assert_int_equal(errno, ENOSPC);
    bake_gateway_destroy(gateway);
}

static void a_new_file_gets_the_mode_that_was_set(void **state)
{
    (void)state;
    struct stat status;
    make_file("old", "before");
    assert_int_equal(chmod("old", 0640), 0);
    mode_t mask = umask(077);
    bake_gateway *gateway = create(NULL);
    static const char *const names[] = {"old", "new"};
    for (size_t i = 0; i < 2; i++) {
        bake_output *output = bake_output_begin(gateway, names[i]);
        assert_non_null(output);
        assert_true(bake_output_set_mode(output, 0664));
        assert_true(bake_output_write(output, "after", 5));
    }
    commit(gateway, false, false);
    umask(mask);
    for (size_t i = 0; i < 2; i++) {
        check_file(names[i], "after");
        assert_int_equal(stat(names[i], &status), 0);
        assert_int_equal(status.st_mode & 0777, i ? 0664 : 0640);
    }
    bake_gateway_destroy(gateway);
}

static void a_restarted_output_has_only_the_new_bytes(void **state)
{
    (void)state;
    char *data = calloc(1, 200000);
    assert_non_null(data);
    static const size_t sizes[] = {0, 3, 65536, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bake_gateway *gateway = create(NULL);
        bake_output *output = bake_output_begin(gateway, "out");
        assert_non_null(output);
        assert_true(bake_output_write(output, data, sizes[i]));
        assert_true(bake_output_restart(output));
        assert_true(bake_output_write(output, "new", 3));
        char text[3];
        assert_true(bake_output_read_back(output, 0, text, 3));
        assert_memory_equal(text, "new", 3);
        assert_false(bake_output_read_back(output, 0, data, 4));
        commit(gateway, false, false);
        bake_gateway_destroy(gateway);
        check_file("out", "new");
    }
    free(data);
}

static void a_full_disk_does_not_prevent_a_restart(void **state)
{
    (void)state;
    struct rlimit before, small;
    char *data = calloc(1, 200000);
    assert_non_null(data);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100000;
    bake_gateway *gateway = create(NULL);
    bake_output *output = bake_output_begin(gateway, "out");
    assert_non_null(output);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool written = bake_output_write(output, data, 200000);
    bool restarted = bake_output_restart(output) && bake_output_write(output, "new", 3);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(!written && restarted);
    commit(gateway, false, false);
    bake_gateway_destroy(gateway);
    check_file("out", "new");
    free(data);
}

/* Commits the output `-` with the text "hello" while standard output is `file`. */
static bool commit_to(int file, int *ret_error)
{
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    bake_gateway *gateway = bake_gateway_create(NULL);
    bake_output *output = bake_output_begin(gateway, "-");
    const char *path = NULL;
    bool done = bake_output_write(output, "hel", 3) && bake_output_write(output, "lo", 2) &&
                bake_gateway_commit(gateway, true, true, &path);
    *ret_error = errno;
    bake_gateway_destroy(gateway);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    return done;
}

static void standard_output_is_written_at_commit(void **state)
{
    (void)state;
    int ends[2];
    int error;
    assert_int_equal(pipe(ends), 0);
    assert_true(commit_to(ends[1], &error));
    char text[6] = "";
    assert_int_equal(read(ends[0], text, 5), 5);
    assert_string_equal(text, "hello");
    /* A pipe without readers is an error, not a signal. */
    close(ends[0]);
    assert_false(commit_to(ends[1], &error));
    assert_int_equal(error, EPIPE);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(outputs_appear_at_commit_and_not_before),
        NAMED(outputs_appear_at_commit_and_not_before),
        TEST(discarded_outputs_leave_nothing),
        NAMED(discarded_outputs_leave_nothing),
        TEST(outputs_larger_than_the_buffer_are_whole),
        NAMED(outputs_larger_than_the_buffer_are_whole),
        TEST(equal_outputs_are_left_untouched_on_request),
        NAMED(equal_outputs_are_left_untouched_on_request),
        TEST(a_replaced_file_keeps_its_mode),
        NAMED(a_replaced_file_keeps_its_mode),
        TEST(impossible_outputs_are_refused_at_once),
        NAMED(impossible_outputs_are_refused_at_once),
        TEST(links_are_followed_and_devices_not_replaced),
        TEST(names_of_full_length_can_be_written),
        NAMED(names_of_full_length_can_be_written),
        TEST(a_failed_commit_names_the_output_and_discards_the_rest),
        NAMED(a_failed_commit_names_the_output_and_discards_the_rest),
        TEST(a_full_disk_fails_the_write_and_the_commit),
        NAMED(a_full_disk_fails_the_write_and_the_commit),
        TEST(a_new_file_gets_the_mode_that_was_set),
        NAMED(a_new_file_gets_the_mode_that_was_set),
        TEST(a_restarted_output_has_only_the_new_bytes),
        NAMED(a_restarted_output_has_only_the_new_bytes),
        TEST(a_full_disk_does_not_prevent_a_restart),
        NAMED(a_full_disk_does_not_prevent_a_restart),
        TEST(standard_output_is_written_at_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
