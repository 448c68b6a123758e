/* Records in files: what is written is read again, and nothing else is accepted. */
#include "record_fixture.h"

#include "hash.h"

enum { HEADER_SIZE = 32, FILE_MAX = 1 << 16 };

/* Saves the record of the run; returns the bytes of its file, which the caller frees. */
static unsigned char *saved(size_t *ret_size)
{
    make_inputs();
    bake_record *record = make_record();
    bake_gateway *gateway = create(NULL);
    assert_true(bake_record_save(record, gateway, "state/steps/x"));
    bake_gateway_destroy(gateway);
    bake_record_destroy(record);
    unsigned char *bytes = malloc(FILE_MAX);
    assert_non_null(bytes);
    FILE *file = fopen("state/steps/x", "rb");
    assert_non_null(file);
    *ret_size = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    assert_true(*ret_size > HEADER_SIZE && *ret_size < FILE_MAX);
    return bytes;
}

static void check_no_record(const void *bytes, size_t size)
{
    errno = 0;
    assert_null(bake_record_read(bytes, size));
    assert_int_equal(errno, EINVAL);
}

static void a_saved_record_is_read_again(void **state)
{
    (void)state;
    size_t size, again_size;
    unsigned char *bytes = saved(&size);
    bake_record *record = bake_record_load("state/steps/x");
    assert_non_null(record);
    assert_int_equal(record->path_count, 8);
    assert_int_equal(record->list_count, 3);
    assert_int_equal(record->variable_count, 3);
    assert_int_equal(bake_record_output_count(record), 1);
    assert_string_equal(bake_record_output(record, 0), "out/x.kiln");
    assert_true(record->outputs[0].state.inode != 0);
    assert_int_equal(bake_record_warnings(record), 1);
    bake_gateway *gateway = create(NULL);
    assert_true(bake_record_save(record, gateway, "again"));
    bake_gateway_destroy(gateway);
    bool is_newer;
    bake_changes changes = {0};
    assert_int_equal(bake_record_check(record, &record_def, false, &changes, &is_newer),
                     BAKE_RECORD_UNCHANGED);
    bake_changes_fini(&changes);
    bake_record_destroy(record);
    unsigned char *again = malloc(FILE_MAX);
    FILE *file = fopen("again", "rb");
    assert_non_null(file);
    again_size = fread(again, 1, FILE_MAX, file);
    fclose(file);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    free(again);
    free(bytes);
}

static void every_truncation_is_no_record(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = saved(&size);
    for (size_t left = 0; left < size; left++) {
        unsigned char *copy = malloc(left + !left);
        assert_non_null(copy);
        memcpy(copy, bytes, left);
        check_no_record(copy, left);
        free(copy);
    }
    bytes[size] = 0;
    check_no_record(bytes, size + 1);
    free(bytes);
}

