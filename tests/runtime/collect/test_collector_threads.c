/* A collector that works without a pause, while threads upgrade weak handles, load, and help it,
 * while clusters are formed and dissolved, and while the file is replaced.
 *
 * Each asset refers to the asset after the next one. So a thread that holds an asset can check that
 * all assets in its chain stay loaded. */
#include "asset_fixture.h"

#include <kiln/clusters.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { NAMES = 24, TAKERS = 2, CYCLES = 400 };

typedef struct shared {
    scene s;
    kiln_assets *assets;
    kiln_collector *collector;
    char names[NAMES][16];
    kiln_id ids[NAMES];
    _Atomic(uint64_t) words[NAMES]; /* weak */
    atomic_bool is_over;
    atomic_uint wrong, upgrades; /* cmocka's own checks are not thread-safe */
    kiln_mount mount;
    kiln_buffer versions[2]; /* of the file */
} shared;

static const char *const paths[] = {"collector_threads0.kiln", "collector_threads1.kiln"};

static uint32_t random_below(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % below);
}

static void set_def(kiln_assets_def *def)
{
    def->track_pointers = def->track_takers = false;
    def->allocator = NULL; /* the fixture's allocator is not thread-safe */
    def->max_assets = 4096;
}

/* Version 1 exchanges the two kinds of assets for every fifth asset, whose bytes therefore differ
 * from version 0. */
static kiln_buffer make_version(const shared *t, uint32_t version)
{
    scene_asset assets[NAMES];
    for (uint32_t i = 0; i < NAMES; i++)
        assets[i] =
            (scene_asset){t->names[i], 100 + i, t->names[(i + 2) % NAMES],
                          (i % 3 == 0) != (version && i % 5 == 0) ? SCENE_PACKED : SCENE_THING};
    return scene_file(assets, NAMES);
}

static void begin(shared *t)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(t->names[i], sizeof t->names[i], "Thing/%u", (unsigned)i);
        t->ids[i] = scene_id(t->names[i]);
    }
    scene_begin_with(&t->s, set_def);
    t->assets = t->s.assets;
    for (uint32_t i = 0; i < 2; i++)
        t->versions[i] = make_version(t, i);
    for (uint32_t i = 0; i < 2; i++)
        scene_save(make_version(t, i), paths[i]);
    t->mount = scene_mount(&t->s, make_version(t, 0), 0);
    kiln_collector_def def = kiln_collector_def_default();
    def.assets = t->assets;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&def, &t->collector, NULL));
}

static void expect(shared *t, bool is_right)
{
    atomic_fetch_add(&t->wrong, !is_right);
}

/* While the asset is held, all assets of its chain are loaded. */
static void check_chain(shared *t, uint32_t name)
{
    for (uint32_t i = 0; i < NAMES / 2; i++, name = (name + 2) % NAMES) {
        const test_thing *thing = kiln_assets_get(t->assets, t->ids[name]);
        expect(t, thing && thing->value == 100 + name && thing->check == scene_check(thing->value));
    }
}

static void *take_all(void *ctx)
{
    shared *t = ctx;
    kiln_assets_thread *thread = kiln_assets_thread_register(t->assets);
    uint64_t random = (uintptr_t)thread;
    while (!atomic_load(&t->is_over)) {
        uint32_t name = random_below(&random, NAMES);
        kiln_ref weak = {atomic_load(&t->words[name])}, strong = {0};
        if (weak.bits &&
            kiln_assets_take(t->assets, weak, KILN_REF_STRONG, "taker", &strong) == KILN_OK) {
            atomic_fetch_add(&t->upgrades, 1);
            check_chain(t, name);
            kiln_assets_clear(t->assets, &strong);
        }
        kiln_assets_thread_quiescent(thread);
    }
    kiln_assets_thread_unregister(thread);
    return NULL;
}

