/* Kept results of importers: what is kept is found again, and nothing else is. The linker replaces
 * bake_free_bytes. */
#include "gateway_fixture.h"

#include "folder_tree.h"
#include "gateway_inputs.h"
#include "kept_results.h"
#include "program_environment.h"

enum { HEADER_SIZE = 72, REMAINS_FREE = 64 << 20 };

static uint64_t free_bytes = UINT64_MAX;

uint64_t __wrap_bake_free_bytes(const char *folder);

uint64_t __wrap_bake_free_bytes(const char *folder)
{
    assert_string_equal(folder, "state/imports/x");
    return free_bytes;
}

static const bake_run_key key = {{1, 2}, {3, 4}}, other_key = {{5, 2}, {3, 4}};
#define FILE_NAME "00000000000000020000000000000001"
#define FILE_PATH "state/imports/x/" FILE_NAME
static char output[] = "the\0output\n";
enum { OUTPUT_SIZE = sizeof output - 1 };

static bake_kept_results *open_results(bool finds)
{
    bake_kept_results *results = bake_kept_results_create("state/imports/x", finds);
    assert_non_null(results);
    return results;
}

static void keep(bake_kept_results *results, const bake_run_key *of)
{
    const bake_run_results *functions = bake_kept_results_get(results);
    const bake_program_end end = {
        .kind = BAKE_PROGRAM_EXITED, .output = output, .size = OUTPUT_SIZE};
    functions->keep(functions->ctx, of, &end);
}

/* Whether the output is found; then it is the one that was kept. */
static bool finds(bake_kept_results *results, const bake_run_key *of, size_t output_max)
{
    const bake_run_results *functions = bake_kept_results_get(results);
    bake_program_end end = {.kind = BAKE_PROGRAM_REFUSED};
    bool found = functions->find(functions->ctx, of, output_max, &end);
    if (found) {
        assert_int_equal(end.kind, BAKE_PROGRAM_EXITED);
        assert_int_equal(end.code, 0);
        assert_int_equal(end.size, OUTPUT_SIZE);
        assert_memory_equal(end.output, output, sizeof output);
        assert_null(end.errors);
        bake_program_end_fini(&end);
    }
    return found;
}

static bool finds_again(const bake_run_key *of, size_t output_max)
{
    bake_kept_results *results = open_results(true);
    bool found = finds(results, of, output_max);
    bake_kept_results_destroy(results);
    return found;
}

static void keep_one(const bake_run_key *of)
{
    bake_kept_results *results = open_results(true);
    keep(results, of);
    bake_kept_results_destroy(results);
}

static void a_kept_output_is_found_by_its_key(void **state)
{
    (void)state;
    static const bake_run_key wrong[] = {
        {{0, 2}, {3, 4}}, {{1, 0}, {3, 4}}, {{1, 2}, {0, 4}}, {{1, 2}, {3, 0}}};
    assert_false(finds_again(&key, SIZE_MAX));
    keep_one(&key);
    assert_true(finds_again(&key, SIZE_MAX));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(finds_again(&wrong[i], SIZE_MAX));
    assert_true(finds_again(&key, OUTPUT_SIZE));
    assert_false(finds_again(&key, OUTPUT_SIZE - 1));
    bake_kept_results *results = open_results(false);
    assert_false(finds(results, &key, SIZE_MAX));
    bake_kept_results_destroy(results);
}

static void an_empty_output_is_kept(void **state)
{
    (void)state;
    bake_kept_results *results = open_results(true);
    const bake_run_results *functions = bake_kept_results_get(results);
    bake_program_end end = {.output = output};
    functions->keep(functions->ctx, &key, &end);
    assert_true(functions->find(functions->ctx, &key, 0, &end));
    assert_int_equal(end.size, 0);
    assert_string_equal(end.output, "");
    bake_program_end_fini(&end);
    bake_kept_results_destroy(results);
}

