/* Loads that do not complete: cancelled between slices, without memory, at limits, with invalid
 * files. The world must not change. */
#include "test_share.h"
#include "town.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const PATH = "scenes_refused.kiln";

static kiln_world_stats stats_of(const town *t)
{
    kiln_world_stats stats;
    kiln_world_get_stats(t->world, &stats);
    /* A refused load may register components and archetypes and allocate memory. */
    stats.archetypes = stats.components = stats.blocks = 0;
    stats.mega_chunks = stats.free_mega_chunks = 0;
    stats.chunk_bytes = stats.block_bytes = stats.free = 0;
    return stats;
}

static void check_same(const town *t, const kiln_world_stats *before)
{
    kiln_world_stats now = stats_of(t);
    assert_int_equal(before->live, now.live);
    assert_int_equal(before->empty, now.empty);
    assert_int_equal(before->chunks, now.chunks);
    assert_int_equal(before->retired, now.retired);
    assert_true(kiln_world_is_valid(t->world));
}

/* Some entities of the program, in archetypes that the scene also uses. */
static void fill(const town *t, kiln_entity *own, uint32_t count)
{
    kiln_archetype archetype;
    kiln_component set[] = {t->number, t->place};
    assert_int_equal(KILN_OK, kiln_archetype_register(t->world, set, 2, &archetype));
    for (uint32_t k = 0; k < count; k++) {
        kiln_row row;
        assert_int_equal(KILN_OK, kiln_entity_create(t->world, archetype, &own[k], &row));
        *(uint32_t *)kiln_row_at(row, t->number) = k;
    }
}

static void check_own(const town *t, const kiln_entity *own, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        assert_int_equal(k, *(const uint32_t *)kiln_entity_read(t->world, own[k], t->number));
}

enum { OWN = 300 };

static kiln_scene_loading *begin(town *t, kiln_scene_source *source)
{
    kiln_scene_loading *loading = NULL;
    kiln_scene_load_args args = {.world = t->world, .source = source};
    EXPECT_STATUS(KILN_OK, kiln_scene_load_begin(&args, &loading, &t->error));
    return loading;
}

