/* The collector with small tables: the assets that it removes, the holders that keep assets, and
 * its queries. */
#include "asset_fixture.h"

#include <kiln/collector.h>
#include <stdio.h>
#include <string.h>

static kiln_collector *collect_on(scene *s)
{
    kiln_collector *collector = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s->assets;
    def.allocator = &s->memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, &s->error));
    return collector;
}

static void run(scene *s, kiln_collector *collector)
{
    EXPECT_STATUS(KILN_OK, kiln_collector_run(collector));
    kiln_error error = {0};
    if (!kiln_collector_is_valid(collector, &error))
        fail_msg("%s", error.path);
    scene_expect_valid(s);
}

static void unreachable_assets_are_removed(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s,
                SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, "A/c", SCENE_THING},
                           {"A/c", 3, "A/a", SCENE_THING}, {"A/other", 4, "A/c", SCENE_THING}),
                0);
    kiln_collector *collector = collect_on(&s);
    kiln_ref a = scene_load(&s, "A/a"), other = scene_load(&s, "A/other");
    kiln_ref weak = scene_take(&s, a, KILN_REF_WEAK);
    run(&s, collector);
    assert_int_equal(4, scene_stats(&s).loaded);
    scene_clear(&s, &other);
    run(&s, collector);
    assert_int_equal(3, scene_stats(&s).loaded);
    assert_int_equal(0, scene_value_named(&s, "A/other"));
    /* A cycle of references does not keep its assets alive. */
    scene_clear(&s, &a);
    run(&s, collector);
    assert_int_equal(0, scene_stats(&s).loaded);
    assert_int_equal(0, scene_value_of(&s, weak));
    scene_clear(&s, &weak);
    /* Removed assets can be loaded again. */
    a = scene_load(&s, "A/a");
    assert_int_equal(3, scene_stats(&s).loaded);
    scene_clear(&s, &a);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void holders_are_roots(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
    kiln_collector *collector = collect_on(&s);
    kiln_ref a = scene_load(&s, "A/a"), weak = scene_take(&s, a, KILN_REF_WEAK);
    EXPECT_STATUS(KILN_OK, kiln_assets_protect(s.assets, a, "the test", NULL));
    scene_clear(&s, &a);
    run(&s, collector);
    assert_int_equal(1, scene_value_of(&s, weak));
    const void *root = NULL;
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, weak, "the test", &root, NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_unprotect(s.assets, weak, "the test"));
    run(&s, collector);
    assert_int_equal(2, scene_value_named(&s, "A/b"));
    EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, root, "the test"));
    run(&s, collector);
    assert_int_equal(0, scene_stats(&s).loaded);
    scene_clear(&s, &weak);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void added_assets_are_traced(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
    kiln_root_type type = scene_root_type(SCENE_THING);
    kiln_buffer blob = scene_blob(7, "A/a", SCENE_THING);
    kiln_add_args args = {
        .name = "A/added", .type = &type, .blob = blob.data, .size = blob.size, .by = "the test"};
    kiln_ref added = {0}, again = {0}, a = scene_load(&s, "A/a");
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s.assets, &args, &added, NULL));
    kiln_collector *collector = collect_on(&s);
    scene_clear(&s, &a);
    run(&s, collector);
    assert_int_equal(3, scene_stats(&s).loaded);
    scene_clear(&s, &added);
    run(&s, collector);
    assert_int_equal(0, scene_stats(&s).loaded);
    a = scene_load(&s, "A/a");
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s.assets, &args, &again, NULL));
    scene_clear(&s, &a);
    run(&s, collector);
    assert_int_equal(3, scene_stats(&s).loaded);
    scene_clear(&s, &again);
    kiln_collector_destroy(collector);
    kiln_buffer_fini(&blob);
    scene_end(&s);
}

/* ---- why ---- */

typedef struct chain {
    char text[512];
} chain;

static void add_step(void *ctx, const kiln_why_step *step)
{
    chain *c = ctx;
    size_t length = strlen(c->text);
    snprintf(c->text + length, sizeof c->text - length, "%s[%s]%s", length ? " > " : "", step->by,
             step->asset);
}

