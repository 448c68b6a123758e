/* Reading files and folders through the gateway, its record of them, and depfiles made from the
 * record. */
#include "gateway_fixture.h"
#include "gateway_inputs.h"

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

/* Compares the record with lines of the form "R path", "M path", "L path" or "E path", for a path
 * that was read, was missing, was listed, or was only examined. */
static void check_record(const bake_gateway *gateway, const char *expected)
{
    char text[4096] = "";
    for (size_t i = 0; i < bake_gateway_use_count(gateway); i++) {
        bake_use use;
        const char *path = bake_gateway_use(gateway, i, &use);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%c %s\n", "RMLE"[use], path);
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

static void a_path_is_recorded_with_its_strongest_use(void **state)
{
    (void)state;
    size_t count;
    make_file("a", "text");
    assert_int_equal(mkdir("folder", 0777), 0);
    bake_gateway *gateway = create(NULL);
    assert_int_equal(bake_gateway_path_kind(gateway, "a"), BAKE_PATH_FILE);
    assert_true(bake_gateway_is_regular(gateway, "a"));
    assert_int_equal(bake_gateway_path_kind(gateway, "folder"), BAKE_PATH_FOLDER);
    assert_int_equal(bake_gateway_path_kind(gateway, "none"), BAKE_PATH_MISSING);
    check_record(gateway, "E a\nE folder\nM none\n");
    check_read(gateway, "a", "text");
    assert_non_null(bake_gateway_list(gateway, "folder", NULL, &count, NULL));
    assert_int_equal(bake_gateway_path_kind(gateway, "folder"), BAKE_PATH_FOLDER);
    assert_int_equal(unlink("a"), 0);
    assert_int_equal(bake_gateway_path_kind(gateway, "a"), BAKE_PATH_MISSING);
    check_unreadable(gateway, "folder", EISDIR);
    check_record(gateway, "R a\nL folder\nM none\n");
    bake_gateway_destroy(gateway);
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
    assert_int_equal(bake_gateway_path_kind(gateway, "base"), BAKE_PATH_MISSING);
    assert_int_equal(bake_gateway_path_kind(gateway, "../base"), BAKE_PATH_FOLDER);
    bake_gateway_destroy(gateway);
}

static void files_above_the_limit_are_refused(void **state)
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
    assert_string_equal(bake_gateway_reason(gateway),
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

static void files_that_are_read_early_are_recorded_when_they_are_adopted(void **state)
{
    (void)state;
    make_file("a", "one");
    make_file("b", "two");
    bake_gateway *gateway = create(NULL);
    const char *text, *again;
    size_t size;
    bake_early_text *a = bake_gateway_read_early(gateway, "a", false, &text, &size);
    bake_early_text *b = bake_gateway_read_early(gateway, "b", false, &again, &size);
    bake_early_text *second = bake_gateway_read_early(gateway, "b", false, &again, &size);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(second);
    assert_int_equal(size, 3);
    assert_string_equal(text, "one");
    assert_ptr_equal(bake_early_text_get(a), text);
    check_record(gateway, "");
    check_read(gateway, "b", "two");
    assert_false(bake_gateway_adopt(gateway, "b", b));
    assert_true(bake_gateway_adopt(gateway, "a", a));
    assert_false(bake_gateway_input_path(gateway, 1).is_used_again);
    assert_ptr_equal(bake_gateway_read(gateway, "a", &size), text);
    assert_int_equal(size, 3);
    check_record(gateway, "R b\nR a\n");
    assert_true(bake_gateway_input_path(gateway, 1).is_used_again);
    assert_string_equal(bake_gateway_first_name(gateway, "a"), "a");
    assert_null(bake_output_begin(gateway, "./a"));
    assert_int_equal(errno, BAKE_OUTPUT_READ);
    bake_early_text_free(b);
    bake_early_text_free(second);
    bake_early_text_free(NULL);
    bake_gateway_destroy(gateway);
}

static void files_that_are_read_early_have_the_same_details(void **state)
{
    (void)state;
    make_file("a", "one");
    bake_gateway *now = create(NULL), *early = create(NULL);
    const char *text;
    size_t size;
    assert_true(bake_gateway_keep_details(now) && bake_gateway_keep_details(early));
    assert_int_equal(bake_gateway_path_kind(early, "a"), BAKE_PATH_FILE);
    check_read(now, "a", "one");
    bake_early_text *read = bake_gateway_read_early(early, "a", false, &text, &size);
    assert_true(bake_gateway_adopt(early, "a", read));
    bake_input_path left = bake_gateway_input_path(now, 0);
    bake_input_path right = bake_gateway_input_path(early, 0);
    assert_int_equal(right.use, BAKE_USE_READ);
    assert_int_equal(right.kind, left.kind);
    assert_true(right.is_stable);
    assert_true(right.has_hash);
    assert_memory_equal(&right.hash, &left.hash, sizeof left.hash);
    assert_memory_equal(&right.state, &left.state, sizeof left.state);
    bake_gateway_destroy(now);
    bake_gateway_destroy(early);
}

static void only_regular_files_are_read_early(void **state)
{
    static const char *const others[] = {"gone",  "folder",    "pipe",      "empty",
                                         "large", "/dev/null", "/dev/zero", "/proc/self/maps",
                                         "-",     ""};
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    make_file("empty", "");
    make_file("large", "12345");
    bake_gateway *gateway = create(NULL);
    bake_gateway_set_input_max(gateway, 4);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *text;
        size_t size;
        if (bake_gateway_read_early(gateway, others[i], false, &text, &size) ||
            bake_gateway_read_early(gateway, others[i], true, &text, &size))
            fail_msg("%s is read early", others[i]);
    }
    check_record(gateway, "");
    bake_gateway_destroy(gateway);
}

/* The folder may have changed since it was listed. */
static void files_that_were_listed_are_read_like_others(void **state)
{
    static const struct {
        const char *path;
        int error;
    } others[] = {{"gone", ENOENT},
                  {"folder", EISDIR},
                  {"a/b", ENOTDIR},
                  {"large", EFBIG},
                  {"/dev/zero", ENODEV}};
    const char *text;
    size_t size;
    (void)state;
    make_file("a", "one");
    make_file("empty", "");
    make_file("large", "12345");
    assert_int_equal(mkdir("folder", 0777), 0);
    bake_gateway *gateway = create(NULL);
    bake_gateway_set_input_max(gateway, 4);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_null(bake_gateway_read_listed(gateway, others[i].path, &size));
        assert_int_equal(errno, others[i].error);
    }
    assert_string_equal(bake_gateway_read_listed(gateway, "a", &size), "one");
    assert_string_equal(bake_gateway_read_listed(gateway, "empty", &size), "");
    assert_int_equal(size, 0);
    bake_early_text *early = bake_gateway_read_early(gateway, "a", true, &text, &size);
    assert_non_null(early);
    assert_string_equal(text, "one");
    bake_early_text_free(early);
    check_record(gateway, "M gone\nM folder\nM a/b\nM large\nM /dev/zero\nR a\nR empty\n");
    bake_gateway_destroy(gateway);
}

static void only_regular_files_are_read(void **state)
{
    (void)state;
    make_file("file", "x");
    assert_int_equal(symlink("/dev/zero", "link"), 0);
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    bake_gateway *gateway = create(NULL);
    check_unreadable(gateway, "/dev/zero", ENODEV);
    assert_string_equal(bake_gateway_reason(gateway), "it is a device, not a file");
    check_unreadable(gateway, "link", ENODEV);
    check_unreadable(gateway, "folder", EISDIR);
    assert_string_equal(bake_gateway_reason(gateway), strerror(EISDIR));
    check_read(gateway, "/dev/null", "");
    /* The pipe has no writer, so opening it would block. */
    assert_false(bake_gateway_is_regular(gateway, "pipe"));
    assert_string_equal(bake_gateway_reason(gateway), "it is not a regular file");
    assert_true(bake_gateway_is_regular(gateway, "file"));
    bake_failure failure = {.result = BAKE_OK};
    check_unreadable(gateway, "missing", ENOENT);
    assert_int_equal(bake_fail_read(&failure, gateway, "missing"), BAKE_FAILED);
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

static void standard_input_is_read_from_its_current_offset(void **state)
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

static void listings_are_sorted_and_skip_loops(void **state)
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
    bake_gateway_reverse_folders(gateway);
    check_list(gateway, ".", "c/y.yml\nlink.yaml\nx.yaml\n");
    check_record(gateway, "L .\nL c\n");
    bake_gateway_destroy(gateway);
}

static bool enters_b(void *ctx, const char *path)
{
    ++*(size_t *)ctx;
    return strcmp(path, "d/b") == 0;
}

static void a_caller_chooses_the_subfolders_to_list(void **state)
{
    (void)state;
    size_t count, asked = 0;
    assert_int_equal(system("mkdir -p d/a/x d/b/y"), 0);
    make_file("d/a/a.yaml", "");
    make_file("d/b/b.yaml", "");
    bake_gateway *gateway = create(NULL);
    const bake_listing_def def = {"d", NULL, enters_b, &asked};
    const char *const *list = bake_gateway_list_some(gateway, &def, &count, NULL);
    assert_non_null(list);
    assert_int_equal(count, 1);
    assert_string_equal(list[0], "d/b/b.yaml");
    assert_int_equal(asked, 3);
    check_record(gateway, "L d\nL d/b\n");
    bake_gateway_destroy(gateway);
}

static void only_folders_can_be_listed(void **state)
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

static const struct {
    const char *target;
    bool quote;
    bool phony;
    const char *expected;
} depfiles[] = {
    {"out.kiln", false, false, "out.kiln: \\\n  a.yaml \\\n  d \\\n  d/b.yml \\\n  .\n"},
    {"my out$#.kiln", true, false,
     "my\\ out$$\\#.kiln: \\\n  a.yaml \\\n  d \\\n  d/b.yml \\\n  .\n"},
    {"my\\ out", false, false, "my\\ out: \\\n  a.yaml \\\n  d \\\n  d/b.yml \\\n  .\n"},
    {"o", true, true,
     "o: \\\n  a.yaml \\\n  d \\\n  d/b.yml \\\n  .\n\na.yaml:\n\nd:\n\nd/b.yml:\n\n.:\n"},
};

static void depfiles_list_the_files_that_were_read(void **state)
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

/* A missing path, and the folder that represents it. */
static void a_missing_file_is_represented_by_the_nearest_folder(void **state)
{
    (void)state;
    static const struct {
        const char *missing, *folder;
    } rows[] = {
        {"x", "."},
        {"d/x", "d"},
        {"d//x/", "d"},
        {"d/no/such/x", "d"},
        {"no/such/x", "."},
        {"file/x", "."},
        {"./x", "."},
        {"d/../x", "d/.."},
        {"/kiln-no-such-folder/x", "/"},
        {"dangling", ". \\\n  d/e"},
        {"d/loop", "d"},
        {"dangling/x", "."},
    };
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(mkdir("d/e", 0777), 0);
    make_file("file", "");
    assert_int_equal(symlink("d/e/no/target", "dangling"), 0);
    assert_int_equal(symlink("loop", "d/loop"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const targets[] = {"o"};
        char expected[200];
        snprintf(expected, sizeof expected, "o: \\\n  %s\n", rows[i].folder);
        bake_gateway *gateway = create(NULL);
        assert_null(bake_gateway_read(gateway, rows[i].missing, NULL));
        bake_output *depfile = bake_output_begin(gateway, "out.d");
        assert_true(bake_gateway_write_depfile(gateway, depfile, targets, 1, true, false));
        commit(gateway, false, false);
        check_file("out.d", expected);
        bake_gateway_destroy(gateway);
    }
}

/* Lists folder `d` and looks for `d/missing.yaml`, then writes an output into the folder, and calls
 * `interfere` before the commit. Returns whether the folder still has its modification time of 1970
 * afterwards. */
static bool keeps_time(const char *output, void (*interfere)(void), bool has_depfile)
{
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const char *const targets[] = {output};
    struct stat status;
    size_t count;
    assert_int_equal(utimensat(AT_FDCWD, "d", old, 0), 0);
    bake_gateway *gateway = create(NULL);
    assert_non_null(bake_gateway_list(gateway, "d", NULL, &count, NULL));
    assert_null(bake_gateway_read(gateway, "d/missing.yaml", NULL));
    begin(gateway, output, "text");
    bake_output *depfile = has_depfile ? bake_output_begin(gateway, "d/out.d") : NULL;
    if (depfile)
        assert_true(bake_gateway_write_depfile(gateway, depfile, targets, 1, true, false));
    if (interfere)
        interfere();
    commit(gateway, false, false);
    bake_gateway_destroy(gateway);
    assert_int_equal(stat("d", &status), 0);
    return status.st_mtim.tv_sec == 1000;
}

static void add_yaml(void)
{
    make_file("d/new.yaml", "");
}
static void add_looked_for(void)
{
    make_file("d/missing.yaml", "");
}
static void add_folder(void)
{
    assert_int_equal(mkdir("d/sub", 0777), 0);
}
static void remove_yaml(void)
{
    assert_int_equal(unlink("d/a.yaml"), 0);
}
static void add_text(void)
{
    make_file("d/notes.txt", "");
}
static void outputs_do_not_change_the_time_of_an_input_folder(void **state)
{
    (void)state;
    static const struct {
        const char *output;
        void (*interfere)(void);
        bool has_depfile, keeps_time;
    } rows[] = {
        {"d/out.kiln", NULL, true, true},        {"d/out.kiln", NULL, false, false},
        {"out.kiln", NULL, true, true},          {"d/new.yaml", NULL, true, false},
        {"d/a.yaml", NULL, true, true},          {"d/missing.yaml", NULL, true, false},
        {"d/out.kiln", add_yaml, true, false},   {"d/out.kiln", add_looked_for, true, false},
        {"d/out.kiln", add_folder, true, false}, {"d/out.kiln", remove_yaml, true, false},
        {"d/out.kiln", add_text, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mkdir("d", 0777), 0);
        make_file("d/a.yaml", "");
        assert_int_equal(keeps_time(rows[i].output, rows[i].interfere, rows[i].has_depfile),
                         rows[i].keeps_time);
        assert_int_equal(system("rm -r d"), 0);
    }
}

static void depfiles_escape_names_that_make_would_misread(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_are_read_whole_and_recorded),
        TEST(a_path_is_recorded_with_its_strongest_use),
        TEST(the_same_path_gives_the_same_text),
        TEST(relative_paths_start_at_the_base),
        TEST(files_above_the_limit_are_refused),
        TEST(files_that_were_listed_are_read_like_others),
        TEST(only_regular_files_are_read),
        TEST(files_that_are_read_early_are_recorded_when_they_are_adopted),
        TEST(files_that_are_read_early_have_the_same_details),
        TEST(only_regular_files_are_read_early),
        TEST(standard_input_may_be_a_pipe),
        TEST(standard_input_is_read_from_its_current_offset),
        TEST(listings_are_sorted_and_skip_loops),
        TEST(a_caller_chooses_the_subfolders_to_list),
        TEST(only_folders_can_be_listed),
        TEST(depfiles_list_the_files_that_were_read),
        TEST(a_missing_file_is_represented_by_the_nearest_folder),
        TEST(outputs_do_not_change_the_time_of_an_input_folder),
        TEST(depfiles_escape_names_that_make_would_misread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
