/* Clusters in small tables: which assets belong to a cluster, what dissolves it, and which assets
 * the collector then removes. */
#include "asset_fixture.h"

#include <kiln/clusters.h>
#include <stdio.h>
#include <string.h>

typedef struct clustered {
    scene s;
    kiln_collector *collector;
} clustered;

static void begin(clustered *t)
{
    kiln_collector_def def = kiln_collector_def_default();
    scene_begin(&t->s);
    def.assets = t->s.assets;
    def.start_bytes = UINT64_MAX;
    def.allocator = &t->s.memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &t->collector, &t->s.error));
}

static void expect_valid(clustered *t)
{
    kiln_error error = {0};
    if (!kiln_collector_is_valid(t->collector, &error))
        fail_msg("%s", error.path);
}

static void end(clustered *t)
{
    expect_valid(t);
    kiln_collector_destroy(t->collector);
    scene_end(&t->s);
}

static void run(clustered *t)
{
    expect_valid(t);
    EXPECT_STATUS(KILN_OK, kiln_collector_run(t->collector));
    expect_valid(t);
}

static kiln_collector_stats stats_of(clustered *t)
{
    kiln_collector_stats stats;
    kiln_collector_get_stats(t->collector, &stats);
    return stats;
}

/* Returns a weak word, which is not counted. */
static kiln_ref find(clustered *t, const char *name)
{
    return kiln_assets_find_root(t->s.assets, kiln_assets_get(t->s.assets, scene_id(name)));
}

static kiln_cluster form(clustered *t, const char *name)
{
    kiln_cluster cluster = {0};
    EXPECT_STATUS(KILN_OK, kiln_cluster_create(t->collector, find(t, name), &cluster, &t->s.error));
    expect_valid(t);
    return cluster;
}

static bool is_of(clustered *t, const char *name, kiln_cluster cluster)
{
    kiln_cluster found = kiln_cluster_of(t->collector, find(t, name));
    return found.number == cluster.number && found.version == cluster.version;
}

static bool is_free(clustered *t, const char *name)
{
    return is_of(t, name, (kiln_cluster){0});
}

static void expect_info(clustered *t, const char *name, const kiln_cluster_info *expected)
{
    kiln_cluster_info info = {0};
    assert_true(kiln_cluster_get_info(t->collector, find(t, name), &info));
    assert_string_equal(expected->root, info.root);
    assert_int_equal(expected->members, info.members);
    assert_int_equal(expected->mutables, info.mutables);
    assert_int_equal(expected->references, info.references);
    assert_int_equal(expected->referrers, info.referrers);
    assert_int_equal(expected->is_root, info.is_root);
}
#define EXPECT_INFO(t, name, ...) expect_info(t, name, &(kiln_cluster_info){__VA_ARGS__})

/* A/r -> A/a, S/s; A/a -> A/b; A/b -> B/r; B/r -> B/a, S/s; B/a -> S/s. All these assets are
 * loaded, and A/r and B/r are held. */
typedef struct two_trees {
    clustered t;
    kiln_ref a, b;
    kiln_cluster cluster_a, cluster_b;
} two_trees;

static void begin_two(two_trees *two)
{
    begin(&two->t);
    scene_mount(&two->t.s,
                SCENE_FILE({"A/r", 1, "A/a S/s", SCENE_PACKED}, {"A/a", 2, "A/b", SCENE_PACKED},
                           {"A/b", 3, "B/r", SCENE_PACKED}, {"B/r", 4, "B/a S/s", SCENE_PACKED},
                           {"B/a", 5, "S/s", SCENE_PACKED}, {"S/s", 6, NULL, SCENE_THING}),
                0);
    two->a = scene_load(&two->t.s, "A/r");
    two->b = scene_load(&two->t.s, "B/r");
    two->cluster_b = form(&two->t, "B/r");
    two->cluster_a = form(&two->t, "A/r");
}

static void end_two(two_trees *two)
{
    scene_clear(&two->t.s, &two->a);
    scene_clear(&two->t.s, &two->b);
    run(&two->t);
    assert_int_equal(0, scene_stats(&two->t.s).loaded);
    assert_int_equal(0, stats_of(&two->t).clusters);
    end(&two->t);
}

/* ---- forming ---- */

