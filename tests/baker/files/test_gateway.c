/* O_TMPFILE. */
#define _GNU_SOURCE

#include "bake_memory.h"
#include "gateway.h"
#include "gateway_folder.h"

#include <dirent.h>
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Every test runs in an empty folder of its own, which is the current one. */
static char scratch[512];

/* Whether temporary files have names, as where the file system has no others. */
static bool only_named;

static bool has_unnamed_files(void)
{
    int file = -1;
#ifdef O_TMPFILE
    file = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (file >= 0)
        close(file);
    return file >= 0 && access("/proc/self/fd", X_OK) == 0;
}

static int enter_scratch(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/kiln-gateway-XXXXXX", parent ? parent : P_tmpdir);
    if (!mkdtemp(scratch) || chdir(scratch) != 0)
        return -1;
    only_named = only_named || !has_unnamed_files();
    return 0;
}

static void remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        unlink(path);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char child[4096];
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        if (lstat(child, &status) == 0 && S_ISDIR(status.st_mode))
            remove_tree(child);
        else
            unlink(child);
    }
    closedir(folder);
    rmdir(path);
}

static int leave_scratch(void **state)
{
    (void)state;
    only_named = false;
    if (chdir("/") != 0)
        return -1;
    remove_tree(scratch);
    return 0;
}

