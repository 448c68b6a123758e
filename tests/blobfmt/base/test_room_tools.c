/* Tools used everywhere in blobfmt: an arena, growing arrays, the C library's allocator, UTF-8,
 * binary search. Impossible sizes are refused before memory is requested. */
#include "arena.h"
#include "counting_allocator.h"
#include "lower_bound.h"
#include "series.h"
#include "utf8.h"
#include "verdict.h"

#include <string.h>

static counting_allocator counter;
static kiln_allocator allocator;

static int set_up(void **state)
{
    (void)state;
    memset(&counter, 0, sizeof counter);
    allocator = counting_allocator_of(&counter);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return counter.live_blocks != 0 || counter.wrong_free;
}

static void arenas_refuse_impossible_sizes(void **state)
{
    (void)state;
    arena a;
    kiln_arena_init(&a, &allocator, 256);
    assert_null(kiln_arena_alloc(&a, SIZE_MAX / 2 + 1, 1));
    assert_null(kiln_arena_alloc(&a, SIZE_MAX, 16));
    assert_null(kiln_arena_alloc_zeroed(&a, SIZE_MAX, 16));
    assert_null(kiln_arena_alloc_array(&a, SIZE_MAX / 8 + 2, 8, 8));
    assert_null(kiln_arena_alloc_array(&a, SIZE_MAX, SIZE_MAX, 8));
    assert_int_equal(counter.calls, 0);
    kiln_arena_fini(&a);
}

static void vectors_refuse_impossible_sizes(void **state)
{
    (void)state;
    vector v = {0};
    assert_false(kiln_vector_reserve(&v, &allocator, SIZE_MAX / 16, 16));
    assert_null(kiln_vector_push(&v, &allocator, SIZE_MAX / 2, 1));
    assert_int_equal(counter.calls, 0);
    assert_non_null(kiln_vector_push(&v, &allocator, 3, 16));
    assert_null(kiln_vector_push(&v, &allocator, SIZE_MAX - 3, 1));
    assert_int_equal(v.count, 3);
    kiln_vector_fini(&v, &allocator, 16);
}

static void series_end_at_the_largest_number(void **state)
{
    (void)state;
    series full = {.count = (UINT32_C(1) << (SERIES_FIRST_LOG2 + SERIES_PIECES)) -
                            (UINT32_C(1) << SERIES_FIRST_LOG2)},
           none = {0};
    assert_null(series_push(&full, &allocator, 1));
    assert_false(kiln_series_grow(&none, &allocator, SIZE_MAX / 2));
    assert_int_equal(counter.calls, 0);
}

static void empty_texts_have_a_place(void **state)
{
    (void)state;
    arena a;
    kiln_arena_init(&a, &allocator, 256);
    assert_string_equal(kiln_arena_copy_text(&a, NULL, 0), "");
    assert_string_equal(kiln_arena_copy_text(&a, "abc", 2), "ab");
    kiln_arena_fini(&a);
}

static void only_the_newest_allocation_is_released(void **state)
{
    (void)state;
    arena a;
    kiln_arena_init(&a, &allocator, 256);
    void *first = kiln_arena_alloc(&a, 16, 16), *second = kiln_arena_alloc(&a, 16, 16);
    kiln_arena_release(&a, first, 16);
    assert_ptr_not_equal(kiln_arena_alloc(&a, 16, 16), first);
    kiln_arena_release(&a, second, 16);
    void *newest = kiln_arena_alloc(&a, 16, 16);
    kiln_arena_release(&a, newest, 16);
    assert_ptr_equal(kiln_arena_alloc(&a, 16, 16), newest);
    kiln_arena_reset(&a);
    kiln_arena_release(&a, newest, 16);
    kiln_arena_fini(&a);
}

/* AddressSanitizer needs an option to return NULL here. */
static void the_default_allocator_reports_missing_memory(void **state)
{
    (void)state;
    static const size_t sizes[] = {SIZE_MAX / 2, SIZE_MAX - 4096, SIZE_MAX};
    kiln_allocator a = kiln_allocator_default();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t align = 1; align <= 4096; align *= 64)
            assert_null(a.alloc(a.ctx, sizes[i], align));
}

static void text_may_contain_nul_if_the_reader_allows_it(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size, prefix;
        bool is_valid;
    } rows[] = {
        {"", 0, 0, true},        {"abc", 3, 3, true},           {"abcdefghij", 10, 10, true},
        {"abc\0", 4, 3, true},   {"\0\0a\xc3\xa4", 5, 0, true}, {"a\0\xc3", 3, 1, false},
        {"abc\xff", 4, 3, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        patched exact = patched_copy(rows[i].text, rows[i].size);
        assert_int_equal(kiln_utf8_valid_prefix((const char *)exact.data, exact.size),
                         rows[i].prefix);
        assert_int_equal(kiln_utf8_is_valid((const char *)exact.data, exact.size),
                         rows[i].is_valid);
        patched_fini(&exact);
    }
}