static void a_cluster_takes_what_no_other_cluster_has(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    clustered *t = &two.t;
    EXPECT_INFO(t, "B/r", .root = "B/r", .members = 2, .referrers = 1, .is_root = true);
    EXPECT_INFO(t, "S/s", .root = "B/r", .members = 2, .referrers = 1);
    EXPECT_INFO(t, "A/b", .root = "A/r", .members = 2, .mutables = 1, .references = 1);
    assert_true(is_of(t, "S/s", two.cluster_b));
    assert_int_equal(2, stats_of(t).clusters);
    /* Forming the same cluster again changes nothing. */
    kiln_cluster again = form(t, "A/r");
    assert_int_equal(two.cluster_a.number, again.number);
    assert_int_equal(two.cluster_a.version, again.version);
    assert_true(kiln_cluster_is_null(form(t, "A/a")));
    run(t);
    assert_int_equal(6, scene_stats(&t->s).loaded);
    assert_int_equal(6, stats_of(t).marked);
    /* S/s may be marked in two ways: as a mutable of A/r, or with its own cluster. */
    assert_in_range(stats_of(t).marked_by_cluster, 3, 4);
    end_two(&two);
}

static void a_cluster_that_is_too_small_leaves_no_trace(void **state)
{
    (void)state;
    clustered t;
    begin(&t);
    scene_mount(&t.s,
                SCENE_FILE({"A/r", 1, "A/a", SCENE_THING}, {"A/a", 2, NULL, SCENE_THING},
                           {"A/none", 3, NULL, SCENE_THING}),
                0);
    kiln_ref a = scene_load(&t.s, "A/r"), none = scene_load(&t.s, "A/none");
    size_t heap = t.s.memory.heap_bytes, pages = t.s.memory.page_bytes;
    assert_true(kiln_cluster_is_null(form(&t, "A/none")));
    assert_true(kiln_cluster_is_null(form(&t, "A/a")));
    assert_int_equal(heap, t.s.memory.heap_bytes);
    assert_int_equal(pages, t.s.memory.page_bytes);
    assert_int_equal(1, form(&t, "A/r").number);
    assert_true(heap < t.s.memory.heap_bytes);
    scene_clear(&t.s, &a);
    scene_clear(&t.s, &none);
    end(&t);
}

static void assets_with_missing_references_become_mutable(void **state)
{
    (void)state;
    clustered t;
    begin(&t);
    scene_mount(&t.s,
                SCENE_FILE({"A/r", 1, "A/a A/b", SCENE_THING}, {"A/a", 2, "A/c", SCENE_THING},
                           {"A/b", 3, "X/missing A/d", SCENE_THING}, {"A/c", 4, NULL, SCENE_THING},
                           {"A/d", 5, NULL, SCENE_THING}),
                0);
    kiln_load_args load = {.name = "A/r", .allow_missing = true, .by = KILN_HERE};
    kiln_ref a = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(t.s.assets, &load, &a, NULL));
    assert_true(kiln_cluster_is_null(form(&t, "A/b")));
    kiln_cluster cluster = form(&t, "A/r");
    EXPECT_INFO(&t, "A/c", .root = "A/r", .members = 2, .mutables = 1);
    assert_true(is_free(&t, "A/b") && is_free(&t, "A/d"));
    run(&t);
    assert_int_equal(5, scene_stats(&t.s).loaded);
    /* Once the missing asset is loaded, A/b and A/d can become members. */
    scene_mount(&t.s, SCENE_FILE({"X/missing", 6, NULL, SCENE_THING}), 0);
    kiln_ref missing = scene_load(&t.s, "X/missing");
    scene_clear(&t.s, &missing);
    run(&t);
    assert_int_equal(6, scene_stats(&t.s).loaded);
    EXPECT_STATUS(KILN_OK, kiln_cluster_add(t.collector, cluster, find(&t, "A/b"),
                                            KILN_CLUSTER_MEMBER, NULL));
    expect_valid(&t);
    EXPECT_INFO(&t, "X/missing", .root = "A/r", .members = 5);
    run(&t);
    assert_int_equal(6, scene_stats(&t.s).loaded);
    assert_int_equal(5, stats_of(&t).marked_by_cluster);
    scene_clear(&t.s, &a);
    run(&t);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    end(&t);
}

