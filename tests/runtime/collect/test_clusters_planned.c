/* Clusters that a collector forms from the plans of files. */
#include "asset_fixture.h"

#include <kiln/cluster_plan.h>
#include <kiln/clusters.h>
#include <stdio.h>
#include <string.h>

typedef struct planned {
    scene s;
    kiln_collector *collector; /* NULL before begin_collector */
} planned;

static kiln_status try_collector(planned *t)
{
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = t->s.assets;
    def.start_bytes = UINT64_MAX;
    def.allocator = &t->s.memory.allocator;
    return kiln_collector_create(&def, &t->collector, &t->s.error);
}

static void begin_table(planned *t)
{
    t->collector = NULL;
    scene_begin(&t->s);
}

static void begin_collector(planned *t)
{
    EXPECT_STATUS(KILN_OK, try_collector(t));
}

static void begin(planned *t)
{
    begin_table(t);
    begin_collector(t);
}

static void expect_valid(planned *t)
{
    kiln_error error = {0};
    if (!kiln_collector_is_valid(t->collector, &error))
        fail_msg("%s", error.path);
}

static void end(planned *t)
{
    expect_valid(t);
    kiln_collector_destroy(t->collector);
    scene_end(&t->s);
}

static void run(planned *t)
{
    expect_valid(t);
    EXPECT_STATUS(KILN_OK, kiln_collector_run(t->collector));
    expect_valid(t);
}

static kiln_collector_stats stats_of(planned *t)
{
    kiln_collector_stats stats;
    kiln_collector_get_stats(t->collector, &stats);
    return stats;
}

/* Returns a weak word, which is not counted. */
static kiln_ref find(planned *t, const char *name)
{
    return kiln_assets_find_root(t->s.assets, kiln_assets_get(t->s.assets, scene_id(name)));
}

/* Expects the asset to be in the cluster of this root; NULL: in none. */
static void expect_in(planned *t, const char *root, const char *name)
{
    kiln_cluster_info info = {0};
    if (!kiln_cluster_get_info(t->collector, find(t, name), &info))
        info.root = NULL;
    if (!root || !info.root)
        assert_true(!root && !info.root);
    else
        assert_string_equal(root, info.root);
}

static kiln_cluster_info info_of(planned *t, const char *name)
{
    kiln_cluster_info info = {0};
    assert_true(kiln_cluster_get_info(t->collector, find(t, name), &info));
    return info;
}

static void load_again(planned *t, kiln_ref *ref, const char *name)
{
    scene_clear(&t->s, ref);
    EXPECT_STATUS(KILN_OK, scene_dispose(&t->s, find(t, name)));
    *ref = scene_load(&t->s, name);
}

/* Two trees: A/r -> A/a -> A/b -> B/r -> B/a; A/r, B/r and B/a -> S/s. */
static kiln_buffer two_trees(const char *plan)
{
    return SCENE_PLANNED(plan, {"A/r", 1, "A/a S/s", SCENE_PACKED}, {"A/a", 2, "A/b", SCENE_PACKED},
                         {"A/b", 3, "B/r", SCENE_PACKED}, {"B/r", 4, "B/a S/s", SCENE_PACKED},
                         {"B/a", 5, "S/s", SCENE_PACKED}, {"S/s", 6, NULL, SCENE_THING});
}

/* A chain A/r -> A/a -> A/b, and A/c alone. */
static kiln_buffer chain_of(const char *plan, uint32_t value_of_b)
{
    return SCENE_PLANNED(plan, {"A/r", 1, "A/a", SCENE_PACKED}, {"A/a", 2, "A/b", SCENE_PACKED},
                         {"A/b", value_of_b, NULL, SCENE_THING}, {"A/c", 4, NULL, SCENE_THING});
}

static kiln_buffer chain(const char *plan)
{
    return chain_of(plan, 3);
}

/* ---- forming ---- */

static bool is_packed(kiln_buffer image)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    def.data = image.data;
    def.size = image.size;
    EXPECT_STATUS(KILN_OK, kiln_file_open(&def, &file, NULL));
    const kiln_index *index = kiln_file_index(file, NULL);
    uint32_t member = kiln_index_asset_at(index, kiln_cluster_plan_find(index))->member;
    bool is = kiln_index_member_at(index, member)->compression != KILN_COMPRESSION_NONE;
    kiln_file_close(file);
    return is;
}

