/* The collector by small tables: what it removes, what holds an asset, and what it answers. */
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

static void unreachable_assets_go(void **state)
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
    /* A cycle of references does not keep itself. */
    scene_clear(&s, &a);
    run(&s, collector);
    assert_int_equal(0, scene_stats(&s).loaded);
    assert_int_equal(0, scene_value_of(&s, weak));
    scene_clear(&s, &weak);
    /* What was removed can be loaded again. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unreachable_assets_go),
        cmocka_unit_test(holders_are_roots),
        cmocka_unit_test(added_assets_are_traced),
        cmocka_unit_test(why_gives_the_shortest_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