static void a_reference_by_an_earlier_name_leads_out_of_the_cluster(void **state)
{
    (void)state;
    clustered t;
    begin(&t);
    scene_mount(&t.s,
                SCENE_RENAMED("A/old>A/b", {"A/r", 1, "A/a A/old", SCENE_THING},
                              {"A/a", 2, NULL, SCENE_THING}, {"A/b", 3, NULL, SCENE_THING}),
                0);
    kiln_ref a = scene_load(&t.s, "A/r");
    kiln_cluster cluster = form(&t, "A/r");
    EXPECT_INFO(&t, "A/r", .root = "A/r", .members = 1, .mutables = 1, .is_root = true);
    EXPECT_STATUS(KILN_OK, kiln_cluster_add(t.collector, cluster, find(&t, "A/b"),
                                            KILN_CLUSTER_MUTABLE, NULL));
    run(&t);
    assert_int_equal(3, scene_stats(&t.s).loaded);
    /* From now on, the reference leads to a different asset. */
    scene_mount(&t.s, SCENE_FILE({"A/old", 4, NULL, SCENE_THING}), 0);
    kiln_ref old = scene_load(&t.s, "A/old");
    scene_clear(&t.s, &old);
    run(&t);
    assert_int_equal(3, scene_stats(&t.s).loaded);
    assert_int_equal(0, scene_value_named(&t.s, "A/b"));
    assert_int_equal(4, scene_value_named(&t.s, "A/old"));
    scene_clear(&t.s, &a);
    end(&t);
}

static void added_assets_are_members_by_slot(void **state)
{
    (void)state;
    clustered t;
    begin(&t);
    scene_mount(&t.s, SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&t.s, "A/a"), added = {0};
    kiln_root_type type = scene_root_type(SCENE_THING);
    kiln_buffer blob = scene_blob(7, "A/a", SCENE_THING);
    kiln_add_args args = {
        .name = "A/added", .type = &type, .blob = blob.data, .size = blob.size, .by = "the test"};
    EXPECT_STATUS(KILN_OK, kiln_assets_add(t.s.assets, &args, &added, NULL));
    scene_clear(&t.s, &a);
    form(&t, "A/added");
    EXPECT_INFO(&t, "A/b", .root = "A/added", .members = 2);
    run(&t);
    assert_int_equal(3, scene_stats(&t.s).loaded);
    scene_clear(&t.s, &added);
    run(&t);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    kiln_buffer_fini(&blob);
    end(&t);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    clustered *t = &two.t;
    kiln_cluster cluster = two.cluster_a, stale = {cluster.number, cluster.version + 2};
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_cluster_create(NULL, two.a, &cluster, NULL));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_cluster_create(t->collector, two.a, NULL, NULL));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_create(t->collector, (kiln_ref){0}, &cluster, NULL));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_add(t->collector, stale, find(t, "S/s"),
                                              KILN_CLUSTER_MUTABLE, NULL));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_add(t->collector, cluster, (kiln_ref){0},
                                              KILN_CLUSTER_MUTABLE, NULL));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_cluster_add(t->collector, cluster, find(t, "S/s"),
                                                      (kiln_cluster_role)2, NULL));
    /* Only an asset to which the cluster refers can be added to it. */
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_cluster_add(t->collector, cluster, find(t, "B/a"),
                                                      KILN_CLUSTER_MUTABLE, NULL));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_cluster_add(t->collector, cluster, find(t, "A/r"),
                                                      KILN_CLUSTER_MUTABLE, NULL));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_dissolve(t->collector, stale));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_dissolve(t->collector, (kiln_cluster){0}));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_dissolve(t->collector, (kiln_cluster){99, 1}));
    kiln_collector *none = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = t->s.assets;
    def.min_cluster = 0;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_collector_create(&def, &none, NULL));
    end_two(&two);
}

/* ---- changing ---- */

static void a_member_becomes_mutable_with_what_only_it_reaches(void **state)
{
    (void)state;
    clustered t;
    begin(&t);
    scene_mount(&t.s,
                SCENE_FILE({"A/r", 1, "A/a A/b", SCENE_THING}, {"A/a", 2, "A/c A/d", SCENE_THING},
                           {"A/b", 3, "A/d", SCENE_THING}, {"A/c", 4, NULL, SCENE_THING},
                           {"A/d", 5, NULL, SCENE_THING}),
                0);
    kiln_ref a = scene_load(&t.s, "A/r");
    kiln_cluster cluster = form(&t, "A/r");
    EXPECT_INFO(&t, "A/r", .root = "A/r", .members = 4, .is_root = true);
    EXPECT_STATUS(KILN_OK, kiln_cluster_add(t.collector, cluster, find(&t, "A/a"),
                                            KILN_CLUSTER_MUTABLE, NULL));
    expect_valid(&t);
    EXPECT_INFO(&t, "A/d", .root = "A/r", .members = 2, .mutables = 1);
    assert_true(is_free(&t, "A/a") && is_free(&t, "A/c"));
    run(&t);
    assert_int_equal(5, scene_stats(&t.s).loaded);
    /* A/a becomes a member again. */
    EXPECT_STATUS(KILN_OK, kiln_cluster_add(t.collector, cluster, find(&t, "A/a"),
                                            KILN_CLUSTER_MEMBER, NULL));
    EXPECT_INFO(&t, "A/c", .root = "A/r", .members = 4);
    run(&t);
    assert_int_equal(5, scene_stats(&t.s).loaded);
    scene_clear(&t.s, &a);
    run(&t);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    end(&t);
}

