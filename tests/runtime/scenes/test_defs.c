/* A definition that was not initialized with its `..._def_default()` is rejected, whatever else it
 * contains: with an assert in debug builds, and with KILN_BAD_ARGUMENT in all others. */
#include "misuse.h"

#include <kiln/assets.h>
#include <kiln/builder.h>
#include <kiln/convert.h>
#include <kiln/file_writer.h>
#include <kiln/pool.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <kiln/world.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static kiln_types *types;
static uint32_t type;
static _Alignas(64) unsigned char blob[64];

/* Each of these functions creates one object, whose definition is valid except for the cookie,
 * `*ctx`. */

static kiln_status create_builder(void *ctx)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    def.cookie = *(const uint32_t *)ctx;
    kiln_status status = kiln_builder_create(&def, &builder);
    kiln_builder_destroy(builder);
    return status;
}

static kiln_status create_file_writer(void *ctx)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    def.types = types;
    def.cookie = *(const uint32_t *)ctx;
    kiln_status status = kiln_file_writer_create(&def, &writer, NULL);
    kiln_file_writer_destroy(writer);
    return status;
}

static kiln_status create_conversion(void *ctx)
{
    kiln_conversion_def def = kiln_conversion_def_default();
    kiln_conversion *conversion = NULL;
    def.from = def.to = types;
    def.from_type = def.to_type = type;
    def.cookie = *(const uint32_t *)ctx;
    kiln_status status = kiln_conversion_create(&def, &conversion, NULL);
    kiln_conversion_destroy(conversion);
    return status;
}

static kiln_status verify(void *ctx)
{
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = type;
    def.cookie = *(const uint32_t *)ctx;
    return kiln_verify(&def, blob, sizeof blob, NULL);
}

static kiln_status open_file(void *ctx)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    def.data = blob;
    def.size = sizeof blob;
    def.cookie = *(const uint32_t *)ctx;
    kiln_status status = kiln_file_open(&def, &file, NULL);
    kiln_file_close(file);
    return status;
}

static kiln_status create_assets(void *ctx)
{
    kiln_assets_def def = kiln_assets_def_default();
    kiln_assets *assets = NULL;
    def.cookie = *(const uint32_t *)ctx;
    kiln_status status = kiln_assets_create(&def, &assets, NULL);
    kiln_assets_destroy(assets);
    return status;
}

static kiln_assets *table;

static kiln_status mount_file(void *ctx)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount;
    def.file.data = blob;
    def.file.size = sizeof blob;
    def.cookie = *(const uint32_t *)ctx;
    return kiln_assets_mount(table, &def, &mount, NULL);
}

static kiln_status create_world(void *ctx)
{
    kiln_world_def def = kiln_world_def_default();
    kiln_world *world = NULL;
    def.cookie = *(const uint32_t *)ctx;
    kiln_status status = kiln_world_create(&def, &world);
    kiln_world_destroy(world);
    return status;
}

static kiln_status create_pool(void *ctx)
{
    kiln_pool_def def = kiln_pool_def_default();
    kiln_pool *pool = NULL;
    def.size = 8;
    def.cookie = *(const uint32_t *)ctx;
    kiln_status status = kiln_pool_create(&def, &pool);
    kiln_pool_destroy(pool);
    return status;
}

static const struct {
    kiln_status (*call)(void *ctx);
    kiln_status when_set; /* `blob` has no magic number */
} rows[] = {
    {create_builder, KILN_OK},  {create_file_writer, KILN_OK}, {create_conversion, KILN_OK},
    {verify, KILN_H_MAGIC},     {open_file, KILN_H_MAGIC},     {create_assets, KILN_OK},
    {mount_file, KILN_H_MAGIC}, {create_world, KILN_OK},       {create_pool, KILN_OK},
};

static void definition_without_its_default_is_refused(void **state)
{
    (void)state;
    kiln_assets_def def = kiln_assets_def_default();
    assert_int_equal(KILN_OK, kiln_assets_create(&def, &table, NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t set = def.cookie, unset = 0, other = def.cookie ^ 1;
        assert_int_equal(rows[i].when_set, rows[i].call(&set));
        assert_int_equal(KILN_BAD_ARGUMENT, misuse_status(rows[i].call, &unset));
        assert_int_equal(KILN_BAD_ARGUMENT, misuse_status(rows[i].call, &other));
    }
    kiln_assets_destroy(table);
}

static void file_definition_of_a_mount_needs_its_default_too(void **state)
{
    (void)state;
    kiln_mount_def def = kiln_mount_def_default();
    assert_int_equal(def.cookie, def.file.cookie);
}

static int set_up(void **state)
{
    (void)state;
    if (kiln_types_create_builtin(NULL, &types, NULL))
        return -1;
    type = kiln_types_find(types, "kiln.Index");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definition_without_its_default_is_refused),
        cmocka_unit_test(file_definition_of_a_mount_needs_its_default_too),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
