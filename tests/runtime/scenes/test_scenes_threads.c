/* Worlds in separate threads. */
#define _POSIX_C_SOURCE 200809L

#include "town.h"

#include <pthread.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_in_threads_load_from_one_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
