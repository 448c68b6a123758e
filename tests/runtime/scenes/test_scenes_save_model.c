/* Saves and loads random worlds: completely, in part, by programs with and without the components,
 * and with failing allocations. KILN_SEED=N selects the first world, and a number as argument the
 * number of worlds. */
#include "hamlet.h"

#include <kiln/file.h>
#include <kiln/world.h>
#include <stdlib.h>
#include <string.h>

static uint64_t first_seed = 1, seeds = 12;

static kiln_buffer save(hamlet *h, const hamlet_world *w, const kiln_scene_save_args *more)
{
    kiln_scene_save_args args = more ? *more : (kiln_scene_save_args){0};
    kiln_buffer file = {0};
    args.world = w->world;
    args.assets = h->assets;
    args.name = "Scene/saved";
    kiln_status status = kiln_scene_save(&args, &file, &h->error);
    if (status)
        fail_msg("%s: %s", kiln_status_text(status), h->error.path);
    return file;
}

/* A file with a scene in an asset table, and a world into which the scene is loaded. */
typedef struct loaded {
    kiln_mount mount;
    kiln_scene_source *source;
    kiln_scene_instance *instance;
    hamlet_world world;
} loaded;

static void load(hamlet *h, const kiln_buffer *file, kiln_unknown unknown, bool knows, loaded *l)
{
    kiln_mount_def mount = kiln_mount_def_default();
    mount.file.data = file->data;
    mount.file.size = file->size;
    mount.file.level = KILN_VERIFY_DEEP;
    mount.order = -1; /* the file's things must not replace loaded ones */
    memset(l, 0, sizeof *l);
    hamlet_world_begin(h, &l->world, knows);
    kiln_status status = kiln_assets_mount(h->assets, &mount, &l->mount, &h->error);
    kiln_scene_source_args args = {.assets = h->assets, .name = "Scene/saved", .by = KILN_HERE};
    if (!status)
        status = kiln_scene_source_open(&args, &l->source, &h->error);
    kiln_scene_load_args how = {
        .world = l->world.world, .source = l->source, .unknown = unknown, .set_names = true};
    if (!status)
        status = kiln_scene_load(&how, &l->instance, &h->error);
    if (status)
        fail_msg("%s: %s", kiln_status_text(status), h->error.path);
    assert_true(kiln_world_is_valid(l->world.world));
}

static void unload(hamlet *h, loaded *l)
{
    kiln_world_stats stats;
    kiln_scene_unload(l->instance);
    kiln_world_get_stats(l->world.world, &stats);
    assert_int_equal(0, stats.live);
    hamlet_world_end(&l->world);
    kiln_scene_source_close(l->source);
    EXPECT_STATUS(KILN_OK,
                  kiln_assets_unmount(h->assets, l->mount, KILN_UNMOUNT_REFUSE, &h->error));
}

static void assert_same_files(const kiln_buffer *a, const kiln_buffer *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

typedef void check(hamlet *h, hamlet_world *w);

static void for_worlds(check *what)
{
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        static const uint32_t counts[] = {1, 7, 60, 400, 3000};
        static hamlet h;
        hamlet_world w;
        print_message("seed %" PRIu64 "\n", seed);
        hamlet_begin(&h, seed);
        hamlet_world_begin(&h, &w, true);
        hamlet_fill(&h, &w, counts[seed % 5]);
        what(&h, &w);
        hamlet_world_end(&w);
        hamlet_end(&h);
    }
}

/* ---- a whole world ---- */

static void save_and_load(hamlet *h, hamlet_world *w)
{
    kiln_buffer first = save(h, w, NULL), second = save(h, w, NULL);
    assert_same_files(&first, &second);
    kiln_buffer_fini(&second);
    loaded l;
    load(h, &first, KILN_UNKNOWN_REFUSE, true, &l);
    hamlet_check_same(h, w, &l.world, NULL);
    second = save(h, &l.world, NULL);
    assert_same_files(&first, &second);
    unload(h, &l);
    load(h, &second, KILN_UNKNOWN_REFUSE, false, &l);
    unload(h, &l);
    kiln_buffer_fini(&first);
    kiln_buffer_fini(&second);
}

static void a_world_is_loaded_as_it_was_saved(void **state)
{
    (void)state;
    for_worlds(save_and_load);
}

/* ---- compressed ---- */

static void save_compressed(hamlet *h, hamlet_world *w)
{
    const kiln_scene_save_args packed = {.compression = 3};
    kiln_buffer plain = save(h, w, NULL), file = save(h, w, &packed);
    loaded l;
    assert_true(file.size <= plain.size);
    load(h, &file, KILN_UNKNOWN_REFUSE, true, &l);
    hamlet_check_same(h, w, &l.world, NULL);
    kiln_buffer again = save(h, &l.world, NULL);
    assert_same_files(&plain, &again);
    kiln_buffer_fini(&again);
    unload(h, &l);
    kiln_buffer_fini(&plain);
    kiln_buffer_fini(&file);
}

