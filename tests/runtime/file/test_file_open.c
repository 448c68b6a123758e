#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "file_fixture.h"
#include "scratch_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <kiln/blob_header.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char path[] = "file";

static const kiln_source sources[] = {KILN_SOURCE_MAP, KILN_SOURCE_COPY};

static int make_folder(void **state)
{
    (void)state;
    return scratch_folder_enter("kiln-file", SCRATCH_DISK) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return scratch_folder_leave() ? 0 : -1;
}

static void write_bytes(const void *data, size_t size)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(size, fwrite(data, 1, size, file));
    assert_int_equal(0, fclose(file));
}

/* The descriptor of the next open: if it is the same before and after, no descriptor leaked. */
static int next_descriptor(void)
{
    int fd = dup(STDIN_FILENO);
    if (fd >= 0)
        close(fd);
    return fd;
}

/* Opens the file and expects `status` without leaks or changed outputs. */
static void expect_refused(kiln_file_def def, kiln_status status)
{
    counting_allocator counting;
    counting_allocator_init(&counting);
    def.allocator = &counting.allocator;
    int fd = next_descriptor();
    kiln_file *const untouched = (kiln_file *)(void *)&counting;
    kiln_file *file = untouched;
    kiln_error error = {.status = KILN_OK};
    kiln_status found = kiln_file_open(&def, &file, &error);
    if (found != status)
        fail_msg("%s, not %s", kiln_status_name(found), kiln_status_name(status));
    assert_int_equal(status, error.status);
    assert_ptr_equal(untouched, file);
    assert_int_equal(0, counting.bytes);
    assert_int_equal(fd, next_descriptor());
    assert_int_equal(status, kiln_file_open(&def, &file, NULL));
}

static void open_rejects_invalid_arguments(void **state)
{
    (void)state;
    static const KILN_ALIGNAS(16) unsigned char bytes[64] = {0};
    const kiln_file_def defs[] = {
        {.path = NULL},
        {.path = path, .data = bytes, .size = sizeof bytes},
        {.data = bytes, .size = sizeof bytes, .source = (kiln_source)2},
        {.data = bytes, .size = sizeof bytes, .level = (kiln_verify_level)3},
        {.data = bytes, .size = sizeof bytes, .level = (kiln_verify_level)-1},
        {.data = bytes, .size = sizeof bytes, .types = bytes},
        {.data = bytes, .size = sizeof bytes, .types_size = 64},
        {.data = bytes, .size = sizeof bytes, .types = bytes + 8, .types_size = 32},
    };
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        kiln_file_def given = defs[i];
        given.cookie = kiln_file_def_default().cookie;
        expect_refused(given, KILN_BAD_ARGUMENT);
    }
    kiln_file *file;
    kiln_file_def def = kiln_file_def_default();
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_file_open(NULL, &file, NULL));
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_file_open(&def, NULL, NULL));
    kiln_buffer whole = fixture_file(false);
    def.data = whole.data;
    def.size = whole.size;
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_file_open(&def, NULL, NULL));
    kiln_buffer_fini(&whole);
}

static void close_accepts_null(void **state)
{
    (void)state;
    kiln_file_close(NULL);
}

static void open_names_the_system_error(void **state)
{
    (void)state;
    assert_int_equal(0, mkfifo("fifo", 0600));
    const struct {
        const char *path;
        int error;
    } rows[] = {{"no/such/file", ENOENT}, {".", EISDIR}, {"fifo", ENODEV}, {"/dev/null", ENODEV}};
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        kiln_file_def def = kiln_file_def_default();
        def.path = rows[i / 2].path;
        def.source = sources[i % 2];
        errno = 0;
        expect_refused(def, KILN_IO);
        assert_int_equal(rows[i / 2].error, errno);
        kiln_file *file = NULL;
        kiln_error error;
        assert_int_equal(KILN_IO, kiln_file_open(&def, &file, &error));
        assert_int_equal(rows[i / 2].error, error.system_error);
        assert_string_equal(rows[i / 2].path, error.path);
    }
}

static void open_names_the_rejected_file(void **state)
{
    (void)state;
    const char *text = "no_kiln";
    FILE *stream = fopen(text, "wb");
    assert_non_null(stream);
    fputs("Spell: no file of Kiln begins like this one\n", stream);
    fclose(stream);
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_error error;
    def.path = text;
    assert_int_equal(KILN_H_MAGIC, kiln_file_open(&def, &file, &error));
    assert_string_equal(text, error.path);
    assert_int_equal(0, error.system_error);
}

