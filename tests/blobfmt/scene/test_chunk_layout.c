/* Columns in chunks, compared with a direct implementation of the rule in <kiln/chunk_layout.h>. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kiln/chunk_layout.h>
#include <kiln/entity.h>
#include <string.h>

enum { COLUMNS_MAX = 300 };
#define UNTOUCHED 0xababababu

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % limit);
}

static uint64_t bytes_of_rows(const uint32_t *sizes, uint32_t count, uint32_t rows)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += ((uint64_t)sizes[i] * rows + 63) / 64 * 64;
    return sum;
}

/* Adds rows one at a time until they no longer fit. */
static uint32_t rows_that_fit(const uint32_t *sizes, uint32_t count)
{
    uint32_t rows = 0;
    while (rows < KILN_CHUNK_ROWS_MAX && bytes_of_rows(sizes, count, rows + 1) <= 16384)
        rows++;
    return rows;
}

static void check_layout(const uint32_t *sizes, uint32_t count)
{
    uint32_t offsets[COLUMNS_MAX + 1];
    memset(offsets, 0xab, sizeof offsets);
    uint32_t rows = kiln_chunk_layout(sizes, count, offsets);
    assert_int_equal(rows_that_fit(sizes, count), rows);
    assert_int_equal(UNTOUCHED, offsets[count]);
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (rows == 0) {
            assert_int_equal(UNTOUCHED, offsets[i]);
        } else if (sizes[i] == 0) {
            assert_int_equal(0, offsets[i]);
        } else {
            /* After the previous column, at the next multiple of 64. */
            assert_int_equal((end + 63) / 64 * 64, offsets[i]);
            end = offsets[i] + (uint64_t)sizes[i] * rows;
        }
    }
    assert_true(end <= KILN_CHUNK_SIZE);
}

static void random_columns_follow_the_rule(void **state)
{
    (void)state;
    static const uint32_t size_limits[] = {2, 9, 65, 600, 4097, KILN_CHUNK_SIZE + 1};
    uint64_t random = 4;
    for (int round = 0; round < 1500; round++) {
        uint32_t sizes[COLUMNS_MAX];
        uint32_t limit = size_limits[random_below(&random, 6)];
        uint32_t count = random_below(&random, round % 50 == 0 ? COLUMNS_MAX : 12);
        for (uint32_t i = 0; i < count; i++)
            sizes[i] = random_below(&random, limit);
        check_layout(sizes, count);
    }
}

static void one_column_of_every_size_follows_the_rule(void **state)
{
    (void)state;
    for (uint32_t size = 0; size <= KILN_CHUNK_SIZE + 1; size += size < 300 ? 1 : 7)
        check_layout(&size, 1);
}

static void layouts_at_the_edges_have_these_rows(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint32_t sizes[4];
        uint32_t count, rows;
    } table[] = {
        {"no column", {0}, 0, KILN_CHUNK_ROWS_MAX},
        {"tags only", {0, 0, 0}, 3, KILN_CHUNK_ROWS_MAX},
        {"one byte", {1}, 1, 16384},
        {"two bytes", {2}, 1, 8192},
        {"a whole chunk", {16384}, 1, 1},
        {"a whole chunk between tags", {0, 16384, 0}, 3, 1},
        {"more than a chunk", {16385}, 1, 0},
        {"a whole chunk and a byte", {16384, 1}, 2, 0},
        {"half a chunk and a byte", {8193}, 1, 1},
        {"all but one line, and a byte", {16320, 1}, 2, 1},
        {"all but a byte of one line, and a byte", {16321, 1}, 2, 0},
        {"12, 16 and 8 bytes", {12, 16, 8}, 3, 453},
        {"sizes near the maximum of 32 bits", {UINT32_MAX, UINT32_MAX, UINT32_MAX}, 3, 0},
        {"sizes whose sum would wrap in 32 bits", {1, UINT32_MAX - 63, 64}, 3, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint32_t offsets[4];
        if (kiln_chunk_layout(table[i].sizes, table[i].count, offsets) != table[i].rows)
            fail_msg("%s", table[i].what);
        check_layout(table[i].sizes, table[i].count);
    }
}

static void a_chunk_has_at_most_one_column_per_line(void **state)
{
    (void)state;
    uint32_t sizes[COLUMNS_MAX], offsets[COLUMNS_MAX];
    for (uint32_t i = 0; i < COLUMNS_MAX; i++)
        sizes[i] = 1;
    assert_int_equal(64, kiln_chunk_layout(sizes, 256, offsets));
    assert_int_equal(255 * 64, offsets[255]);
    assert_int_equal(0, kiln_chunk_layout(sizes, 257, offsets));
}

#define NAMED(...)                                                                                 \
    {                                                                                              \
        .name = "a", __VA_ARGS__                                                                   \
    }
#define PLACES(...) ((const uint32_t[]){__VA_ARGS__})

