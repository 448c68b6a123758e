/* Random histories of tables with a collector, compared with the naive model of tables.
 *
 * The model finds reachable assets by repeated search through all of them. An asset that the
 * collector removes must be unreachable in the model at that moment. After a whole cycle no
 * unreachable asset may be left. Steps of the collector are as small as possible, so that the other
 * steps occur at every stage of its cycles. The collector's clock counts how often it is read, so
 * that a seed gives the same history on every machine.
 *
 * Clusters are formed, changed, dissolved and switched off at random, and files have plans of
 * clusters. The model has no clusters, because they must not change which assets are removed.
 *
 *     build/tests/runtime/test_collector_model 1000000 */
#include "asset_history.h"
#include "collector_object.h"
#include "random_histories.h"

#include <kiln/clusters.h>
#include <string.h>

static random_histories asked = {.seed = 1, .operations = 8000};

static const history_def defs[] = {
    {.name = "a common table", .max_assets = 1000, .target = 40},
    {.name = "few words", .max_assets = 1000, .target = 6},
    {.name = "memory is refused", .max_assets = 1000, .target = 30, .fails = true},
    {.name = "a thread that is seldom quiescent",
     .max_assets = 1000,
     .target = 30,
     .is_threaded = true},
    {.name = "files with plans", .max_assets = 1000, .target = 40, .has_plans = true},
    {.name = "memory is refused to plans",
     .max_assets = 1000,
     .target = 30,
     .fails = true,
     .has_plans = true},
};

/* ---- reachability ---- */

/* The callback reports the words below this number, and all indirect words, because a program that
 * reports an indirect word must report all words that refer to the same slot. */
enum { REPORTED = WORDS / 2 };

static bool is_indirect(const history_word *word)
{
    return word->tenant != NONE && kiln_ref_get_form(word->ref) == KILN_REF_INDIRECT;
}

static uint32_t refs_of_value(const history *h, uint32_t value)
{
    if (value >= 90000)
        return h->added_refs[value - 90000];
    return h->files[value / 1000 - 1].refs[value % 1000];
}

static bool is_reported(const history *h, int tenant)
{
    for (int i = 0; i < REPORTED; i++) {
        const history_word *word = &h->words[i];
        kiln_ref_form form = word->tenant == NONE ? KILN_REF_NULL : kiln_ref_get_form(word->ref);
        /* A pointer keeps every asset with these bytes alive. */
        bool is_pointer_to_it = form == KILN_REF_POINTER &&
                                (const void *)(uintptr_t)word->ref.bits == h->tenants[tenant].root;
        bool is_its_own = word->tenant == tenant && form == KILN_REF_STRONG;
        if (is_its_own || is_pointer_to_it)
            return true;
    }
    for (int i = 0; i < WORDS; i++)
        if (h->words[i].tenant == tenant && is_indirect(&h->words[i]))
            return true;
    return false;
}

static bool is_held(const history *h, int tenant)
{
    const history_tenant *is = &h->tenants[tenant];
    return is->strong > 0 || model_protections(is) > 0 || model_borrowed(h, is->root) > 0 ||
           is_reported(h, tenant);
}

static bool reach_refs(const history *h, uint32_t refs, bool *reached)
{
    bool is_new = false;
    for (int name = 0; name < NAMES; name++) {
        int at = refs & history_bit(name) ? model_loaded(h, name) : NONE;
        if (at == NONE || reached[at])
            continue;
        reached[at] = is_new = true;
    }
    return is_new;
}

static void find_reachable(const history *h, bool *reached)
{
    memset(reached, 0, TENANTS * sizeof *reached);
    for (int i = 0; i < TENANTS; i++)
        reached[i] = h->tenants[i].is_alive && is_held(h, i);
    /* Borrowers may read bytes that were replaced. */
    for (int i = 0; i < BORROWS; i++)
        if (h->borrows[i].root)
            reach_refs(h, refs_of_value(h, h->borrows[i].value), reached);
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (int i = 0; i < TENANTS; i++)
            if (reached[i])
                is_new |= reach_refs(h, refs_of_value(h, h->tenants[i].value), reached);
    }
}