static void open_rejects_every_truncation(void **state)
{
    (void)state;
    kiln_buffer whole = fixture_file(false);
    for (size_t size = 0; size < whole.size; size++) {
        /* Exactly sized, so that a sanitizer catches an overread by one byte. */
        unsigned char *cut = aligned_alloc(64, size + (64 - size % 64));
        unsigned char *exact = size ? malloc(size) : NULL;
        assert_non_null(cut);
        memcpy(cut, whole.data, size);
        if (exact)
            memcpy(exact, whole.data, size);
        for (int source = 0; source < 2; source++) {
            kiln_file_def def = kiln_file_def_default();
            def.data = exact ? exact : cut;
            def.size = size;
            def.source = sources[source];
            kiln_file *file = NULL;
            kiln_error error;
            kiln_status status = kiln_file_open(&def, &file, &error);
            assert_true(status == KILN_H_TRUNCATED || status == KILN_I_FILE_SIZE);
            assert_null(file);
            assert_true(error.offset <= size);
        }
        free(exact);
        free(cut);
    }
    kiln_buffer_fini(&whole);
}

static void open_rejects_truncated_paths(void **state)
{
    (void)state;
    kiln_buffer whole = fixture_small_file();
    for (size_t size = 0; size < whole.size; size += size < 64 ? 1 : 61) {
        write_bytes(whole.data, size);
        for (int source = 0; source < 2; source++) {
            kiln_file_def def = kiln_file_def_default();
            def.path = path;
            def.source = sources[source];
            expect_refused(def,
                           size < KILN_HEADER_SIZE +
                                       ((const kiln_blob_header *)(void *)whole.data)->payload_size
                               ? KILN_H_TRUNCATED
                               : KILN_I_FILE_SIZE);
        }
    }
    kiln_buffer_fini(&whole);
}

static void open_rejects_trailing_bytes(void **state)
{
    (void)state;
    kiln_buffer whole = fixture_file(false);
    unsigned char *longer = aligned_alloc(4096, (whole.size / 4096 + 1) * 4096);
    assert_non_null(longer);
    memset(longer, 0, (whole.size / 4096 + 1) * 4096);
    memcpy(longer, whole.data, whole.size);
    for (int source = 0; source < 2; source++) {
        kiln_file_def def = kiln_file_def_default();
        def.data = longer;
        def.size = whole.size + 1;
        def.source = sources[source];
        expect_refused(def, KILN_I_FILE_SIZE);
    }
    free(longer);
    kiln_buffer_fini(&whole);
}

/* A sparse file of three GiB of zeros. */
static void open_rejects_files_that_it_cannot_address(void **state)
{
    (void)state;
    write_bytes("", 0);
    assert_int_equal(0, truncate(path, (off_t)3 << 30));
    kiln_file_def def = kiln_file_def_default();
    def.path = path;
    expect_refused(def, PTRDIFF_MAX < INT64_C(3) << 30 ? KILN_UNSUPPORTED : KILN_H_MAGIC);
}

static void open_requires_aligned_data_in_place(void **state)
{
    (void)state;
    kiln_buffer whole = fixture_file(false);
    unsigned char *room = aligned_alloc(4096, (whole.size / 4096 + 2) * 4096);
    assert_non_null(room);
    for (size_t shift = 1; shift <= 2 * PAGE_ALIGN; shift++) {
        memcpy(room + shift, whole.data, whole.size);
        kiln_file_def def = kiln_file_def_default();
        def.data = room + shift;
        def.size = whole.size;
        kiln_file *file = NULL;
        kiln_status expected = shift % PAGE_ALIGN == 0 ? KILN_OK : KILN_H_MISALIGNED;
        assert_int_equal(expected, kiln_file_open(&def, &file, NULL));
        kiln_file_close(file);
        file = NULL;
        def.source = KILN_SOURCE_COPY;
        assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
        kiln_file_close(file);
    }
    free(room);
    kiln_buffer_fini(&whole);
}