static void why_gives_the_shortest_chain(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s,
                SCENE_FILE({"A/a", 1, "A/b A/c", SCENE_THING}, {"A/b", 2, "A/c", SCENE_THING},
                           {"A/c", 3, "A/d", SCENE_THING}, {"A/d", 4, NULL, SCENE_THING}),
                0);
    kiln_collector *collector = collect_on(&s);
    kiln_ref a = scene_load(&s, "A/a");
    kiln_ref d = kiln_assets_find_root(s.assets, kiln_assets_get(s.assets, scene_id("A/d")));
    chain c = {""};
    assert_int_equal(3, kiln_collector_why(collector, d, add_step, &c));
    assert_string_equal("[strong handle, by the test]A/a > [refs[1]]A/c > [refs[0]]A/d", c.text);
    scene_clear(&s, &a);
    assert_int_equal(0, kiln_collector_why(collector, d, add_step, &c));
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void expect_why(scene *s, kiln_collector *collector, const char *name, int64_t count,
                       const char *text)
{
    kiln_ref ref = kiln_assets_find_root(s->assets, kiln_assets_get(s->assets, scene_id(name)));
    chain c = {""};
    assert_int_equal(count, kiln_collector_why(collector, ref, add_step, &c));
    assert_string_equal(text, c.text);
}

static void why_names_protection_and_borrowed_bytes(void **state)
{
    (void)state;
    scene s;
    const void *root = NULL;
    scene_begin(&s);
    kiln_mount mount = scene_mount(
        &s, SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
    kiln_collector *collector = collect_on(&s);
    kiln_ref a = scene_load(&s, "A/a"), weak = scene_take(&s, a, KILN_REF_WEAK);
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, a, "lender.c:2", &root, &s.error));
    EXPECT_STATUS(KILN_OK, kiln_assets_protect(s.assets, a, "guard.c:1", &s.error));
    scene_clear(&s, &a);
    expect_why(&s, collector, "A/b", 2, "[protection, by guard.c:1]A/a > [refs[0]]A/b");
    EXPECT_STATUS(KILN_OK, kiln_assets_unprotect(s.assets, weak, "guard.c:1"));
    expect_why(&s, collector, "A/b", 2, "[borrowed bytes, by lender.c:2]A/a > [refs[0]]A/b");
    /* The new bytes do not refer to A/b, but the old ones do. */
    kiln_buffer image = SCENE_FILE({"A/a", 5, NULL, SCENE_THING}, {"A/b", 2, NULL, SCENE_THING});
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = image.data;
    def.file.size = image.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(s.assets, mount, &def, &s.error));
    s.images[s.image_count++] = image;
    expect_why(&s, collector, "A/b", 1, "[borrowed bytes that were replaced]A/b");
    expect_why(&s, collector, "A/a", 0, "");
    EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, root, "lender.c:2"));
    expect_why(&s, collector, "A/b", 0, "");
    scene_clear(&s, &weak);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void note_asset(void *ctx, const char *name)
{
    chain *c = ctx;
    size_t length = strlen(c->text);
    snprintf(c->text + length, sizeof c->text - length, "%s%s", length ? " " : "", name);
}

static void expect_unreachable(kiln_collector *collector, int64_t count, const char *names)
{
    chain c = {""};
    assert_int_equal(count, kiln_collector_list_unreachable(collector, note_asset, &c));
    assert_string_equal(names, c.text);
}

/* Assets of a cycle of references are listed, too. The list is the same in each step of a cycle,
 * until the sweep removes assets. */
static void unreachable_assets_are_listed(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s,
                SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING},
                           {"B/a", 3, "B/b", SCENE_THING}, {"B/b", 4, "B/a A/b", SCENE_THING}),
                0);
    kiln_collector *collector = collect_on(&s);
    kiln_ref a = scene_load(&s, "A/a"), b = scene_load(&s, "B/a");
    kiln_ref weak = scene_take(&s, b, KILN_REF_WEAK);
    expect_unreachable(collector, 0, "");
    scene_clear(&s, &b);
    expect_unreachable(collector, 2, "B/a B/b");
    kiln_collector_state now = KILN_COLLECTOR_MARKING;
    kiln_collector_start(collector);
    while (now == KILN_COLLECTOR_MARKING) {
        expect_unreachable(collector, 2, "B/a B/b");
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, &now));
    }
    scene_clear(&s, &a);
    run(&s, collector);
    expect_unreachable(collector, 0, "");
    scene_clear(&s, &weak);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