static void a_load_in_slices_gives_the_same_result(void **state)
{
    (void)state;
    const town_def defs[] = {{.count = 100000, .empty = 5, .path = PATH}, {.count = 30000}};
    for (size_t i = 0; i < 2; i++) {
        town t;
        kiln_entity own[OWN];
        kiln_scene_instance *instance = NULL;
        town_begin(&t, &defs[i]);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_scene_loading *loading = begin(&t, source);
        uint32_t steps = 0, made = 0;
        EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_load_end(loading, &instance, &t.error));
        for (bool is_done = false; !is_done; steps++) {
            EXPECT_STATUS(KILN_OK, kiln_scene_load_step(loading, 0, &is_done, &t.error));
            /* The world continues to change meanwhile. */
            if (made < OWN) {
                fill(&t, own + made, 1);
                *(uint32_t *)kiln_entity_write(t.world, own[made], t.number) = made;
                made++;
            }
        }
        assert_true(steps > 30);
        EXPECT_STATUS(KILN_OK, kiln_scene_load_end(loading, &instance, &t.error));
        town_check(&t, instance, t.count, t.empty);
        check_own(&t, own, made);
        kiln_scene_unload(instance);
        check_own(&t, own, made);
        assert_true(kiln_world_is_valid(t.world));
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

static void a_load_may_be_cancelled_at_any_time(void **state)
{
    (void)state;
    const town_def defs[] = {{.count = 60000, .empty = 5, .path = PATH}, {.count = 50}};
    for (size_t i = 0; i < 2; i++) {
        town t;
        kiln_entity own[OWN];
        town_begin(&t, &defs[i]);
        fill(&t, own, OWN);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        kiln_world_stats before = stats_of(&t);
        bool is_done = false;
        for (uint32_t steps = 0; !is_done; steps += steps < 4 ? 1 : 7) {
            kiln_scene_loading *loading = begin(&t, source);
            for (uint32_t k = 0; k < steps && !is_done; k++)
                EXPECT_STATUS(KILN_OK, kiln_scene_load_step(loading, 0, &is_done, &t.error));
            kiln_scene_load_cancel(loading);
            check_same(&t, &before);
            check_own(&t, own, OWN);
        }
        kiln_scene_instance *instance = town_load(&t, source);
        town_check(&t, instance, t.count, t.empty);
        kiln_scene_unload(instance);
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

static void open_without_memory(town *t, bool rest, kiln_scene_source **ret_source)
{
    kiln_scene_source_args open = {.assets = t->assets, .name = "Scene/town", .by = KILN_HERE};
    kiln_status status = KILN_NO_MEMORY;
    for (size_t at = 1; status; at++) {
        t->memory.calls = 0;
        t->memory.fail_at = at;
        t->memory.fail_rest = rest;
        status = kiln_scene_source_open(&open, ret_source, &t->error);
        t->memory.fail_at = 0;
        if (status)
            EXPECT_STATUS(KILN_NO_MEMORY, status);
        else
            assert_true(t->memory.calls < at);
    }
}

static void failed_allocations_change_nothing(void **state)
{
    (void)state;
    const town_def defs[] = {{.count = 60000, .path = PATH}, {.count = 50, .empty = 3}};
    for (size_t i = 0; i < 2; i++) {
        for (int rest = 0; rest < 2; rest++) {
            town t;
            kiln_entity own[OWN];
            kiln_status status = KILN_NO_MEMORY;
            town_begin(&t, &defs[i]);
            fill(&t, own, OWN);
            kiln_world_stats before = stats_of(&t);
            /* Assets loaded by one try stay loaded, so the next one makes fewer allocations. The
             * second source fails at each of the remaining ones. */
            kiln_scene_source *source = NULL, *again = NULL;
            open_without_memory(&t, rest, &source);
            open_without_memory(&t, rest, &again);
            kiln_scene_source_close(again);
            kiln_scene_instance *instance = NULL;
            kiln_scene_load_args load = {.world = t.world, .source = source, .set_names = true};
            status = KILN_NO_MEMORY;
            for (size_t at = 1; status; at++) {
                t.memory.calls = 0;
                t.memory.fail_at = at;
                t.memory.fail_rest = rest;
                status = kiln_scene_load(&load, &instance, &t.error);
                t.memory.fail_at = 0;
                if (!status)
                    break;
                EXPECT_STATUS(KILN_NO_MEMORY, status);
                check_same(&t, &before);
                check_own(&t, own, OWN);
            }
            town_check(&t, instance, t.count, t.empty);
            kiln_scene_unload(instance);
            kiln_scene_source_close(source);
            town_end(&t);
        }
    }
    unlink(PATH);
}

static void limits_of_the_world_are_reported(void **state)
{
    (void)state;
    const struct {
        uint32_t blocks, megas;
    } limits[] = {{1, 100}, {100, 1}, {2, 1}};
    town t;
    const town_def def = {.count = 60000, .path = PATH};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    for (size_t i = 0; i < 3; i++) {
        kiln_world_def world_def = kiln_world_def_default();
        kiln_world *world = NULL;
        kiln_scene_instance *instance = NULL;
        world_def.max_blocks = limits[i].blocks;
        world_def.max_mega_chunks = limits[i].megas;
        EXPECT_STATUS(KILN_OK, kiln_world_create(&world_def, &world));
        kiln_scene_load_args load = {
            .world = world, .source = source, .unknown = KILN_UNKNOWN_KEEP};
        EXPECT_STATUS(KILN_LIMIT, kiln_scene_load(&load, &instance, &t.error));
        kiln_world_stats stats;
        kiln_world_get_stats(world, &stats);
        assert_int_equal(0, stats.live);
        assert_int_equal(0, stats.chunks);
        assert_true(kiln_world_is_valid(world));
        kiln_world_destroy(world);
    }
    kiln_scene_source_close(source);
    town_end(&t);
    unlink(PATH);
}

static void unknown_components_are_treated_as_requested(void **state)
{
    (void)state;
    const town_def defs[] = {{.count = 40}, {.count = 60000, .path = PATH}};
    for (size_t i = 0; i < 2; i++) {
        town t;
        town_begin(&t, &defs[i]);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        for (int how = KILN_UNKNOWN_REFUSE; how <= KILN_UNKNOWN_DROP; how++) {
            kiln_world *own = t.world;
            kiln_world_def world_def = world_memory_def(&t.memory);
            kiln_scene_instance *instance = NULL;
            kiln_component number;
            const kiln_component_desc number_def = {"town.Number", 0, 4, 4, NULL, NULL, 0, 0};
            world_def.pages = NULL;
            EXPECT_STATUS(KILN_OK, kiln_world_create(&world_def, &t.world));
            EXPECT_STATUS(KILN_OK, kiln_component_register(t.world, &number_def, &number));
            kiln_scene_load_args load = {
                .world = t.world, .source = source, .unknown = (kiln_unknown)how};
            kiln_status status = kiln_scene_load(&load, &instance, &t.error);
            EXPECT_STATUS(how == KILN_UNKNOWN_REFUSE ? KILN_NOT_FOUND : KILN_OK, status);
            if (how == KILN_UNKNOWN_REFUSE)
                assert_non_null(strstr(t.error.path, "town."));
            for (uint32_t n = 0; !status && n < t.count; n++) {
                kiln_entity entity = kiln_scene_entity(instance, n);
                uint32_t k = *(const uint32_t *)kiln_entity_read(t.world, entity, number);
                kiln_component place = kiln_component_find(t.world, "town.Place");
                const town_place *at = kiln_entity_read(t.world, entity, place);
                assert_int_equal(how == KILN_UNKNOWN_KEEP && k % 4 < 2, at != NULL);
                assert_true(!at || at->x == (float)k);
            }
            assert_true(kiln_world_is_valid(t.world));
            kiln_scene_unload(instance);
            assert_true(kiln_world_is_valid(t.world));
            kiln_world_destroy(t.world);
            t.world = own;
        }
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

static void a_component_of_another_layout_is_refused(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 40};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    const kiln_component_desc others[] = {{"town.Place", 99, 12, 4, NULL, NULL, 0, 0},
                                          {"town.Place", 0, 16, 4, NULL, NULL, 0, 0}};
    for (size_t i = 0; i < 2; i++) {
        kiln_world *world = NULL;
        kiln_scene_instance *instance = NULL;
        kiln_component unused;
        kiln_world_def world_def = world_memory_def(&t.memory);
        EXPECT_STATUS(KILN_OK, kiln_world_create(&world_def, &world));
        EXPECT_STATUS(KILN_OK, kiln_component_register(world, &others[i], &unused));
        kiln_scene_load_args load = {
            .world = world, .source = source, .unknown = KILN_UNKNOWN_KEEP};
        EXPECT_STATUS(KILN_TYPE_MISMATCH, kiln_scene_load(&load, &instance, &t.error));
        assert_non_null(strstr(t.error.path, "town.Place"));
        kiln_world_destroy(world);
    }
    kiln_scene_source_close(source);
    town_end(&t);
}

static void invalid_sources_are_rejected(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 9};
    town_begin(&t, &def);
    kiln_scene_source *source = NULL;
    const kiln_id id = kiln_asset_id("Scene/town", 10);
    const kiln_scene_source_args named = {.assets = t.assets, .name = "Scene/town"};
    const kiln_scene_source_args wrong[] = {{.name = "Scene/town"},
                                            {.assets = t.assets},
                                            {.assets = t.assets, .name = "Scene/town", .id = id}};
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_source_open(NULL, &source, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_source_open(&named, NULL, &t.error));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_source_open(&wrong[i], &source, &t.error));
    assert_null(source);
    town_end(&t);
}

static void invalid_loads_are_rejected(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 9};
    town_begin(&t, &def);
    kiln_scene_source *source = NULL;
    kiln_scene_loading *loading = NULL;
    const kiln_scene_source_args named = {.assets = t.assets, .name = "Scene/town"};
    EXPECT_STATUS(KILN_OK, kiln_scene_source_open(&named, &source, &t.error));
    const kiln_scene_load_args right = {.world = t.world, .source = source};
    const kiln_scene_load_args no_world = {.source = source}, no_source = {.world = t.world};
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_load_begin(&right, NULL, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_load_begin(&no_world, &loading, &t.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_scene_load_begin(&no_source, &loading, &t.error));
    assert_null(loading);
    kiln_scene_source_close(source);
    town_end(&t);
}

/* ---- bytes from outside ---- */

/* Uses a file like a program. Every step may be refused, but must be harmless. */
static void try_file(const town *t, const unsigned char *data, size_t size, kiln_verify_level level)
{
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_assets *assets = NULL;
    kiln_mount_def mount = kiln_mount_def_default();
    kiln_mount unused;
    kiln_error error = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&assets_def, &assets, &error));
    mount.file.data = data;
    mount.file.size = size;
    mount.file.level = level;
    kiln_scene_source *source = NULL;
    kiln_scene_instance *instance = NULL;
    kiln_scene_source_args open = {.assets = assets, .name = "Scene/town", .by = KILN_HERE};
    kiln_world_stats before = stats_of(t);
    if (!kiln_assets_mount(assets, &mount, &unused, &error) &&
        !kiln_scene_source_open(&open, &source, &error)) {
        kiln_scene_load_args load = {
            .world = t->world, .source = source, .unknown = KILN_UNKNOWN_KEEP};
        if (!kiln_scene_load(&load, &instance, &error)) {
            for (uint32_t n = 0; n < kiln_scene_get_info(instance).entities; n++) {
                const town_link *link =
                    kiln_entity_read(t->world, kiln_scene_entity(instance, n), t->link);
                if (link)
                    kiln_entity_read(t->world, link->next, t->number);
            }
            kiln_scene_find(instance, "one");
            assert_true(kiln_world_is_valid(t->world));
            kiln_scene_unload(instance);
        }
    }
    check_same(t, &before);
    kiln_scene_source_close(source);
    kiln_assets_destroy(assets);
}