static void a_cluster_that_becomes_too_small_dissolves(void **state)
{
    (void)state;
    clustered t;
    begin(&t);
    scene_mount(&t.s, SCENE_FILE({"A/r", 1, "A/a", SCENE_THING}, {"A/a", 2, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&t.s, "A/r");
    kiln_cluster cluster = form(&t, "A/r");
    EXPECT_STATUS(KILN_OK, kiln_cluster_add(t.collector, cluster, find(&t, "A/a"),
                                            KILN_CLUSTER_MUTABLE, NULL));
    assert_true(is_free(&t, "A/r"));
    run(&t);
    assert_int_equal(0, stats_of(&t).clusters);
    assert_int_equal(2, scene_stats(&t.s).loaded);
    scene_clear(&t.s, &a);
    end(&t);
}

/* ---- dissolving ---- */

static void expect_dissolved(two_trees *two, bool b_too)
{
    clustered *t = &two->t;
    run(t);
    assert_true(is_free(t, "A/r") && is_free(t, "A/b"));
    assert_int_equal(b_too, is_free(t, "B/r"));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_dissolve(t->collector, two->cluster_a));
    assert_int_equal(b_too ? 2 : 1, stats_of(t).dissolved_clusters);
}

static void dissolving_continues_with_those_that_refer_to_it(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        two_trees two;
        begin_two(&two);
        EXPECT_STATUS(KILN_OK,
                      kiln_cluster_dissolve(two.t.collector, i ? two.cluster_b : two.cluster_a));
        /* The handle of the cluster is stale immediately. */
        assert_true(is_free(&two.t, i ? "B/r" : "A/r"));
        expect_dissolved(&two, i);
        assert_int_equal(6, scene_stats(&two.t.s).loaded);
        end_two(&two);
    }
}

static void a_disposed_member_dissolves_its_cluster(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    EXPECT_STATUS(KILN_OK, kiln_assets_dispose(two.t.s.assets, find(&two.t, "B/a"), NULL));
    expect_valid(&two.t);
    expect_dissolved(&two, true);
    assert_int_equal(5, scene_stats(&two.t.s).loaded);
    end_two(&two);
}

static void a_replaced_member_dissolves_its_cluster(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    scene_mount(&two.t.s,
                SCENE_FILE({"A/b", 30, "C/new", SCENE_PACKED}, {"C/new", 31, NULL, SCENE_THING}),
                1);
    expect_valid(&two.t);
    expect_dissolved(&two, false);
    assert_int_equal(7, scene_stats(&two.t.s).loaded);
    assert_int_equal(31, scene_value_named(&two.t.s, "C/new"));
    end_two(&two);
}

static void a_mutable_is_replaced_without_effect_on_the_cluster(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    clustered *t = &two.t;
    EXPECT_STATUS(KILN_OK, kiln_cluster_add(t->collector, two.cluster_b, find(t, "S/s"),
                                            KILN_CLUSTER_MUTABLE, NULL));
    scene_mount(&t->s,
                SCENE_FILE({"S/s", 60, "C/new", SCENE_THING}, {"C/new", 61, NULL, SCENE_THING}), 1);
    run(t);
    assert_true(is_of(t, "A/r", two.cluster_a) && is_of(t, "B/r", two.cluster_b));
    assert_int_equal(7, scene_stats(&t->s).loaded);
    assert_int_equal(61, scene_value_named(&t->s, "C/new"));
    end_two(&two);
}

