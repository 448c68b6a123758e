/* Chains of clusters too long for recursion, made without assets, and broken lists that
 * kiln_collector_is_valid must find. */
#include "asset_fixture.h"
#include "collector_object.h"

#include "asset_lock.h"

#include <string.h>

typedef struct chained {
    kiln_assets *assets;
    kiln_collector *collector;
} chained;

static void begin(chained *t)
{
    kiln_assets_def def = kiln_assets_def_default();
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&def, &t->assets, NULL));
    kiln_collector_def collector = kiln_collector_def_default();
    collector.assets = t->assets;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&collector, &t->collector, NULL));
}

static void end(chained *t)
{
    kiln_collector_destroy(t->collector);
    kiln_assets_destroy(t->assets);
}

/* A cluster whose root has the slot `slot`, which no asset has. It refers to cluster `to`. */
static uint32_t add_cluster(chained *t, uint32_t slot, uint32_t to)
{
    uint32_t number = CLUSTER_NONE;
    const cluster_lists lists = {.references = &to, .reference_count = to != CLUSTER_NONE};
    cluster_memory memory;
    EXPECT_STATUS(KILN_OK, kiln_cluster_take(t->collector, &number));
    EXPECT_STATUS(KILN_OK, kiln_asset_owners_need(t->assets, slot));
    EXPECT_STATUS(KILN_OK, kiln_cluster_allocate(t->collector, &lists, &memory));
    t->collector->clusters.items[number].root = slot;
    *asset_owner_at(t->assets, slot) = asset_root_word(number);
    atomic_store(&t->collector->clusters.marks[number], t->assets->marks->color);
    kiln_cluster_set_lists(t->collector, number, &lists, &memory);
    return number;
}

enum { LENGTH = 1000000 };

static void a_chain_of_a_million_clusters_dissolves_from_its_end(void **state)
{
    (void)state;
    chained t;
    uint32_t last = CLUSTER_NONE;
    begin(&t);
    kiln_asset_lock(t.assets);
    for (uint32_t i = 0; i < LENGTH; i++)
        last = add_cluster(&t, i, last);
    assert_int_equal(LENGTH, t.collector->clusters.live);
    kiln_asset_queue_put(t.assets->marks, 0);
    /* Dissolves the clusters in slices. */
    uint32_t slices = 0;
    while (!kiln_cluster_dissolve_queued(t.collector, 0))
        slices++;
    assert_in_range(slices, LENGTH / 1024, 4 * LENGTH / 1024);
    assert_int_equal(0, t.collector->clusters.live);
    assert_int_equal(LENGTH, t.collector->stats.dissolved_clusters);
    for (uint32_t i = 0; i < LENGTH; i++)
        if (asset_owner_word(t.assets, i) != 0)
            fail_msg("slot %u has a word", (unsigned)i);
    kiln_asset_unlock(t.assets);
    end(&t);
}

static void the_clusters_after_the_first_one_stay(void **state)
{
    (void)state;
    chained t;
    uint32_t last = CLUSTER_NONE;
    begin(&t);
    kiln_asset_lock(t.assets);
    for (uint32_t i = 0; i < 100; i++)
        last = add_cluster(&t, i, last);
    kiln_asset_queue_put(t.assets->marks, 59);
    assert_true(kiln_cluster_dissolve_queued(t.collector, UINT64_MAX));
    assert_int_equal(59, t.collector->clusters.live);
    assert_int_equal(asset_root_word(58), asset_owner_word(t.assets, 58));
    assert_int_equal(0, asset_owner_word(t.assets, 59));
    assert_null(t.collector->clusters.details[58].referrers);
    /* The numbers are used again. */
    uint32_t number = add_cluster(&t, 59, 58);
    assert_in_range(number, 59, 99);
    assert_non_null(t.collector->clusters.details[58].referrers);
    kiln_asset_unlock(t.assets);
    end(&t);
}

/* Many clusters that refer to the same cluster dissolve in linear time, while that cluster
 * stays. */
static void many_referrers_leave_one_cluster(void **state)
{
    (void)state;
    chained t;
    begin(&t);
    kiln_asset_lock(t.assets);
    uint32_t one = add_cluster(&t, 0, CLUSTER_NONE);
    for (uint32_t i = 1; i < LENGTH / 4; i++)
        kiln_asset_queue_put(t.assets->marks, add_cluster(&t, i, one));
    assert_true(kiln_cluster_dissolve_queued(t.collector, UINT64_MAX));
    assert_int_equal(1, t.collector->clusters.live);
    assert_null(t.collector->clusters.details[one].referrers);
    kiln_asset_unlock(t.assets);
    end(&t);
}

/* ---- broken lists ---- */

static void break_word(kiln_collector *c)
{
    *asset_owner_at(c->assets, 3) = 0;
}

static void break_stray_word(kiln_collector *c)
{
    *asset_owner_at(c->assets, 9) = asset_member_word(1);
}

static void break_link(kiln_collector *c)
{
    c->clusters.details[1].referrers = NULL;
}

static void break_order(kiln_collector *c)
{
    cluster_links(&c->clusters.items[2])->to = 2;
}

static void break_mark(kiln_collector *c)
{
    c->clusters.marks[1] = MARK_NONE;
}

static void break_alone(kiln_collector *c)
{
    c->clusters.items[1].alone = 1;
}

static void break_count(kiln_collector *c)
{
    c->clusters.live++;
}

static void break_held(kiln_collector *c)
{
    kiln_cluster_hold(c, 1, 1);
    c->assets->marks->settled[0] = 0;
}

static void break_settled(kiln_collector *c)
{
    c->assets->marks->settled[0] = 1;
}

static void broken_lists_are_found(void **state)
{
    (void)state;
    static void (*const breaks[])(kiln_collector * c) = {
        break_word,  break_stray_word, break_link, break_order,   break_mark,
        break_alone, break_count,      break_held, break_settled,
    };
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        chained t;
        uint32_t last = CLUSTER_NONE;
        begin(&t);
        for (uint32_t k = 0; k < 4; k++)
            last = add_cluster(&t, k, last);
        /* Slots with words must count as used. */
        atomic_store(&t.assets->slot_count, 16);
        const char *what = "";
        assert_true(kiln_cluster_table_is_valid(t.collector, &what));
        breaks[i](t.collector);
        if (kiln_cluster_table_is_valid(t.collector, &what))
            fail_msg("broken list %zu was not detected", i);
        atomic_store(&t.assets->slot_count, 0);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_a_million_clusters_dissolves_from_its_end),
        cmocka_unit_test(the_clusters_after_the_first_one_stay),
        cmocka_unit_test(many_referrers_leave_one_cluster),
        cmocka_unit_test(broken_lists_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