static void a_failure_is_kept_in_memory(void **state)
{
    (void)state;
    char errors[] = "no such icon\n";
    bake_kept_results *results = open_results(true);
    const bake_run_results *functions = bake_kept_results_get(results);
    const bake_program_end failed = {
        .code = 3, .errors = errors, .errors_size = sizeof errors - 1, .is_errors_cut = true};
    const bake_program_end missing = {.kind = BAKE_PROGRAM_NOT_STARTED};
    bake_program_end end = {.kind = BAKE_PROGRAM_REFUSED};
    functions->keep(functions->ctx, &key, &failed);
    functions->keep(functions->ctx, &other_key, &missing);
    assert_false(functions->find(functions->ctx, &other_key, 0, &end));
    for (int i = 0; i < 2; i++) {
        assert_true(functions->find(functions->ctx, &key, 0, &end));
        assert_int_equal(end.kind, BAKE_PROGRAM_EXITED);
        assert_int_equal(end.code, 3);
        assert_null(end.output);
        assert_string_equal(end.errors, errors);
        assert_true(end.is_errors_cut && end.errors_size == sizeof errors - 1);
        bake_program_end_fini(&end);
    }
    bake_kept_results_destroy(results);
    assert_false(finds_again(&key, SIZE_MAX));
}

/* The bytes of the file; the result is static. */
static unsigned char *file_bytes(size_t *ret_size)
{
    static unsigned char bytes[256];
    FILE *file = fopen(FILE_PATH, "rb");
    assert_non_null(file);
    *ret_size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_int_equal(*ret_size, HEADER_SIZE + OUTPUT_SIZE);
    return bytes;
}