static void unmounted_files_dissolve_their_clusters(void **state)
{
    (void)state;
    clustered t;
    begin(&t);
    scene_mount(&t.s, SCENE_FILE({"A/r", 1, "A/a B/a", SCENE_THING}, {"A/a", 2, NULL, SCENE_THING}),
                0);
    kiln_mount b = scene_mount(&t.s, SCENE_FILE({"B/a", 3, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&t.s, "A/r"), held = scene_load(&t.s, "B/a");
    form(&t, "A/r");
    EXPECT_INFO(&t, "B/a", .root = "A/r", .members = 2);
    EXPECT_STATUS(KILN_OK, scene_try_unmount(&t.s, b, KILN_UNMOUNT_DEFER));
    expect_valid(&t);
    run(&t);
    assert_int_equal(0, stats_of(&t).clusters);
    assert_int_equal(3, scene_stats(&t.s).loaded);
    /* An asset of an unmounted file is neither root nor member. */
    kiln_cluster cluster = {1, 1};
    EXPECT_STATUS(KILN_OK, kiln_cluster_create(t.collector, held, &cluster, NULL));
    assert_true(kiln_cluster_is_null(cluster));
    scene_clear(&t.s, &held);
    scene_clear(&t.s, &a);
    run(&t);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    end(&t);
}

/* Replaces a file with one in which one asset of the cluster, or none, has changed. The new file
 * has the same assets, or more. */
static void a_replaced_file_dissolves_only_what_changed(void **state)
{
    (void)state;
    static const struct {
        bool is_longer, changes, stays;
        bool uses_path; /* if only values have changed, the file becomes an older version */
    } rows[] = {{false, false, true, false}, {false, true, false, false},
                {true, false, false, false}, {false, false, true, true},
                {false, true, false, true},  {true, false, false, true}};
    static const char path[] = "clusters.kiln";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clustered t;
        begin(&t);
        kiln_buffer first = SCENE_FILE({"A/a", 2, NULL, SCENE_THING}, {"A/b", 3, NULL, SCENE_THING},
                                       {"A/r", 1, "A/a A/b", SCENE_THING});
        kiln_mount mount =
            rows[i].uses_path ? scene_mount_path(&t.s, first, path) : scene_mount(&t.s, first, 0);
        kiln_ref a = scene_load(&t.s, "A/r");
        kiln_cluster cluster = form(&t, "A/r");
        kiln_mount_def def = kiln_mount_def_default();
        kiln_buffer image =
            rows[i].is_longer
                ? SCENE_FILE({"A/a", 2, NULL, SCENE_THING}, {"A/b", 3, NULL, SCENE_THING},
                             {"A/c", 4, NULL, SCENE_THING}, {"A/r", 1, "A/a A/b", SCENE_THING})
                : SCENE_FILE({"A/a", 2, NULL, SCENE_THING},
                             {"A/b", rows[i].changes ? 9 : 3, NULL, SCENE_THING},
                             {"A/r", 1, "A/a A/b", SCENE_THING});
        if (rows[i].uses_path) {
            scene_save(image, path);
            def.file.path = path;
        } else {
            t.s.images[t.s.image_count++] = image;
            def.file.data = image.data;
            def.file.size = image.size;
        }
        EXPECT_STATUS(KILN_OK, kiln_assets_replace(t.s.assets, mount, &def, &t.s.error));
        assert_int_equal(rows[i].uses_path && !rows[i].is_longer, scene_stats(&t.s).older_versions);
        expect_valid(&t);
        run(&t);
        assert_int_equal(rows[i].stays, is_of(&t, "A/a", cluster));
        assert_int_equal(3, scene_stats(&t.s).loaded);
        scene_clear(&t.s, &a);
        run(&t);
        assert_int_equal(0, scene_stats(&t.s).loaded);
        end(&t);
    }
    remove(path);
}

/* The new version of the file also imports an asset with a smaller id, so the number of the first
 * import changes. */
static void a_mutable_is_found_after_the_imports_of_its_file_changed(void **state)
{
    (void)state;
    const bool is_first = scene_id("X/x") < scene_id("Y/y");
    const char *low = is_first ? "X/x" : "Y/y", *high = is_first ? "Y/y" : "X/x";
    clustered t;
    begin(&t);
    scene_mount(&t.s, SCENE_FILE({"X/x", 3, NULL, SCENE_THING}, {"Y/y", 3, NULL, SCENE_THING}), 0);
    kiln_mount mount =
        scene_mount(&t.s,
                    SCENE_FILE({"A/a", 2, high, SCENE_THING}, {"A/r", 1, "A/a", SCENE_THING},
                               {"Z/z", 4, NULL, SCENE_THING}),
                    0);
    kiln_ref root = scene_load(&t.s, "A/r");
    kiln_cluster cluster = form(&t, "A/r");
    EXPECT_STATUS(KILN_OK, kiln_cluster_add(t.collector, cluster, find(&t, high),
                                            KILN_CLUSTER_MUTABLE, NULL));
    kiln_mount_def def = kiln_mount_def_default();
    kiln_buffer image = SCENE_FILE({"A/a", 2, high, SCENE_THING}, {"A/r", 1, "A/a", SCENE_THING},
                                   {"Z/z", 4, low, SCENE_THING});
    t.s.images[t.s.image_count++] = image;
    def.file.data = image.data;
    def.file.size = image.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(t.s.assets, mount, &def, &t.s.error));
    run(&t);
    assert_true(is_of(&t, "A/a", cluster));
    assert_int_equal(3, scene_value_named(&t.s, high));
    assert_int_equal(3, scene_stats(&t.s).loaded);
    scene_clear(&t.s, &root);
    run(&t);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    end(&t);
}