static void valid_and_invalid_component_descriptions_are_distinguished(void **state)
{
    (void)state;
    const struct {
        const char *what;
        kiln_component_desc desc;
        kiln_status status;
    } table[] = {
        {"bytes without references", NAMED(.size = 12, .alignment = 4), KILN_OK},
        {"any string is a valid name", {.name = "\xff \n", .size = 1, .alignment = 1}, KILN_OK},
        {"no name", {.name = NULL, .size = 4, .alignment = 4}, KILN_BAD_ARGUMENT},
        {"an empty name", {.name = "", .size = 4, .alignment = 4}, KILN_BAD_ARGUMENT},
        {"a tag", NAMED(.size = 0, .alignment = 1), KILN_OK},
        {"an aligned tag", NAMED(.size = 0, .alignment = 4), KILN_BAD_ARGUMENT},
        {"a tag without alignment", NAMED(.size = 0, .alignment = 0), KILN_BAD_ARGUMENT},
        {"no alignment", NAMED(.size = 4, .alignment = 0), KILN_BAD_ARGUMENT},
        {"an alignment of 3", NAMED(.size = 3, .alignment = 3), KILN_BAD_ARGUMENT},
        {"the largest alignment", NAMED(.size = 64, .alignment = 64), KILN_OK},
        {"an alignment above the maximum", NAMED(.size = 128, .alignment = 128), KILN_BAD_ARGUMENT},
        {"a size that is not a multiple of the alignment", NAMED(.size = 6, .alignment = 4),
         KILN_BAD_ARGUMENT},
        {"the size of a chunk", NAMED(.size = 16384, .alignment = 64), KILN_OK},
        {"more than a chunk", NAMED(.size = 16385, .alignment = 1), KILN_BAD_ARGUMENT},
        {"a single entity",
         NAMED(.size = 8, .alignment = 4, .entity_places = PLACES(0), .entity_count = 1), KILN_OK},
        {"an entity in the middle",
         NAMED(.size = 20, .alignment = 4, .entity_places = PLACES(4, 12), .entity_count = 2),
         KILN_OK},
        {"entities without offsets", NAMED(.size = 8, .alignment = 4, .entity_count = 1),
         KILN_BAD_ARGUMENT},
        {"offsets with a count of 0", NAMED(.size = 4, .alignment = 4, .asset_places = PLACES(9)),
         KILN_OK},
        {"an entity past the end",
         NAMED(.size = 12, .alignment = 4, .entity_places = PLACES(8), .entity_count = 1),
         KILN_BAD_ARGUMENT},
        {"an entity far past the end",
         NAMED(.size = 12, .alignment = 4, .entity_places = PLACES(0xfffffff8), .entity_count = 1),
         KILN_BAD_ARGUMENT},
        {"a misaligned entity",
         NAMED(.size = 12, .alignment = 4, .entity_places = PLACES(2), .entity_count = 1),
         KILN_BAD_ARGUMENT},
        {"an entity in a struct aligned to 2",
         NAMED(.size = 8, .alignment = 2, .entity_places = PLACES(0), .entity_count = 1),
         KILN_BAD_ARGUMENT},
        {"overlapping entities",
         NAMED(.size = 16, .alignment = 4, .entity_places = PLACES(0, 4), .entity_count = 2),
         KILN_BAD_ARGUMENT},
        {"the same entity twice",
         NAMED(.size = 16, .alignment = 4, .entity_places = PLACES(8, 8), .entity_count = 2),
         KILN_BAD_ARGUMENT},
        {"entities in descending order",
         NAMED(.size = 16, .alignment = 4, .entity_places = PLACES(8, 0), .entity_count = 2),
         KILN_BAD_ARGUMENT},
        {"an asset", NAMED(.size = 16, .alignment = 8, .asset_places = PLACES(8), .asset_count = 1),
         KILN_OK},
        {"an asset aligned to 4",
         NAMED(.size = 16, .alignment = 8, .asset_places = PLACES(4), .asset_count = 1),
         KILN_BAD_ARGUMENT},
        {"an asset in a struct aligned to 4",
         NAMED(.size = 16, .alignment = 4, .asset_places = PLACES(0), .asset_count = 1),
         KILN_BAD_ARGUMENT},
        {"entities and an asset, adjacent",
         NAMED(.size = 24, .alignment = 8, .entity_places = PLACES(0, 16), .entity_count = 2,
               .asset_places = PLACES(8), .asset_count = 1),
         KILN_OK},
        {"an entity and an asset, overlapping",
         NAMED(.size = 24, .alignment = 8, .entity_places = PLACES(4), .entity_count = 1,
               .asset_places = PLACES(8), .asset_count = 1),
         KILN_BAD_ARGUMENT},
        {"a tag with an entity",
         NAMED(.size = 0, .alignment = 1, .entity_places = PLACES(0), .entity_count = 1),
         KILN_BAD_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (kiln_component_desc_check(&table[i].desc) != table[i].status)
            fail_msg("%s", table[i].what);
    assert_int_equal(KILN_BAD_ARGUMENT, kiln_component_desc_check(NULL));
}

typedef struct lamp {
    float light;
    kiln_entity owner;
} lamp;

typedef struct wire {
    kiln_entity from;
    float length;
    kiln_entity to;
} wire;

static void the_macros_describe_structs_and_tags(void **state)
{
    (void)state;
    static const uint32_t places[] = {offsetof(wire, from), offsetof(wire, to)};
    static const kiln_component_desc descs[] = {KILN_COMPONENT(lamp), KILN_TAG(is_lit),
                                                KILN_COMPONENT_WITH_ENTITIES(wire, places)};
    assert_string_equal("lamp", descs[0].name);
    assert_int_equal(sizeof(lamp), descs[0].size);
    assert_int_equal(_Alignof(lamp), descs[0].alignment);
    assert_string_equal("is_lit", descs[1].name);
    assert_int_equal(0, descs[1].size);
    assert_string_equal("wire", descs[2].name);
    assert_int_equal(sizeof(wire), descs[2].size);
    assert_ptr_equal(places, descs[2].entity_places);
    assert_int_equal(2, descs[2].entity_count);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(KILN_OK, kiln_component_desc_check(&descs[i]));
        assert_int_equal(0, descs[i].asset_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_columns_follow_the_rule),
        cmocka_unit_test(one_column_of_every_size_follows_the_rule),
        cmocka_unit_test(layouts_at_the_edges_have_these_rows),
        cmocka_unit_test(a_chunk_has_at_most_one_column_per_line),
        cmocka_unit_test(valid_and_invalid_component_descriptions_are_distinguished),
        cmocka_unit_test(the_macros_describe_structs_and_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