static void write_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(FILE_PATH, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void no_damaged_file_is_found(void **state)
{
    (void)state;
    size_t size;
    keep_one(&key);
    unsigned char *bytes = file_bytes(&size);
    for (size_t left = 0; left < size; left++) {
        write_bytes(bytes, left);
        assert_false(finds_again(&key, SIZE_MAX));
    }
    write_bytes(bytes, size + 1);
    assert_false(finds_again(&key, SIZE_MAX));
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        write_bytes(bytes, size);
        assert_false(finds_again(&key, SIZE_MAX));
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    write_bytes(bytes, size);
    assert_true(finds_again(&key, SIZE_MAX));
}

static void results_are_written_only_to_their_own_files(void **state)
{
    (void)state;
    keep_one(&key);
    make_file("target", "untouched");
    assert_int_equal(unlink(FILE_PATH), 0);
    assert_int_equal(symlink("../../../target", FILE_PATH), 0);
    assert_false(finds_again(&key, SIZE_MAX));
    keep_one(&key);
    assert_true(finds_again(&key, SIZE_MAX));
    check_file("target", "untouched");
    assert_int_equal(unlink(FILE_PATH), 0);
    assert_int_equal(mkfifo(FILE_PATH, 0666), 0);
    keep_one(&key);
    assert_false(finds_again(&key, SIZE_MAX));
    assert_int_equal(unlink(FILE_PATH), 0);
    assert_int_equal(mkdir(FILE_PATH, 0777), 0);
    keep_one(&key);
    assert_false(finds_again(&key, SIZE_MAX));
}

static void a_result_leaves_64_MiB_free(void **state)
{
    (void)state;
    static const struct {
        uint64_t free;
        bool kept;
    } cases[] = {{0, false},
                 {OUTPUT_SIZE, false},
                 {REMAINS_FREE + OUTPUT_SIZE - 1, false},
                 {REMAINS_FREE + OUTPUT_SIZE, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        free_bytes = cases[i].free;
        keep_one(&key);
        free_bytes = UINT64_MAX;
        assert_int_equal(finds_again(&key, SIZE_MAX), cases[i].kept);
    }
}

static void unused_results_are_removed(void **state)
{
    (void)state;
    keep_one(&key);
    keep_one(&other_key);
    make_file("state/imports/x/notes", "of somebody");
    bake_kept_results *results = open_results(false);
    (void)finds(results, &other_key, SIZE_MAX);
    bake_kept_results_sweep(results);
    bake_kept_results_destroy(results);
    assert_false(finds_again(&key, SIZE_MAX));
    assert_true(finds_again(&other_key, SIZE_MAX));
    check_file("state/imports/x/notes", "of somebody");
    results = open_results(true);
    bake_kept_results_sweep(results);
    bake_kept_results_sweep(NULL);
    bake_kept_results_destroy(results);
    assert_false(finds_again(&other_key, SIZE_MAX));
    assert_null(bake_kept_results_get(NULL));
    bake_kept_results_destroy(NULL);
}

/* Imports a file with the results. Returns false if memory runs out. */
static bool import(size_t *ret_started)
{
    static const char *const command[] = {"cat", "words", NULL};
    bake_kept_results *results = bake_kept_results_create("state/imports/x", true);
    bake_gateway *gateway = bake_gateway_create(NULL);
    const bake_program_end *end = NULL;
    if (gateway && bake_gateway_keep_details(gateway)) {
        bake_gateway_set_results(gateway, bake_kept_results_get(results));
        end = bake_gateway_run(
            gateway, &(bake_program_call){.command = command, .folder = NULL, .source = "source"});
    }
    if (end) {
        assert_string_equal(end->output, "words source");
        assert_int_equal(bake_gateway_started_count(gateway) + bake_gateway_reused_count(gateway),
                         1);
        *ret_started = bake_gateway_started_count(gateway);
        bake_kept_results_sweep(results);
    }
    bool done = end != NULL;
    bake_gateway_destroy(gateway);
    bake_kept_results_destroy(results);
    return done;
}

static void failed_allocations_only_start_programs_again(void **state)
{
    (void)state;
    make_file("words", "words ");
    make_file("source", "source");
    for (int kind = 0; kind < 4; kind++) {
        bool failed = true;
        size_t started = 2, before;
        for (long n = 0; failed; n++) {
            /* With and without a result of an earlier run. */
            if (kind % 2) {
                assert_true(import(&before));
            } else if (access("state", F_OK) == 0) {
                char *at = NULL;
                assert_int_equal(bake_remove_tree("state", &at), BAKE_REMOVED);
            }
            (kind < 2 ? bake_memory_fail_at : bake_memory_fail_after)(n);
            bool done = import(&started);
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            assert_true(done || failed);
        }
        assert_int_equal(started, !(kind % 2));
    }
}

static kiln_hash128 environment(void)
{
    kiln_hash128 hash;
    assert_true(bake_program_environment(&hash));
    return hash;
}

static void only_variables_of_shells_and_caches_are_left_out_of_keys(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_left_out;
    } cases[] = {{"_", true},          {"PWD", true},        {"SHLVL", true},
                 {"MFLAGS", true},     {"KILN_CACHE", true}, {"KILN_CACHE_TOKEN", true},
                 {"KILN_CACH", false}, {"PWDS", false},      {"SHLV", false},
                 {"__", false},        {"KILN_X", false},    {"PATH_2", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i].name;
        assert_int_equal(setenv(name, "1", 1), 0);
        kiln_hash128 one = environment();
        assert_int_equal(setenv(name, "2", 1), 0);
        kiln_hash128 two = environment();
        assert_int_equal(unsetenv(name), 0);
        kiln_hash128 none = environment();
        assert_int_equal(one.low == two.low && one.high == two.high, cases[i].is_left_out);
        assert_int_equal(one.low == none.low && one.high == none.high, cases[i].is_left_out);
    }
    /* The order in the environment is that of the calls. */
    assert_int_equal(setenv("KILN_A", "1", 1) || setenv("KILN_B", "2", 1), 0);
    kiln_hash128 first = environment();
    assert_int_equal(unsetenv("KILN_A") || setenv("KILN_A", "1", 1), 0);
    kiln_hash128 second = environment();
    assert_true(first.low == second.low && first.high == second.high);
    bake_memory_fail_after(0);
    assert_false(bake_program_environment(&first));
    bake_memory_fail_after(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_kept_output_is_found_by_its_key),
        TEST(an_empty_output_is_kept),
        TEST(a_failure_is_kept_in_memory),
        TEST(no_damaged_file_is_found),
        TEST(results_are_written_only_to_their_own_files),
        TEST(a_result_leaves_64_MiB_free),
        TEST(unused_results_are_removed),
        TEST(failed_allocations_only_start_programs_again),
        TEST(only_variables_of_shells_and_caches_are_left_out_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