static unsigned char *aligned_copy(const kiln_buffer *image)
{
    unsigned char *copy = aligned_alloc(4096, (image->size + 4095) / 4096 * 4096);
    assert_non_null(copy);
    memcpy(copy, image->data, image->size);
    return copy;
}

/* Offset of the first link of the scene in the image, and its entity. */
static size_t place_of_link(const town *t, kiln_scene_source *source, uint32_t *ret_entity)
{
    const kiln_scene_view *view = kiln_scene_source_view(source);
    for (uint32_t a = 0; a < view->archetype_count; a++) {
        const kiln_scene_rows *rows = &view->archetypes[a];
        for (uint32_t i = 0; i < rows->component_count; i++) {
            if (strcmp(view->components[rows->components[i]].name, "town.Link") != 0)
                continue;
            *ret_entity = rows->first_entity;
            return (size_t)(kiln_scene_column(view, rows, 0, i) - t->image.data);
        }
    }
    fail_msg("no link");
    return 0;
}

static kiln_status load_image(const town *t, const unsigned char *data, kiln_error *reterr)
{
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_assets *assets = NULL;
    kiln_mount_def mount = kiln_mount_def_default();
    kiln_mount unused;
    kiln_scene_source *source = NULL;
    kiln_scene_instance *instance = NULL;
    kiln_scene_source_args open = {.name = "Scene/town", .by = KILN_HERE};
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&assets_def, &assets, reterr));
    mount.file.data = data;
    mount.file.size = t->image.size;
    mount.file.level = KILN_VERIFY_NONE;
    open.assets = assets;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(assets, &mount, &unused, reterr));
    kiln_status status = kiln_scene_source_open(&open, &source, reterr);
    kiln_scene_load_args load = {.world = t->world, .source = source};
    if (!status)
        status = kiln_scene_load(&load, &instance, reterr);
    kiln_scene_unload(instance);
    kiln_scene_source_close(source);
    kiln_assets_destroy(assets);
    return status;
}