static void a_compressed_scene_is_loaded_as_it_was_saved(void **state)
{
    (void)state;
    for_worlds(save_compressed);
}

/* ---- a part of a world ---- */

/* Selects random entities. Some are listed twice, and some dead ones are listed, too. */
static uint32_t pick(hamlet *h, const hamlet_world *w, kiln_entity *entities, bool *is_some)
{
    uint32_t count = 0;
    memset(is_some, 0, HAMLET_SERIALS * sizeof *is_some);
    for (kiln_entity e = kiln_entity_next(w->world, 0); !kiln_entity_is_null(e);
         e = kiln_entity_next(w->world, e.index + 1)) {
        kiln_entity dead = {e.index, e.version + 2};
        if (hamlet_random(h, 3))
            continue;
        is_some[hamlet_serial(w, e)] = true;
        entities[count++] = e;
        if (hamlet_random(h, 4) == 0)
            entities[count++] = hamlet_random(h, 2) ? e : dead;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t other = hamlet_random(h, i);
        kiln_entity moved = entities[i];
        entities[i] = entities[other];
        entities[other] = moved;
    }
    return count;
}

static void save_a_part(hamlet *h, hamlet_world *w)
{
    bool *is_some = calloc(HAMLET_SERIALS, sizeof *is_some);
    kiln_entity *entities = calloc(2 * HAMLET_SERIALS, sizeof *entities);
    assert_true(is_some && entities);
    kiln_scene_save_args part = {.entities = entities};
    part.count = pick(h, w, entities, is_some);
    kiln_buffer file = save(h, w, &part);
    for (uint32_t i = 0; i < part.count / 2; i++) {
        kiln_entity first = entities[i];
        entities[i] = entities[part.count - 1 - i];
        entities[part.count - 1 - i] = first;
    }
    kiln_buffer reversed = save(h, w, &part);
    assert_same_files(&file, &reversed);
    loaded l;
    load(h, &file, KILN_UNKNOWN_REFUSE, true, &l);
    hamlet_check_same(h, w, &l.world, is_some);
    unload(h, &l);
    kiln_buffer_fini(&file);
    kiln_buffer_fini(&reversed);
    free(is_some);
    free(entities);
}

static void some_entities_are_loaded_as_they_were_saved(void **state)
{
    (void)state;
    for_worlds(save_a_part);
}

/* ---- programs with missing or partial types ---- */

static kiln_types *no_types(void)
{
    return NULL;
}

/* Types of a program that does not have the types of scenes. */
static kiln_types *plain_types(void)
{
    const kiln_type number = {.kind = KILN_KIND_U32};
    kiln_types *types = NULL;
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, &number, 1, &types, NULL));
    return types;
}

static void keep_all(hamlet *h, const hamlet_world *w, const kiln_types *known)
{
    kiln_buffer file = save(h, w, NULL), again = {0};
    kiln_assets *assets = h->assets;
    h->assets = hamlet_other_assets(h, known);
    loaded l;
    load(h, &file, KILN_UNKNOWN_KEEP, false, &l);
    again = save(h, &l.world, NULL);
    /* A program without types of its own saves with the types of the file, so the bytes are the
     * same. */
    if (!known)
        assert_same_files(&file, &again);
    unload(h, &l);
    kiln_assets_destroy(h->assets);
    h->assets = assets;
    load(h, &again, KILN_UNKNOWN_REFUSE, true, &l);
    hamlet_check_same(h, w, &l.world, NULL);
    unload(h, &l);
    kiln_buffer_fini(&file);
    kiln_buffer_fini(&again);
}

static void keep_by_all(hamlet *h, hamlet_world *w)
{
    kiln_types *(*const makers[])(void) = {no_types, plain_types, hamlet_unknowing_types};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        kiln_types *types = makers[i]();
        keep_all(h, w, types);
        kiln_types_destroy(types);
    }
}

static void unknown_components_are_saved_unchanged(void **state)
{
    (void)state;
    for_worlds(keep_by_all);
}

/* Types that cannot be combined with those of the file into one list. */
static kiln_types *foreign_types(void)
{
    const kiln_member data[] = {{.name = "foreign.Item.name", .type = 1}};
    const kiln_type list[] = {{.kind = KILN_KIND_STRING},
                              {.kind = KILN_KIND_ARRAY, .element = 0},
                              {.kind = KILN_KIND_STRUCT,
                               .name = "foreign.SceneData",
                               .flags = KILN_TYPE_ASSET,
                               .members = data,
                               .member_count = 1}};
    kiln_types *types = NULL;
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, list, 3, &types, NULL));
    return types;
}

