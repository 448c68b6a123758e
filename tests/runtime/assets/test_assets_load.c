/* Look-up and loading: which assets are loaded together, and how errors are reported. */
#include "asset_fixture.h"

#include <stdio.h>
#include <string.h>

static kiln_status load(scene *s, kiln_load_args args, kiln_ref *ret_ref)
{
    args.by = "the test";
    kiln_status status = kiln_assets_load(s->assets, &args, ret_ref, &s->error);
    scene_expect_valid(s);
    return status;
}

static void names_are_found_even_if_not_loaded(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref added = scene_add(&s, "Thing/added", 2);
    for (int loaded = 0; loaded < 2; loaded++) {
        assert_int_equal(scene_id("Thing/a"), kiln_assets_find(s.assets, "Thing/a"));
        assert_int_equal(scene_id("Thing/added"), kiln_assets_find(s.assets, "Thing/added"));
        assert_int_equal(0, kiln_assets_find(s.assets, "Thing/b"));
        assert_int_equal(0, kiln_assets_find(s.assets, ""));
        assert_int_equal(0, kiln_assets_find(s.assets, NULL));
        assert_true(kiln_assets_has(s.assets, scene_id("Thing/a")));
        assert_false(kiln_assets_has(s.assets, scene_id("Thing/a") + 1));
        assert_false(kiln_assets_has(s.assets, 0));
        assert_int_equal(loaded, scene_value_named(&s, "Thing/a"));
        assert_int_equal(2, scene_value_named(&s, "Thing/added"));
        assert_null(kiln_assets_get(s.assets, 0));
        assert_null(kiln_assets_get(s.assets, UINT64_MAX));
        kiln_ref ref = scene_load(&s, "Thing/a");
        scene_clear(&s, &ref);
    }
    scene_clear(&s, &added);
    scene_end(&s);
}

static void references_are_loaded_from_all_files(void **state)
{
    (void)state;
    scene s;
    kiln_ref ref = {0};
    scene_begin(&s);
    scene_mount(&s,
                SCENE_FILE({"Thing/a", 1, "Thing/b Thing/c", SCENE_THING},
                           {"Thing/c", 3, "Thing/a", SCENE_THING}),
                0);
    scene_mount(&s,
                SCENE_FILE({"Thing/b", 2, "Thing/d Thing/added", SCENE_THING},
                           {"Thing/unused", 9, NULL, SCENE_THING}),
                0);
    kiln_ref added = scene_add(&s, "Thing/added", 8);
    EXPECT_FAILURE(&s, KILN_MISSING, "Thing/a > Thing/b > Thing/d",
                   scene_try_load(&s, "Thing/a", &ref));
    assert_int_equal(0, ref.bits);
    assert_int_equal(1, scene_stats(&s).loaded);
    scene_mount(&s, SCENE_FILE({"Thing/d", 4, "Thing/d Thing/b", SCENE_THING}), -7);
    ref = scene_load(&s, "Thing/a");
    static const char *const names[] = {"Thing/a", "Thing/b", "Thing/c", "Thing/d"};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(i + 1, scene_value_named(&s, names[i]));
    assert_int_equal(0, scene_value_named(&s, "Thing/unused"));
    assert_int_equal(5, scene_stats(&s).loaded);
    assert_int_equal(4, scene_stats(&s).loads);
    kiln_ref again = scene_load(&s, "Thing/a");
    assert_int_equal(ref.bits, again.bits);
    assert_int_equal(4, scene_stats(&s).loads);
    scene_clear(&s, &again);
    scene_clear(&s, &ref);
    scene_clear(&s, &added);
    scene_end(&s);
}

/* A chain of `links` assets. The last one has no references. */
static void mount_chain(scene *s, uint32_t links)
{
    scene_asset assets[40];
    char names[41][64];
    assert_true(links < 40);
    for (uint32_t i = 0; i <= links; i++)
        snprintf(names[i], sizeof names[i], "Thing/a_rather_long_name_of_number_%u", (unsigned)i);
    for (uint32_t i = 0; i < links; i++)
        assets[i] = (scene_asset){names[i], i + 1, names[i + 1], SCENE_THING};
    scene_mount(s, scene_file(assets, links), 0);
}