static void clusters_can_be_switched_off_and_on(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    clustered *t = &two.t;
    kiln_collector_use_clusters(t->collector, false);
    assert_true(kiln_cluster_is_null(form(t, "A/r")));
    run(t);
    assert_int_equal(0, stats_of(t).clusters);
    assert_int_equal(2, stats_of(t).dissolved_clusters);
    assert_int_equal(6, stats_of(t).marked);
    assert_int_equal(0, stats_of(t).marked_by_cluster);
    kiln_collector_use_clusters(t->collector, true);
    kiln_cluster again = form(t, "A/r");
    /* The numbers are used again, in new handles. */
    assert_in_range(again.number, 1, 2);
    assert_true(is_of(t, "B/a", again));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_dissolve(t->collector, two.cluster_a));
    EXPECT_STATUS(KILN_DEAD, kiln_cluster_dissolve(t->collector, two.cluster_b));
    end_two(&two);
}

/* ---- marking ---- */

static void a_member_that_is_reached_alone_keeps_only_itself(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    clustered *t = &two.t;
    kiln_ref member = scene_load(&t->s, "B/a");
    scene_clear(&t->s, &two.a);
    scene_clear(&t->s, &two.b);
    run(t);
    assert_int_equal(2, scene_stats(&t->s).loaded);
    assert_int_equal(5, scene_value_named(&t->s, "B/a"));
    assert_int_equal(6, scene_value_named(&t->s, "S/s"));
    assert_int_equal(0, stats_of(t).clusters);
    scene_clear(&t->s, &member);
    end_two(&two);
}

static void a_member_with_a_mark_of_its_own_is_covered_again_later(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    clustered *t = &two.t;
    kiln_ref member = scene_load(&t->s, "A/b");
    for (int i = 0; i < 3; i++) {
        run(t);
        assert_int_equal(6, stats_of(t).marked);
    }
    scene_clear(&t->s, &member);
    for (int i = 0; i < 3; i++) {
        run(t);
        assert_int_equal(6, stats_of(t).marked);
    }
    end_two(&two);
}

/* Takes a strong handle to a member of an unreached cluster in each step of a cycle. */
static void a_member_is_saved_with_what_it_reaches(void **state)
{
    (void)state;
    bool was_saved = false;
    for (uint32_t before = 0; before < 24; before++) {
        two_trees two;
        begin_two(&two);
        clustered *t = &two.t;
        kiln_ref weak = scene_take(&t->s, find(t, "A/b"), KILN_REF_WEAK), strong = {0};
        scene_clear(&t->s, &two.a);
        scene_clear(&t->s, &two.b);
        kiln_collector_start(t->collector);
        for (uint32_t i = 0; i < before; i++)
            EXPECT_STATUS(KILN_OK, kiln_collector_step(t->collector, 0, NULL));
        kiln_status status =
            kiln_assets_take(t->s.assets, weak, KILN_REF_STRONG, "the test", &strong);
        expect_valid(t);
        run(t);
        assert_int_equal(status == KILN_OK ? 4 : 0, scene_stats(&t->s).loaded);
        was_saved |= stats_of(t).saved > 0;
        scene_clear(&t->s, &strong);
        scene_clear(&t->s, &weak);
        end_two(&two);
    }
    assert_true(was_saved);
}