static void keep_foreign(hamlet *h, hamlet_world *w)
{
    kiln_buffer file = save(h, w, NULL), again = {0};
    kiln_assets *assets = h->assets;
    kiln_types *types = foreign_types();
    loaded l;
    h->assets = hamlet_other_assets(h, types);
    load(h, &file, KILN_UNKNOWN_KEEP, false, &l);
    bool has_data = kiln_component_find(l.world.world, "hamlet.Label").number ||
                    kiln_component_find(l.world.world, "hamlet.Look").number;
    kiln_scene_save_args args = {
        .world = l.world.world, .assets = h->assets, .name = "Scene/saved"};
    EXPECT_STATUS(has_data ? KILN_NO_TYPES : KILN_OK, kiln_scene_save(&args, &again, &h->error));
    if (has_data)
        assert_true(strcmp(h->error.path, "hamlet.Label") == 0 ||
                    strcmp(h->error.path, "hamlet.Look") == 0);
    unload(h, &l);
    kiln_assets_destroy(h->assets);
    h->assets = assets;
    kiln_types_destroy(types);
    kiln_buffer_fini(&file);
    kiln_buffer_fini(&again);
}

static void data_without_a_list_in_the_types_is_reported(void **state)
{
    (void)state;
    for_worlds(keep_foreign);
}

/* ---- a file with more types ---- */

static void save_beside_things(hamlet *h, hamlet_world *w)
{
    kiln_types *types = NULL;
    kiln_file_writer *writer = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_buffer file = {0};
    EXPECT_STATUS(KILN_OK, kiln_types_with_scene(h->types, NULL, &types, &h->error));
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &writer, &h->error));
    hamlet_add_things(types, writer);
    const kiln_scene_save_args scene = {
        .world = w->world, .assets = h->assets, .name = "Scene/saved"};
    const kiln_scene_save_args copy = {
        .world = w->world, .assets = h->assets, .name = "Scene/copy"};
    EXPECT_STATUS(KILN_OK, kiln_scene_save_to(&scene, writer, types, &h->error));
    EXPECT_STATUS(KILN_OK, kiln_scene_save_to(&copy, writer, types, &h->error));
    EXPECT_STATUS(KILN_DUPLICATE, kiln_scene_save_to(&copy, writer, types, &h->error));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(writer, &file, &h->error));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    loaded l;
    load(h, &file, KILN_UNKNOWN_REFUSE, true, &l);
    hamlet_check_same(h, w, &l.world, NULL);
    unload(h, &l);
    kiln_buffer_fini(&file);
}

static void scenes_are_saved_into_a_file_with_other_assets(void **state)
{
    (void)state;
    for_worlds(save_beside_things);
}

/* ---- leftovers of instances ---- */

static void save_detached(hamlet *h, hamlet_world *w)
{
    kiln_buffer file = save(h, w, NULL);
    loaded l;
    load(h, &file, KILN_UNKNOWN_REFUSE, true, &l);
    kiln_scene_detach(l.instance);
    kiln_buffer again = save(h, &l.world, NULL);
    assert_same_files(&file, &again);
    l.instance = NULL;
    kiln_world_clear(l.world.world);
    unload(h, &l);
    kiln_buffer_fini(&file);
    kiln_buffer_fini(&again);
}

static void entities_of_detached_instances_are_saved_with_their_data(void **state)
{
    (void)state;
    for_worlds(save_detached);
}

/* ---- memory ---- */

static void refuse_memory(hamlet *h, hamlet_world *w)
{
    world_memory memory;
    kiln_buffer good = save(h, w, NULL), file = {0};
    size_t calls = 1;
    for (size_t fail_at = 0; fail_at <= calls; fail_at += fail_at < 200 ? 1 : 7) {
        world_memory_init(&memory);
        memory.fail_at = fail_at;
        kiln_scene_save_args args = {.world = w->world,
                                     .assets = h->assets,
                                     .name = "Scene/saved",
                                     .allocator = &memory.allocator};
        kiln_status status = kiln_scene_save(&args, &file, &h->error);
        if (fail_at == 0)
            calls = memory.calls;
        if (!status) {
            assert_same_files(&good, &file);
            kiln_buffer_fini(&file);
        } else {
            EXPECT_STATUS(KILN_NO_MEMORY, status);
        }
        assert_int_equal(fail_at == 0, status == KILN_OK);
        assert_int_equal(0, memory.heap_bytes);
        assert_null(file.data);
    }
    assert_true(kiln_world_is_valid(w->world));
    file = save(h, w, NULL);
    assert_same_files(&good, &file);
    kiln_buffer_fini(&good);
    kiln_buffer_fini(&file);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t all = seeds;
    seeds = all < 3 ? all : 3;
    for_worlds(refuse_memory);
    seeds = all;
}

int main(int argc, char **argv)
{
    if (getenv("KILN_SEED"))
        first_seed = strtoull(getenv("KILN_SEED"), NULL, 10);
    if (argc > 1)
        seeds = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_loaded_as_it_was_saved),
        cmocka_unit_test(a_compressed_scene_is_loaded_as_it_was_saved),
        cmocka_unit_test(some_entities_are_loaded_as_they_were_saved),
        cmocka_unit_test(unknown_components_are_saved_unchanged),
        cmocka_unit_test(data_without_a_list_in_the_types_is_reported),
        cmocka_unit_test(scenes_are_saved_into_a_file_with_other_assets),
        cmocka_unit_test(entities_of_detached_instances_are_saved_with_their_data),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
