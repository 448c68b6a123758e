/* Ids and the lookup table of an index, for up to 70 ids in several distributions. */
#include "verdict.h"

#include <kiln/index.h>
#include <string.h>

enum { MANY = 70 };
typedef struct crowd {
    kiln_index index;
    kiln_id ids[MANY];
    uint32_t directory[129];
} crowd;

static void point(kiln_array *array, const void *to, uint32_t count)
{
    array->offset = count ? (uint32_t)((const char *)to - (const char *)array) : 0;
    array->count = count;
}

static void fill(crowd *c, uint32_t count, kiln_id first, kiln_id step)
{
    uint32_t bits = 0;
    while (1u << bits < count)
        bits++;
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < count; i++)
        c->ids[i] = first + i * step;
    for (uint32_t b = 0; b <= 1u << bits; b++)
        for (uint32_t i = 0; i < count; i++)
            c->directory[b] += b == 1u << bits || (bits ? c->ids[i] >> (64 - bits) : 0) < b;
    point(&c->index.ids, c->ids, count);
    point(&c->index.assets, c->ids, count); /* prefetched, but never read */
    point(&c->index.directory, c->directory, count ? (1u << bits) + 1 : 0);
}

static void every_id_is_found_for_every_distribution(void **state)
{
    (void)state;
    static const kiln_id firsts[] = {2, UINT64_C(1) << 63, UINT64_MAX - 4 * MANY,
                                     UINT64_C(0x7fffffffffffff00)};
    static const kiln_id steps[] = {2, 3, UINT64_C(1) << 32, UINT64_C(1) << 56};
    for (uint32_t row = 0; row < 16; row++) {
        for (uint32_t count = 0; count <= MANY; count++) {
            crowd c;
            kiln_id first = firsts[row % 4], step = steps[row / 4];
            if (count && (UINT64_MAX - first) / step < count)
                continue;
            fill(&c, count, first, step);
            for (uint32_t i = 0; i < count; i++) {
                assert_int_equal(kiln_index_find(&c.index, c.ids[i]), i);
                assert_int_equal(kiln_index_find(&c.index, c.ids[i] - 1), KILN_ASSET_NONE);
                assert_int_equal(kiln_index_find(&c.index, c.ids[i] + 1), KILN_ASSET_NONE);
            }
            assert_int_equal(kiln_index_find(&c.index, 1), KILN_ASSET_NONE);
            assert_int_equal(kiln_index_find(&c.index, UINT64_MAX), KILN_ASSET_NONE);
        }
    }
}

static void a_wrong_lookup_table_can_only_hide_assets(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0,    1,        MANY - 4, MANY - 1,
                                       MANY, MANY + 1, 1 << 30,  UINT32_MAX};
    crowd c;
    for (size_t n = 0; n < 2 * (sizeof numbers / sizeof *numbers); n++) {
        fill(&c, MANY, UINT64_C(1) << 56, n % 2 ? UINT64_C(3) << 56 : 1);
        for (uint32_t b = 0; b < 129; b++)
            c.directory[b] = numbers[n / 2];
        for (uint32_t i = 0; i < MANY; i++) {
            uint32_t found = kiln_index_find(&c.index, c.ids[i]);
            assert_true(found == i || found == KILN_ASSET_NONE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_id_is_found_for_every_distribution),
        cmocka_unit_test(a_wrong_lookup_table_can_only_hide_assets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
