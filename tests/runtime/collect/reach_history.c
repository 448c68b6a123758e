/* Creation and end of histories, and the choice of steps. */
#include "reach_history.h"

#include <stdio.h>
#include <string.h>

uint32_t reach_random(reach *h, uint32_t below)
{
    h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t mixed = (h->random ^ h->random >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed >> 32) * below >> 32);
}

void reach_threaten(reach *h)
{
    world_memory *memory = &h->scene.memory;
    memory->failed = 0;
    memory->fail_at =
        h->def->fails && reach_random(h, 8) == 0 ? memory->calls + 1 + reach_random(h, 8) : 0;
}

bool reach_expect(reach *h, kiln_status is, const kiln_status *others, const char *what)
{
    const bool has_failed = h->scene.memory.failed > 0;
    h->scene.memory.failed = h->scene.memory.fail_at = 0;
    if (is == KILN_OK || (is == KILN_NO_MEMORY && has_failed))
        return is == KILN_OK;
    while (*others != is && *others != KILN_OK)
        others++;
    if (*others != is)
        fail_msg("step %zu, %s: %s (%s)", (size_t)h->steps, what, kiln_status_name(is),
                 h->scene.error.path);
    return false;
}

/* ---- creation ---- */

static void change_def(kiln_assets_def *def)
{
    def->max_assets = 4000;
    def->track_pointers = def->track_takers = false;
}

static void make_added(reach *h)
{
    for (uint32_t i = 0; i < REACH_ADDED; i++) {
        char refs[32];
        snprintf(refs, sizeof refs, "Thing/%u Added/%u", (unsigned)(5 * i % REACH_THINGS),
                 (unsigned)((i + 1) % REACH_ADDED));
        h->added[i] = scene_blob(90000 + i, refs, SCENE_THING);
    }
    h->type = scene_root_type(SCENE_THING);
}

void reach_begin(reach *h, const reach_def *def, uint64_t seed)
{
    kiln_collector_def collector = kiln_collector_def_default();
    memset(h, 0, sizeof *h);
    h->def = def;
    h->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    scene_begin_with(&h->scene, change_def);
    reach_make_files(h);
    make_added(h);
    reach_make_world(h);
    collector.assets = h->scene.assets;
    collector.start_bytes = 2000;
    collector.allocator = def->is_repeatable ? NULL : &h->scene.memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&collector, &h->collector, NULL));
    EXPECT_STATUS(KILN_OK, kiln_collector_add_roots(h->collector, reach_report, h, "the history"));
    EXPECT_STATUS(KILN_OK, kiln_collector_add_world(h->collector, h->world));
    h->is_added = true;
}

/* ---- the end ---- */

static void release_all(reach *h)
{
    for (int i = 0; i < REACH_WORDS; i++)
        reach_clear_word(h, &h->words[i]);
    for (int i = 0; i < REACH_BORROWS; i++) {
        const reach_borrow *borrow = &h->borrows[i];
        if (borrow->root)
            EXPECT_STATUS(KILN_OK, kiln_assets_release(h->scene.assets, borrow->root, REACH_BY));
        if (borrow->protected.bits)
            EXPECT_STATUS(KILN_OK,
                          kiln_assets_unprotect(h->scene.assets, borrow->protected, REACH_BY));
    }
}

void reach_end(reach *h)
{
    reach_end_scenes(h);
    release_all(h);
    EXPECT_STATUS(KILN_OK, kiln_collector_run(h->collector));
    assert_int_equal(0, scene_stats(&h->scene).loaded);
    kiln_collector_destroy(h->collector);
    kiln_world_destroy(h->world);
    scene_end(&h->scene);
    for (int i = 0; i < REACH_FILES; i++)
        kiln_buffer_fini(&h->files[i].image);
    for (int i = 0; i < REACH_ADDED; i++)
        kiln_buffer_fini(&h->added[i]);
    for (int i = 0; i < REACH_MOUNTS + REACH_SCENES; i++)
        remove(reach_path(i));
}

/* ---- steps ---- */

/* Whether each word has its effect: a strong one is counted, and no other asset is counted. */
static void check_counts(reach *h)
{
    uint32_t strong[REACH_LIVES] = {0};
    for (int i = 0; i < REACH_WORDS; i++) {
        const reach_life *life = kiln_ref_get_form(h->words[i].ref) == KILN_REF_STRONG
                                     ? reach_life_of(h, h->words[i].ref)
                                     : NULL;
        if (life)
            strong[life - h->lives]++;
    }
    for (int i = 0; i < REACH_SOURCES; i++)
        for (uint32_t k = 0; h->sources[i].users > 0 && k < h->sources[i].count; k++) {
            const reach_life *life = reach_life_of(h, (kiln_ref){h->sources[i].lives[k]});
            assert_non_null(life);
            strong[life - h->lives]++;
        }
    for (uint32_t i = 0; i < h->life_count; i++)
        assert_int_equal(strong[i], h->lives[i].strong);
}

void reach_check(reach *h)
{
    kiln_error error = {0};
    scene_expect_valid(&h->scene);
    if (!kiln_collector_is_valid(h->collector, &error))
        fail_msg("step %zu: %s", (size_t)h->steps, error.path);
    check_counts(h);
    reach_check_world(h);
}

static const struct kind {
    void (*step)(reach *h);
    uint32_t share;
} kinds[] = {
    {reach_mount_one, 12},   {reach_unmount_one, 5}, {reach_replace_one, 12},
    {reach_load, 60},        {reach_add, 10},        {reach_take, 60},
    {reach_clear, 50},       {reach_borrow_one, 6},  {reach_protect_one, 6},
    {reach_dispose, 12},     {reach_create, 16},     {reach_destroy, 14},
    {reach_move, 24},        {reach_write, 90},      {reach_change_many, 4},
    {reach_save, 8},         {reach_open, 12},       {reach_unload, 16},
    {reach_close, 8},        {reach_apply, 24},      {reach_load_slowly, 20},
    {reach_world_leaves, 1},
};

/* A step that disposes of nothing and changes no files removes only assets of files that were
 * unmounted, which no id finds any more. */
static void expect_nothing_removed(reach *h, const reach_life *before, uint32_t count,
                                   const bool *is_found)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_found[i] && !reach_life_of(h, (kiln_ref){before[i].bits}))
            fail_msg("step %zu removed value %u", (size_t)h->steps, (unsigned)before[i].value);
}

void reach_step(reach *h)
{
    static reach_life before[REACH_LIVES];
    bool is_found[REACH_LIVES];
    uint32_t all = 0, at = 0;
    reach_list(h);
    const uint32_t count = h->life_count;
    memcpy(before, h->lives, count * sizeof *before);
    for (uint32_t i = 0; i < count; i++)
        is_found[i] = reach_life_of_id(h, before[i].id) == &h->lives[i];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        all += kinds[i].share;
    uint32_t pick = reach_random(h, all);
    while (pick >= kinds[at].share)
        pick -= kinds[at++].share;
    h->may_remove = false;
    kinds[at].step(h);
    if (h->def->uses_clusters)
        reach_change_clusters(h);
    h->scene.memory.failed = h->scene.memory.fail_at = 0;
    h->scene.report_count = 0;
    assert_int_equal(0, kiln_assets_collect(h->scene.assets));
    h->steps++;
    reach_list(h);
    reach_forget_pointers(h);
    if (!h->may_remove)
        expect_nothing_removed(h, before, count, is_found);
}
