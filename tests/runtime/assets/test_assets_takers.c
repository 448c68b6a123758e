/* Reports list exactly the holders of an asset: the takers that have not yet released what they
 * took. */
#include "asset_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { TAKERS = 3 };
static const char *const names[TAKERS] = {"one.c:1", "two.c:2", "three.c:3"};
static const kiln_ref_form forms[] = {KILN_REF_STRONG, KILN_REF_WEAK, KILN_REF_POINTER};
static const char *const whats[] = {"strong handle", "weak handle", "pointer"};
enum { FORMS = 3 };

static void take(scene *s, kiln_ref of, kiln_ref_form form, const char *by, kiln_ref *ret_ref)
{
    EXPECT_STATUS(KILN_OK, kiln_assets_take(s->assets, of, form, by, ret_ref));
}

typedef struct held {
    const char *what, *by;
    uint64_t count, seen;
} held;

static void count_hold(void *ctx, const kiln_report *report)
{
    held *of = ctx;
    if (strcmp(report->what, of->what) != 0)
        return;
    of->seen++;
    if (strcmp(report->by, of->by) == 0)
        of->count += report->count;
}

/* How often `by` is listed; `seen` is the total number. */
static held told(scene *s, const char *what, const char *by)
{
    held of = {what, by, 0, 0};
    kiln_assets_list_holds(s->assets, count_hold, &of);
    return of;
}

static void expect_told(scene *s, const char *what, const char *by, uint64_t count)
{
    held of = told(s, what, by);
    if (of.count != count)
        fail_msg("%s, by %s: %lu times, not %lu", what, by, (unsigned long)of.count,
                 (unsigned long)count);
}

/* A scene with an asset in memory that the table owns, held only by weak handles. */
static kiln_ref begin(scene *s)
{
    scene_begin(s);
    return scene_add(s, "Thing/a", 1);
}

static void remaining_takers_are_reported_in_every_order(void **state)
{
    (void)state;
    static const int orders[6][TAKERS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t form = 0; form < FORMS; form++)
        for (size_t order = 0; order < 6; order++) {
            scene s;
            kiln_ref a = begin(&s), words[TAKERS];
            kiln_ref first = scene_take(&s, a, KILN_REF_WEAK);
            kiln_assets_clear_by(s.assets, &a, "the test");
            for (size_t i = 0; i < TAKERS; i++)
                take(&s, first, forms[form], names[i], &words[i]);
            kiln_assets_clear_by(s.assets, &first, "the test");
            for (size_t ended = 0; ended < TAKERS; ended++) {
                int next = orders[order][ended];
                for (size_t i = ended; i < TAKERS; i++)
                    expect_told(&s, whats[form], names[orders[order][i]], 1);
                assert_int_equal(TAKERS - ended, told(&s, whats[form], "").seen);
                scene_clear(&s, &words[next]);
                expect_told(&s, whats[form], names[next], 0);
            }
            assert_int_equal(0, kiln_assets_list_holds(s.assets, NULL, NULL));
            scene_end(&s);
        }
}

static void takers_are_counted(void **state)
{
    (void)state;
    scene s;
    kiln_ref a = begin(&s), words[10];
    for (size_t i = 0; i < 10; i++)
        take(&s, a, KILN_REF_STRONG, i % 3 ? "often.c:1" : "seldom.c:1", &words[i]);
    expect_told(&s, "strong handle", "often.c:1", 6);
    expect_told(&s, "strong handle", "seldom.c:1", 4);
    for (size_t i = 0; i < 9; i++)
        scene_clear(&s, &words[i]);
    expect_told(&s, "strong handle", "often.c:1", 0);
    expect_told(&s, "strong handle", "seldom.c:1", 1);
    expect_told(&s, "strong handle", "the test", 1);
    scene_end_reporting(&s, 2);
}