/* ---- redirects ---- */

static void references_to_earlier_ids_keep_assets(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount renames =
        scene_mount(&s, SCENE_RENAMED("A/x>A/b", {"A/z", 9, NULL, SCENE_THING}), 0);
    scene_mount(&s,
                SCENE_FILE({"A/a", 1, "A/y", SCENE_THING}, {"A/b", 2, "A/c", SCENE_THING},
                           {"A/c", 3, NULL, SCENE_THING}),
                0);
    kiln_mount more = scene_mount(&s, SCENE_RENAMED("A/y>A/x", {"A/w", 9, NULL, SCENE_THING}), 0);
    kiln_collector *collector = collect_on(&s);
    kiln_ref a = scene_load(&s, "A/a");
    run(&s, collector);
    assert_int_equal(3, scene_stats(&s).loaded);
    kiln_ref c = kiln_assets_find_root(s.assets, kiln_assets_get(s.assets, scene_id("A/c")));
    chain why = {""};
    assert_int_equal(3, kiln_collector_why(collector, c, add_step, &why));
    assert_string_equal("[strong handle, by the test]A/a > [refs[0]]A/b > [refs[0]]A/c", why.text);
    /* Without the redirects, the reference has no target. */
    scene_unmount(&s, more);
    run(&s, collector);
    assert_int_equal(1, scene_stats(&s).loaded);
    scene_clear(&s, &a);
    scene_unmount(&s, renames);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

/* Mounts the redirects after `steps` steps of a collection that does not reach A/b without them.
 * Returns whether the collection was still in progress. */
static bool mount_during_collection(int steps)
{
    scene s;
    kiln_collector_state now = KILN_COLLECTOR_MARKING;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"A/a", 1, "A/x", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
    kiln_collector *collector = collect_on(&s);
    kiln_load_args args = {.name = "A/a", .allow_missing = true, .by = "the test"};
    kiln_ref a = {0}, b = scene_load(&s, "A/b");
    EXPECT_STATUS(KILN_OK, kiln_assets_load(s.assets, &args, &a, &s.error));
    run(&s, collector);
    scene_clear(&s, &b);
    kiln_collector_start(collector);
    for (int i = 0; i < steps && now != KILN_COLLECTOR_IDLE; i++)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, &now));
    bool is_loaded =
        kiln_assets_find_root(s.assets, kiln_assets_get(s.assets, scene_id("A/b"))).bits != 0;
    scene_mount(&s, SCENE_RENAMED("A/x>A/b", {"A/z", 9, NULL, SCENE_THING}), 0);
    run(&s, collector);
    run(&s, collector);
    assert_int_equal(is_loaded ? 2 : 0, scene_value_named(&s, "A/x"));
    scene_clear(&s, &a);
    run(&s, collector);
    assert_int_equal(0, scene_stats(&s).loaded);
    kiln_collector_destroy(collector);
    scene_end(&s);
    return now != KILN_COLLECTOR_IDLE;
}

static void redirects_that_are_mounted_during_a_collection_keep_their_targets(void **state)
{
    (void)state;
    int steps = 0;
    while (mount_during_collection(steps))
        steps++;
    assert_true(steps > 2);
}

/* ---- failing memory ---- */

static void no_words(void *ctx, kiln_tracer *tracer)
{
    (void)ctx;
    (void)tracer;
}

