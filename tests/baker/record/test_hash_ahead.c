/* Files that are hashed on several threads. */
#include "record_fixture.h"

#include "hash_ahead.h"

enum { LARGE = 40000 };

/* Each 100th file is large, empty, missing or only examined. */
typedef enum file_form { PLAIN, LARGE_FILE, EMPTY, MISSING, EXAMINED } file_form;

static file_form form_of(size_t number)
{
    return number % 100 < 96 ? PLAIN : (file_form)(number % 100 - 95);
}

static void path_of(size_t number, char *ret_path, size_t size)
{
    snprintf(ret_path, size, "d%zu/f%zu", number / 70, number);
}

/* More files than fit into the ring of results, only where that matters. */
enum { MANY = 1500, FEW = 400 };

static void make_files(size_t count)
{
    static char text[LARGE + 1];
    memset(text, 'x', LARGE);
    for (size_t i = 0; i < count; i++) {
        char path[64];
        path_of(i, path, sizeof path);
        if (i % 70 == 0) {
            char folder[64];
            snprintf(folder, sizeof folder, "d%zu", i / 70);
            assert_int_equal(mkdir(folder, 0777), 0);
        }
        size_t length = form_of(i) == LARGE_FILE ? LARGE : form_of(i) == EMPTY ? 0 : 1 + i % 500;
        text[length] = '\0';
        make_file(path, text);
        text[length] = 'x';
    }
}

static bake_record *make_record_of_files(size_t count)
{
    bake_gateway *gateway = create(NULL);
    const char *failed;
    assert_true(bake_gateway_keep_details(gateway));
    for (size_t i = 0; i < count; i++) {
        char path[64];
        path_of(i, path, sizeof path);
        if (form_of(i) == EXAMINED)
            assert_int_equal(bake_gateway_path_kind(gateway, path), BAKE_PATH_FILE);
        else
            assert_non_null(bake_gateway_read(gateway, path, NULL));
    }
    assert_true(bake_gateway_commit(gateway, false, false, &failed));
    bake_record *record = bake_record_make(&record_def, gateway, NULL, &failed);
    assert_non_null(record);
    bake_gateway_destroy(gateway);
    for (size_t i = 0; i < count; i++) {
        char path[64];
        path_of(i, path, sizeof path);
        if (form_of(i) == MISSING)
            assert_int_equal(unlink(path), 0);
    }
    return record;
}

static void small_files_have_the_hash_of_their_content(void **state)
{
    static unsigned char buffer[BAKE_FILE_BUFFER_SIZE];
    (void)state;
    make_files(MANY);
    bake_record *record = make_record_of_files(MANY);
    assert_null(bake_hash_ahead_begin(record, LARGE - 1, 1));
    for (size_t jobs = 2; jobs < 6; jobs++) {
        bake_hash_ahead *ahead = bake_hash_ahead_begin(record, LARGE - 1, jobs);
        assert_non_null(ahead);
        for (size_t i = 0; i < MANY; i++) {
            bake_file_state found, expected;
            kiln_hash128 hash, right;
            bool done = bake_hash_ahead_take(ahead, i, &found, &hash);
            if (done != (form_of(i) == PLAIN))
                fail_msg("file %zu: %d", i, done);
            if (!done)
                continue;
            assert_true(bake_file_hash(NULL, record->paths[i].path, buffer, &expected, &right));
            assert_true(bake_file_state_is_equal(&found, &expected));
            assert_memory_equal(&hash, &right, sizeof hash);
        }
        bake_hash_ahead_end(ahead);
    }
    bake_record_destroy(record);
}

static void hashing_can_end_early(void **state)
{
    bake_file_state found;
    kiln_hash128 hash;
    (void)state;
    make_files(FEW);
    bake_record *record = make_record_of_files(FEW);
    for (size_t taken = 0; taken < 100; taken += 33) {
        bake_hash_ahead *ahead = bake_hash_ahead_begin(record, UINT64_MAX, 4);
        assert_non_null(ahead);
        for (size_t i = 0; i < taken; i++)
            bake_hash_ahead_take(ahead, i, &found, &hash);
        bake_hash_ahead_end(ahead);
    }
    bake_hash_ahead_end(NULL);
    assert_false(bake_hash_ahead_take(NULL, 0, &found, &hash));
    bake_record_destroy(record);
}

static void threads_find_the_same_changes(void **state)
{
    char texts[2][8192] = {"", ""};
    (void)state;
    make_files(FEW);
    bake_record *record = make_record_of_files(FEW);
    for (size_t i = 7; i < FEW; i += 20) {
        char path[64];
        path_of(i, path, sizeof path);
        if (form_of(i) != MISSING)
            make_file(path, "changed");
    }
    for (size_t k = 0; k < 2; k++) {
        bake_record_def def = record_def;
        bake_changes changes = {0};
        bool is_newer;
        def.jobs = 1 + 3 * k;
        assert_int_equal(bake_record_check(record, &def, false, &changes, &is_newer),
                         BAKE_RECORD_CHANGED);
        assert_true(changes.count > 18);
        for (size_t i = 0; i < changes.count; i++) {
            size_t used = strlen(texts[k]);
            snprintf(texts[k] + used, sizeof texts[k] - used, "%s\n", changes.items[i].text);
        }
        bake_changes_fini(&changes);
    }
    assert_string_equal(texts[0], texts[1]);
    bake_record_destroy(record);
}

static void no_failed_allocation_is_fatal(void **state)
{
    (void)state;
    make_files(FEW);
    bake_record *record = make_record_of_files(FEW);
    bool fails = true;
    for (long n = 0; fails; n++) {
        bake_memory_fail_at(n);
        bake_hash_ahead *ahead = bake_hash_ahead_begin(record, LARGE, 2);
        fails = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_int_equal(ahead == NULL, fails);
        bake_hash_ahead_end(ahead);
    }
    bake_record_destroy(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(small_files_have_the_hash_of_their_content),
        TEST(hashing_can_end_early),
        TEST(threads_find_the_same_changes),
        TEST(no_failed_allocation_is_fatal),
    };
    return cmocka_run_group_tests_name("hash_ahead", tests, NULL, NULL);
}
