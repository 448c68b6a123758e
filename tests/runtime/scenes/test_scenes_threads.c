/* Worlds in separate threads. */
#define _POSIX_C_SOURCE 200809L

#include "signs.h"
#include "test_share.h"
#include "town.h"

#include <kiln/type_table.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const PATH = "scenes_threads.kiln";

typedef struct visitor {
    kiln_scene_source *source;
    const kiln_assets *assets;
    uint32_t count;
    uint64_t sum;
} visitor;

static void *load_and_look(void *context)
{
    visitor *v = context;
    for (int again = 0; again < 5; again++) {
        kiln_world_def world_def = kiln_world_def_default();
        kiln_scene_load_args args = {.source = v->source, .unknown = KILN_UNKNOWN_KEEP};
        kiln_scene_instance *instance = NULL;
        kiln_error error;
        if (kiln_world_create(&world_def, &args.world) != KILN_OK)
            return NULL;
        if (kiln_scene_load(&args, &instance, &error) != KILN_OK)
            return NULL;
        kiln_component number = kiln_component_find(args.world, "town.Number");
        for (uint32_t n = 0; n < v->count; n++) {
            const uint32_t *value =
                kiln_entity_read(args.world, kiln_scene_entity(instance, n), number);
            v->sum += value ? *value : 0;
        }
        kiln_scene_unload(instance);
        kiln_world_destroy(args.world);
    }
    return NULL;
}

static void worlds_in_threads_load_from_one_source(void **state)
{
    (void)state;
    enum { THREADS = 2 };
    const town_def defs[] = {{.count = 50}, {.count = 40000, .path = PATH}};
    for (size_t i = 0; i < 2; i++) {
        pthread_t threads[THREADS];
        visitor visitors[THREADS] = {{0}};
        town t;
        town_begin(&t, &defs[i]);
        kiln_scene_source *source = town_open(&t, "Scene/town");
        for (int k = 0; k < THREADS; k++) {
            visitors[k].source = source;
            visitors[k].count = t.count;
            assert_int_equal(0, pthread_create(&threads[k], NULL, load_and_look, &visitors[k]));
        }
        for (int k = 0; k < THREADS; k++) {
            assert_int_equal(0, pthread_join(threads[k], NULL));
            assert_true(visitors[k].sum == 5 * ((uint64_t)t.count * (t.count - 1) / 2));
        }
        kiln_scene_source_close(source);
        town_end(&t);
    }
    unlink(PATH);
}

/* ---- sources and replaced files ---- */

enum { OPENS = 3000 };

typedef struct reloading {
    kiln_assets *assets;
    kiln_mount mount;
    kiln_mount_def versions[2];
    atomic_bool is_over;
    atomic_uint wrong;
} reloading;

static void *replace_all(void *ctx)
{
    reloading *r = ctx;
    for (uint32_t i = 1; !atomic_load(&r->is_over); i++)
        if (kiln_assets_replace(r->assets, r->mount, &r->versions[i % 2], NULL) != KILN_OK)
            atomic_fetch_add(&r->wrong, 1);
    return NULL;
}

static void save(const kiln_buffer *image, const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(image->size, fwrite(image->data, 1, image->size, file));
    assert_int_equal(0, fclose(file));
}

/* The assets of a scene must all have the content of one version of the file. */
static void open_while_replaced(bool uses_path)
{
    static reloading r;
    memset(&r, 0, sizeof r);
    kiln_buffer table = {0}, images[2] = {signs_file("old"), signs_file("new")};
    kiln_types *types = signs_types(&(sign_types){.has_data = true});
    EXPECT_STATUS(KILN_OK, kiln_type_table_write(NULL, types, &table, NULL));
    kiln_types_destroy(types);
    kiln_assets_def def = kiln_assets_def_default();
    def.types = table.data;
    def.types_size = table.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&def, &r.assets, NULL));
    static const char *const paths[] = {"scenes_threads0.kiln", "scenes_threads1.kiln"};
    for (uint32_t i = 0; i < 2; i++) {
        r.versions[i] = kiln_mount_def_default();
        if (uses_path) {
            save(&images[i], paths[i]);
            r.versions[i].file.path = paths[i];
        } else {
            r.versions[i].file.data = images[i].data;
            r.versions[i].file.size = images[i].size;
        }
    }
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(r.assets, &r.versions[0], &r.mount, NULL));
    pthread_t thread;
    assert_int_equal(0, pthread_create(&thread, NULL, replace_all, &r));
    kiln_scene_source_args args = {.assets = r.assets, .name = "Scene/signs", .by = KILN_HERE};
    for (uint32_t i = 0; i < test_share_of(OPENS); i++) {
        kiln_scene_source *source = NULL;
        kiln_error error = {0};
        kiln_status status = kiln_scene_source_open(&args, &source, &error);
        kiln_scene_source_close(source);
        if (status)
            fail_msg("%s: %s", kiln_status_name(status), error.path);
    }
    atomic_store(&r.is_over, true);
    pthread_join(thread, NULL);
    assert_int_equal(0, atomic_load(&r.wrong));
    kiln_assets_destroy(r.assets);
    kiln_buffer_fini(&table);
    for (uint32_t i = 0; i < 2; i++) {
        kiln_buffer_fini(&images[i]);
        unlink(paths[i]);
    }
}

static void a_source_can_be_opened_while_its_file_is_replaced(void **state)
{
    (void)state;
    open_while_replaced(false);
    open_while_replaced(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_can_be_opened_while_its_file_is_replaced),
        cmocka_unit_test(worlds_in_threads_load_from_one_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