static void *load_all(void *ctx)
{
    shared *t = ctx;
    kiln_assets_thread *thread = kiln_assets_thread_register(t->assets);
    uint64_t random = 7;
    while (!atomic_load(&t->is_over)) {
        uint32_t name = random_below(&random, NAMES);
        kiln_load_args args = {.name = t->names[name], .by = "loader"};
        kiln_ref strong = {0}, weak = {0};
        expect(t, kiln_assets_load(t->assets, &args, &strong, NULL) == KILN_OK);
        check_chain(t, name);
        expect(t, kiln_assets_take(t->assets, strong, KILN_REF_WEAK, "loader", &weak) == KILN_OK);
        weak.bits = atomic_exchange(&t->words[name], weak.bits);
        kiln_assets_clear(t->assets, &weak);
        kiln_assets_clear(t->assets, &strong);
        kiln_assets_thread_quiescent(thread);
    }
    kiln_assets_thread_unregister(thread);
    return NULL;
}

static void *help_all(void *ctx)
{
    shared *t = ctx;
    while (!atomic_load(&t->is_over))
        kiln_collector_help(t->collector, 100000);
    return NULL;
}

/* Files that are mapped from a path become older versions. */
static void replace(const shared *t, uint32_t version, bool uses_path)
{
    kiln_mount_def def = kiln_mount_def_default();
    if (uses_path) {
        def.file.path = paths[version];
    } else {
        def.file.source = KILN_SOURCE_COPY;
        def.file.data = t->versions[version].data;
        def.file.size = t->versions[version].size;
    }
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(t->assets, t->mount, &def, NULL));
}

/* Forms a cluster of an asset, or dissolves the one to which it belongs. */
static void form_cluster(shared *t, uint64_t *random)
{
    kiln_ref weak = {atomic_load(&t->words[random_below(random, NAMES)])};
    kiln_cluster cluster = kiln_cluster_of(t->collector, weak);
    if (random_below(random, 3) == 0 && !kiln_cluster_is_null(cluster))
        EXPECT_STATUS(KILN_OK, kiln_cluster_dissolve(t->collector, cluster));
    else
        expect(t, kiln_cluster_create(t->collector, weak, &cluster, NULL) != KILN_NO_MEMORY);
}

static void run_beside_others(bool replaces)
{
    static shared t;
    pthread_t threads[TAKERS + 2];
    begin(&t);
    for (int i = 0; i < TAKERS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, take_all, &t));
    assert_int_equal(0, pthread_create(&threads[TAKERS], NULL, load_all, &t));
    assert_int_equal(0, pthread_create(&threads[TAKERS + 1], NULL, help_all, &t));
    uint64_t random = 11;
    kiln_collector_stats stats = {0};
    while (stats.cycles < CYCLES || stats.freed == 0 || atomic_load(&t.upgrades) == 0) {
        kiln_collector_start(t.collector);
        EXPECT_STATUS(KILN_OK,
                      kiln_collector_step(t.collector, random_below(&random, 20000), NULL));
        form_cluster(&t, &random);
        if (replaces && random_below(&random, 4) == 0)
            replace(&t, random_below(&random, 2), random_below(&random, 4));
        kiln_collector_get_stats(t.collector, &stats);
    }
    atomic_store(&t.is_over, true);
    for (int i = 0; i < TAKERS + 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(0, atomic_load(&t.wrong));
    for (uint32_t i = 0; i < NAMES; i++) {
        kiln_ref word = {atomic_load(&t.words[i])};
        kiln_assets_clear(t.assets, &word);
    }
    EXPECT_STATUS(KILN_OK, kiln_collector_run(t.collector));
    kiln_assets_collect(t.assets);
    assert_int_equal(0, scene_stats(&t.s).loaded);
    kiln_collector_destroy(t.collector);
    scene_end(&t.s);
    for (uint32_t i = 0; i < 2; i++) {
        kiln_buffer_fini(&t.versions[i]);
        remove(paths[i]);
    }
}

static void upgrades_win_over_the_sweep(void **state)
{
    (void)state;
    run_beside_others(false);
}

static void chains_stay_whole_while_their_file_is_replaced(void **state)
{
    (void)state;
    run_beside_others(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upgrades_win_over_the_sweep),
        cmocka_unit_test(chains_stay_whole_while_their_file_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