/* Forms, changes and dissolves clusters between all steps of a cycle. */
static void clusters_can_change_in_each_step_of_a_cycle(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 24; before++) {
        for (uint32_t what = 0; what < 4; what++) {
            two_trees two;
            begin_two(&two);
            clustered *t = &two.t;
            if (what == 0)
                kiln_collector_use_clusters(t->collector, false);
            run(t);
            kiln_collector_use_clusters(t->collector, true);
            scene_clear(&t->s, &two.b);
            kiln_collector_start(t->collector);
            for (uint32_t i = 0; i < before; i++)
                EXPECT_STATUS(KILN_OK, kiln_collector_step(t->collector, 0, NULL));
            if (what == 0)
                form(t, "A/r");
            else if (what == 1)
                EXPECT_STATUS(KILN_OK, kiln_cluster_dissolve(t->collector, two.cluster_b));
            else
                EXPECT_STATUS(KILN_OK, kiln_cluster_add(t->collector, two.cluster_a, find(t, "A/b"),
                                                        KILN_CLUSTER_MUTABLE, NULL));
            expect_valid(t);
            if (what == 3) {
                EXPECT_STATUS(KILN_OK, kiln_cluster_dissolve(t->collector, two.cluster_b));
                EXPECT_STATUS(KILN_OK,
                              kiln_cluster_create(t->collector, two.a, &two.cluster_a, NULL));
            }
            kiln_collector_state in = KILN_COLLECTOR_MARKING;
            while (in != KILN_COLLECTOR_IDLE) {
                EXPECT_STATUS(KILN_OK, kiln_collector_step(t->collector, 0, &in));
                expect_valid(t);
            }
            assert_int_equal(6, scene_stats(&t->s).loaded);
            end_two(&two);
        }
    }
}

/* After a cycle the collector finds held clusters without reading the slots of their roots. */
static void a_held_root_is_marked_if_its_cluster_ends_in_any_step(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 16; before++) {
        two_trees two;
        begin_two(&two);
        clustered *t = &two.t;
        run(t);
        run(t);
        /* A change of the holders makes the next cycle read the slots again, in a separate step. */
        kiln_ref shared = scene_load(&t->s, "S/s");
        scene_clear(&t->s, &shared);
        kiln_collector_start(t->collector);
        for (uint32_t i = 0; i < before; i++)
            EXPECT_STATUS(KILN_OK, kiln_collector_step(t->collector, 0, NULL));
        EXPECT_STATUS(KILN_OK, kiln_cluster_dissolve(t->collector, two.cluster_a));
        form(t, "A/a");
        assert_true(is_free(t, "A/r"));
        kiln_collector_state in = KILN_COLLECTOR_MARKING;
        while (in != KILN_COLLECTOR_IDLE) {
            EXPECT_STATUS(KILN_OK, kiln_collector_step(t->collector, 0, &in));
            expect_valid(t);
        }
        assert_int_equal(6, scene_stats(&t->s).loaded);
        assert_int_equal(0, stats_of(t).saved);
        end_two(&two);
    }
}

static void a_cluster_is_removed_after_its_root_was_released(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    clustered *t = &two.t;
    run(t);
    run(t);
    assert_int_equal(2, stats_of(t).roots);
    scene_clear(&t->s, &two.b);
    run(t);
    assert_int_equal(1, stats_of(t).roots);
    assert_int_equal(2, stats_of(t).clusters);
    two.b = scene_load(&t->s, "B/r");
    scene_clear(&t->s, &two.a);
    run(t);
    assert_int_equal(1, stats_of(t).roots);
    assert_int_equal(1, stats_of(t).clusters);
    assert_int_equal(3, scene_stats(&t->s).loaded);
    end_two(&two);
}

typedef struct chain {
    char text[256];
} chain;

static void add_step(void *ctx, const kiln_why_step *step)
{
    chain *c = ctx;
    size_t length = strlen(c->text);
    snprintf(c->text + length, sizeof c->text - length, "%s (%s) ", step->asset, step->by);
}

static void queries_ignore_clusters(void **state)
{
    (void)state;
    two_trees two;
    begin_two(&two);
    clustered *t = &two.t;
    chain c = {""};
    assert_int_equal(3, kiln_collector_why(t->collector, find(t, "A/b"), add_step, &c));
    assert_non_null(strstr(c.text, "A/a (refs[0]) A/b (refs[0])"));
    scene_clear(&t->s, &two.a);
    assert_int_equal(0, kiln_collector_why(t->collector, find(t, "A/b"), add_step, &c));
    end_two(&two);
}

/* ---- memory ---- */

static bool are_equal(const kiln_cluster_info *a, const kiln_cluster_info *b)
{
    return a->root == b->root && a->members == b->members && a->mutables == b->mutables &&
           a->references == b->references && a->referrers == b->referrers &&
           a->is_root == b->is_root;
}

