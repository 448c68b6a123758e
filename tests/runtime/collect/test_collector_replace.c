/* Replacing a file at any point of a collection: what the new references reach stays, and the rest
 * is removed by the next cycle. */
#include "asset_fixture.h"

#include <kiln/collector.h>
#include <stdio.h>

enum { LENGTH = 40 };

typedef struct chains {
    char names[2 * LENGTH][16], refs[2 * LENGTH][40];
    scene_asset assets[2 * LENGTH];
} chains;

/* Two chains of assets. The first asset refers to chain `which`, and some values depend on
 * `which`. */
static kiln_buffer chains_file(uint32_t which, uint32_t count)
{
    static chains c;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = i == 0 ? 1 + which : i + 2;
        snprintf(c.names[i], sizeof c.names[i], "Thing/%u", (unsigned)i);
        c.refs[i][0] = '\0';
        if (next < count)
            snprintf(c.refs[i], sizeof c.refs[i], "Thing/%u", (unsigned)next);
        c.assets[i] = (scene_asset){c.names[i], 100 + i + (i % 7 == 3 ? 1000 * which : 0),
                                    c.refs[i], SCENE_THING};
    }
    return scene_file(c.assets, count);
}

static bool is_loaded(const scene *s, uint32_t number)
{
    char name[16];
    snprintf(name, sizeof name, "Thing/%u", (unsigned)number);
    return kiln_assets_get(s->assets, scene_id(name)) != NULL;
}

static void expect_chain(const scene *s, uint32_t which, uint32_t count)
{
    assert_true(is_loaded(s, 0));
    for (uint32_t i = 1 + which; i < count; i += 2)
        assert_true(is_loaded(s, i));
}

static const char path[] = "collector_replace.kiln";

/* Replaces the file, which was mapped from a path if `uses_path`. */
static void replace(scene *s, kiln_mount mount, kiln_buffer image, bool uses_path)
{
    kiln_mount_def def = kiln_mount_def_default();
    if (uses_path) {
        scene_save(image, path);
        def.file.path = path;
    } else {
        s->images[s->image_count++] = image;
        def.file.data = image.data;
        def.file.size = image.size;
    }
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(s->assets, mount, &def, &s->error));
    scene_expect_valid(s);
}

static void step_and_replace(uint32_t steps, uint32_t count, bool uses_path)
{
    scene s;
    scene_begin_with(&s, NULL);
    kiln_collector *collector = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s.assets;
    def.allocator = &s.memory.allocator;
    kiln_mount mount = uses_path ? scene_mount_path(&s, chains_file(0, 30), path)
                                 : scene_mount(&s, chains_file(0, 30), 0);
    kiln_ref first = scene_load(&s, "Thing/0"), other = scene_load(&s, "Thing/2");
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, &s.error));
    scene_clear(&s, &other);
    kiln_collector_start(collector);
    for (uint32_t i = 0; i < steps; i++)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
    replace(&s, mount, chains_file(1, count), uses_path);
    assert_int_equal(uses_path && count == 30, scene_stats(&s).older_versions);
    expect_chain(&s, 1, count);
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_STATUS(KILN_OK, kiln_collector_run(collector));
        assert_true(kiln_collector_is_valid(collector, &s.error));
        expect_chain(&s, 1, count);
    }
    for (uint32_t i = 1; i < count; i += 2)
        assert_false(is_loaded(&s, i));
    scene_clear(&s, &first);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void a_file_can_be_replaced_after_any_step_of_a_cycle(void **state)
{
    (void)state;
    for (uint32_t steps = 0; steps < 24; steps++)
        for (int uses_path = 0; uses_path < 2; uses_path++) {
            step_and_replace(steps, 30, uses_path); /* the same assets: they keep their numbers */
            step_and_replace(steps, 26, uses_path); /* some are missing */
            step_and_replace(steps, 34, uses_path);
        }
}

/* The bytes of the assets are in several versions of the file, and the edges of the last one are
 * followed. */
static void a_file_can_be_replaced_after_each_step_of_a_cycle(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_collector *collector = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s.assets;
    def.allocator = &s.memory.allocator;
    kiln_mount mount = scene_mount_path(&s, chains_file(0, 30), path);
    kiln_ref first = scene_load(&s, "Thing/0");
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, &s.error));
    for (uint32_t i = 1; i <= 60; i++) {
        if (i % 20 == 1)
            kiln_collector_start(collector);
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
        replace(&s, mount, chains_file(i % 2, 30), true);
        assert_true(kiln_collector_is_valid(collector, &s.error));
        expect_chain(&s, i % 2, 30);
        assert_true(scene_stats(&s).older_versions > 0);
    }
    EXPECT_STATUS(KILN_OK, kiln_collector_run(collector));
    expect_chain(&s, 0, 30);
    for (uint32_t i = 2; i < 30; i += 2)
        assert_false(is_loaded(&s, i));
    scene_clear(&s, &first);
    EXPECT_STATUS(KILN_OK, kiln_collector_run(collector));
    assert_int_equal(0, scene_stats(&s).loaded);
    assert_int_equal(0, scene_stats(&s).older_versions);
    kiln_collector_destroy(collector);
    scene_end(&s);
}

static void report(void *ctx, kiln_tracer *tracer)
{
    kiln_trace(tracer, *(const kiln_ref *)ctx, "the word");
}

/* After the replacement, nothing refers to the new bytes, and the old bytes are borrowed or pointed
 * to. */
static void references_of_old_bytes_are_followed_only_if_borrowed(void **state)
{
    (void)state;
    for (int is_borrowed = 0; is_borrowed < 2; is_borrowed++) {
        scene s;
        kiln_ref word = {0};
        const void *root = NULL;
        scene_begin(&s);
        kiln_collector *collector = NULL;
        kiln_collector_def def = kiln_collector_def_default();
        def.assets = s.assets;
        kiln_mount mount = scene_mount(
            &s, SCENE_FILE({"A/a", 1, "A/b", SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}), 0);
        kiln_ref strong = scene_load(&s, "A/a");
        EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, &s.error));
        EXPECT_STATUS(KILN_OK, kiln_collector_add_roots(collector, report, &word, "a word"));
        if (is_borrowed)
            EXPECT_STATUS(KILN_OK,
                          kiln_assets_borrow(s.assets, strong, "the test", &root, &s.error));
        else
            word = scene_take(&s, strong, KILN_REF_POINTER);
        scene_clear(&s, &strong);
        replace(&s, mount, SCENE_FILE({"A/a", 5, NULL, SCENE_THING}, {"A/b", 2, NULL, SCENE_THING}),
                false);
        EXPECT_STATUS(KILN_OK, kiln_collector_run(collector));
        assert_int_equal(is_borrowed, scene_stats(&s).loaded);
        assert_int_equal(is_borrowed ? 2 : 0, scene_value_named(&s, "A/b"));
        if (is_borrowed)
            EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, root, "the test"));
        else
            scene_clear(&s, &word);
        kiln_collector_destroy(collector);
        scene_end(&s);
    }
}

static int remove_file(void **state)
{
    (void)state;
    return remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_can_be_replaced_after_any_step_of_a_cycle),
        cmocka_unit_test(a_file_can_be_replaced_after_each_step_of_a_cycle),
        cmocka_unit_test(references_of_old_bytes_are_followed_only_if_borrowed),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