/* An unverified file: no word in it may become an invalid entity or reference. */
static void invalid_words_are_rejected(void **state)
{
    (void)state;
    static const struct {
        size_t place;
        uint64_t word;
        kiln_status status;
    } cases[] = {
        {offsetof(town_link, next), (uint64_t)KILN_SCENE_LOCAL << 32, KILN_OK},
        {offsetof(town_link, next), (uint64_t)KILN_SCENE_LOCAL << 32 | 10, KILN_S_ENTITY},
        {offsetof(town_link, next), 1, KILN_S_ENTITY},
        {offsetof(town_link, nobody), UINT64_C(900) << 32, KILN_S_ENTITY},
        {offsetof(town_link, thing), TOWN_THINGS, KILN_OK},
        {offsetof(town_link, thing), TOWN_THINGS + 1, KILN_S_ASSET},
    };
    town t;
    const town_def def = {.count = 9, .empty = 1};
    town_begin(&t, &def);
    uint32_t entity = 0;
    kiln_scene_source *source = town_open(&t, "Scene/town");
    size_t place = place_of_link(&t, source, &entity);
    kiln_scene_source_close(source);
    char path[64];
    snprintf(path, sizeof path, "entity %u.town.Link", (unsigned)entity);
    unsigned char *copy = aligned_copy(&t.image);
    kiln_world_stats before = stats_of(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char *at = copy + place + cases[i].place, kept[8];
        kiln_error error = {KILN_OK, 0, 0, ""};
        memcpy(kept, at, sizeof kept);
        memcpy(at, &cases[i].word, sizeof kept);
        EXPECT_STATUS(cases[i].status, load_image(&t, copy, &error));
        assert_string_equal(error.path, cases[i].status ? path : "");
        check_same(&t, &before);
        memcpy(at, kept, sizeof kept);
    }
    free(copy);
    town_end(&t);
}

