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

/* Two chains of assets. The first asset refers to chain `which`, and some values depend on it. */
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

static void step_and_replace(uint32_t steps, uint32_t count)
{
    scene s;
    scene_begin_with(&s, NULL);
    kiln_collector *collector = NULL;
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = s.assets;
    def.allocator = &s.memory.allocator;
    kiln_mount mount = scene_mount(&s, chains_file(0, 30), 0);
    kiln_ref first = scene_load(&s, "Thing/0"), other = scene_load(&s, "Thing/2");
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &collector, &s.error));
    scene_clear(&s, &other);
    kiln_collector_start(collector);
    for (uint32_t i = 0; i < steps; i++)
        EXPECT_STATUS(KILN_OK, kiln_collector_step(collector, 0, NULL));
    kiln_mount_def mount_def = kiln_mount_def_default();
    s.images[s.image_count++] = chains_file(1, count);
    mount_def.file.data = s.images[s.image_count - 1].data;
    mount_def.file.size = s.images[s.image_count - 1].size;
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(s.assets, mount, &mount_def, &s.error));
    scene_expect_valid(&s);
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
    for (uint32_t steps = 0; steps < 24; steps++) {
        step_and_replace(steps, 30); /* the same assets: they keep their numbers */
        step_and_replace(steps, 26); /* some are missing */
        step_and_replace(steps, 34);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_can_be_replaced_after_any_step_of_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