static void a_plan_forms_clusters_when_their_roots_are_loaded(void **state)
{
    (void)state;
    for (int collector_at = 0; collector_at < 3; collector_at++) {
        for (int packed = 0; packed < 2; packed++) {
            planned t;
            begin_table(&t);
            kiln_buffer image = two_trees(packed ? "+A/r:A/a,A/b B/r:B/a" : "A/r:A/a,A/b B/r:B/a");
            assert_int_equal(packed, is_packed(image));
            if (collector_at == 0)
                begin_collector(&t);
            scene_mount(&t.s, image, 0);
            if (collector_at == 1)
                begin_collector(&t);
            kiln_ref a = scene_load(&t.s, "A/r");
            if (collector_at == 2)
                begin_collector(&t);
            assert_int_equal(0, stats_of(&t).clusters);
            for (int i = 0; i < 2; i++) {
                run(&t);
                assert_int_equal(6, scene_stats(&t.s).loaded);
                assert_int_equal(2, stats_of(&t).planned_clusters);
                assert_int_equal(6, stats_of(&t).marked);
                assert_int_equal(3, stats_of(&t).marked_by_cluster);
            }
            expect_in(&t, "A/r", "A/b");
            expect_in(&t, "B/r", "B/a");
            expect_in(&t, NULL, "S/s");
            assert_int_equal(2, info_of(&t, "A/r").members);
            assert_int_equal(2, info_of(&t, "A/r").mutables + info_of(&t, "A/r").references);
            assert_int_equal(1, info_of(&t, "B/r").members);
            assert_int_equal(1, info_of(&t, "B/r").mutables);
            scene_clear(&t.s, &a);
            run(&t);
            assert_int_equal(0, scene_stats(&t.s).loaded);
            assert_int_equal(0, stats_of(&t).clusters);
            /* Only the loaded root is tried. */
            kiln_ref b = scene_load(&t.s, "B/r");
            run(&t);
            assert_int_equal(3, stats_of(&t).planned_clusters);
            expect_in(&t, "B/r", "B/a");
            scene_clear(&t.s, &b);
            end(&t);
        }
    }
}

static void members_that_cannot_join_stay_outside(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    scene_mount(&t.s,
                SCENE_PLANNED("A/r:A/a,A/b,A/c", {"A/r", 1, "A/a", SCENE_THING},
                              {"A/a", 2, "A/b", SCENE_THING}, {"A/b", 3, "X/missing", SCENE_THING},
                              {"A/c", 4, NULL, SCENE_THING}),
                0);
    const kiln_load_args load = {.name = "A/r", .allow_missing = true, .by = KILN_HERE};
    kiln_ref a = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(t.s.assets, &load, &a, NULL));
    run(&t);
    assert_int_equal(1, info_of(&t, "A/r").members);
    assert_int_equal(1, info_of(&t, "A/r").mutables);
    expect_in(&t, "A/r", "A/a");
    expect_in(&t, NULL, "A/b");
    /* A/c is loaded later, and nothing in the cluster refers to it. */
    kiln_ref c = scene_load(&t.s, "A/c");
    run(&t);
    expect_in(&t, NULL, "A/c");
    scene_clear(&t.s, &c);
    run(&t);
    assert_int_equal(3, scene_stats(&t.s).loaded);
    scene_clear(&t.s, &a);
    run(&t);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    end(&t);
}

static void a_root_that_is_not_loaded_forms_no_cluster(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    scene_mount(&t.s, chain("A/r:A/a,A/b"), 0);
    kiln_ref member = scene_load(&t.s, "A/a");
    run(&t);
    assert_int_equal(0, stats_of(&t).planned_clusters);
    kiln_ref a = scene_load(&t.s, "A/r");
    run(&t);
    assert_int_equal(1, stats_of(&t).planned_clusters);
    scene_clear(&t.s, &a);
    run(&t);
    assert_int_equal(2, scene_stats(&t.s).loaded);
    scene_clear(&t.s, &member);
    end(&t);
}