static void the_chain_to_a_missing_asset_is_reported(void **state)
{
    (void)state;
    for (uint32_t links = 1; links < 40; links++) {
        scene s;
        kiln_ref ref = {0};
        char last[64];
        scene_begin(&s);
        mount_chain(&s, links);
        EXPECT_STATUS(KILN_MISSING,
                      scene_try_load(&s, "Thing/a_rather_long_name_of_number_0", &ref));
        snprintf(last, sizeof last, " > Thing/a_rather_long_name_of_number_%u", (unsigned)links);
        size_t length = strlen(s.error.path);
        assert_true(length > strlen(last));
        assert_string_equal(last, s.error.path + length - strlen(last));
        assert_int_equal(0, scene_stats(&s).loaded);
        scene_end(&s);
    }
}

static void missing_assets_are_ignored_on_request(void **state)
{
    (void)state;
    scene s;
    kiln_ref ref = {0};
    scene_begin(&s);
    scene_mount(&s,
                SCENE_FILE({"Thing/a", 1, "Thing/nobody Thing/b", SCENE_THING},
                           {"Thing/b", 2, "Thing/nobody", SCENE_THING}),
                0);
    EXPECT_STATUS(KILN_OK,
                  load(&s, (kiln_load_args){.name = "Thing/a", .allow_missing = true}, &ref));
    assert_int_equal(1, scene_value_of(&s, ref));
    assert_int_equal(2, scene_value_named(&s, "Thing/b"));
    assert_int_equal(0, scene_value_named(&s, "Thing/nobody"));
    kiln_ref none = {0};
    EXPECT_FAILURE(
        &s, KILN_NOT_FOUND, "Thing/nobody",
        load(&s, (kiln_load_args){.name = "Thing/nobody", .allow_missing = true}, &none));
    scene_clear(&s, &ref);
    scene_end(&s);
}

static void an_asset_is_loaded_as_its_type_or_not_at_all(void **state)
{
    (void)state;
    scene s;
    kiln_ref ref = {0};
    kiln_root_type thing = scene_root_type(SCENE_THING), plate = scene_root_type(SCENE_PLATE);
    scene_begin(&s);
    scene_mount(
        &s, SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}),
        0);
    for (uint32_t loaded = 0; loaded < 2; loaded++) {
        EXPECT_FAILURE(&s, KILN_TYPE_MISMATCH, "Thing/a",
                       load(&s, (kiln_load_args){.name = "Thing/a", .type = &plate}, &ref));
        assert_int_equal(0, ref.bits);
        assert_int_equal(2 * loaded, scene_stats(&s).loaded);
        kiln_ref right = {0};
        EXPECT_STATUS(
            KILN_OK, load(&s, (kiln_load_args){.id = scene_id("Thing/a"), .type = &thing}, &right));
        scene_clear(&s, &right);
    }
    scene_end(&s);
}

static void invalid_arguments_of_loads_are_rejected(void **state)
{
    (void)state;
    scene s;
    kiln_ref ref = {0};
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    EXPECT_STATUS(KILN_BAD_ARGUMENT, load(&s, (kiln_load_args){0}, &ref));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, load(&s, (kiln_load_args){.name = "Thing/a"}, NULL));
    EXPECT_FAILURE(&s, KILN_NOT_FOUND, "", load(&s, (kiln_load_args){.id = 1}, &ref));
    EXPECT_FAILURE(&s, KILN_NOT_FOUND, "Thing/b",
                   load(&s, (kiln_load_args){.name = "Thing/b"}, &ref));
    assert_int_equal(0, ref.bits);
    scene_end(&s);
}

static void allow_three(kiln_assets_def *def)
{
    def->max_assets = 3;
}