static void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void check_file(const char *path, const char *expected)
{
    char text[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    assert_string_equal(text, expected);
}

/* The number of names in a folder: tests that no temporary file stays behind. */
static unsigned count_names(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    unsigned count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

static bake_gateway *create(const char *base)
{
    bake_gateway *gateway = bake_gateway_create(base);
    assert_non_null(gateway);
    if (only_named)
        bake_gateway_refuse_unnamed(gateway);
    return gateway;
}

static void check_read(bake_gateway *gateway, const char *path, const char *expected)
{
    size_t size;
    const char *text = bake_gateway_read(gateway, path, &size);
    assert_non_null(text);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
}

static void check_unreadable(bake_gateway *gateway, const char *path, int error)
{
    errno = 0;
    assert_null(bake_gateway_read(gateway, path, NULL));
    assert_int_equal(errno, error);
}

/* Checks the record against lines of "R path", "M path" or "L path". */
static void check_record(const bake_gateway *gateway, const char *expected)
{
    char text[4096] = "";
    for (size_t i = 0; i < bake_gateway_use_count(gateway); i++) {
        bake_use use;
        const char *path = bake_gateway_use(gateway, i, &use);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%c %s\n", "RML"[use], path);
    }
    assert_string_equal(text, expected);
}

static void files_are_read_whole_and_recorded(void **state)
{
    (void)state;
    make_file("a", "text");
    make_file("empty", "");
    assert_int_equal(mkdir("folder", 0777), 0);
    bake_gateway *gateway = create(NULL);
    check_read(gateway, "a", "text");
    check_read(gateway, "empty", "");
    check_unreadable(gateway, "missing", ENOENT);
    check_unreadable(gateway, "", ENOENT);
    check_unreadable(gateway, "folder", EISDIR);
    check_unreadable(gateway, "a/b", ENOTDIR);
    check_record(gateway, "R a\nR empty\nM missing\nM \nM folder\nM a/b\n");
    bake_gateway_destroy(gateway);
    bake_gateway_destroy(NULL);
}

static void the_same_path_gives_the_same_text(void **state)
{
    (void)state;
    make_file("a", "one");
    bake_gateway *gateway = create(NULL);
    const char *first = bake_gateway_read(gateway, "a", NULL);
    make_file("a", "two");
    assert_ptr_equal(bake_gateway_read(gateway, "a", NULL), first);
    check_unreadable(gateway, "late", ENOENT);
    make_file("late", "x");
    check_read(gateway, "late", "x");
    check_record(gateway, "R a\nR late\n");
    bake_gateway_destroy(gateway);
}

static void relative_paths_start_at_the_base(void **state)
{
    (void)state;
    assert_int_equal(mkdir("base", 0777), 0);
    make_file("base/a", "in base");
    make_file("b", "here");
    char absolute[600];
    snprintf(absolute, sizeof absolute, "%s/b", scratch);
    bake_gateway *gateway = create("base");
    check_read(gateway, "a", "in base");
    check_read(gateway, absolute, "here");
    check_read(gateway, "../b", "here");
    check_unreadable(gateway, "b", ENOENT);
    assert_int_equal(bake_gateway_look(gateway, "base"), BAKE_THERE_NOTHING);
    assert_int_equal(bake_gateway_look(gateway, "../base"), BAKE_THERE_FOLDER);
    bake_gateway_destroy(gateway);
}

static void large_files_are_read_and_huge_ones_refused(void **state)
{
    (void)state;
    make_file("large", "x");
    assert_int_equal(truncate("large", 3000000), 0);
    make_file("huge", "x");
    assert_int_equal(truncate("huge", ((off_t)1 << 30) + 1), 0);
    bake_gateway *gateway = create(NULL);
    size_t size;
    const char *text = bake_gateway_read(gateway, "large", &size);
    assert_non_null(text);
    assert_int_equal(size, 3000000);
    assert_int_equal(text[0], 'x');
    assert_int_equal(text[size - 1] | text[size], 0);
    check_unreadable(gateway, "huge", EFBIG);
    assert_string_equal(bake_gateway_why(gateway),
                        "it is larger than the limit of 1073741824 bytes (--max-input)");
    bake_gateway_set_input_max(gateway, 2999999);
    assert_non_null(bake_gateway_read(gateway, "large", NULL));
    bake_gateway_destroy(gateway);
    gateway = create(NULL);
    bake_gateway_set_input_max(gateway, 2999999);
    check_unreadable(gateway, "large", EFBIG);
    bake_gateway_set_input_max(gateway, 3000000);
    assert_non_null(bake_gateway_read(gateway, "large", NULL));
    bake_gateway_destroy(gateway);
}

static void what_is_no_file_is_not_read(void **state)
{
    (void)state;
    make_file("file", "x");
    assert_int_equal(symlink("/dev/zero", "link"), 0);
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    bake_gateway *gateway = create(NULL);
    check_unreadable(gateway, "/dev/zero", ENODEV);
    assert_string_equal(bake_gateway_why(gateway), "it is a device, not a file");
    check_unreadable(gateway, "link", ENODEV);
    check_unreadable(gateway, "folder", EISDIR);
    assert_string_equal(bake_gateway_why(gateway), strerror(EISDIR));
    check_read(gateway, "/dev/null", "");
    /* Nobody writes to the pipe, so opening it would wait. */
    assert_false(bake_gateway_is_regular(gateway, "pipe"));
    assert_string_equal(bake_gateway_why(gateway), "it is not a regular file");
    assert_true(bake_gateway_is_regular(gateway, "file"));
    bake_failure failure = {.result = BAKE_OK};
    check_unreadable(gateway, "missing", ENOENT);
    assert_int_equal(bake_fail_read(&failure, gateway, "missing"), BAKE_CANNOT);
    assert_string_equal(failure.text, "cannot read missing: No such file or directory");
    bake_gateway_destroy(gateway);
}

static void standard_input_may_be_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    int saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    bake_gateway *gateway = create("elsewhere");
    check_read(gateway, "-", "piped");
    check_read(gateway, "-", "piped");
    bake_gateway_destroy(gateway);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void standard_input_may_begin_behind_its_start(void **state)
{
    (void)state;
    int saved = dup(STDIN_FILENO);
    make_file("text", "read: before\nleft: 1\n");
    int file = open("text", O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(lseek(file, 13, SEEK_SET), 13);
    dup2(file, STDIN_FILENO);
    close(file);
    bake_gateway *gateway = create(NULL);
    check_read(gateway, "-", "left: 1\n");
    bake_gateway_destroy(gateway);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void check_list(bake_gateway *gateway, const char *folder, const char *expected)
{
    size_t count;
    const char *const *list = bake_gateway_list(gateway, folder, NULL, &count, NULL);
    assert_non_null(list);
    char text[4096] = "";
    for (size_t i = 0; i < count; i++) {
        strcat(text, list[i]);
        strcat(text, "\n");
    }
    assert_string_equal(text, expected);
}

static void listing_is_sorted_and_knows_no_loops(void **state)
{
    (void)state;
    static const char *const folders[] = {"d", "d/b", "d/b/c", "d/a.yaml", "d/.hidden", "empty"};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(mkdir(folders[i], 0777), 0);
    static const char *const files[] = {
        "d/z.yaml",  "d/b.yml", "d/b/x.yaml", "d/b/c/y.yml",      "d/no.txt",        "d/.yaml",
        "d/b-.yaml", "d/yaml",  "d/B.yaml",   "d/.hidden/h.yaml", "d/a.yaml/in.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        make_file(files[i], "");
    assert_int_equal(symlink("..", "d/b/loop"), 0);
    assert_int_equal(symlink("../no.txt", "d/b/link.yaml"), 0);
    assert_int_equal(symlink("nowhere", "d/b/dangling.yaml"), 0);
    assert_int_equal(symlink("itself.yaml", "d/b/itself.yaml"), 0);
    assert_int_equal(symlink("../no.txt/in", "d/b/through.yaml"), 0);
    assert_int_equal(mkfifo("d/pipe.yaml", 0666), 0);
    bake_gateway *gateway = create(NULL);
    check_list(gateway, "d",
               "d/B.yaml\nd/a.yaml/in.yaml\nd/b-.yaml\nd/b.yml\nd/b/c/y.yml\n"
               "d/b/link.yaml\nd/b/x.yaml\nd/z.yaml\n");
    check_record(gateway, "L d\nL d/a.yaml\nL d/b\nL d/b/c\n");
    check_list(gateway, "d/b/", "d/b/c/y.yml\nd/b/link.yaml\nd/b/x.yaml\n");
    check_list(gateway, "empty", "");
    bake_gateway_destroy(gateway);
    gateway = create("d/b");
    check_list(gateway, ".", "c/y.yml\nlink.yaml\nx.yaml\n");
    check_record(gateway, "L .\nL c\n");
    bake_gateway_destroy(gateway);
}

static void listing_what_is_no_folder_fails(void **state)
{
    (void)state;
    make_file("file", "");
    bake_gateway *gateway = create(NULL);
    size_t count;
    errno = 0;
    assert_null(bake_gateway_list(gateway, "missing", NULL, &count, NULL));
    assert_int_equal(errno, ENOENT);
    assert_null(bake_gateway_list(gateway, "file", NULL, &count, NULL));
    assert_int_equal(errno, ENOTDIR);
    check_record(gateway, "M missing\nM file\n");
    bake_gateway_destroy(gateway);
}

static bake_output *begin(bake_gateway *gateway, const char *path, const char *text)
{
    bake_output *output = bake_output_begin(gateway, path);
    assert_non_null(output);
    assert_true(bake_output_write(output, text, strlen(text)));
    return output;
}

static void commit(bake_gateway *gateway, bool durable, bool if_changed)
{
    const char *path = NULL;
    bool done = bake_gateway_commit(gateway, durable, if_changed, &path);
    if (!done)
        fail_msg("%s: %s", path, strerror(errno));
}

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

/* Begins `count` outputs, "0" and so on, with a digit in each. */
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
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++) {
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

/* What a process leaves that is killed with `count` outputs begun, when it may open `files` files.
 */
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

static void the_next_output_removes_what_a_killed_process_left(void **state)
{
    (void)state;
    /* Of 100 outputs 30 may have open files; the others have names, and these a guard. */
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

static void outputs_of_others_are_not_disturbed(void **state)
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

/* What a call that failed earlier left in errno says nothing of the lock of a new file. */
static void a_lock_that_is_taken_is_ones_own(void **state)
{
    (void)state;
    char here[] = "";
    output_folder folder = {.path = here, .guard_file = -1};
    errno = 0;
    int before = bake_folder_open_unnamed(&folder, 0600);
    if (before < 0)
        skip(); /* the file system has no files without a name */
    errno = EWOULDBLOCK;
    int file = bake_folder_open_unnamed(&folder, 0600);
    assert_true(file >= 0);
    close(file);
    close(before);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
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
    /* What others do meanwhile counts. */
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

/* A file without a name is nobody's to look at; one with a name must not show more than it
 * replaces. */
static void what_replaces_a_secret_file_is_secret_before(void **state)
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
    /* A folder that comes in between is what renaming cannot replace. */
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

/* Runs a commit of "- : hello" with standard output at `file`. */
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
    /* Nobody reads any more: a failure, not a signal. */
    close(ends[0]);
    assert_false(commit_to(ends[1], &error));
    assert_int_equal(error, EPIPE);
    close(ends[1]);
}

static const struct {
    const char *target;
    bool quote;
    bool phony;
    const char *expected;
} depfiles[] = {
    {"out.kiln", false, false, "out.kiln: \\\n  a.yaml \\\n  d \\\n  d/b.yml\n"},
    {"my out$#.kiln", true, false, "my\\ out$$\\#.kiln: \\\n  a.yaml \\\n  d \\\n  d/b.yml\n"},
    {"my\\ out", false, false, "my\\ out: \\\n  a.yaml \\\n  d \\\n  d/b.yml\n"},
    {"o", true, true, "o: \\\n  a.yaml \\\n  d \\\n  d/b.yml\n\na.yaml:\n\nd:\n\nd/b.yml:\n"},
};

static void depfiles_name_what_was_read(void **state)
{
    (void)state;
    make_file("a.yaml", "");
    assert_int_equal(mkdir("d", 0777), 0);
    make_file("d/b.yml", "");
    for (size_t i = 0; i < sizeof depfiles / sizeof *depfiles; i++) {
        bake_gateway *gateway = create(NULL);
        size_t count;
        check_read(gateway, "a.yaml", "");
        check_unreadable(gateway, "missing", ENOENT);
        assert_non_null(bake_gateway_list(gateway, "d", NULL, &count, NULL));
        check_read(gateway, "d/b.yml", "");
        check_read(gateway, "a.yaml", "");
        bake_output *depfile = bake_output_begin(gateway, "out.d");
        assert_non_null(depfile);
        assert_true(bake_gateway_write_depfile(gateway, depfile, &depfiles[i].target, 1,
                                               depfiles[i].quote, depfiles[i].phony));
        commit(gateway, false, false);
        check_file("out.d", depfiles[i].expected);
        bake_gateway_destroy(gateway);
    }
}

static void depfiles_escape_what_make_would_misread(void **state)
{
    (void)state;
    static const char *const names[] = {"a b", "c\\ d", "$e#f", "g\\h"};
    static const char *const targets[] = {"one", "two"};
    bake_gateway *gateway = create(NULL);
    for (size_t i = 0; i < 4; i++) {
        make_file(names[i], "");
        check_read(gateway, names[i], "");
    }
    bake_output *depfile = bake_output_begin(gateway, "out.d");
    assert_non_null(depfile);
    assert_true(bake_gateway_write_depfile(gateway, depfile, targets, 2, true, false));
    commit(gateway, false, false);
    check_file("out.d", "one two: \\\n  a\\ b \\\n  c\\\\\\ d \\\n  $$e\\#f \\\n  g\\h\n");
    make_file("line\nend", "");
    check_read(gateway, "line\nend", "");
    depfile = bake_output_begin(gateway, "out2.d");
    assert_non_null(depfile);
    errno = 0;
    assert_false(bake_gateway_write_depfile(gateway, depfile, targets, 2, true, false));
    assert_int_equal(errno, EINVAL);
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
    bool done = bake_gateway_look(gateway, "d") == BAKE_THERE_FOLDER &&
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

static void every_failing_allocation_leaves_no_trace(void **state)
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

static int enter_named(void **state)
{
    only_named = true;
    return enter_scratch(state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)
/* The same with temporary files that have names. */
#define NAMED(test)                                                                                \
    {                                                                                              \
#test "_with_names", test, enter_named, leave_scratch, NULL                                \
    }
    const struct CMUnitTest tests[] = {
        TEST(files_are_read_whole_and_recorded),
        TEST(the_same_path_gives_the_same_text),
        TEST(relative_paths_start_at_the_base),
        TEST(large_files_are_read_and_huge_ones_refused),
        TEST(what_is_no_file_is_not_read),
        TEST(standard_input_may_be_a_pipe),
        TEST(standard_input_may_begin_behind_its_start),
        TEST(listing_is_sorted_and_knows_no_loops),
        TEST(listing_what_is_no_folder_fails),
        TEST(outputs_appear_at_commit_and_not_before),
        NAMED(outputs_appear_at_commit_and_not_before),
        TEST(discarded_outputs_leave_nothing),
        NAMED(discarded_outputs_leave_nothing),
        TEST(outputs_larger_than_the_buffer_are_whole),
        NAMED(outputs_larger_than_the_buffer_are_whole),
        TEST(equal_outputs_are_left_untouched_on_request),
        NAMED(equal_outputs_are_left_untouched_on_request),
        TEST(more_outputs_than_open_files_are_written),
        NAMED(more_outputs_than_open_files_are_written),
        TEST(signals_leave_no_temporary_files),
        NAMED(signals_leave_no_temporary_files),
        TEST(the_next_output_removes_what_a_killed_process_left),
        NAMED(the_next_output_removes_what_a_killed_process_left),
        TEST(outputs_of_others_are_not_disturbed),
        NAMED(outputs_of_others_are_not_disturbed),
        TEST(a_lock_that_is_taken_is_ones_own),
        TEST(a_replaced_file_keeps_its_mode),
        NAMED(a_replaced_file_keeps_its_mode),
        TEST(what_replaces_a_secret_file_is_secret_before),
        TEST(impossible_outputs_are_refused_at_once),
        NAMED(impossible_outputs_are_refused_at_once),
        TEST(links_are_followed_and_devices_not_replaced),
        TEST(names_of_full_length_can_be_written),
        NAMED(names_of_full_length_can_be_written),
        TEST(a_failed_commit_names_the_output_and_discards_the_rest),
        NAMED(a_failed_commit_names_the_output_and_discards_the_rest),
        TEST(a_full_disk_fails_the_write_and_the_commit),
        NAMED(a_full_disk_fails_the_write_and_the_commit),
        TEST(standard_output_is_written_at_commit),
        TEST(depfiles_name_what_was_read),
        TEST(depfiles_escape_what_make_would_misread),
        TEST(every_failing_allocation_leaves_no_trace),
        NAMED(every_failing_allocation_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
