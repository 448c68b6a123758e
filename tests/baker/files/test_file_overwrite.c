/* Changing a private file in place. */
#include "bake_fixture.h"

#include "file_overwrite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { SIZE = 40000 };

static char before[SIZE], after[SIZE];

static bake_file_state state_of(const char *path)
{
    bake_file_state state;
    assert_int_equal(bake_file_look(NULL, path, &state), BAKE_PATH_FILE);
    return state;
}

/* Writes the file, and changes some bytes of the copy. */
static bake_file_state make(const char *path, const size_t *changed, size_t count)
{
    for (size_t i = 0; i < SIZE; i++)
        before[i] = after[i] = (char)('a' + i % 26);
    for (size_t i = 0; i < count; i++)
        after[changed[i]] = '!';
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(before, 1, SIZE, file) == SIZE && fclose(file) == 0);
    return state_of(path);
}

static void check(const char *path, const char *bytes)
{
    size_t size;
    char *text = fixture_read(path, &size);
    assert_int_equal(size, SIZE);
    assert_memory_equal(text, bytes, SIZE);
    free(text);
}

static void each_changed_byte_is_written(void **state)
{
    (void)state;
    static const size_t rows[][3] = {{0, 0, 0},
                                     {SIZE - 1, SIZE - 1, SIZE - 1},
                                     {4095, 4096, 4097},
                                     {4096, 8192, 12288},
                                     {0, 20000, SIZE - 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_file_state was = make("f", rows[i], 3);
        const bake_overwrite_part parts[] = {
            {before, after, 7}, {before + 7, after + 7, 0}, {before + 7, after + 7, SIZE - 7}};
        assert_true(bake_file_overwrite("f", &was, parts, 3));
        check("f", after);
        assert_true(state_of("f").inode == was.inode);
    }
}

static void equal_blocks_are_not_written(void **state)
{
    (void)state;
    static const size_t changed[] = {5000};
    bake_file_state was = make("f", changed, 1);
    /* The file differs from `before` in its first and last block, and keeps that. */
    before[0] = after[0] = before[SIZE - 1] = after[SIZE - 1] = '?';
    const bake_overwrite_part whole = {before, after, SIZE};
    assert_true(bake_file_overwrite("f", &was, &whole, 1));
    after[0] = 'a';
    after[SIZE - 1] = (char)('a' + (SIZE - 1) % 26);
    check("f", after);
}

static void a_part_without_old_bytes_is_written_as_a_whole(void **state)
{
    (void)state;
    bake_file_state was = make("f", NULL, 0);
    memset(after, '?', 100);
    const bake_overwrite_part parts[] = {{NULL, after, 100},
                                         {before + 100, after + 100, SIZE - 100}};
    assert_true(bake_file_overwrite("f", &was, parts, 2));
    check("f", after);
}

static void check_refused(const char *path, const bake_file_state *was, size_t size, int error)
{
    const bake_overwrite_part part = {NULL, after, size};
    errno = 0;
    assert_false(bake_file_overwrite(path, was, &part, 1));
    assert_int_equal(errno, error);
}

static void another_file_is_not_changed(void **state)
{
    (void)state;
    static const size_t changed[] = {1, SIZE - 1};
    bake_file_state was = make("f", changed, 2), other = make("g", changed, 2), none = {0};
    bake_file_state newer = was;
    newer.modified++;
    check_refused("f", &other, SIZE, EINVAL);
    check_refused("f", &none, SIZE, EINVAL);
    check_refused("f", &newer, SIZE, EINVAL);
    check_refused("f", &was, SIZE - 1, EINVAL);
    check_refused("f", &was, SIZE + 1, EINVAL);
    check_refused("missing", &was, SIZE, ENOENT);
    assert_int_equal(symlink("f", "link"), 0);
    check_refused("link", &was, SIZE, ELOOP);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    check_refused("pipe", &was, SIZE, ENXIO);
    assert_int_equal(link("f", "name"), 0);
    was = state_of("f");
    check_refused("f", &was, SIZE, EINVAL);
    check("f", before);
}

static void a_file_that_another_process_changes_is_not_changed(void **state)
{
    (void)state;
    static const size_t changed[] = {1};
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bake_file_state was = make("f", changed, 1);
    int file = open("f", O_RDWR), status = -1;
    assert_true(file >= 0 && fcntl(file, F_SETLK, &whole) == 0);
    pid_t child = fork();
    if (child == 0) {
        const bake_overwrite_part part = {before, after, SIZE};
        _exit(!bake_file_overwrite("f", &was, &part, 1) && errno == EINVAL ? 0 : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    close(file);
    check("f", before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_changed_byte_is_written),
        TEST(equal_blocks_are_not_written),
        TEST(a_part_without_old_bytes_is_written_as_a_whole),
        TEST(another_file_is_not_changed),
        TEST(a_file_that_another_process_changes_is_not_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