static void every_bit_flip_is_no_record(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = saved(&size);
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        check_no_record(bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(bytes);
}

static void put(unsigned char *bytes, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
}

/* Makes the header fit the body, as somebody who forges a record would. */
static void seal(unsigned char *bytes, size_t size)
{
    put(bytes + 16, size - HEADER_SIZE);
    put(bytes + 24, kiln_hash64(bytes + HEADER_SIZE, size - HEADER_SIZE, 0));
}

/* Reads bytes that may be a record, and uses them. */
static void use(const unsigned char *bytes, size_t size)
{
    bool is_newer;
    bake_changes changes = {0};
    bake_record *record = bake_record_read(bytes, size);
    if (!record)
        return;
    assert_int_not_equal(bake_record_check(record, &record_def, true, &changes, &is_newer),
                         BAKE_RECORD_NO_MEMORY);
    bake_changes_fini(&changes);
    bake_record_destroy(record);
}

static void forged_bodies_are_rejected_or_safe(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = saved(&size);
    for (size_t bit = HEADER_SIZE * 8; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        seal(bytes, size);
        use(bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t left = HEADER_SIZE; left < size; left++) {
        unsigned char *copy = malloc(left);
        assert_non_null(copy);
        memcpy(copy, bytes, left);
        seal(copy, left);
        check_no_record(copy, left);
        free(copy);
    }
    memset(bytes + size, 0, 8);
    seal(bytes, size + 8);
    check_no_record(bytes, size + 8);
    free(bytes);
}

static void another_version_is_no_record(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = saved(&size);
    for (unsigned version = 0; version < 4; version++) {
        put(bytes + 8, version);
        bake_record *record = bake_record_read(bytes, size);
        assert_true(!record == (version != 1));
        bake_record_destroy(record);
    }
    free(bytes);
}

static void only_regular_files_are_records(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    make_file("empty", "");
    static const struct {
        const char *path;
        int error;
    } rows[] = {
        {"folder", EISDIR}, {"pipe", EINVAL}, {"empty", EINVAL}, {"none", ENOENT}, {"", ENOENT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        errno = 0;
        assert_null(bake_record_load(rows[i].path));
        assert_int_equal(errno, rows[i].error);
    }
}

static void a_record_that_cannot_be_written_leaves_the_old_one(void **state)
{
    (void)state;
    make_inputs();
    make_file("file", "old");
    assert_int_equal(mkdir("folder", 0777), 0);
    bake_record *record = make_record();
    bake_gateway *gateway = create(NULL);
    errno = 0;
    assert_false(bake_record_save(record, gateway, "file/x"));
    assert_int_equal(errno, ENOTDIR);
    check_file("file", "old");
    errno = 0;
    assert_false(bake_record_save(record, gateway, "folder"));
    assert_int_equal(errno, EISDIR);
    assert_true(bake_record_save(record, gateway, "file"));
    bake_gateway_destroy(gateway);
    bake_record_destroy(record);
    record = bake_record_load("file");
    assert_non_null(record);
    bake_record_destroy(record);
}

/* Loads the record, changes it, and saves it again. Returns whether the file is the same one. */
static bool save_again(size_t option_count)
{
    struct stat before, after;
    bake_record *record = bake_record_load("state/steps/x");
    bake_gateway *gateway = create(NULL);
    /* While the old file is open, no other file gets its number. */
    FILE *old = fopen("state/steps/x", "rb");
    assert_true(record && old && fstat(fileno(old), &before) == 0);
    record->outputs[0].hash.low++;
    bake_record_cut_options(record, option_count);
    assert_true(bake_record_save_again(record, gateway, "state/steps/x"));
    assert_int_equal(stat("state/steps/x", &after), 0);
    fclose(old);
    bake_gateway_destroy(gateway);
    bake_record *again = bake_record_load("state/steps/x");
    assert_non_null(again);
    assert_true(again->outputs[0].hash.low == record->outputs[0].hash.low);
    assert_int_equal(again->option_count, record->option_count);
    bake_record_destroy(again);
    bake_record_destroy(record);
    return before.st_ino == after.st_ino;
}

static void a_record_is_saved_in_place_if_it_keeps_its_size(void **state)
{
    (void)state;
    size_t size;
    free(saved(&size));
    assert_true(save_again(SIZE_MAX));
    assert_false(save_again(0));
}

static void names_of_steps_become_names_of_files(void **state)
{
    (void)state;
    char dots[401], long_a[402], long_b[402];
    memset(dots, '.', 400);
    dots[400] = '\0';
    snprintf(long_a, sizeof long_a, "%sa", dots);
    snprintf(long_b, sizeof long_b, "%sb", dots);
    const struct {
        const char *name, *path;
    } rows[] = {
        {"game", ".kiln/steps/game"},     {"a-b_9", ".kiln/steps/a-b_9"},
        {"..", ".kiln/steps/%2e%2e"},     {"a/b", ".kiln/steps/a%2fb"},
        {"A", ".kiln/steps/%41"},         {"%41", ".kiln/steps/%2541"},
        {"\n\xff", ".kiln/steps/%0a%ff"}, {"", ".kiln/steps/%"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path = bake_record_path(".kiln", rows[i].name);
        assert_string_equal(path, rows[i].path);
        bake_free(path);
    }
    char *a = bake_record_path("", long_a), *b = bake_record_path("", long_b);
    assert_string_not_equal(a, b);
    assert_true(strlen(a) < 255);
    bake_free(a);
    bake_free(b);
}

/* A run, its record, a save, a load and a check. Returns false if memory runs out. */
static bool everything(void)
{
    const char *path;
    bool is_newer;
    bake_changes changes = {0};
    bake_gateway *gateway = run_step();
    bake_diagnostics *diagnostics = gateway ? make_diagnostics() : NULL;
    bake_record *record =
        diagnostics ? bake_record_make(&record_def, gateway, diagnostics, &path) : NULL;
    bool done = record && bake_record_save(record, gateway, "state/x");
    bake_record_destroy(record);
    bake_gateway_destroy(gateway);
    bake_diagnostics_destroy(diagnostics);
    record = done ? bake_record_load("state/x") : NULL;
    done = record && bake_record_check(record, &record_def, false, &changes, &is_newer) ==
                         BAKE_RECORD_UNCHANGED;
    bake_changes_fini(&changes);
    bake_record_destroy(record);
    return done;
}

static void no_failed_allocation_leaks_or_is_ignored(void **state)
{
    (void)state;
    make_inputs();
    for (int once = 0; once < 2; once++) {
        bool failed = true;
        for (long n = 0; failed; n++) {
            (once ? bake_memory_fail_at : bake_memory_fail_after)(n);
            bool done = everything();
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            if (!failed)
                assert_true(done);
            else if (!once)
                assert_false(done);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_saved_record_is_read_again),
        TEST(every_truncation_is_no_record),
        TEST(every_bit_flip_is_no_record),
        TEST(forged_bodies_are_rejected_or_safe),
        TEST(another_version_is_no_record),
        TEST(only_regular_files_are_records),
        TEST(a_record_that_cannot_be_written_leaves_the_old_one),
        TEST(a_record_is_saved_in_place_if_it_keeps_its_size),
        TEST(names_of_steps_become_names_of_files),
        TEST(no_failed_allocation_leaks_or_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
