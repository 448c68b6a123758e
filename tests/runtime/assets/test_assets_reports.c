/* Reports of a table: leaked handles, and pointers whose memory is freed. */
#include "asset_fixture.h"

static kiln_ref take_by(scene *s, kiln_ref ref, kiln_ref_form form, const char *by)
{
    kiln_ref taken = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_take(s->assets, ref, form, by, &taken));
    return kiln_ref_move(&taken);
}

static void expect_report(const scene *s, size_t at, scene_report expected)
{
    const scene_report *is = &s->reports[at];
    assert_true(at < s->report_count);
    assert_int_equal(expected.kind, is->kind);
    assert_string_equal(expected.what, is->what);
    assert_string_equal(expected.asset, is->asset);
    assert_string_equal(expected.by, is->by);
    assert_int_equal(expected.count, is->count);
}

static void leaks_are_reported_with_their_takers(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Thing/a");
    take_by(&s, a, KILN_REF_STRONG, "second.c:2");
    take_by(&s, a, KILN_REF_WEAK, NULL);
    take_by(&s, a, KILN_REF_POINTER, "pointer.c:1");
    take_by(&s, a, KILN_REF_POINTER, "pointer.c:1");
    take_by(&s, a, KILN_REF_INDIRECT, "nobody");
    const void *root = NULL;
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, a, "borrow.c:1", &root, NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, a, "borrow.c:2", &root, NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_protect(s.assets, a, "protect.c:1", NULL));
    assert_int_equal(8, kiln_assets_list_holds(s.assets, NULL, NULL));
    scene_end_reporting(&s, 7);
    const scene_report expected[] = {
        {KILN_REPORT_LEAK, "strong handle", "Thing/a", "the test", 1},
        {KILN_REPORT_LEAK, "strong handle", "Thing/a", "second.c:2", 1},
        {KILN_REPORT_LEAK, "protection", "Thing/a", "protect.c:1", 1},
        {KILN_REPORT_LEAK, "weak handle", "Thing/a", "?", 1},
        {KILN_REPORT_LEAK, "borrowed bytes", "Thing/a", "borrow.c:1", 1},
        {KILN_REPORT_LEAK, "borrowed bytes", "Thing/a", "borrow.c:2", 1},
        {KILN_REPORT_LEAK, "pointer", "Thing/a", "pointer.c:1", 2},
    };
    for (size_t i = 0; i < 7; i++)
        expect_report(&s, i, expected[i]);
}

static void a_weak_word_is_reported_after_its_asset_was_removed(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_ref a = scene_add(&s, "Thing/a", 1);
    take_by(&s, a, KILN_REF_WEAK, "weak.c:1");
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
    scene_end_reporting(&s, 1);
    expect_report(&s, 0, (scene_report){KILN_REPORT_LEAK, "weak handle", "", "weak.c:1", 1});
}

static void pointers_are_reported_when_their_memory_is_freed(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_ref added = scene_add(&s, "Thing/added", 5);
    kiln_ref pointer = take_by(&s, added, KILN_REF_POINTER, "p.c:1");
    kiln_ref other = take_by(&s, added, KILN_REF_POINTER, "p.c:2");
    kiln_assets_clear_by(s.assets, &other, "p.c:2");
    s.report_count = 0;
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, added));
    assert_int_equal(1, s.report_count);
    expect_report(&s, 0, (scene_report){KILN_REPORT_POINTER, "pointer", "Thing/added", "p.c:1", 1});
    assert_int_equal(KILN_REF_IS_UNKNOWN, kiln_ref_check(s.assets, pointer.bits));
    scene_clear(&s, &pointer);
    scene_end(&s);
}

static void pointers_are_reported_when_their_file_is_unmounted(void **state)
{
    (void)state;
    for (int patched = 0; patched < 2; patched++) {
        scene s;
        kiln_mount patch = {0};
        scene_begin(&s);
        kiln_mount base = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
        kiln_ref a = scene_load(&s, "Thing/a");
        kiln_ref pointer = take_by(&s, a, KILN_REF_POINTER, "p.c:1");
        scene_clear(&s, &a);
        if (patched)
            patch = scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 0);
        assert_int_equal(0, s.report_count);
        assert_int_equal(1, scene_value_of(&s, pointer));
        assert_int_equal(KILN_REF_IS_GOOD, kiln_ref_check(s.assets, pointer.bits));
        scene_unmount(&s, base);
        assert_int_equal(1, s.report_count);
        expect_report(&s, 0, (scene_report){KILN_REPORT_POINTER, "pointer", "Thing/a", "p.c:1", 1});
        assert_int_equal(KILN_REF_IS_UNKNOWN, kiln_ref_check(s.assets, pointer.bits));
        assert_int_equal(0, scene_stats(&s).deferred);
        scene_clear(&s, &pointer);
        if (patched)
            scene_unmount(&s, patch);
        scene_end(&s);
    }
}

static void a_cleared_pointer_is_not_reported(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount base = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Thing/a");
    kiln_ref pointer = take_by(&s, a, KILN_REF_POINTER, "p.c:1");
    kiln_mount patch = scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 0);
    scene_clear(&s, &pointer);
    scene_unmount(&s, base);
    assert_int_equal(0, s.report_count);
    scene_clear(&s, &a);
    scene_unmount(&s, patch);
    scene_end(&s);
}

static void do_not_track(kiln_assets_def *def)
{
    def->track_pointers = false;
}

static void pointers_that_are_not_tracked_cost_nothing(void **state)
{
    (void)state;
    scene s;
    scene_begin_with(&s, do_not_track);
    kiln_ref a = scene_add(&s, NULL, 1);
    size_t bytes = s.memory.heap_bytes;
    kiln_ref pointer = take_by(&s, a, KILN_REF_POINTER, "p.c:1");
    assert_int_equal(bytes, s.memory.heap_bytes);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
    assert_int_equal(0, s.report_count);
    scene_clear(&s, &pointer);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaks_are_reported_with_their_takers),
        cmocka_unit_test(a_weak_word_is_reported_after_its_asset_was_removed),
        cmocka_unit_test(pointers_are_reported_when_their_memory_is_freed),
        cmocka_unit_test(pointers_are_reported_when_their_file_is_unmounted),
        cmocka_unit_test(a_cleared_pointer_is_not_reported),
        cmocka_unit_test(pointers_that_are_not_tracked_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