/* Each allocation of forming and changing a cluster fails in turn. */
static void without_memory_nothing_changes(void **state)
{
    (void)state;
    for (uint32_t what = 0; what < 3; what++) {
        bool has_failed = true;
        for (size_t at = 1; has_failed; at++) {
            two_trees two;
            begin_two(&two);
            clustered *t = &two.t;
            kiln_cluster cluster = {77, 77};
            if (what == 0) {
                kiln_collector_use_clusters(t->collector, false);
                run(t);
                kiln_collector_use_clusters(t->collector, true);
            } else if (what == 2) {
                EXPECT_STATUS(KILN_OK, kiln_cluster_add(t->collector, two.cluster_a, find(t, "A/b"),
                                                        KILN_CLUSTER_MUTABLE, NULL));
            }
            kiln_cluster_info before = {0}, after = {0};
            kiln_cluster_get_info(t->collector, two.a, &before);
            kiln_ref b = find(t, "A/b");
            t->s.memory.fail_at = t->s.memory.calls + at;
            kiln_status status =
                what == 0 ? kiln_cluster_create(t->collector, two.a, &cluster, NULL)
                          : kiln_cluster_add(t->collector, two.cluster_a, b,
                                             what == 1 ? KILN_CLUSTER_MUTABLE : KILN_CLUSTER_MEMBER,
                                             NULL);
            has_failed = t->s.memory.calls >= t->s.memory.fail_at;
            t->s.memory.fail_at = 0;
            EXPECT_STATUS(has_failed ? KILN_NO_MEMORY : KILN_OK, status);
            expect_valid(t);
            kiln_cluster_get_info(t->collector, two.a, &after);
            assert_int_equal(has_failed, are_equal(&before, &after));
            run(t);
            assert_int_equal(6, scene_stats(&t->s).loaded);
            end_two(&two);
        }
    }
}

/* Each allocation of a cycle fails in turn: nothing is lost, and nothing reachable is removed. */
static void a_cycle_without_memory_keeps_the_clusters(void **state)
{
    (void)state;
    bool has_failed = true;
    for (size_t at = 1; has_failed; at++) {
        two_trees two;
        begin_two(&two);
        clustered *t = &two.t;
        t->s.memory.fail_at = t->s.memory.calls + at;
        kiln_status status = kiln_collector_run(t->collector);
        has_failed = t->s.memory.calls >= t->s.memory.fail_at;
        t->s.memory.fail_at = 0;
        EXPECT_STATUS(has_failed ? KILN_NO_MEMORY : KILN_OK, status);
        expect_valid(t);
        assert_true(is_of(t, "A/b", two.cluster_a));
        assert_int_equal(6, scene_stats(&t->s).loaded);
        end_two(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_takes_what_no_other_cluster_has),
        cmocka_unit_test(a_cluster_that_is_too_small_leaves_no_trace),
        cmocka_unit_test(assets_with_missing_references_become_mutable),
        cmocka_unit_test(a_reference_by_an_earlier_name_leads_out_of_the_cluster),
        cmocka_unit_test(added_assets_are_members_by_slot),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_member_becomes_mutable_with_what_only_it_reaches),
        cmocka_unit_test(a_cluster_that_becomes_too_small_dissolves),
        cmocka_unit_test(dissolving_continues_with_those_that_refer_to_it),
        cmocka_unit_test(a_disposed_member_dissolves_its_cluster),
        cmocka_unit_test(a_replaced_member_dissolves_its_cluster),
        cmocka_unit_test(a_mutable_is_replaced_without_effect_on_the_cluster),
        cmocka_unit_test(unmounted_files_dissolve_their_clusters),
        cmocka_unit_test(a_replaced_file_dissolves_only_what_changed),
        cmocka_unit_test(a_mutable_is_found_after_the_imports_of_its_file_changed),
        cmocka_unit_test(clusters_can_be_switched_off_and_on),
        cmocka_unit_test(a_member_that_is_reached_alone_keeps_only_itself),
        cmocka_unit_test(a_member_with_a_mark_of_its_own_is_covered_again_later),
        cmocka_unit_test(a_member_is_saved_with_what_it_reaches),
        cmocka_unit_test(clusters_can_change_in_each_step_of_a_cycle),
        cmocka_unit_test(a_held_root_is_marked_if_its_cluster_ends_in_any_step),
        cmocka_unit_test(a_cluster_is_removed_after_its_root_was_released),
        cmocka_unit_test(queries_ignore_clusters),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(a_cycle_without_memory_keeps_the_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