static void overridden_assets_are_not_members(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    scene_mount(&t.s, chain("A/r:A/a,A/b"), 0);
    kiln_mount patch = scene_mount(&t.s, SCENE_FILE({"A/b", 30, NULL, SCENE_THING}), 1);
    kiln_ref a = scene_load(&t.s, "A/r");
    run(&t);
    assert_int_equal(1, info_of(&t, "A/r").members);
    expect_in(&t, NULL, "A/b");
    /* Unmounting the patch loads the asset that it overrode, but does not load the root again, so
     * no cluster is formed. */
    scene_unmount(&t.s, patch);
    run(&t);
    assert_int_equal(1, stats_of(&t).planned_clusters);
    assert_int_equal(3, scene_value_named(&t.s, "A/b"));
    expect_in(&t, NULL, "A/b");
    /* A patch of a member ends the cluster. A patch of the root leaves the plan without its
     * root. */
    scene_mount(&t.s, SCENE_FILE({"A/a", 20, "A/b", SCENE_PACKED}), 1);
    run(&t);
    assert_int_equal(0, stats_of(&t).clusters);
    scene_mount(&t.s, SCENE_FILE({"A/r", 10, "A/a", SCENE_PACKED}), 1);
    load_again(&t, &a, "A/r");
    run(&t);
    assert_int_equal(0, stats_of(&t).clusters);
    assert_int_equal(3, scene_stats(&t.s).loaded);
    scene_clear(&t.s, &a);
    end(&t);
}

static void forged_plans_make_no_wrong_members(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        uint32_t clusters, members; /* of A/r */
    } rows[] = {
        {"A/r:A/a,A/b,A/c", 1, 2}, /* A/c cannot be reached */
        {"A/r:A/a A/c:A/b", 1, 1},
        {"A/r:A/b,A/c", 0, 0}, /* A/b cannot be reached in the cluster */
        {"A/b:A/r,A/a", 0, 0},
        {"A/r:kiln.Clusters/plan", 0, 0},
        {"kiln.Clusters/plan:A/r,A/a,A/b,A/c", 0, 0},
        {"A/c: A/r:", 0, 0},
        {"A/r:A/a,A/b A/c:A/b", 0, 0},  /* violates K4 */
        {"A/r:A/a,A/a,A/b A/c:", 0, 0}, /* violates K4 */
        {"A/r:A/a,A/b A/r:", 0, 0},     /* violates K3 */
        {"", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        planned t;
        begin(&t);
        scene_mount(&t.s, chain(rows[i].plan), 0);
        kiln_ref a = scene_load(&t.s, "A/r"), c = scene_load(&t.s, "A/c");
        run(&t);
        assert_int_equal(rows[i].clusters, stats_of(&t).planned_clusters);
        if (rows[i].clusters)
            assert_int_equal(rows[i].members, info_of(&t, "A/r").members);
        expect_in(&t, NULL, "A/c");
        assert_int_equal(4, scene_stats(&t.s).loaded);
        scene_clear(&t.s, &a);
        run(&t);
        assert_int_equal(1, scene_stats(&t.s).loaded);
        assert_int_equal(4, scene_value_named(&t.s, "A/c"));
        scene_clear(&t.s, &c);
        run(&t);
        assert_int_equal(0, scene_stats(&t.s).loaded);
        end(&t);
    }
}

static void a_small_cluster_is_not_formed_from_a_plan(void **state)
{
    (void)state;
    for (uint32_t smallest = 3; smallest <= 4; smallest++) {
        planned t;
        begin_table(&t);
        kiln_collector_def def = kiln_collector_def_default();
        def.assets = t.s.assets;
        def.min_cluster = smallest;
        EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &t.collector, NULL));
        scene_mount(&t.s, chain("A/r:A/a,A/b"), 0);
        kiln_ref a = scene_load(&t.s, "A/r");
        run(&t);
        assert_int_equal(smallest == 3, stats_of(&t).planned_clusters);
        scene_clear(&t.s, &a);
        end(&t);
    }
}

static void a_planned_root_of_another_cluster_is_left_there(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    scene_mount(&t.s, two_trees("A/r:A/a,A/b B/r:B/a"), 0);
    kiln_ref a = scene_load(&t.s, "A/r");
    kiln_cluster cluster;
    EXPECT_STATUS(KILN_OK, kiln_cluster_create(t.collector, a, &cluster, NULL));
    run(&t);
    assert_int_equal(0, stats_of(&t).planned_clusters);
    expect_in(&t, "A/r", "B/r");
    scene_clear(&t.s, &a);
    end(&t);
}

