/* Damage to clusters that no program can cause through the API. kiln_cluster_table_is_valid, which
 * other tests call after each step, must find all of it. */
#include "asset_fixture.h"

#include "asset_lock.h"
#include "cluster_table.h"
#include "collector_object.h"

#include <string.h>

/* The cluster A has two members, two mutables and two references. Its number is below those of B
 * and C, to which it refers. Another number is free. */
typedef struct whole {
    scene s;
    kiln_collector *collector;
    kiln_ref a, b, c, d;
    cluster_table *table;
    uint32_t number_a, number_b, number_c, number_free;
} whole;

static kiln_ref load(whole *w, const char *name)
{
    const kiln_load_args args = {.name = name, .allow_missing = true};
    kiln_ref ref = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(w->s.assets, &args, &ref, &w->s.error));
    return ref;
}

static uint32_t form(whole *w, kiln_ref root)
{
    kiln_cluster cluster = {0};
    EXPECT_STATUS(KILN_OK, kiln_cluster_create(w->collector, root, &cluster, &w->s.error));
    assert_false(kiln_cluster_is_null(cluster));
    return cluster.number - 1;
}

static void end_cluster(whole *w, kiln_ref root)
{
    const kiln_cluster cluster = kiln_cluster_of(w->collector, root);
    EXPECT_STATUS(KILN_OK, kiln_cluster_dissolve(w->collector, cluster));
    EXPECT_STATUS(KILN_OK, kiln_collector_run(w->collector));
}

static void begin(whole *w)
{
    kiln_collector_def def = kiln_collector_def_default();
    memset(w, 0, sizeof *w);
    scene_begin(&w->s);
    def.assets = w->s.assets;
    def.start_bytes = UINT64_MAX;
    def.min_cluster = 2;
    def.allocator = &w->s.memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &w->collector, &w->s.error));
    scene_mount(&w->s,
                SCENE_FILE({"A/r", 1, "A/a A/b B/r C/r M/x M/y", SCENE_THING},
                           {"A/a", 2, NULL, SCENE_THING}, {"A/b", 3, NULL, SCENE_THING},
                           {"B/r", 4, "B/a", SCENE_THING}, {"B/a", 5, NULL, SCENE_THING},
                           {"C/r", 6, "C/a", SCENE_THING}, {"C/a", 7, NULL, SCENE_THING},
                           {"D/r", 8, "D/a", SCENE_THING}, {"D/a", 9, NULL, SCENE_THING},
                           {"M/x", 10, "Z/no", SCENE_THING}, {"M/y", 11, "Z/no", SCENE_THING}),
                0);
    w->a = load(w, "A/r");
    w->b = load(w, "B/r");
    w->c = load(w, "C/r");
    w->d = load(w, "D/r");
    form(w, w->d);
    w->number_b = form(w, w->b);
    w->number_c = form(w, w->c);
    end_cluster(w, w->d);
    w->number_a = form(w, w->a);
    w->number_free = form(w, w->d);
    end_cluster(w, w->d);
    w->table = &w->collector->clusters;
    const cluster_record *a = &w->table->items[w->number_a];
    assert_true(w->number_a < w->number_b && w->number_b < w->number_c);
    assert_int_equal(2, a->member_count);
    assert_int_equal(2, a->mutable_count);
    assert_int_equal(2, a->link_count);
    assert_false(cluster_exists(w->table, w->number_free));
}

static const char *check(const whole *w)
{
    const char *what = NULL;
    kiln_asset_lock(w->s.assets);
    bool is_valid = kiln_cluster_table_is_valid(w->collector, &what);
    kiln_asset_unlock(w->s.assets);
    assert_int_equal(is_valid, what == NULL);
    return what ? what : "";
}

static void end(whole *w)
{
    assert_string_equal("", check(w));
    scene_clear(&w->s, &w->a);
    scene_clear(&w->s, &w->b);
    scene_clear(&w->s, &w->c);
    scene_clear(&w->s, &w->d);
    kiln_collector_destroy(w->collector);
    scene_end(&w->s);
}

/* Sets a field to `value` and expects this report. */
static void expect_damage(const whole *w, void *field, size_t size, uint64_t value,
                          const char *what)
{
    uint64_t was = 0;
    assert_string_equal("", check(w));
    memcpy(&was, field, size);
    assert_true(was != value);
    memcpy(field, &value, size);
    assert_string_equal(what, check(w));
    memcpy(field, &was, size);
}
#define DAMAGE(field, value, what)                                                                 \
    expect_damage(&w, (void *)(uintptr_t) & (field), sizeof(field), (uint64_t)(value), what)