static void a_full_table_can_still_be_patched(void **state)
{
    (void)state;
    scene s;
    kiln_ref ref = {0};
    kiln_mount mount = {0};
    scene_begin_with(&s, allow_three);
    scene_mount(
        &s,
        SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING},
                   {"Thing/c", 3, "Thing/d", SCENE_THING}, {"Thing/d", 4, NULL, SCENE_THING}),
        0);
    kiln_ref a = scene_load(&s, "Thing/a");
    EXPECT_STATUS(KILN_LIMIT, scene_try_load(&s, "Thing/c", &ref));
    assert_int_equal(2, scene_stats(&s).loaded);
    kiln_ref d = scene_load(&s, "Thing/d");
    EXPECT_STATUS(KILN_LIMIT, scene_try_load(&s, "Thing/c", &ref));
    kiln_root_type type = scene_root_type(SCENE_THING);
    kiln_buffer blob = scene_blob(5, NULL, SCENE_THING);
    kiln_add_args args = {.type = &type, .blob = blob.data, .size = blob.size};
    EXPECT_STATUS(KILN_LIMIT, kiln_assets_add(s.assets, &args, &ref, NULL));
    kiln_buffer_fini(&blob);
    EXPECT_STATUS(
        KILN_LIMIT,
        scene_try_mount(&s, SCENE_FILE({"Thing/a", 11, "Thing/c", SCENE_THING}), 1, &mount));
    scene_mount(&s, SCENE_FILE({"Thing/a", 11, "Thing/b", SCENE_THING}), 1);
    assert_int_equal(11, scene_value_of(&s, a));
    assert_int_equal(0, ref.bits);
    scene_clear(&s, &a);
    scene_clear(&s, &d);
    scene_end(&s);
}

static void iteration_visits_every_loaded_asset(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    assert_int_equal(0, kiln_assets_next(s.assets, (kiln_ref){0}).bits);
    scene_mount(&s,
                SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING},
                           {"Thing/b", 2, NULL, SCENE_THING}, {"Thing/c", 3, NULL, SCENE_THING}),
                0);
    kiln_ref a = scene_load(&s, "Thing/a"), added = scene_add(&s, NULL, 7);
    uint32_t sum = 0, count = 0;
    for (kiln_ref ref = kiln_assets_next(s.assets, (kiln_ref){0}); ref.bits;
         ref = kiln_assets_next(s.assets, ref)) {
        assert_int_equal(KILN_REF_WEAK, kiln_ref_get_form(ref));
        sum += scene_value_of(&s, ref);
        count++;
    }
    assert_int_equal(3, count);
    assert_int_equal(1 + 2 + 7, sum);
    assert_int_equal(0, scene_stats(&s).weak);
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, a, &info));
    assert_string_equal("Thing/a", info.name);
    assert_string_equal("test.Thing", info.type);
    assert_string_equal("file 0", info.mount);
    assert_string_equal("the test", info.loaded_by);
    assert_int_equal(scene_id("Thing/a"), info.id);
    assert_int_equal(KILN_ASSET_MAPPED, info.memory);
    assert_int_equal(1, info.strong);
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, added, &info));
    assert_string_equal("", info.name);
    assert_string_equal("", info.mount);
    assert_int_equal(0, info.id);
    EXPECT_STATUS(KILN_DEAD, kiln_assets_get_info(s.assets, (kiln_ref){0}, &info));
    scene_clear(&s, &a);
    scene_clear(&s, &added);
    scene_end(&s);
}

static void definitions_are_checked(void **state)
{
    (void)state;
    kiln_buffer types = scene_type_table();
    kiln_assets *assets = NULL;
    kiln_error error = {0};
    kiln_assets_def def = kiln_assets_def_default();
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_create(NULL, &assets, NULL));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_create(&def, NULL, NULL));
    def.max_assets = 0;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_create(&def, &assets, NULL));
    def.max_assets = KILN_SLOT_MAX + 1;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_create(&def, &assets, NULL));
    def = kiln_assets_def_default();
    def.types = types.data;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_create(&def, &assets, NULL));
    def.types_size = types.size - 1;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_create(&def, &assets, &error));
    assert_string_equal("types", error.path);
    assert_null(assets);
    kiln_assets_destroy(NULL);
    def.types_size = types.size;
    def.max_assets = KILN_SLOT_MAX;
    /* More than the address space of a 32-bit host. */
    EXPECT_STATUS(SIZE_MAX > UINT32_MAX ? KILN_OK : KILN_NO_MEMORY,
                  kiln_assets_create(&def, &assets, NULL));
    kiln_assets_destroy(assets);
    kiln_buffer_fini(&types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_even_if_not_loaded),
        cmocka_unit_test(references_are_loaded_from_all_files),
        cmocka_unit_test(the_chain_to_a_missing_asset_is_reported),
        cmocka_unit_test(missing_assets_are_ignored_on_request),
        cmocka_unit_test(an_asset_is_loaded_as_its_type_or_not_at_all),
        cmocka_unit_test(invalid_arguments_of_loads_are_rejected),
        cmocka_unit_test(a_full_table_can_still_be_patched),
        cmocka_unit_test(iteration_visits_every_loaded_asset),
        cmocka_unit_test(definitions_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
