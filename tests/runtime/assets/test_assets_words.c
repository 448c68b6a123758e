/* Reference words: conversions between forms, reference counts, and arbitrary 64-bit values. */
#include "asset_fixture.h"

#include <string.h>

static const kiln_ref_form forms[] = {KILN_REF_POINTER, KILN_REF_INDIRECT, KILN_REF_WEAK,
                                      KILN_REF_STRONG};
enum { FORMS = 4 };

typedef struct words {
    kiln_ref of[FORMS]; /* one taken word of each form */
} words;

/* A scene with a file that has `Thing/a` and `Thing/b`, and words for `Thing/a`. */
static words begin(scene *s)
{
    words w;
    scene_begin(s);
    scene_mount(s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}),
                0);
    w.of[3] = scene_load(s, "Thing/a");
    for (size_t i = 0; i < 3; i++)
        w.of[i] = scene_take(s, w.of[3], forms[i]);
    return w;
}

static void end(scene *s, words *w)
{
    for (size_t i = 0; i < FORMS; i++)
        scene_clear(s, &w->of[i]);
    scene_end(s);
}

static uint64_t count_of(scene *s, const char *what)
{
    uint64_t count = 0;
    for (size_t i = 0; i < s->report_count; i++)
        if (strcmp(s->reports[i].what, what) == 0)
            count += s->reports[i].count;
    return count;
}

static void note_hold(void *ctx, const kiln_report *report)
{
    scene *s = ctx;
    scene_report *is = &s->reports[s->report_count++];
    *is = (scene_report){.kind = report->kind, .count = report->count};
    strcpy(is->what, report->what);
    strcpy(is->asset, report->asset);
    strcpy(is->by, report->by);
}

static void expect_counts(scene *s, uint32_t strong, uint32_t weak, uint64_t pointers)
{
    kiln_assets_stats stats = scene_stats(s);
    assert_int_equal(strong, stats.strong);
    assert_int_equal(weak, stats.weak);
    s->report_count = 0;
    assert_int_equal(strong + weak + pointers, kiln_assets_list_holds(s->assets, note_hold, s));
    assert_int_equal(strong, count_of(s, "strong handle"));
    assert_int_equal(weak, count_of(s, "weak handle"));
    assert_int_equal(pointers, count_of(s, "pointer"));
}

static void words_of_each_form_are_taken_from_words_of_each_form(void **state)
{
    (void)state;
    scene s;
    words w = begin(&s);
    expect_counts(&s, 1, 1, 1);
    for (size_t from = 0; from < FORMS; from++)
        for (size_t to = 0; to < FORMS; to++) {
            kiln_ref taken = scene_take(&s, w.of[from], forms[to]);
            assert_int_equal(1, scene_value_of(&s, taken));
            assert_int_equal(taken.bits, w.of[to].bits);
            expect_counts(&s, 1 + (forms[to] == KILN_REF_STRONG), 1 + (forms[to] == KILN_REF_WEAK),
                          1 + (forms[to] == KILN_REF_POINTER));
            kiln_ref moved = kiln_ref_move(&taken);
            assert_int_equal(0, taken.bits);
            scene_clear(&s, &taken);
            scene_clear(&s, &moved);
            expect_counts(&s, 1, 1, 1);
        }
    end(&s, &w);
}

