/* Shared by the tests of the gateway: a scratch folder on disk for each test, files in it, and a
 * gateway that can be forced to give temporary files names. */
#ifndef GATEWAY_FIXTURE_H
#define GATEWAY_FIXTURE_H

/* For O_TMPFILE. */
#define _GNU_SOURCE

#include "bake_memory.h"
#include "gateway.h"
#include "scratch_folder.h"

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

/* Forces names for temporary files, as on a file system without unnamed files. */
static bool only_named;

static inline bool has_unnamed_files(void)
{
    int file = -1;
#ifdef O_TMPFILE
    file = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (file >= 0)
        close(file);
    return file >= 0 && access("/proc/self/fd", X_OK) == 0;
}

/* The current folder of every test, which is initially empty. */
static const char *scratch;

static inline int enter_scratch(void **state)
{
    (void)state;
    scratch = scratch_folder_enter("kiln-gateway", SCRATCH_DISK);
    if (!scratch)
        return -1;
    only_named = only_named || !has_unnamed_files();
    return 0;
}

static inline int enter_named(void **state)
{
    only_named = true;
    return enter_scratch(state);
}

static inline int leave_scratch(void **state)
{
    (void)state;
    only_named = false;
    return scratch_folder_leave() ? 0 : -1;
}

static inline void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static inline void check_file(const char *path, const char *expected)
{
    char text[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    assert_string_equal(text, expected);
}

/* Counts the names in a folder, to check that no temporary file remains. */
static inline unsigned count_names(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    unsigned count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

static inline mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static inline bake_gateway *create(const char *base)
{
    bake_gateway *gateway = bake_gateway_create(base);
    assert_non_null(gateway);
    if (only_named)
        bake_gateway_refuse_unnamed(gateway);
    return gateway;
}

static inline bake_output *begin(bake_gateway *gateway, const char *path, const char *text)
{
    bake_output *output = bake_output_begin(gateway, path);
    assert_non_null(output);
    assert_true(bake_output_write(output, text, strlen(text)));
    return output;
}

static inline void commit(bake_gateway *gateway, bool durable, bool if_changed)
{
    const char *path = NULL;
    bool done = bake_gateway_commit(gateway, durable, if_changed, &path);
    if (!done)
        fail_msg("%s: %s", path, strerror(errno));
}

/* TEST runs a test with unnamed temporary files if the file system supports them. NAMED runs the
 * test with named ones. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)
#define NAMED(test)                                                                                \
    {                                                                                              \
#test "_with_names", test, enter_named, leave_scratch, NULL                                \
    }

#endif