/* The first taker cleared its handle, so the other one is reported. */
static void errors_name_the_holders_of_an_asset(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref first = {0}, second = {0}, added = {0}, other = {0};
    const kiln_load_args load = {.name = "Thing/a", .by = "first.c:1"};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(s.assets, &load, &first, NULL));
    take(&s, first, KILN_REF_STRONG, "second.c:2", &second);
    EXPECT_FAILURE(&s, KILN_HELD, "Thing/a, held by first.c:1, second.c:2",
                   scene_try_unmount(&s, mount, KILN_UNMOUNT_REFUSE));
    scene_clear(&s, &first);
    EXPECT_FAILURE(&s, KILN_HELD, "Thing/a, held by second.c:2",
                   scene_try_unmount(&s, mount, KILN_UNMOUNT_REFUSE));
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, second, &info));
    assert_string_equal("first.c:1", info.loaded_by);
    scene_clear(&s, &second);

    kiln_ref owner = scene_add(&s, "Thing/added", 2);
    kiln_assets_move(s.assets, &owner, &added);
    take(&s, added, KILN_REF_STRONG, "other.c:1", &other);
    kiln_ref weak = scene_take(&s, added, KILN_REF_WEAK);
    kiln_assets_clear_by(s.assets, &added, "the test");
    EXPECT_FAILURE(&s, KILN_HELD, "Thing/added, by other.c:1", scene_dispose(&s, weak));
    scene_clear(&s, &other);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, weak));
    scene_clear(&s, &weak);
    scene_end(&s);
}

static void moved_words_keep_their_takers(void **state)
{
    (void)state;
    scene s;
    kiln_ref a = begin(&s), words[4], other = {0};
    take(&s, a, KILN_REF_STRONG, "one.c:1", &words[0]);
    take(&s, a, KILN_REF_STRONG, "two.c:2", &words[1]);
    kiln_assets_move(s.assets, &words[0], &words[2]);
    kiln_assets_move(s.assets, &words[2], &words[3]);
    kiln_assets_move(s.assets, &words[3], &words[3]);
    assert_int_equal(0, words[0].bits | words[2].bits);
    assert_int_equal(1, scene_value_of(&s, words[3]));
    /* The variable now holds another taker's word. */
    take(&s, a, KILN_REF_STRONG, "three.c:3", &words[0]);
    scene_clear(&s, &words[3]);
    expect_told(&s, "strong handle", "one.c:1", 0);
    expect_told(&s, "strong handle", "two.c:2", 1);
    expect_told(&s, "strong handle", "three.c:3", 1);
    /* A word passed by value is cleared by its taker. */
    other = kiln_ref_move(&words[1]);
    kiln_assets_clear_by(s.assets, &other, "two.c:2");
    expect_told(&s, "strong handle", "two.c:2", 0);
    expect_told(&s, "strong handle", "three.c:3", 1);
    scene_clear(&s, &words[0]);
    scene_end_reporting(&s, 1);
}

/* A taker that may have cleared its handle is not reported alone. */
static void ambiguous_takers_are_reported_together(void **state)
{
    (void)state;
    scene s;
    kiln_ref a = begin(&s), words[TAKERS];
    kiln_assets_clear_by(s.assets, &(kiln_ref){a.bits}, "none of these");
    kiln_ref weak = {0};
    EXPECT_STATUS(KILN_OK,
                  kiln_assets_load(s.assets, &(kiln_load_args){.name = "Thing/a", .by = names[0]},
                                   &words[0], NULL));
    for (size_t i = 1; i < TAKERS; i++)
        take(&s, words[0], KILN_REF_STRONG, names[i], &words[i]);
    take(&s, words[0], KILN_REF_WEAK, "weak.c:1", &weak);
    kiln_ref elsewhere = kiln_ref_move(&words[0]);
    scene_clear(&s, &elsewhere);
    expect_told(&s, "strong handle", "one or more of one.c:1, two.c:2, three.c:3", 2);
    assert_int_equal(1, told(&s, "strong handle", "").seen);
    EXPECT_FAILURE(&s, KILN_HELD, "Thing/a, by one or more of one.c:1, two.c:2, three.c:3",
                   scene_dispose(&s, weak));
    scene_clear(&s, &words[2]);
    expect_told(&s, "strong handle", "one or more of one.c:1, two.c:2", 1);
    /* When the other taker clears its own handle, the remaining taker is unambiguous. */
    take(&s, weak, KILN_REF_STRONG, names[2], &words[2]);
    scene_clear(&s, &words[1]);
    scene_clear(&s, &words[2]);
    scene_clear(&s, &weak);
    assert_int_equal(0, kiln_assets_list_holds(s.assets, NULL, NULL));
    scene_end(&s);
}

static void do_not_track(kiln_assets_def *def)
{
    def->track_takers = false;
}