static void handles_detect_that_the_asset_was_removed(void **state)
{
    (void)state;
    scene s;
    words w = begin(&s);
    kiln_ref a = scene_add(&s, "Thing/added", 7);
    kiln_ref weak = scene_take(&s, a, KILN_REF_WEAK), again = {weak.bits};
    assert_int_equal(7, scene_value_of(&s, weak));
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
    assert_int_equal(0, scene_value_of(&s, a));
    assert_int_equal(0, scene_value_of(&s, weak));
    for (size_t to = 0; to < FORMS; to++) {
        const kiln_ref dead[] = {a, weak};
        for (size_t i = 0; i < 2; i++) {
            kiln_ref none = {0};
            EXPECT_STATUS(KILN_DEAD, kiln_assets_take(s.assets, dead[i], forms[to], "me", &none));
            assert_int_equal(0, none.bits);
        }
    }
    /* The remaining weak word prevents reuse of its slot. */
    kiln_ref next = scene_add(&s, "Thing/next", 8);
    assert_int_not_equal(kiln_ref_slot_number(weak), kiln_ref_slot_number(next));
    assert_int_equal(KILN_REF_IS_STALE, kiln_ref_check(s.assets, weak.bits));
    scene_clear(&s, &weak);
    kiln_ref reused = scene_add(&s, "Thing/reused", 9);
    assert_int_equal(kiln_ref_slot_number(again), kiln_ref_slot_number(reused));
    assert_int_equal(0, scene_value_of(&s, again));
    /* This must not affect the new tenant. */
    scene_clear(&s, &again);
    scene_clear(&s, &a);
    scene_clear(&s, &reused);
    scene_clear(&s, &next);
    end(&s, &w);
}

/* The asset of `handle` is removed and other assets are added. Words to it must still be recognized
 * as stale. */
static void expect_gone(scene *s, kiln_ref handle, kiln_ref indirect)
{
    enum { OTHERS = 12 };
    const kiln_slots *slots = kiln_assets_get_slots(s->assets);
    const kiln_root_type thing = scene_root_type(SCENE_THING);
    kiln_ref others[OTHERS];
    for (uint32_t i = 0; i < OTHERS; i++) {
        others[i] = scene_add(s, NULL, 500 + i);
        assert_null(kiln_ref_get(slots, indirect));
        assert_null(kiln_ref_get(slots, handle));
        assert_int_equal(KILN_REF_IS_STALE, kiln_ref_check(s->assets, indirect.bits));
        assert_int_equal(KILN_REF_IS_STALE, kiln_ref_check(s->assets, handle.bits));
        assert_null(kiln_assets_root(s->assets, indirect, &thing, NULL));
        assert_int_not_equal(kiln_ref_slot_number(handle), kiln_ref_slot_number(others[i]));
    }
    for (size_t to = 0; to < FORMS; to++) {
        kiln_ref none = {0};
        EXPECT_STATUS(KILN_DEAD, kiln_assets_take(s->assets, indirect, forms[to], "me", &none));
        assert_int_equal(0, none.bits);
    }
    EXPECT_STATUS(KILN_DEAD, kiln_assets_dispose(s->assets, indirect, NULL));
    for (uint32_t i = 0; i < OTHERS; i++)
        EXPECT_STATUS(KILN_OK, scene_dispose(s, others[i]));
}

static void a_slot_with_indirect_words_is_not_reused_after_disposal(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    for (uint32_t i = 1; i < 4; i++) {
        kiln_ref a = scene_add(&s, "Thing/a", 7);
        kiln_ref indirect = scene_take(&s, a, KILN_REF_INDIRECT);
        assert_int_equal(7, scene_value_of(&s, indirect));
        EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
        expect_gone(&s, a, indirect);
        assert_int_equal(i, scene_stats(&s).stale_slots);
        assert_int_equal(0, scene_stats(&s).loaded);
    }
    scene_end(&s);
}

