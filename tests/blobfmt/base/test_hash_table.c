/* The hash table that maps keys to row numbers: it finds exactly the inserted rows, even if rows
 * share a hash, and while it grows. */
#include "counting_allocator.h"
#include "hash_table.h"
#include "verdict.h"

#include <string.h>

enum { ROWS = 1000 };

static uint64_t rows[ROWS];
static counting_allocator counter;
static kiln_allocator allocator;

static int set_up(void **state)
{
    (void)state;
    memset(&counter, 0, sizeof counter);
    allocator = counting_allocator_of(&counter);
    for (uint32_t i = 0; i < ROWS; i++)
        rows[i] = i * UINT64_C(0x100000000) + 7;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return counter.live_blocks != 0 || counter.wrong_free;
}

static bool is_row(const uint64_t *list, uint32_t number, uint64_t key)
{
    return list[number] == key;
}

/* The worst possible hash. */
static uint32_t hash_of_all(const hash_table *table, uint64_t key)
{
    (void)table;
    (void)key;
    return UINT32_MAX;
}

static bool is_text(const char *const *list, uint32_t number, text_key key)
{
    return strlen(list[number]) == key.length && memcmp(list[number], key.text, key.length) == 0;
}

HASH_TABLE(by_number, const uint64_t *, uint64_t, hash_of_number, is_row)
HASH_TABLE(by_nothing, const uint64_t *, uint64_t, hash_of_all, is_row)
HASH_TABLE(by_text, const char *const *, text_key, hash_of_text, is_text)

static void rows_are_found_by_their_key(void **state)
{
    (void)state;
    hash_table table = {0};
    assert_int_equal(by_number_find(&table, rows, rows[0]), HASH_TABLE_NONE);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_true(hash_table_reserve(&table, &allocator));
        hash_slot *slot = by_number_slot(&table, rows, rows[i]);
        assert_true(hash_slot_is_empty(slot));
        hash_table_put(&table, slot, i);
        assert_int_equal(hash_slot_number(by_number_slot(&table, rows, rows[i])), i);
    }
    assert_int_equal(table.count, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(by_number_find(&table, rows, rows[i]), i);
        assert_int_equal(by_number_find(&table, rows, rows[i] + 1), HASH_TABLE_NONE);
    }
    kiln_hash_table_fini(&table, &allocator);
}

/* The search for a free slot wraps around the end of the slots. */
static void rows_that_share_a_hash_are_distinguished(void **state)
{
    (void)state;
    hash_table table = {0};
    for (uint32_t i = 0; i < ROWS / 4; i++) {
        assert_true(hash_table_reserve(&table, &allocator));
        hash_slot *slot = by_nothing_slot(&table, rows, rows[i]);
        assert_true(hash_slot_is_empty(slot));
        hash_table_put(&table, slot, i);
    }
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(by_nothing_find(&table, rows, rows[i]),
                         i < ROWS / 4 ? i : HASH_TABLE_NONE);
    kiln_hash_table_fini(&table, &allocator);
}

static void texts_are_found_by_their_bytes(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "a", "ab", "b"};
    hash_table table = {0};
    for (uint32_t i = 0; i < 3; i++) {
        text_key key = {texts[i], strlen(texts[i])};
        assert_true(hash_table_reserve(&table, &allocator));
        hash_table_put(&table, by_text_slot(&table, texts, key), i);
    }
    assert_int_equal(by_text_find(&table, texts, (text_key){"abc", 2}), 2);
    assert_int_equal(by_text_find(&table, texts, (text_key){"abc", 0}), 0);
    assert_int_equal(by_text_find(&table, texts, (text_key){"abc", 3}), HASH_TABLE_NONE);
    assert_int_equal(by_text_find(&table, texts, (text_key){texts[3], 1}), HASH_TABLE_NONE);
    kiln_hash_table_fini(&table, &allocator);
}

static void a_table_that_cannot_grow_keeps_its_rows(void **state)
{
    (void)state;
    hash_table table = {0};
    uint32_t count = 0;
    counter.fail_from = 2;
    for (; hash_table_reserve(&table, &allocator); count++)
        hash_table_put(&table, by_number_slot(&table, rows, rows[count]), count);
    assert_in_range(count, 1, ROWS - 1);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(by_number_find(&table, rows, rows[i]), i < count ? i : HASH_TABLE_NONE);
    kiln_hash_table_reset(&table, &allocator);
    assert_int_equal(by_number_find(&table, rows, rows[0]), HASH_TABLE_NONE);
    kiln_hash_table_fini(&table, &allocator);
}

static void two_tables_do_not_share_their_seed(void **state)
{
    (void)state;
    hash_table one = {0}, other = {0};
    assert_true(hash_table_reserve(&one, &allocator));
    assert_true(hash_table_reserve(&other, &allocator));
    uint32_t equal = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        equal += hash_of_number(&one, rows[i]) == hash_of_number(&other, rows[i]);
    assert_in_range(equal, 0, ROWS / 100);
    kiln_hash_table_fini(&one, &allocator);
    kiln_hash_table_fini(&other, &allocator);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_are_found_by_their_key),        TEST(rows_that_share_a_hash_are_distinguished),
        TEST(texts_are_found_by_their_bytes),     TEST(a_table_that_cannot_grow_keeps_its_rows),
        TEST(two_tables_do_not_share_their_seed),
    };
    return cmocka_run_group_tests_name("hash table", tests, NULL, NULL);
}