static void two_files_have_a_plan_each(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    scene_mount(&t.s,
                SCENE_PLANNED("A/r:A/a", {"A/r", 1, "A/a B/r", SCENE_THING},
                              {"A/a", 2, "B/a", SCENE_THING}),
                0);
    scene_mount(
        &t.s,
        SCENE_PLANNED("B/r:B/a", {"B/r", 3, "B/a A/r", SCENE_THING}, {"B/a", 4, NULL, SCENE_THING}),
        0);
    kiln_ref a = scene_load(&t.s, "A/r");
    run(&t);
    assert_int_equal(2, stats_of(&t).planned_clusters);
    expect_in(&t, "A/r", "A/a");
    expect_in(&t, "B/r", "B/a");
    assert_int_equal(1, info_of(&t, "A/r").members);
    scene_clear(&t.s, &a);
    run(&t);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    end(&t);
}

/* ---- ending ---- */

static void a_planned_cluster_forms_again_when_its_root_is_loaded_again(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    scene_mount(&t.s, chain("A/r:A/a,A/b"), 0);
    kiln_ref a = scene_load(&t.s, "A/r"), member = scene_load(&t.s, "A/a");
    run(&t);
    EXPECT_STATUS(KILN_OK, kiln_cluster_dissolve(t.collector, kiln_cluster_of(t.collector, a)));
    for (int i = 0; i < 2; i++) {
        run(&t);
        assert_int_equal(0, stats_of(&t).clusters);
    }
    load_again(&t, &member, "A/a");
    run(&t);
    assert_int_equal(0, stats_of(&t).clusters);
    load_again(&t, &a, "A/r");
    run(&t);
    assert_int_equal(2, stats_of(&t).planned_clusters);
    expect_in(&t, "A/r", "A/b");
    scene_clear(&t.s, &a);
    scene_clear(&t.s, &member);
    end(&t);
}

static void planned_clusters_can_be_switched_off_and_on(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    scene_mount(&t.s, chain("A/r:A/a,A/b"), 0);
    kiln_ref a = scene_load(&t.s, "A/r");
    for (uint64_t i = 0; i < 2; i++) {
        kiln_collector_use_clusters(t.collector, false);
        run(&t);
        assert_int_equal(0, stats_of(&t).clusters);
        assert_int_equal(i, stats_of(&t).planned_clusters);
        kiln_collector_use_clusters(t.collector, true);
        run(&t);
        assert_int_equal(1, stats_of(&t).clusters);
        assert_int_equal(i + 1, stats_of(&t).planned_clusters);
    }
    /* Switching clusters on has no effect if they are already on. */
    EXPECT_STATUS(KILN_OK, kiln_cluster_dissolve(t.collector, kiln_cluster_of(t.collector, a)));
    kiln_collector_use_clusters(t.collector, true);
    run(&t);
    assert_int_equal(0, stats_of(&t).clusters);
    scene_clear(&t.s, &a);
    end(&t);
}

static void an_unmounted_file_takes_its_plan_with_it(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    for (uint64_t i = 0; i < 3; i++) {
        kiln_mount mount = scene_mount(&t.s, chain(i % 2 ? "+A/r:A/a,A/b" : "A/r:A/a,A/b"), 0);
        kiln_ref a = scene_load(&t.s, "A/r");
        if (i < 2)
            run(&t);
        EXPECT_STATUS(KILN_OK, scene_try_unmount(&t.s, mount, KILN_UNMOUNT_DEFER));
        run(&t);
        assert_int_equal(0, stats_of(&t).clusters);
        assert_int_equal(i < 2 ? i + 1 : 2, stats_of(&t).planned_clusters);
        scene_clear(&t.s, &a);
        run(&t);
        assert_int_equal(0, scene_stats(&t.s).loaded);
    }
    end(&t);
}