/* The asset is freed immediately, or with the last handle. */
static void a_slot_with_indirect_words_is_not_reused_after_unmounting(void **state)
{
    (void)state;
    for (int is_deferred = 0; is_deferred < 2; is_deferred++) {
        scene s;
        scene_begin(&s);
        kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
        kiln_ref a = scene_load(&s, "Thing/a"), copy = {a.bits};
        kiln_ref indirect = scene_take(&s, a, KILN_REF_INDIRECT);
        if (!is_deferred)
            scene_clear(&s, &a);
        EXPECT_STATUS(KILN_OK, scene_try_unmount(&s, mount, KILN_UNMOUNT_DEFER));
        assert_int_equal(is_deferred, scene_value_of(&s, indirect));
        scene_clear(&s, &a);
        expect_gone(&s, copy, indirect);
        /* The file is mounted again. Old words do not refer to its assets. */
        mount = scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 0);
        a = scene_load(&s, "Thing/a");
        assert_int_equal(0, scene_value_of(&s, indirect));
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* A replaced asset keeps its slot, and a failed mount changes nothing. */
static void indirect_words_resolve_to_the_replacing_asset(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Thing/a"), copy = {a.bits};
    kiln_ref indirect = scene_take(&s, a, KILN_REF_INDIRECT);
    kiln_mount none;
    EXPECT_STATUS(
        KILN_MISSING,
        scene_try_mount(&s, SCENE_FILE({"Thing/a", 3, "Thing/none", SCENE_THING}), 1, &none));
    assert_int_equal(1, scene_value_of(&s, indirect));
    kiln_mount patch = scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 1);
    assert_int_equal(2, scene_value_of(&s, indirect));
    assert_int_equal(KILN_REF_IS_GOOD, kiln_ref_check(s.assets, indirect.bits));
    scene_unmount(&s, patch);
    assert_int_equal(1, scene_value_of(&s, indirect));
    scene_clear(&s, &a);
    assert_int_equal(1, scene_value_of(&s, copy));
    scene_end(&s);
}

static void an_indirect_word_must_have_been_made(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_ref a = scene_add(&s, "Thing/a", 1), b = scene_add(&s, "Thing/b", 2);
    kiln_ref indirect = scene_take(&s, a, KILN_REF_INDIRECT), none = {0};
    uint64_t apart = (uint64_t)kiln_ref_slot_number(b) - kiln_ref_slot_number(a);
    kiln_ref forged = {indirect.bits + apart * sizeof(void *)};
    assert_int_equal(KILN_REF_IS_UNKNOWN, kiln_ref_check(s.assets, forged.bits));
    EXPECT_STATUS(KILN_DEAD, kiln_assets_take(s.assets, forged, KILN_REF_WEAK, "me", &none));
    /* A slot without indirect words is reused. */
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, b));
    kiln_ref c = scene_add(&s, "Thing/c", 3);
    assert_int_equal(kiln_ref_slot_number(b), kiln_ref_slot_number(c));
    assert_int_equal(0, scene_stats(&s).stale_slots);
    scene_clear(&s, &a);
    scene_clear(&s, &c);
    scene_end(&s);
}

static void have_few_slots(kiln_assets_def *def)
{
    def->max_assets = 4;
}

static void stale_slots_run_out_with_a_status(void **state)
{
    (void)state;
    scene s;
    scene_begin_with(&s, have_few_slots);
    scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    for (uint32_t i = 0; i < 4; i++) {
        kiln_ref added = scene_add(&s, NULL, 10 + i);
        scene_take(&s, added, KILN_REF_INDIRECT);
        EXPECT_STATUS(KILN_OK, scene_dispose(&s, added));
    }
    assert_int_equal(4, scene_stats(&s).stale_slots);
    assert_int_equal(4, scene_stats(&s).slots);
    assert_int_equal(0, scene_stats(&s).loaded);
    kiln_ref none = {0};
    EXPECT_STATUS(KILN_LIMIT, scene_try_load(&s, "Thing/a", &none));
    assert_int_equal(0, none.bits);
    scene_end(&s);
}