/* Bytes after the chunks' blob are never treated as rows. */
static void chunks_outside_their_blob_are_rejected(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 9, .empty = 1};
    town_begin(&t, &def);
    kiln_scene_source *source = town_open(&t, "Scene/town");
    const kiln_scene_chunks *root = kiln_scene_source_view(source)->root;
    size_t place = (size_t)((const unsigned char *)root - t.image.data);
    kiln_scene_source_close(source);
    unsigned char *copy = aligned_copy(&t.image);
    kiln_scene_chunks *chunks = (void *)(copy + place), kept = *chunks;
    kiln_array *const lists[] = {&chunks->images, &chunks->tails};
    kiln_error error;
    EXPECT_STATUS(KILN_OK, load_image(&t, copy, &error));
    for (int i = 0; i < 2; i++) {
        lists[i]->count = UINT32_MAX;
        EXPECT_STATUS(KILN_TYPE_MISMATCH, load_image(&t, copy, &error));
        lists[i]->count = 64;
        lists[i]->offset = 0xffff0000u;
        EXPECT_STATUS(KILN_TYPE_MISMATCH, load_image(&t, copy, &error));
        *chunks = kept;
        lists[i]->offset = 0;
        EXPECT_STATUS(lists[i]->count ? KILN_TYPE_MISMATCH : KILN_OK, load_image(&t, copy, &error));
        *chunks = kept;
    }
    free(copy);
    town_end(&t);
}

static void every_changed_byte_is_harmless(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 9, .empty = 1};
    town_begin(&t, &def);
    unsigned char *copy = aligned_copy(&t.image);
    for (size_t at = 0; at < t.image.size; at++) {
        /* Most zeros are between the parts, where all have the same effect: only some are
         * changed. */
        if ((copy[at] == 0 && at % 64 != 0) || !test_share_has(at / 64 + at))
            continue;
        unsigned char was = copy[at];
        const unsigned char others[] = {(unsigned char)(was ^ 1), (unsigned char)(was ^ 0x80),
                                        0xff};
        for (size_t i = 0; i < sizeof others; i++) {
            copy[at] = others[i];
            try_file(&t, copy, t.image.size, i == 1 ? KILN_VERIFY_DEEP : KILN_VERIFY_NONE);
        }
        copy[at] = was;
    }
    free(copy);
    town_end(&t);
}

static void every_truncation_is_harmless(void **state)
{
    (void)state;
    town t;
    const town_def def = {.count = 9, .empty = 1};
    town_begin(&t, &def);
    unsigned char *copy = aligned_copy(&t.image);
    for (size_t size = 0; size < t.image.size; size += size < 6000 ? 31 : 97) {
        if (!test_share_has(size / 31))
            continue;
        try_file(&t, copy, size, KILN_VERIFY_NONE);
        try_file(&t, copy, size, KILN_VERIFY_DEEP);
    }
    free(copy);
    town_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_in_slices_gives_the_same_result),
        cmocka_unit_test(a_load_may_be_cancelled_at_any_time),
        cmocka_unit_test(failed_allocations_change_nothing),
        cmocka_unit_test(limits_of_the_world_are_reported),
        cmocka_unit_test(unknown_components_are_treated_as_requested),
        cmocka_unit_test(a_component_of_another_layout_is_refused),
        cmocka_unit_test(invalid_sources_are_rejected),
        cmocka_unit_test(invalid_loads_are_rejected),
        cmocka_unit_test(invalid_words_are_rejected),
        cmocka_unit_test(chunks_outside_their_blob_are_rejected),
        cmocka_unit_test(every_changed_byte_is_harmless),
        cmocka_unit_test(every_truncation_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