static void reports_state_that_takers_are_not_tracked(void **state)
{
    (void)state;
    scene s;
    scene_begin_with(&s, do_not_track);
    kiln_ref a = scene_add(&s, "Thing/a", 1), second = {0}, weak = {0};
    take(&s, a, KILN_REF_STRONG, "second.c:2", &second);
    take(&s, a, KILN_REF_WEAK, "weak.c:1", &weak);
    expect_told(&s, "strong handle", KILN_TAKERS_NOT_TRACKED, 2);
    expect_told(&s, "weak handle", KILN_TAKERS_NOT_TRACKED, 1);
    EXPECT_FAILURE(&s, KILN_HELD, "Thing/a, by 2 handles (takers are not tracked)",
                   scene_dispose(&s, weak));
    scene_clear(&s, &a);
    EXPECT_FAILURE(&s, KILN_HELD, "Thing/a, by 1 handle (takers are not tracked)",
                   scene_dispose(&s, weak));
    kiln_assets_move(s.assets, &second, &a);
    assert_int_equal(0, second.bits);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, a));
    scene_clear(&s, &weak);
    scene_end(&s);
}

/* The rest is recorded and reported as usual. */
static void takers_lost_without_memory_are_reported(void **state)
{
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        scene s;
        kiln_ref a = begin(&s), words[TAKERS];
        kiln_ref weak = {0};
        take(&s, a, KILN_REF_WEAK, "weak.c:1", &weak);
        s.memory.failed = 0;
        s.memory.fail_at = s.memory.calls + fail_at;
        for (size_t i = 0; i < TAKERS; i++)
            take(&s, weak, KILN_REF_STRONG, names[i], &words[i]);
        s.memory.fail_at = 0;
        bool failed = s.memory.failed > 0;
        scene_expect_valid(&s);
        uint64_t noted = 0;
        for (size_t i = 0; i < TAKERS; i++)
            noted += told(&s, "strong handle", names[i]).count;
        expect_told(&s, "strong handle", "(unknown: out of memory)", TAKERS - noted);
        for (size_t i = 0; i < TAKERS; i++)
            scene_clear(&s, &words[i]);
        kiln_assets_clear_by(s.assets, &a, "the test");
        scene_clear(&s, &weak);
        assert_int_equal(0, kiln_assets_list_holds(s.assets, NULL, NULL));
        scene_end(&s);
        if (!failed)
            break;
    }
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 4000, OWN = 8 };

typedef struct worker {
    kiln_assets *assets;
    kiln_ref of;
    char by[32];
    kiln_ref words[OWN];
    uint32_t seed, left;
    atomic_uint *wrong;
} worker;

static void *take_and_end(void *ctx)
{
    worker *w = ctx;
    uint64_t random = w->seed;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        kiln_ref *word = &w->words[(random >> 33) % OWN], *to = &w->words[(random >> 40) % OWN];
        if (!word->bits)
            atomic_fetch_add(w->wrong, kiln_assets_take(w->assets, w->of, KILN_REF_STRONG, w->by,
                                                        word) != KILN_OK);
        else if (!to->bits)
            kiln_assets_move(w->assets, word, to);
        else
            kiln_assets_clear(w->assets, word);
    }
    for (int i = 0; i < OWN; i++)
        w->left += w->words[i].bits != 0;
    return NULL;
}

static void takers_in_threads_are_distinguished(void **state)
{
    (void)state;
    scene s;
    kiln_ref a = begin(&s);
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    atomic_uint wrong = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.assets = s.assets, .of = a, .seed = i + 1, .wrong = &wrong};
        snprintf(workers[i].by, sizeof workers[i].by, "thread.c:%u", (unsigned)i);
        assert_int_equal(0, pthread_create(&threads[i], NULL, take_and_end, &workers[i]));
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(0, atomic_load(&wrong));
    uint64_t all = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        expect_told(&s, "strong handle", workers[i].by, workers[i].left);
        all += workers[i].left;
        for (int k = 0; k < OWN; k++)
            scene_clear(&s, &workers[i].words[k]);
        expect_told(&s, "strong handle", workers[i].by, 0);
    }
    assert_true(all > 0);
    expect_told(&s, "strong handle", "the test", 1);
    scene_end_reporting(&s, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remaining_takers_are_reported_in_every_order),
        cmocka_unit_test(takers_are_counted),
        cmocka_unit_test(errors_name_the_holders_of_an_asset),
        cmocka_unit_test(moved_words_keep_their_takers),
        cmocka_unit_test(ambiguous_takers_are_reported_together),
        cmocka_unit_test(reports_state_that_takers_are_not_tracked),
        cmocka_unit_test(takers_lost_without_memory_are_reported),
        cmocka_unit_test(takers_in_threads_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