static void every_bit_of_every_form_is_checked(void **state)
{
    (void)state;
    scene s;
    words w = begin(&s);
    assert_int_equal(KILN_REF_IS_NULL, kiln_ref_check(s.assets, 0));
    for (size_t i = 0; i < FORMS; i++) {
        assert_int_equal(KILN_REF_IS_GOOD, kiln_ref_check(s.assets, w.of[i].bits));
        for (int bit = 0; bit < 64; bit++) {
            kiln_ref forged = {w.of[i].bits ^ UINT64_C(1) << bit}, none = {0};
            kiln_ref_state is = kiln_ref_check(s.assets, forged.bits);
            bool is_other_handle = i >= 2 && bit == 0; /* a strong word becomes a weak one */
            if (is_other_handle)
                assert_int_equal(KILN_REF_IS_GOOD, is);
            else
                assert_true(is != KILN_REF_IS_GOOD && is != KILN_REF_IS_NULL);
            kiln_status taken = kiln_assets_take(s.assets, forged, KILN_REF_INDIRECT, "me", &none);
            EXPECT_STATUS(is_other_handle ? KILN_OK : KILN_DEAD, taken);
            if (kiln_ref_is_handle(forged) && !is_other_handle)
                assert_null(kiln_ref_get(kiln_assets_get_slots(s.assets), forged));
            if (!is_other_handle) {
                scene_clear(&s, &forged);
                expect_counts(&s, 1, 1, 1);
            }
        }
    }
    end(&s, &w);
}