static void files_opened_by_path_and_by_data_are_equal(void **state)
{
    (void)state;
    kiln_buffer whole = fixture_file(false);
    write_bytes(whole.data, whole.size);
    for (int row = 0; row < 4; row++) {
        int fd = next_descriptor();
        counting_allocator counting;
        counting_allocator_init(&counting);
        kiln_file_def def = kiln_file_def_default();
        def.allocator = &counting.allocator;
        def.source = sources[row % 2];
        if (row < 2)
            def.path = path;
        else
            def.data = whole.data, def.size = whole.size;
        kiln_file *file = NULL;
        kiln_error error = {0};
        assert_int_equal(KILN_OK, kiln_file_open(&def, &file, &error));
        assert_int_equal(fd, next_descriptor());
        assert_int_equal(KILN_OK, error.status);
        assert_int_equal(ASSET_COUNT, kiln_file_asset_count(file));
        assert_true(fixture_read_all(file) > 0);
        kiln_file_close(file);
        assert_int_equal(0, counting.bytes);
    }
    kiln_buffer_fini(&whole);
}

static void copied_data_may_be_freed_after_open(void **state)
{
    (void)state;
    kiln_buffer whole = fixture_file(false);
    kiln_file_def def = kiln_file_def_default();
    def.data = whole.data;
    def.size = whole.size;
    def.source = KILN_SOURCE_COPY;
    kiln_file *file = NULL;
    assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
    memset(whole.data, 0xff, whole.size);
    kiln_buffer_fini(&whole);
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
    assert_true(fixture_read_all(file) > 0);
    kiln_file_close(file);
}

static void open_reports_an_invalid_table_of_the_program(void **state)
{
    (void)state;
    kiln_buffer whole = fixture_file(false), table = fixture_type_table(LAYOUT_NOW);
    table.data[KILN_HEADER_SIZE] ^= 1;
    kiln_file_def def = kiln_file_def_default();
    def.data = whole.data;
    def.size = whole.size;
    def.types = table.data;
    def.types_size = table.size;
    expect_refused(def, KILN_BAD_ARGUMENT);
    kiln_file *file = NULL;
    kiln_error error;
    kiln_file_open(&def, &file, &error);
    assert_string_equal("types", error.path);
    kiln_buffer_fini(&table);
    kiln_buffer_fini(&whole);
}

/* Runs everything once while allocation `fail_at` fails. Returns false if there were fewer
 * allocations. */
static bool survives_failure(const kiln_file_def *like, size_t fail_at, bool fail_rest)
{
    counting_allocator counting;
    counting_allocator_init(&counting);
    counting.fail_at = fail_at;
    counting.fail_rest = fail_rest;
    kiln_file_def def = *like;
    def.allocator = &counting.allocator;
    kiln_file *file = NULL;
    kiln_error error = {0};
    kiln_status status = kiln_file_open(&def, &file, &error);
    bool reached = counting.calls >= fail_at;
    if (status == KILN_OK) {
        status = kiln_file_verify(file, KILN_VERIFY_DEEP, &error);
        fixture_read_all(file);
        reached = counting.calls >= fail_at;
        /* Running out of memory is not a verdict. */
        counting.fail_at = 0;
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
        kiln_file_close(file);
    }
    assert_int_equal(0, counting.bytes);
    assert_int_equal(reached && status != KILN_OK ? KILN_NO_MEMORY : KILN_OK, status);
    assert_int_equal(status, error.status);
    return reached;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    kiln_buffer whole = fixture_file(false), table = fixture_type_table(LAYOUT_NOW);
    write_bytes(whole.data, whole.size);
    for (int row = 0; row < 8; row++) {
        kiln_file_def def = kiln_file_def_default();
        def.path = path;
        def.source = sources[row & 1];
        if (row & 2)
            def.types = table.data, def.types_size = table.size;
        size_t fail_at = 1;
        while (survives_failure(&def, fail_at, row & 4))
            fail_at++;
        assert_true(fail_at > 4);
    }
    kiln_buffer_fini(&table);
    kiln_buffer_fini(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_rejects_invalid_arguments),
        cmocka_unit_test(close_accepts_null),
        cmocka_unit_test(open_names_the_system_error),
        cmocka_unit_test(open_names_the_rejected_file),
        cmocka_unit_test(open_rejects_every_truncation),
        cmocka_unit_test(open_rejects_truncated_paths),
        cmocka_unit_test(open_rejects_trailing_bytes),
        cmocka_unit_test(open_rejects_files_that_it_cannot_address),
        cmocka_unit_test(open_requires_aligned_data_in_place),
        cmocka_unit_test(files_opened_by_path_and_by_data_are_equal),
        cmocka_unit_test(copied_data_may_be_freed_after_open),
        cmocka_unit_test(open_reports_an_invalid_table_of_the_program),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
