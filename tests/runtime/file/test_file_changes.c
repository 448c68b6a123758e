/* An open file that another process overwrites: a private copy does not change, a mapping does. */
#define _POSIX_C_SOURCE 200809L

#include "file_fixture.h"
#include "scratch_folder.h"

#include <fcntl.h>
#include <kiln/blob_header.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char path[] = "file";
static kiln_buffer image;

static int make_folder(void **state)
{
    (void)state;
    image = fixture_file(false);
    return scratch_folder_enter("kiln-file", SCRATCH_DISK) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    kiln_buffer_fini(&image);
    return scratch_folder_leave() ? 0 : -1;
}

static kiln_file *open_path(kiln_source source)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(image.size, write(fd, image.data, image.size));
    close(fd);
    kiln_file_def def = kiln_file_def_default();
    def.path = path;
    def.source = source;
    kiln_file *file = NULL;
    assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
    return file;
}

static void truncate_in_place(void)
{
    assert_int_equal(0, truncate(path, 0));
}

static void overwrite_in_place(void)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    unsigned char *noise = test_malloc(image.size);
    memset(noise, 0xa5, image.size);
    assert_int_equal(image.size, write(fd, noise, image.size));
    test_free(noise);
    close(fd);
}

static void replace_by_rename(void)
{
    int fd = open("file.new", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(0, rename("file.new", path));
}

static void a_private_copy_does_not_change(void **state)
{
    (void)state;
    void (*const changes[])(void) = {truncate_in_place, overwrite_in_place, replace_by_rename};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        kiln_file *file = open_path(KILN_SOURCE_COPY);
        changes[i]();
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
        assert_true(fixture_read_all(file) > 0);
        kiln_file_close(file);
    }
}

static void a_mapping_survives_a_rename(void **state)
{
    (void)state;
    kiln_file *file = open_path(KILN_SOURCE_MAP);
    replace_by_rename();
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
    assert_true(fixture_read_all(file) > 0);
    kiln_file_close(file);
}

/* Maps the file, and returns the wait status of a child that changes the file and reads a byte of
 * the mapping. The child exits with 0 if the byte is unchanged, and with 1 if it changed. */
static int end_of_child(void (*change)(void))
{
    kiln_file *file = open_path(KILN_SOURCE_MAP);
    const volatile unsigned char *first =
        (const unsigned char *)kiln_file_index(file, NULL) - KILN_HEADER_SIZE;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGBUS, SIG_DFL);
        change();
        _exit(*first == 'K' ? 0 : 1);
    }
    assert_true(child > 0);
    int status = 0;
    assert_int_equal(child, waitpid(child, &status, 0));
    kiln_file_close(file);
    return status;
}

static void a_mapping_of_a_truncated_file_raises_a_signal(void **state)
{
    (void)state;
    int status = end_of_child(truncate_in_place);
    if (!WIFSIGNALED(status)) {
        print_message("skipped: this system keeps the pages of a truncated file\n");
        skip();
    }
    assert_int_equal(SIGBUS, WTERMSIG(status));
}

static void a_mapping_shows_bytes_written_in_place(void **state)
{
    (void)state;
    int status = end_of_child(overwrite_in_place);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 0) {
        print_message("skipped: this system hides writes from private mappings\n");
        skip();
    }
    assert_int_equal(1, WEXITSTATUS(status));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_private_copy_does_not_change),
        cmocka_unit_test(a_mapping_survives_a_rename),
        cmocka_unit_test(a_mapping_of_a_truncated_file_raises_a_signal),
        cmocka_unit_test(a_mapping_shows_bytes_written_in_place),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