static void forged_words_are_classified(void **state)
{
    (void)state;
    scene s;
    words w = begin(&s);
    uint32_t slot = kiln_ref_slot_number(w.of[3]), version = kiln_ref_version(w.of[3]);
    const kiln_slots *slots = kiln_assets_get_slots(s.assets);
    uint64_t root = w.of[0].bits;
    const struct {
        uint64_t bits;
        kiln_ref_state is;
    } rows[] = {
        {kiln_ref_from_handle(slot, version, true).bits, KILN_REF_IS_GOOD},
        {kiln_ref_from_handle(slot, version + 1, true).bits, KILN_REF_IS_FORGED},
        {kiln_ref_from_handle(slot, version + 2, true).bits, KILN_REF_IS_FORGED},
        {kiln_ref_from_handle(slot, UINT32_MAX, false).bits, KILN_REF_IS_FORGED},
        {kiln_ref_from_handle(slot, 0, false).bits, KILN_REF_IS_FORGED},
        {kiln_ref_from_handle(slot + 1, version, false).bits, KILN_REF_IS_FORGED},
        {kiln_ref_from_handle(KILN_SLOT_MAX - 1, version, true).bits, KILN_REF_IS_FORGED},
        {w.of[1].bits, KILN_REF_IS_GOOD},
        {w.of[1].bits + sizeof(void *), KILN_REF_IS_UNKNOWN},
        {w.of[1].bits + 4, KILN_REF_IS_UNKNOWN},
        {w.of[1].bits - sizeof(void *), KILN_REF_IS_UNKNOWN},
        {(uintptr_t)&slots->slots[slot] | KILN_REF_INDIRECT_BIT, KILN_REF_IS_UNKNOWN},
        {KILN_REF_INDIRECT_BIT, KILN_REF_IS_UNKNOWN},
        {UINT64_MAX << 2 | KILN_REF_INDIRECT_BIT, KILN_REF_IS_UNKNOWN},
        {root, KILN_REF_IS_GOOD},
        {root + 4, KILN_REF_IS_UNKNOWN},
        {root - 32, KILN_REF_IS_UNKNOWN},
        {4, KILN_REF_IS_UNKNOWN},
        {UINT64_MAX << 2, KILN_REF_IS_UNKNOWN},
        {UINT64_MAX, KILN_REF_IS_FORGED},
        {UINT64_MAX - 1, KILN_REF_IS_FORGED},
        {KILN_REF_HANDLE_BIT, KILN_REF_IS_FORGED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rows[i].is, kiln_ref_check(s.assets, rows[i].bits));
    end(&s, &w);
}

static void roots_are_found_by_their_address(void **state)
{
    (void)state;
    scene s;
    words w = begin(&s);
    const unsigned char *root = kiln_ref_get(kiln_assets_get_slots(s.assets), w.of[3]);
    assert_int_equal(w.of[2].bits, kiln_assets_find_root(s.assets, root).bits);
    assert_int_equal(0, kiln_assets_find_root(s.assets, NULL).bits);
    for (int i = 1; i < 8; i++)
        assert_int_equal(0, kiln_assets_find_root(s.assets, root + i).bits);
    assert_int_equal(0, kiln_assets_find_root(s.assets, &s).bits);
    expect_counts(&s, 1, 1, 1);
    end(&s, &w);
}

static void a_root_is_requested_by_type(void **state)
{
    (void)state;
    scene s;
    words w = begin(&s);
    kiln_root_type thing = scene_root_type(SCENE_THING), plate = scene_root_type(SCENE_PLATE);
    kiln_root_type older = {thing.name, thing.layout + 1};
    for (size_t i = 0; i < FORMS; i++) {
        assert_int_equal(1, scene_value(kiln_assets_root(s.assets, w.of[i], &thing, NULL)));
        assert_null(kiln_assets_root(s.assets, w.of[i], &plate, &s.error));
        assert_int_equal(KILN_TYPE_MISMATCH, s.error.status);
        assert_string_equal("Thing/a", s.error.path);
        assert_null(kiln_assets_root(s.assets, w.of[i], &older, &s.error));
        assert_int_equal(KILN_TYPE_MISMATCH, s.error.status);
        kiln_ref forged = {w.of[i].bits ^ UINT64_C(1) << 40};
        assert_null(kiln_assets_root(s.assets, forged, &thing, &s.error));
        assert_int_equal(KILN_DEAD, s.error.status);
    }
    assert_null(kiln_assets_root(s.assets, (kiln_ref){0}, &thing, &s.error));
    assert_int_equal(KILN_DEAD, s.error.status);
    assert_null(kiln_assets_root(s.assets, w.of[0], NULL, &s.error));
    assert_int_equal(KILN_BAD_ARGUMENT, s.error.status);
    end(&s, &w);
}

static void invalid_forms_are_rejected(void **state)
{
    (void)state;
    scene s;
    words w = begin(&s);
    kiln_ref none = {0};
    EXPECT_STATUS(KILN_BAD_ARGUMENT,
                  kiln_assets_take(s.assets, w.of[3], KILN_REF_NULL, "me", &none));
    EXPECT_STATUS(KILN_BAD_ARGUMENT,
                  kiln_assets_take(s.assets, w.of[3], (kiln_ref_form)5, "me", &none));
    EXPECT_STATUS(KILN_BAD_ARGUMENT,
                  kiln_assets_take(s.assets, w.of[3], KILN_REF_WEAK, "me", NULL));
    EXPECT_STATUS(KILN_DEAD, kiln_assets_take(s.assets, (kiln_ref){0}, KILN_REF_WEAK, "me", &none));
    kiln_assets_clear(s.assets, NULL);
    kiln_assets_clear(s.assets, &none);
    assert_int_equal(0, none.bits);
    expect_counts(&s, 1, 1, 1);
    end(&s, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_each_form_are_taken_from_words_of_each_form),
        cmocka_unit_test(handles_detect_that_the_asset_was_removed),
        cmocka_unit_test(a_slot_with_indirect_words_is_not_reused_after_disposal),
        cmocka_unit_test(a_slot_with_indirect_words_is_not_reused_after_unmounting),
        cmocka_unit_test(indirect_words_resolve_to_the_replacing_asset),
        cmocka_unit_test(an_indirect_word_must_have_been_made),
        cmocka_unit_test(stale_slots_run_out_with_a_status),
        cmocka_unit_test(every_bit_of_every_form_is_checked),
        cmocka_unit_test(forged_words_are_classified),
        cmocka_unit_test(roots_are_found_by_their_address),
        cmocka_unit_test(a_root_is_requested_by_type),
        cmocka_unit_test(invalid_forms_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