static void replace_plans(bool uses_path)
{
    static const char path[] = "clusters_planned.kiln";
    static const struct {
        const char *before, *after;
        uint32_t value_of_b; /* 3: A/b has not changed */
        const char *root_of_a, *root_of_b;
    } rows[] = {
        {"A/c:", "A/r:A/a", 3, "A/r", NULL},
        {NULL, "A/r:A/a", 3, "A/r", NULL},
        {"A/r:A/a,A/b", "A/r:A/a", 30, "A/r", NULL},
        {"A/r:A/a,A/b", "A/a:A/b", 30, "A/a", "A/a"},
        {"A/r:A/a,A/b", "A/c:", 30, NULL, NULL},
        {"A/r:A/a,A/b", "A/r:A/a,A/a", 30, NULL, NULL}, /* violates K4 */
        {"A/r:A/a,A/b", NULL, 3, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        planned t;
        begin(&t);
        kiln_mount mount = uses_path ? scene_mount_path(&t.s, chain(rows[i].before), path)
                                     : scene_mount(&t.s, chain(rows[i].before), 0);
        kiln_ref a = scene_load(&t.s, "A/r");
        run(&t);
        kiln_buffer image = chain_of(rows[i].after, rows[i].value_of_b);
        kiln_mount_def def = kiln_mount_def_default();
        if (uses_path) {
            scene_save(image, path);
            def.file.path = path;
        } else {
            t.s.images[t.s.image_count++] = image;
            def.file.data = image.data;
            def.file.size = image.size;
        }
        EXPECT_STATUS(KILN_OK, kiln_assets_replace(t.s.assets, mount, &def, &t.s.error));
        bool has_same_assets = (rows[i].before == NULL) == (rows[i].after == NULL);
        assert_int_equal(uses_path && has_same_assets, scene_stats(&t.s).older_versions);
        run(&t);
        expect_in(&t, rows[i].root_of_a, "A/a");
        expect_in(&t, rows[i].root_of_b, "A/b");
        assert_int_equal(3, scene_stats(&t.s).loaded);
        scene_clear(&t.s, &a);
        run(&t);
        assert_int_equal(0, scene_stats(&t.s).loaded);
        end(&t);
    }
    if (uses_path)
        remove(path);
}

static void a_replaced_file_brings_its_own_plan(void **state)
{
    (void)state;
    replace_plans(false);
    replace_plans(true); /* assets that have not changed use the old file */
}

/* ---- steps ---- */

static void a_step_without_time_forms_one_cluster(void **state)
{
    (void)state;
    planned t;
    begin(&t);
    scene_mount(&t.s, two_trees("A/r:A/a A/b: B/r:B/a"), 0);
    kiln_ref a = scene_load(&t.s, "A/r");
    kiln_collector_start(t.collector);
    for (uint64_t i = 1; stats_of(&t).planned_clusters < 2; i++) {
        EXPECT_STATUS(KILN_OK, kiln_collector_step(t.collector, 0, NULL));
        assert_true(stats_of(&t).planned_clusters <= i);
        assert_true(i <= 3);
        expect_valid(&t);
    }
    scene_clear(&t.s, &a);
    end(&t);
}

/* Changes the files between all steps of a cycle that forms clusters. */
static void files_can_change_in_each_step_of_a_cycle(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 24; before++) {
        for (int what = 0; what < 4; what++) {
            planned t;
            begin(&t);
            kiln_mount mount = scene_mount(&t.s, two_trees("A/r:A/a,A/b B/r:B/a"), 0);
            kiln_ref a = scene_load(&t.s, "A/r"), b = scene_load(&t.s, "B/r");
            kiln_collector_start(t.collector);
            for (uint32_t i = 0; i < before; i++)
                EXPECT_STATUS(KILN_OK, kiln_collector_step(t.collector, 0, NULL));
            if (what == 0)
                load_again(&t, &b, "B/r");
            else if (what == 1)
                scene_mount(&t.s,
                            SCENE_PLANNED("B/a:C/new", {"B/a", 50, "C/new", SCENE_PACKED},
                                          {"C/new", 51, NULL, SCENE_THING}),
                            1);
            else if (what == 2)
                EXPECT_STATUS(KILN_OK, scene_try_unmount(&t.s, mount, KILN_UNMOUNT_DEFER));
            else
                scene_clear(&t.s, &a);
            expect_valid(&t);
            kiln_collector_state in = KILN_COLLECTOR_MARKING;
            while (in != KILN_COLLECTOR_IDLE) {
                EXPECT_STATUS(KILN_OK, kiln_collector_step(t.collector, 0, &in));
                expect_valid(&t);
            }
            run(&t);
            static const uint32_t loaded[] = {6, 7, 2, 3};
            if (what != 2)
                assert_int_equal(loaded[what], scene_stats(&t.s).loaded);
            else
                assert_int_equal(0, stats_of(&t).clusters);
            scene_clear(&t.s, &a);
            scene_clear(&t.s, &b);
            run(&t);
            assert_int_equal(0, scene_stats(&t.s).loaded);
            end(&t);
        }
    }
}