static void report_words(void *ctx, kiln_tracer *tracer)
{
    const history *h = ctx;
    for (int i = 0; i < WORDS; i++)
        if (h->words[i].tenant != NONE && (i < REPORTED || is_indirect(&h->words[i])))
            kiln_trace(tracer, h->words[i].ref, "words");
}

/* ---- the collector ---- */

static uint64_t removed, saved, recycled;

/* Removes from the model the assets that the collector removed, which must all be unreachable. */
static void end_removed(history *h, bool is_whole)
{
    bool reached[TENANTS];
    find_reachable(h, reached);
    for (int i = 0; i < TENANTS; i++) {
        history_tenant *tenant = &h->tenants[i];
        kiln_asset_info info;
        if (!tenant->is_alive)
            continue;
        if (kiln_assets_get_info(h->scene.assets, tenant->handle, &info) == KILN_OK) {
            if (is_whole && !reached[i])
                fail_msg("step %zu: %s is still loaded, but unreachable", (size_t)h->steps,
                         info.name);
            continue;
        }
        if (reached[i])
            fail_msg("step %zu: value %u was removed, but is reachable", (size_t)h->steps,
                     tenant->value);
        model_end_tenant(h, tenant);
        removed++;
    }
}

/* ---- clusters ---- */

enum { CLUSTERS = 16 };
static kiln_cluster clusters[CLUSTERS]; /* some of those that were formed; many are stale */
static uint64_t formed, planned, changed, dissolved;

static kiln_ref pick_asset(history *h)
{
    uint32_t at = history_random(h, TENANTS);
    for (uint32_t i = 0; i < TENANTS; i++) {
        const history_tenant *tenant = &h->tenants[(at + i) % TENANTS];
        if (tenant->is_alive)
            return tenant->handle;
    }
    return (kiln_ref){0};
}

static void form_one(history *h, kiln_collector *collector)
{
    kiln_cluster cluster = {0};
    /* Most clusters that the program forms would otherwise contain the planned roots. */
    if (h->def->has_plans && history_random(h, 8) > 0)
        return;
    kiln_status status = kiln_cluster_create(collector, pick_asset(h), &cluster, NULL);
    if (status == KILN_DEAD || !history_expect(h, KILN_OK, status, "form a cluster"))
        return;
    if (!kiln_cluster_is_null(cluster)) {
        clusters[history_random(h, CLUSTERS)] = cluster;
        formed++;
    }
}

static void change_one(history *h, kiln_collector *collector)
{
    kiln_cluster cluster = clusters[history_random(h, CLUSTERS)];
    kiln_status status = kiln_cluster_add(collector, cluster, pick_asset(h),
                                          (kiln_cluster_role)history_random(h, 2), NULL);
    if (status != KILN_DEAD && status != KILN_BAD_ARGUMENT)
        changed += history_expect(h, KILN_OK, status, "change a cluster");
}

static void change_clusters(history *h, kiln_collector *collector)
{
    history_threaten(h);
    switch (history_random(h, 16)) {
    case 0:
        kiln_cluster_dissolve(collector, clusters[history_random(h, CLUSTERS)]);
        break;
    case 1:
        if (history_random(h, 16) == 0)
            kiln_collector_use_clusters(collector, history_random(h, 4) > 0);
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        form_one(h, collector);
        break;
    case 6:
    case 7:
        for (int i = 0; i < 20; i++)
            change_one(h, collector);
        break;
    default:
        break;
    }
    h->scene.memory.fail_at = 0;
}

static void collect(history *h, kiln_collector *collector)
{
    kiln_collector_state state = KILN_COLLECTOR_IDLE;
    bool is_whole = history_random(h, 32) == 0;
    history_threaten(h);
    if (history_random(h, 4) == 0)
        kiln_collector_start(collector);
    kiln_status status = is_whole ? kiln_collector_run(collector)
                                  : kiln_collector_step(collector, history_random(h, 16), &state);
    if (!history_expect(h, KILN_OK, status, "collect"))
        is_whole = false;
    h->scene.memory.fail_at = 0;
    h->is_sweeping = state == KILN_COLLECTOR_SWEEPING;
    end_removed(h, is_whole);
    kiln_error error = {0};
    if (!kiln_collector_is_valid(collector, &error))
        fail_msg("step %zu: %s", (size_t)h->steps, error.path);
}

