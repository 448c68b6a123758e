/* Folders and files that are neither inputs nor outputs of one run. */
#include "bake_fixture.h"

#include "folder_tree.h"

#include <errno.h>
#include <sys/stat.h>

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static void folders_are_made_on_the_way_to_a_file(void **state)
{
    (void)state;
    assert_true(bake_make_folders("file"));
    assert_false(exists("file"));
    assert_true(bake_make_folders("a/b//c/file"));
    assert_true(exists("a/b/c") && !exists("a/b/c/file"));
    assert_true(bake_make_folders("a/b//c/file"));
    assert_int_equal(symlink("a/b", "link"), 0);
    assert_true(bake_make_folders("link/d/file"));
    assert_true(exists("a/b/d"));
    fixture_write("plain", "");
    errno = 0;
    assert_false(bake_make_folders("plain/file"));
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_false(bake_make_folders("dangling/file"));
    assert_true(bake_make_folders("/file"));
}

static void a_new_file_replaces_nothing(void **state)
{
    (void)state;
    assert_true(bake_write_new_file("a", "text", 4));
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    static const char *const taken[] = {"a", "dangling", "folder"};
    for (size_t i = 0; i < 3; i++) {
        errno = 0;
        assert_true(bake_name_exists(taken[i]));
        assert_false(bake_write_new_file(taken[i], "other", 5));
        assert_int_equal(errno, EEXIST);
    }
    assert_false(exists("nowhere"));
    char *text = fixture_read("a", NULL);
    assert_string_equal(text, "text");
    free(text);
    assert_false(bake_name_exists("b"));
    assert_false(bake_name_exists("a/b"));
    assert_false(bake_write_new_file("none/b", "", 0));
    assert_int_equal(errno, ENOENT);
}

static void only_files_and_links_are_removed(void **state)
{
    (void)state;
    fixture_write("a", "");
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(bake_remove_file("link"), BAKE_REMOVED);
    assert_true(exists("a") && !exists("link"));
    assert_int_equal(bake_remove_file("a"), BAKE_REMOVED);
    assert_int_equal(bake_remove_file("a"), BAKE_REMOVAL_ABSENT);
    assert_int_equal(bake_remove_file("none/a"), BAKE_REMOVAL_ABSENT);
    assert_int_equal(bake_remove_file("folder"), BAKE_REMOVAL_FAILED);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(bake_remove_file("pipe"), BAKE_REMOVAL_FAILED);
    assert_int_equal(errno, ENODEV);
}

static void a_tree_is_removed_without_following_links(void **state)
{
    char *failed;
    (void)state;
    assert_int_equal(mkdir("kept", 0700), 0);
    fixture_write("kept/a", "");
    assert_true(bake_make_folders("tree/b/c/file"));
    assert_true(bake_make_folders("tree/.d/file"));
    fixture_write("tree/b/a", "");
    fixture_write("tree/.hidden", "");
    assert_int_equal(symlink("../../kept", "tree/b/link"), 0);
    assert_int_equal(symlink(".", "tree/loop"), 0);
    assert_int_equal(symlink("tree", "link"), 0);
    assert_int_equal(bake_remove_tree("link", &failed), BAKE_REMOVAL_FAILED);
    assert_int_equal(errno, ENOTDIR);
    assert_true(exists("tree/b/a"));
    assert_int_equal(bake_remove_tree("tree", &failed), BAKE_REMOVED);
    assert_false(exists("tree"));
    assert_true(exists("kept/a"));
    assert_int_equal(bake_remove_tree("tree", &failed), BAKE_REMOVAL_ABSENT);
    assert_int_equal(bake_remove_tree("kept/a", &failed), BAKE_REMOVAL_FAILED);
    assert_true(exists("kept/a"));
}

static void a_tree_without_memory_fails(void **state)
{
    (void)state;
    bool failed = true;
    for (long n = 0; failed; n++) {
        char *path;
        assert_true(bake_make_folders("tree/a/b/file"));
        fixture_write("tree/a/x", "");
        bake_memory_fail_at(n);
        bake_removal removal = bake_remove_tree("tree", &path);
        int error = errno;
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        bake_free(path);
        assert_int_equal(removal, failed ? BAKE_REMOVAL_FAILED : BAKE_REMOVED);
        if (failed)
            assert_int_equal(error, ENOMEM);
    }
}

static void a_scratch_file_has_no_name_and_can_be_read(void **state)
{
    char path[32], *text;
    size_t size = 0;
    (void)state;
    int file = bake_scratch_file(path);
    assert_true(file >= 0);
    FILE *other = fopen(path, "wb");
    assert_non_null(other);
    assert_int_equal(fwrite("a\0b", 1, 3, other), 3);
    assert_int_equal(fclose(other), 0);
    for (int i = 0; i < 2; i++) {
        text = bake_scratch_read(file, &size);
        assert_non_null(text);
        assert_int_equal(size, 3);
        assert_memory_equal(text, "a\0b", 4);
        bake_free(text);
    }
    bake_scratch_close(file);
    assert_false(exists(path));
    bake_scratch_close(-1);
    assert_null(bake_scratch_read(-1, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(folders_are_made_on_the_way_to_a_file, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(a_new_file_replaces_nothing, fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(only_files_and_links_are_removed, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(a_tree_is_removed_without_following_links, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(a_tree_without_memory_fails, fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(a_scratch_file_has_no_name_and_can_be_read, fixture_enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