/* ---- memory ---- */

typedef enum refusal { IN_MOUNT, IN_CREATE, IN_CYCLE, REFUSALS } refusal;

/* Makes the allocation `at` of the next call fail. */
static void refuse(planned *t, bool is_now, size_t at)
{
    if (is_now)
        t->s.memory.fail_at = t->s.memory.calls + at;
}
/* Returns whether it failed; later allocations succeed. */
static bool was_refused(planned *t, bool *has_failed)
{
    bool was = t->s.memory.fail_at && t->s.memory.calls >= t->s.memory.fail_at;
    *has_failed |= was;
    t->s.memory.fail_at = 0;
    return was;
}

/* Mounts, creates a collector, loads and runs a cycle. Allocation `at` of the call `in` fails.
 * Returns false if the call has fewer allocations. `*ret_is_ignored` receives whether everything
 * else succeeded, but without a planned cluster. */
static bool run_refused(refusal in, size_t at, bool *ret_is_ignored)
{
    planned t;
    kiln_mount mount;
    kiln_mount_def def = kiln_mount_def_default();
    kiln_buffer image = chain("+A/r:A/a,A/b");
    bool has_failed = false;
    begin_table(&t);
    def.file.data = image.data;
    def.file.size = image.size;
    t.s.images[t.s.image_count++] = image;
    if (in != IN_CREATE)
        begin_collector(&t);
    refuse(&t, in == IN_MOUNT, at);
    kiln_status status = kiln_assets_mount(t.s.assets, &def, &mount, NULL);
    if (was_refused(&t, &has_failed) && status == KILN_NO_MEMORY)
        status = kiln_assets_mount(t.s.assets, &def, &mount, NULL);
    EXPECT_STATUS(KILN_OK, status);
    refuse(&t, in == IN_CREATE, at);
    status = t.collector ? KILN_OK : try_collector(&t);
    if (was_refused(&t, &has_failed) && status == KILN_NO_MEMORY)
        status = try_collector(&t);
    EXPECT_STATUS(KILN_OK, status);
    kiln_ref a = scene_load(&t.s, "A/r");
    refuse(&t, in == IN_CYCLE, at);
    status = kiln_collector_run(t.collector);
    if (was_refused(&t, &has_failed) && status == KILN_NO_MEMORY)
        status = KILN_OK;
    EXPECT_STATUS(KILN_OK, status);
    run(&t);
    *ret_is_ignored = stats_of(&t).planned_clusters == 0;
    assert_int_equal(3, scene_stats(&t.s).loaded);
    scene_clear(&t.s, &a);
    run(&t);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    end(&t);
    return has_failed;
}

static void without_memory_there_is_no_planned_cluster(void **state)
{
    (void)state;
    for (refusal in = IN_MOUNT; in < REFUSALS; in++) {
        bool has_failed = true, is_ignored = false, was_ignored = false;
        for (size_t at = 1; has_failed; at++) {
            has_failed = run_refused(in, at, &is_ignored);
            assert_true(has_failed || !is_ignored);
            was_ignored |= is_ignored;
        }
        assert_true(was_ignored);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_forms_clusters_when_their_roots_are_loaded),
        cmocka_unit_test(members_that_cannot_join_stay_outside),
        cmocka_unit_test(a_root_that_is_not_loaded_forms_no_cluster),
        cmocka_unit_test(overridden_assets_are_not_members),
        cmocka_unit_test(forged_plans_make_no_wrong_members),
        cmocka_unit_test(a_small_cluster_is_not_formed_from_a_plan),
        cmocka_unit_test(a_planned_root_of_another_cluster_is_left_there),
        cmocka_unit_test(two_files_have_a_plan_each),
        cmocka_unit_test(a_planned_cluster_forms_again_when_its_root_is_loaded_again),
        cmocka_unit_test(planned_clusters_can_be_switched_off_and_on),
        cmocka_unit_test(an_unmounted_file_takes_its_plan_with_it),
        cmocka_unit_test(a_replaced_file_brings_its_own_plan),
        cmocka_unit_test(a_step_without_time_forms_one_cluster),
        cmocka_unit_test(files_can_change_in_each_step_of_a_cycle),
        cmocka_unit_test(without_memory_there_is_no_planned_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