static void code_points_are_read_and_written_alike(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t code;
    } rows[] = {
        {"\0", 1, 0},
        {"\x7f", 1, 0x7f},
        {"\xc2\x80", 2, 0x80},
        {"\xdf\xbf", 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 0x800},
        {"\xed\x9f\xbf", 3, 0xd7ff},
        {"\xee\x80\x80", 3, 0xe000},
        {"\xf0\x90\x80\x80", 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char bytes[4];
        uint32_t code = UINT32_MAX;
        assert_int_equal(utf8_decode(rows[i].bytes, rows[i].length, &code), rows[i].length);
        assert_int_equal(code, rows[i].code);
        assert_int_equal(utf8_encode(code, bytes), rows[i].length);
        assert_memory_equal(bytes, rows[i].bytes, rows[i].length);
        for (size_t size = 0; size < rows[i].length; size++)
            assert_int_equal(utf8_decode(rows[i].bytes, size, &code), 0);
    }
}

static void malformed_sequences_have_no_code_point(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "\x80", "\xc1\xbf", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82 ",
        /* Invalid first bytes, followed by bytes that would complete a code point. */
        "\x9f\x80", "\xbf\xbf", "\xf8\x90\x80\x80", "\xff\xbf\xbf\xbf"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t code = 7;
        assert_int_equal(utf8_decode(rows[i], strlen(rows[i]), &code), 0);
        assert_int_equal(code, 7);
    }
}

static void text_is_split_between_sequences(void **state)
{
    (void)state;
    static const char text[] = "a\xe2\x82\xac\xc3\xa4";
    static const size_t lengths[] = {0, 1, 1, 1, 4, 4, 6, 6};
    for (size_t most = 0; most < sizeof lengths / sizeof *lengths; most++)
        assert_int_equal(utf8_cut(text, sizeof text - 1, most), lengths[most]);
}

static void code_points_are_counted(void **state)
{
    (void)state;
    static const char text[] = "a\xe2\x82\xac\xc3\xa4\xf0\x90\x80\x80";
    static const size_t counts[] = {[0] = 0, [1] = 1, [4] = 2, [6] = 3, [10] = 4};
    for (size_t size = 0; size < sizeof counts / sizeof *counts; size++)
        if (size == 0 || counts[size])
            assert_int_equal(utf8_count(text, size), counts[size]);
}

/* Each list has one element after the searched range. The last rows use that element as the key. */
static void numbers_are_found_within_their_list_only(void **state)
{
    (void)state;
    static const uint32_t narrow[] = {2, 4, 4, 9, 11};
    static const uint64_t wide[] = {2, 4, 4, 9, 11};
    static const struct {
        size_t count;
        uint32_t key;
        bool is_found;
        size_t at;
    } rows[] = {
        {0, 1, false, 0},  {0, 2, false, 0},  {1, 2, true, 0},  {1, 4, false, 1},  {2, 3, false, 1},
        {4, 1, false, 0},  {4, 2, true, 0},   {4, 4, true, 1},  {4, 5, false, 3},  {4, 9, true, 3},
        {4, 10, false, 4}, {4, 11, false, 4}, {5, 11, true, 4}, {5, 12, false, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at = SIZE_MAX;
        assert_int_equal(find_u32(narrow, rows[i].count, rows[i].key, &at), rows[i].is_found);
        assert_int_equal(at, rows[i].at);
        at = SIZE_MAX;
        assert_int_equal(find_u64(wide, rows[i].count, rows[i].key, &at), rows[i].is_found);
        assert_int_equal(at, rows[i].at);
    }
    assert_int_equal(lower_bound_u64(wide, 2, 4, 1), 2);
    assert_int_equal(lower_bound_u64(wide, 2, 4, 10), 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(arenas_refuse_impossible_sizes),
        TEST(vectors_refuse_impossible_sizes),
        TEST(series_end_at_the_largest_number),
        TEST(empty_texts_have_a_place),
        TEST(only_the_newest_allocation_is_released),
        TEST(the_default_allocator_reports_missing_memory),
        TEST(text_may_contain_nul_if_the_reader_allows_it),
        TEST(code_points_are_read_and_written_alike),
        TEST(malformed_sequences_have_no_code_point),
        TEST(text_is_split_between_sequences),
        TEST(code_points_are_counted),
        TEST(numbers_are_found_within_their_list_only),
    };
    return cmocka_run_group_tests_name("tools of blobfmt", tests, NULL, NULL);
}
