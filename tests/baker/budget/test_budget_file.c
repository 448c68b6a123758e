/* Files with budgets: what is written is read again, and hostile bytes are rejected or harmless. */
#include "bytes_fixture.h"

#include "budget_file.h"
#include "hash.h"

enum { HEADER_SIZE = 16 };

static const bake_budget limits[] = {
    {BAKE_BUDGET_BUNDLE, BAKE_MEASURE_DISK, "*", 65536, {0, 8, 22, 6}, true},
    {BAKE_BUDGET_ASSET, BAKE_MEASURE_LOAD, "Item/*", 50, {0, 9, 1, BAKE_MARK_TO_LINE_END}, false},
    {BAKE_BUDGET_CLUSTER, BAKE_MEASURE_RESIDENT, "a b", BAKE_BUDGET_NONE - 1, {0, 0, 1, 1}, false},
};
static const bake_budgets all = {limits, 3, 80, "game", "kiln.yaml", "kiln: 1\n", 8};

static bytes written(void)
{
    bytes file = {.size = 0};
    assert_true(bake_budgets_write(&all, bytes_append, &file));
    return file;
}

/* Reads an exactly sized copy, so that sanitizers find reads behind it. */
static bool reads(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size + !size);
    bake_store store = {0};
    assert_non_null(copy);
    memcpy(copy, data, size);
    const bake_budgets *budgets = bake_budgets_read(copy, size, &store);
    if (!budgets)
        assert_int_equal(errno, EINVAL);
    for (size_t i = 0; budgets && i < budgets->count; i++) {
        const bake_budget *item = &budgets->items[i];
        assert_true(item->kind < BAKE_BUDGET_KINDS && item->measure < BAKE_MEASURES);
        assert_true(item->limit > 0 && strlen(item->pattern) < size);
    }
    bake_store_fini(&store);
    free(copy);
    return budgets != NULL;
}

static void a_written_file_is_read_again(void **state)
{
    (void)state;
    bytes file = written(), again = {.size = 0};
    bake_store store = {0};
    const bake_budgets *budgets = bake_budgets_read(file.data, file.size, &store);
    assert_non_null(budgets);
    assert_int_equal(budgets->count, 3);
    assert_int_equal(budgets->warn, 80);
    assert_string_equal(budgets->bundle, "game");
    assert_string_equal(budgets->path, "kiln.yaml");
    assert_string_equal(budgets->text, "kiln: 1\n");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(budgets->items[i].limit, limits[i].limit);
        assert_int_equal(budgets->items[i].mark.length, limits[i].mark.length);
        assert_string_equal(budgets->items[i].pattern, limits[i].pattern);
    }
    assert_true(bake_budgets_write(budgets, bytes_append, &again));
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.data, file.data, file.size);
    bake_store_fini(&store);
}

static void every_truncation_and_changed_bit_is_rejected(void **state)
{
    (void)state;
    bytes file = written();
    for (size_t size = 0; size < file.size; size++)
        assert_false(reads(file.data, size));
    assert_false(reads(file.data, file.size + 1));
    for (size_t bit = 0; bit < file.size * 8; bit++) {
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_false(reads(file.data, file.size));
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

/* Corrects the hash after each change, so that the reader of the body sees it. */
static void forged_bodies_are_rejected_or_harmless(void **state)
{
    static const unsigned char values[] = {0, 1, 2, 5, 0x65, 0x80, 0xff};
    bytes file = written();
    size_t accepted = 0, rejected = 0;
    (void)state;
    for (size_t at = HEADER_SIZE; at < file.size; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            bytes forged = file;
            forged.data[at] = values[v];
            uint64_t hash = kiln_hash64(forged.data + HEADER_SIZE, file.size - HEADER_SIZE, 0);
            for (int i = 0; i < 8; i++)
                forged.data[8 + i] = (unsigned char)(hash >> 8 * i);
            bool is_read = reads(forged.data, forged.size);
            accepted += is_read;
            rejected += !is_read;
        }
    assert_true(accepted > 0 && rejected > 0);
}

static void failed_writes_and_allocations_are_errors(void **state)
{
    (void)state;
    bytes file = written(), full = {.refuses = true};
    bool failed = true;
    assert_false(bake_budgets_write(&all, bytes_append, &full));
    assert_int_equal(errno, ENOSPC);
    for (long n = 0; failed; n++) {
        bytes again = {.size = 0};
        bake_store store = {0};
        bake_memory_fail_after(n);
        errno = 0;
        bool is_written = bake_budgets_write(&all, bytes_append, &again);
        assert_true(is_written || errno == ENOMEM);
        const bake_budgets *budgets = bake_budgets_read(file.data, file.size, &store);
        assert_true(budgets || errno == ENOMEM);
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_true(failed || (is_written && budgets));
        bake_store_fini(&store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_file_is_read_again),
        cmocka_unit_test(every_truncation_and_changed_bit_is_rejected),
        cmocka_unit_test(forged_bodies_are_rejected_or_harmless),
        cmocka_unit_test(failed_writes_and_allocations_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