/* Everything that a program does with a collector, until an allocation fails. */
static kiln_status use_all(scene *s, kiln_collector **ret_collector, kiln_world *world)
{
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s->assets;
    def.allocator = &s->memory.allocator;
    kiln_status status = kiln_collector_create(&def, ret_collector, &s->error);
    if (status == KILN_OK)
        status = kiln_collector_add_world(*ret_collector, world);
    if (status == KILN_OK)
        status = kiln_collector_add_roots(*ret_collector, no_words, NULL, "none");
    return status == KILN_OK ? kiln_collector_run(*ret_collector) : status;
}

/* Fails the first allocation, then the second, and so on. Held assets stay, and the next cycle
 * removes the unreachable assets. */
static void failed_allocations_lose_no_asset(void **state)
{
    (void)state;
    bool is_over = false;
    uint64_t refused = 0;
    for (uint64_t at = 1; !is_over; at++) {
        scene s;
        kiln_world *world = NULL;
        kiln_collector *collector = NULL;
        scene_begin(&s);
        scene_mount(&s,
                    SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING},
                               {"A/c", 3, NULL, SCENE_THING}),
                    0);
        kiln_world_def def = world_memory_def(&s.memory);
        EXPECT_STATUS(KILN_OK, kiln_world_create(&def, &world));
        kiln_ref a = scene_load(&s, "A/a"), c = scene_load(&s, "A/c"),
                 added = scene_add(&s, NULL, 7);
        scene_clear(&s, &c);
        s.memory.failed = 0;
        s.memory.fail_at = s.memory.calls + at;
        kiln_status status = use_all(&s, &collector, world);
        is_over = !s.memory.failed;
        refused += s.memory.failed;
        s.memory.fail_at = 0;
        if (!is_over)
            EXPECT_STATUS(KILN_NO_MEMORY, status);
        assert_int_equal(1, scene_value_of(&s, a));
        assert_int_equal(2, scene_value_named(&s, "A/b"));
        assert_int_equal(7, scene_value_of(&s, added));
        if (collector) {
            run(&s, collector);
            assert_int_equal(3, scene_stats(&s).loaded);
        }
        kiln_collector_destroy(collector);
        scene_clear(&s, &a);
        scene_clear(&s, &added);
        kiln_world_destroy(world);
        scene_end(&s);
    }
    assert_true(refused >= 6);
}

static void queries_report_failed_allocations(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"A/a", 1, NULL, SCENE_THING}), 0);
    kiln_collector *collector = collect_on(&s);
    kiln_ref a = scene_load(&s, "A/a");
    chain c = {""};
    s.memory.fail_at = s.memory.calls + 1;
    assert_int_equal(-1, kiln_collector_why(collector, a, add_step, &c));
    s.memory.fail_at = s.memory.calls + 1;
    assert_int_equal(-1, kiln_collector_list_unreachable(collector, NULL, NULL));
    s.memory.fail_at = s.memory.calls + 1;
    kiln_error error = {0};
    assert_false(kiln_collector_is_valid(collector, &error));
    assert_int_equal(KILN_NO_MEMORY, error.status);
    s.memory.fail_at = 0;
    scene_clear(&s, &a);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void wrong_definitions_are_rejected(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_collector *collector = NULL, *second = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_collector_create(&def, &collector, NULL));
    def.assets = s.assets;
    def.when_over_cap = (kiln_over_cap)7;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_collector_create(&def, &collector, NULL));
    def.when_over_cap = KILN_OVER_CAP_FINISH;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, NULL));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_collector_create(&def, &second, NULL));
    kiln_collector_destroy(collector);
    kiln_collector_destroy(NULL);
    scene_end(&s);
}

/* In a table without types, the references of an added asset cannot be found. */
static void drop_types(kiln_assets_def *def)
{
    def->types = NULL;
    def->types_size = 0;
}