static uint64_t count_reads(void *ctx)
{
    return ++*(uint64_t *)ctx;
}

static kiln_collector *begin(history *h, const history_def *def, uint64_t seed)
{
    kiln_collector *collector = NULL;
    history_init(h, def, seed);
    h->recycles = true;
    kiln_collector_def collector_def = kiln_collector_def_default();
    collector_def.assets = h->scene.assets;
    collector_def.start_bytes = 2000;
    collector_def.allocator = &h->scene.memory.allocator;
    static uint64_t reads;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&collector_def, &collector, NULL));
    collector->clock = count_reads;
    collector->clock_ctx = &reads;
    EXPECT_STATUS(KILN_OK, kiln_collector_add_roots(collector, report_words, h, "the test"));
    return collector;
}

static void end(history *h, kiln_collector *collector)
{
    EXPECT_STATUS(KILN_OK, kiln_collector_run(collector));
    h->is_sweeping = false;
    end_removed(h, true);
    kiln_collector_stats stats;
    kiln_collector_get_stats(collector, &stats);
    assert_int_equal(0, stats.steps_over_cap);
    saved += stats.saved;
    recycled += stats.recycled_slots;
    dissolved += stats.dissolved_clusters;
    planned += stats.planned_clusters;
    kiln_collector_destroy(collector);
    history_fini(h);
}

static void run_history(const history_def *def)
{
    static history h;
    random_histories_print(&asked, def->name);
    removed = 0;
    kiln_collector *collector = begin(&h, def, asked.seed);
    for (uint64_t i = 0; i < asked.operations; i++) {
        history_step(&h);
        change_clusters(&h, collector);
        collect(&h, collector);
        /* Most slots with indirect words are not reused, so the history continues with a new table.
         */
        if (h.kept > def->max_assets / 2) {
            end(&h, collector);
            collector = begin(&h, def, asked.seed + i);
        }
    }
    end(&h, collector);
    assert_true(removed > 10);
}

HISTORY_TEST(a_collector_removes_what_the_model_cannot_reach, 0)
HISTORY_TEST(a_collector_with_few_words_removes_the_same, 1)
HISTORY_TEST(a_collector_that_is_refused_memory_removes_nothing_reachable, 2)
HISTORY_TEST(a_collector_waits_for_a_thread, 3)
HISTORY_TEST(a_collector_with_plans_removes_the_same, 4)
HISTORY_TEST(a_collector_that_is_refused_memory_for_plans_removes_nothing_reachable, 5)

/* In the histories above, handles taken to unreachable assets saved some of these, and slots of
 * indirect words were reused. */
static void some_assets_were_saved_and_slots_recycled(void **state)
{
    (void)state;
    assert_true(saved > 0);
    assert_true(recycled > 0);
    assert_true(formed > test_share_of(100));
    /* A few seeds never form a planned cluster in this few operations. */
    assert_true(planned > 0 || asked.seed != 1 || asked.operations < 8000);
    assert_true(changed > test_share_of(100));
    assert_true(dissolved > test_share_of(100));
}

int main(int argc, char **argv)
{
    random_histories_ask(&asked, argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collector_removes_what_the_model_cannot_reach),
        cmocka_unit_test(a_collector_with_few_words_removes_the_same),
        cmocka_unit_test(a_collector_that_is_refused_memory_removes_nothing_reachable),
        cmocka_unit_test(a_collector_waits_for_a_thread),
        cmocka_unit_test(a_collector_with_plans_removes_the_same),
        cmocka_unit_test(a_collector_that_is_refused_memory_for_plans_removes_nothing_reachable),
        cmocka_unit_test(some_assets_were_saved_and_slots_recycled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