static void wrong_members_and_words_are_detected(void **state)
{
    (void)state;
    whole w;
    begin(&w);
    const kiln_assets *assets = w.s.assets;
    cluster_record *a = &w.table->items[w.number_a];
    const cluster_details *details = &w.table->details[w.number_a];
    const char *const order = "members are not strictly ascending";
    const char *const word = "a member has a wrong word";
    const char *const lacks = "an asset has the word of a cluster that does not list it";
    DAMAGE(details->members[1], details->members[0], order);
    DAMAGE(details->members[1], details->members[0] - 1, order);
    int32_t *member = asset_owner_at(assets, details->members[1]),
            *root = asset_owner_at(assets, a->root),
            *outside = asset_owner_at(
                assets,
                asset_node_of(entry_at(
                    w.s.assets, kiln_ref_slot_number(kiln_assets_find_root(
                                    w.s.assets, kiln_assets_get(w.s.assets, scene_id("M/x")))))));
    DAMAGE(*member, 0, word);
    DAMAGE(*member, (uint32_t)asset_member_word(w.number_b), word);
    DAMAGE(*root, 0, "the root of a cluster has a wrong word");
    DAMAGE(*outside, (uint32_t)asset_member_word(w.number_a), lacks);
    DAMAGE(*outside, (uint32_t)asset_root_word(w.number_a), lacks);
    KILN_ATOMIC(uint8_t) *mark = asset_mark_at(assets, details->members[0]);
    DAMAGE(*mark, MARK_NONE, "a member is not loaded");
    DAMAGE(*mark, assets->marks->color, "the number of members with a mark is wrong");
    DAMAGE(a->alone, 1, "the number of members with a mark is wrong");
    DAMAGE(w.table->marks[w.number_a], assets->marks->color + 1,
           "a cluster is not marked between two cycles");
    DAMAGE(a->outside[1].id, a->outside[0].id, "mutables are not strictly ascending");
    DAMAGE(w.table->live, w.table->live + 1, "the number of clusters is wrong");
    end(&w);
}

static void lists_of_a_free_cluster_are_detected(void **state)
{
    (void)state;
    whole w;
    begin(&w);
    cluster_record *of = &w.table->items[w.number_free];
    cluster_details *details = &w.table->details[w.number_free];
    DAMAGE(of->outside, (uintptr_t)&w, "a free cluster has lists");
    DAMAGE(details->members, (uintptr_t)&w, "a free cluster has lists");
    DAMAGE(details->referrers, (uintptr_t)&w, "a free cluster has lists");
    end(&w);
}

static void wrong_references_are_detected(void **state)
{
    (void)state;
    whole w;
    begin(&w);
    cluster_record *a = &w.table->items[w.number_a];
    cluster_details *details = &w.table->details[w.number_b];
    cluster_link *links = cluster_links(a);
    const char *const ends = "a reference to a cluster has wrong ends";
    const char *const lacks = "a cluster refers to another one, whose list of referrers lacks it";
    DAMAGE(links[0].from, w.number_b, ends);
    DAMAGE(links[0].to, w.number_a, ends);
    DAMAGE(links[0].to, w.table->count, ends);
    DAMAGE(links[1].to, links[0].to, "references to clusters are not strictly ascending");
    DAMAGE(links[0].to, w.number_free, lacks);
    DAMAGE(details->version, details->version + 1, lacks);
    DAMAGE(details->referrers, 0, lacks);
    DAMAGE(details->referrers, (uintptr_t)&links[1], lacks);
    DAMAGE(links[0].before, (uintptr_t)&links[1], lacks);
    end(&w);
}

static void wrong_holds_are_detected(void **state)
{
    (void)state;
    whole w;
    begin(&w);
    EXPECT_STATUS(KILN_OK, kiln_collector_run(w.collector));
    const uint64_t held = w.table->held[0], free = UINT64_C(1) << w.number_free;
    cluster_details *details = &w.table->details[w.number_b];
    uint64_t *settled = &w.s.assets->marks->settled[0];
    const uint32_t other = details->slot + 1;
    const char *const slot = "a cluster is recorded as held in a slot that lacks it";
    const char *const stray = "a slot is settled, but no cluster is held in it";
    assert_true(cluster_is_held(w.table, w.number_b));
    DAMAGE(w.table->held[0], held ^ UINT64_C(1) << w.number_b, stray);
    DAMAGE(w.table->held[0], held | free, slot);
    DAMAGE(details->slot, other, slot);
    DAMAGE(*settled, *settled ^ UINT64_C(1) << details->slot, slot);
    DAMAGE(*settled, *settled | UINT64_C(1) << other, stray);
    end(&w);
}

static void wrong_referrers_are_detected(void **state)
{
    (void)state;
    static cluster_link static_link;
    whole w;
    begin(&w);
    cluster_link *links = cluster_links(&w.table->items[w.number_a]), link = {0};
    const char *const what = "a list of referrers contains a reference that does not exist";
    DAMAGE(links[0].next, (uintptr_t)&links[1], what);
    link = static_link = (cluster_link){.from = w.number_a, .to = w.number_b, .before = links};
    DAMAGE(links[0].next, (uintptr_t)&link, what);
    DAMAGE(links[0].next, (uintptr_t)&static_link, what);
    link.from = w.table->count;
    DAMAGE(links[0].next, (uintptr_t)&link, what);
    link.from = UINT32_MAX;
    DAMAGE(links[0].next, (uintptr_t)&link, what);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_members_and_words_are_detected),
        cmocka_unit_test(lists_of_a_free_cluster_are_detected),
        cmocka_unit_test(wrong_references_are_detected),
        cmocka_unit_test(wrong_referrers_are_detected),
        cmocka_unit_test(wrong_holds_are_detected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