static void untraceable_assets_are_rejected(void **state)
{
    (void)state;
    scene s;
    scene_begin_with(&s, drop_types);
    kiln_root_type type = scene_root_type(SCENE_THING);
    kiln_buffer blob = scene_blob(7, "A/a", SCENE_THING);
    kiln_add_args args = {.name = "A/added",
                          .type = &type,
                          .blob = blob.data,
                          .size = blob.size,
                          .is_trusted = true,
                          .by = "the test"};
    kiln_ref added = {0};
    kiln_collector *collector = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s.assets;
    EXPECT_STATUS(KILN_OK, kiln_assets_add(s.assets, &args, &added, NULL));
    EXPECT_FAILURE(&s, KILN_NO_TYPES, "A/added", kiln_collector_create(&def, &collector, &s.error));
    EXPECT_STATUS(KILN_OK, kiln_assets_dispose(s.assets, added, NULL));
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, NULL));
    EXPECT_FAILURE(&s, KILN_NO_TYPES, "A/added",
                   kiln_assets_add(s.assets, &args, &added, &s.error));
    kiln_collector_destroy(collector);
    kiln_buffer_fini(&blob);
    scene_end(&s);
}

/* ---- when cycles begin ---- */

static void cycles_begin_at_a_number_of_bytes_and_at_the_cap(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"A/a", 1, NULL, SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
    kiln_collector *collector = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s.assets;
    def.start_bytes = 1;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, NULL));
    kiln_collector_state now = KILN_COLLECTOR_MARKING;
    kiln_collector_stats stats;
    EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, UINT64_MAX, &now));
    kiln_collector_get_stats(collector, &stats);
    assert_int_equal(0, stats.cycles);
    kiln_ref a = scene_load(&s, "A/a");
    EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, UINT64_MAX, &now));
    EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, UINT64_MAX, &now));
    kiln_collector_get_stats(collector, &stats);
    assert_int_equal(1, stats.cycles);
    kiln_collector_destroy(collector);

    def.start_bytes = UINT64_MAX;
    def.cap_bytes = 1;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, NULL));
    kiln_ref b = scene_load(&s, "A/b");
    scene_clear(&s, &b);
    /* Above the cap, a step finishes its cycle even with a time budget of zero. */
    EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, &now));
    assert_int_equal(KILN_COLLECTOR_IDLE, now);
    assert_int_equal(1, scene_stats(&s).loaded);
    kiln_collector_get_stats(collector, &stats);
    assert_int_equal(1, stats.steps_over_cap);
    kiln_collector_destroy(collector);

    def.when_over_cap = KILN_OVER_CAP_CONTINUE;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, NULL));
    EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, &now));
    assert_int_not_equal(KILN_COLLECTOR_IDLE, now);
    kiln_collector_destroy(collector);
    scene_clear(&s, &a);
    scene_end(&s);
}

/* Everything is held, so no cycle can get below the cap. */
static void a_cap_below_what_is_reachable_does_not_make_every_step_a_cycle(void **state)
{
    (void)state;
    scene s;
    kiln_collector *collector = NULL;
    kiln_collector_stats stats;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"A/a", 1, NULL, SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s.assets;
    def.cap_bytes = 16;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, &s.error));
    kiln_ref a = scene_load(&s, "A/a");
    for (int i = 0; i < 5; i++)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
    kiln_collector_get_stats(collector, &stats);
    assert_int_equal(1, stats.cycles);
    kiln_ref b = scene_load(&s, "A/b");
    for (int i = 0; i < 5; i++)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
    kiln_collector_get_stats(collector, &stats);
    assert_int_equal(2, stats.cycles);
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unreachable_assets_are_removed),
        cmocka_unit_test(holders_are_roots),
        cmocka_unit_test(added_assets_are_traced),
        cmocka_unit_test(why_gives_the_shortest_chain),
        cmocka_unit_test(why_names_protection_and_borrowed_bytes),
        cmocka_unit_test(unreachable_assets_are_listed),
        cmocka_unit_test(references_to_earlier_ids_keep_assets),
        cmocka_unit_test(redirects_that_are_mounted_during_a_collection_keep_their_targets),
        cmocka_unit_test(failed_allocations_lose_no_asset),
        cmocka_unit_test(queries_report_failed_allocations),
        cmocka_unit_test(wrong_definitions_are_rejected),
        cmocka_unit_test(untraceable_assets_are_rejected),
        cmocka_unit_test(cycles_begin_at_a_number_of_bytes_and_at_the_cap),
        cmocka_unit_test(a_cap_below_what_is_reachable_does_not_make_every_step_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
