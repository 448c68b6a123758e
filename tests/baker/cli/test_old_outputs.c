/* Reading the outputs of a recorded run, with and without a helper. */
#include "gateway_fixture.h"

#include "memo_file.h"
#include "memo_memory.h"
#include "old_outputs.h"

/* The larger size is read by a helper. */
static const size_t sizes[] = {100, (size_t)5 << 19};

/* Writes an output and a source map, and returns their record. */
static bake_record *make(size_t size)
{
    static const bake_record_def def = {.version = "1"};
    const char *failed;
    bake_gateway *gateway = create(NULL);
    assert_true(bake_gateway_keep_details(gateway));
    bake_output *output = begin(gateway, "x.kiln", "KILN");
    for (size_t i = 4; i < size; i += 4)
        assert_true(bake_output_write(output, "abcd", 4));
    begin(gateway, "x.map", "map");
    commit(gateway, false, false);
    bake_record *record = bake_record_make(&def, gateway, NULL, &failed);
    assert_non_null(record);
    bake_gateway_destroy(gateway);
    return record;
}

static void nothing(void)
{
}
static void damage_last_byte(void)
{
    FILE *file = fopen("x.kiln", "r+b");
    assert_true(file && fseek(file, -1, SEEK_END) == 0 && fputc('!', file) == '!');
    assert_int_equal(fclose(file), 0);
}
static void cut(void)
{
    assert_int_equal(truncate("x.kiln", 99), 0);
}
static void remove_output(void)
{
    assert_int_equal(unlink("x.kiln"), 0);
}
static void damage_map(void)
{
    make_file("x.map", "mop");
}

static void only_outputs_with_the_recorded_bytes_are_used(void **state)
{
    (void)state;
    static const struct {
        void (*change)(void);
        const char *output, *map;
        bool is_same;
    } rows[] = {
        {nothing, "x.kiln", "x.map", true},     {damage_last_byte, "x.kiln", "x.map", false},
        {cut, "x.kiln", "x.map", false},        {remove_output, "x.kiln", "x.map", false},
        {damage_map, "x.kiln", "x.map", false}, {nothing, "x.kiln", NULL, false},
        {nothing, "y.kiln", "x.map", false},    {nothing, "x.kiln", "y.map", false}};
    for (size_t i = 0; i < 4 * sizeof rows / sizeof *rows; i++) {
        size_t row = i / 4, size = sizes[i % 2];
        const bake_options options = {
            .jobs = 1 + i / 2 % 2, .output = rows[row].output, .source_map = rows[row].map};
        bake_old_outputs old;
        bake_record *record = make(size);
        rows[row].change();
        bake_old_outputs_begin(&old, record, &options, NULL);
        assert_int_equal(bake_old_outputs_get(&old), rows[row].is_same);
        assert_int_equal(bake_old_outputs_get(&old), rows[row].is_same);
        if (rows[row].is_same) {
            assert_int_equal(old.output.size, size);
            assert_memory_equal(old.output.data, "KILNabcd", 8);
            assert_int_equal(old.map.size, 3);
        }
        bake_old_outputs_fini(&old);
        bake_record_destroy(record);
    }
}

static void outputs_that_nobody_needs_are_released(void **state)
{
    (void)state;
    const bake_options options = {.jobs = 2, .output = "x.kiln", .source_map = "x.map"};
    for (size_t i = 0; i < 2; i++) {
        bake_old_outputs old;
        bake_record *record = make(sizes[i]);
        bake_old_outputs_begin(&old, record, &options, NULL);
        bake_old_outputs_fini(&old);
        bake_record_destroy(record);
    }
}

static void a_replaced_output_exists_until_it_is_released(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const bake_options options = {.jobs = 2, .output = "x.kiln", .source_map = "x.map"};
        bake_old_outputs old;
        struct stat status;
        bake_record *record = make(sizes[i % 2]);
        bake_old_outputs_begin(&old, record, &options, NULL);
        assert_true(bake_old_outputs_get(&old));
        int held = old.held;
        make_file("new", "new");
        assert_int_equal(rename("new", "x.kiln"), 0);
        assert_int_equal(fstat(held, &status), 0);
        assert_int_equal(status.st_nlink, 0);
        if (i < 2)
            bake_old_outputs_release(&old);
        bake_old_outputs_fini(&old);
        assert_int_equal(fcntl(held, F_GETFD), -1);
        check_file("x.kiln", "new");
        bake_record_destroy(record);
    }
}

/* Saves a memo without rows, of the recorded run or another one. */
static void save_memo(const bake_record *record, bool is_other)
{
    memo_counts counts = {.text = 0};
    kiln_hash128 key = bake_record_key(record);
    key.low ^= is_other;
    bake_memo *memo = bake_memo_create(&counts);
    bake_gateway *gateway = create(NULL);
    assert_non_null(memo);
    assert_true(bake_memo_save(memo, key, gateway, "memo"));
    bake_gateway_destroy(gateway);
    bake_memo_destroy(memo);
}

static void the_memo_of_the_recorded_run_is_loaded_once(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool is_other, is_loaded;
    } rows[] = {{"memo", false, true},
                {"memo", true, false},
                {"missing", false, false},
                {NULL, false, false}};
    for (size_t i = 0; i < 4 * sizeof rows / sizeof *rows; i++) {
        size_t row = i / 4;
        const bake_options options = {
            .jobs = 1 + i / 2 % 2, .output = "x.kiln", .source_map = "x.map"};
        bake_old_outputs old;
        bake_record *record = make(sizes[i % 2]);
        save_memo(record, rows[row].is_other);
        bake_old_outputs_begin(&old, record, &options, rows[row].path);
        assert_true(bake_old_outputs_get(&old));
        const bake_memo *memo = old.memo;
        assert_int_equal(memo != NULL, rows[row].is_loaded);
        assert_true(bake_old_outputs_get(&old));
        assert_ptr_equal(old.memo, memo);
        bake_old_outputs_fini(&old);
        bake_record_destroy(record);
    }
}

/* A helper that has begun may load the memo although nobody asks for it. */
static void a_memo_that_nobody_needs_is_freed(void **state)
{
    (void)state;
    const bake_options options = {.jobs = 2, .output = "x.kiln", .source_map = "x.map"};
    bake_record *record = make(sizes[1]);
    save_memo(record, false);
    for (size_t i = 0; i < 20; i++) {
        bake_old_outputs old;
        bake_old_outputs_begin(&old, record, &options, "memo");
        bake_old_outputs_fini(&old);
    }
    bake_record_destroy(record);
}

static void any_allocation_can_fail(void **state)
{
    (void)state;
    const bake_options options = {.jobs = 1, .output = "x.kiln", .source_map = "x.map"};
    bake_record *record = make(sizes[0]);
    bool is_same = false;
    save_memo(record, false);
    for (long n = 0; !is_same; n++) {
        bake_old_outputs old;
        assert_true(n < 100);
        bake_memory_fail_after(n);
        bake_old_outputs_begin(&old, record, &options, "memo");
        is_same = bake_old_outputs_get(&old) && old.memo;
        bake_memory_fail_after(-1);
        bake_old_outputs_fini(&old);
    }
    bake_record_destroy(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_outputs_with_the_recorded_bytes_are_used),
        TEST(outputs_that_nobody_needs_are_released),
        TEST(the_memo_of_the_recorded_run_is_loaded_once),
        TEST(a_memo_that_nobody_needs_is_freed),
        TEST(a_replaced_output_exists_until_it_is_released),
        TEST(any_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
