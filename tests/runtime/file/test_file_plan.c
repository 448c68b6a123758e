/* kiln_file_verify checks the cluster plan of a file: compressed or not, with or without types. */
#include "file_fixture.h"

#include <kiln/builder.h>
#include <kiln/cluster_plan.h>
#include <kiln/file_writer.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 40, STORAGES = 4 };

typedef struct storage {
    int level;
    bool omit_types;
} storage;

static const storage storages[STORAGES] = {{0, false}, {19, false}, {0, true}, {19, true}};

/* A change of one number of the plan, which has the roots 0, 2, 4 and so on, each with the member
 * after it. The plan itself is one of the assets, so there are ITEMS + 1. */
typedef struct plan_change {
    const char *list;
    uint32_t number, value;
    kiln_status status;
} plan_change;

static void put(kiln_builder *b, kiln_array *field, const char *name, uint32_t count,
                uint32_t first, uint32_t step, const plan_change *change)
{
    uint32_t *numbers = kiln_builder_array(b, field, count, sizeof *numbers, sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = first + i * step;
    if (change && strcmp(change->list, name) == 0)
        numbers[change->number] = change->value;
}

static kiln_builder *build_plan(const kiln_types *types, const plan_change *change)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *b = NULL;
    uint32_t clusters = ITEMS / 2;
    def.types = types;
    assert_int_equal(KILN_OK, kiln_builder_create(&def, &b));
    kiln_cluster_plan *plan = kiln_builder_root(b, sizeof *plan, 4);
    put(b, &plan->roots, "roots", clusters, 0, 2, change);
    put(b, &plan->member_starts, "member_starts", clusters + 1, 0, 1, change);
    put(b, &plan->members, "members", clusters, 1, 2, change);
    put(b, &plan->mutable_starts, "mutable_starts", clusters + 1, 0, 1, change);
    put(b, &plan->mutables, "mutables", clusters, ITEMS, 0, change);
    put(b, &plan->reference_starts, "reference_starts", clusters + 1, 0, 0, change);
    return b;
}

static kiln_builder *build_item(const kiln_types *types, uint32_t number)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *b = NULL;
    def.types = types;
    assert_int_equal(KILN_OK, kiln_builder_create(&def, &b));
    test_item *item = kiln_builder_root(b, sizeof *item, _Alignof(test_item));
    item->kind = (uint8_t)(1 + number % 2);
    return b;
}

static void add(kiln_file_writer *writer, const char *name, uint32_t type, kiln_builder *b)
{
    assert_int_equal(KILN_OK, kiln_file_writer_build(writer, name, type, b, NULL));
    kiln_builder_destroy(b);
}

/* Writes a file with a plan of this name, and with a second one unless its name is NULL. */
static kiln_buffer file_with_plans(const storage *how, const char *name, const char *second,
                                   const plan_change *change)
{
    kiln_types *own = fixture_types(LAYOUT_NOW), *types = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_buffer image = {0};
    assert_int_equal(KILN_OK, kiln_types_with_clusters(own, NULL, &types, NULL));
    def.types = types;
    def.omit_type_table = how->omit_types;
    def.skip_sharing = true;
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_compress(writer, how->level, NULL));
    for (uint32_t i = 0; i < ITEMS; i++) {
        char item[16];
        snprintf(item, sizeof item, "Item/%u", (unsigned)i);
        add(writer, item, kiln_types_find(types, "test.Item"), build_item(types, i));
    }
    add(writer, name, kiln_types_find(types, KILN_CLUSTERS_TYPE_NAME), build_plan(types, change));
    if (second)
        add(writer, second, kiln_types_find(types, KILN_CLUSTERS_TYPE_NAME),
            build_plan(types, change));
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &image, NULL));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    kiln_types_destroy(own);
    return image;
}

static kiln_buffer file_with_plan(const storage *how, const char *name, const plan_change *change)
{
    return file_with_plans(how, name, NULL, change);
}

/* Opens the file, for a program that has the type of the items but not that of plans. */
static kiln_file *open_file(const kiln_buffer *image, kiln_verify_level level,
                            const kiln_buffer *program_types)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    def.data = image->data;
    def.size = image->size;
    def.level = level;
    if (program_types) {
        def.types = program_types->data;
        def.types_size = program_types->size;
    }
    assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
    return file;
}

static void file_with_a_valid_plan_is_accepted(void **state)
{
    (void)state;
    kiln_buffer program_types = fixture_type_table(LAYOUT_NOW);
    for (int i = 0; i < STORAGES; i++) {
        kiln_buffer image = file_with_plan(&storages[i], KILN_CLUSTERS_ASSET_NAME, NULL);
        kiln_file *file = open_file(&image, KILN_VERIFY_DEEP, &program_types);
        assert_int_not_equal(KILN_ASSET_NONE, kiln_cluster_plan_find(kiln_file_index(file, NULL)));
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
        kiln_file_close(file);
        kiln_buffer_fini(&image);
    }
    kiln_buffer_fini(&program_types);
}

static void each_rule_of_plans_is_checked_at_the_deep_level(void **state)
{
    (void)state;
    static const plan_change changes[] = {{"member_starts", 3, 1, KILN_K_LISTS},
                                          {"roots", 5, ITEMS + 1, KILN_K_ROOT},
                                          {"members", 0, 3, KILN_K_MEMBER},
                                          {"mutables", 2, 4, KILN_K_MUTABLE},
                                          {"reference_starts", 4, 1, KILN_K_LISTS}};
    kiln_buffer program_types = fixture_type_table(LAYOUT_NOW);
    for (size_t i = 0; i < STORAGES * sizeof changes / sizeof *changes; i++) {
        const plan_change *change = &changes[i / STORAGES];
        kiln_buffer image =
            file_with_plan(&storages[i % STORAGES], KILN_CLUSTERS_ASSET_NAME, change);
        kiln_file *file = open_file(&image, KILN_VERIFY_HASH, &program_types);
        uint64_t place = fixture_member(file, KILN_CLUSTERS_ASSET_NAME)->place;
        kiln_error error;
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_HASH, NULL));
        assert_int_equal(change->status, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
        assert_true(error.offset > place + KILN_HEADER_SIZE);
        assert_int_equal(0, strncmp(error.path, change->list, strlen(change->list)));
        kiln_file_close(file);
        kiln_buffer_fini(&image);
    }
    kiln_buffer_fini(&program_types);
}

/* Fails each allocation of opening and checking a file with a compressed plan. */
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    kiln_buffer image = file_with_plan(&storages[1], KILN_CLUSTERS_ASSET_NAME, NULL);
    kiln_status status = KILN_NO_MEMORY;
    for (size_t fail_at = 1; status != KILN_OK; fail_at++) {
        counting_allocator counting;
        counting_allocator_init(&counting);
        counting.fail_at = fail_at;
        kiln_file_def def = kiln_file_def_default();
        kiln_file *file = NULL;
        def.data = image.data;
        def.size = image.size;
        def.allocator = &counting.allocator;
        status = kiln_file_open(&def, &file, NULL);
        if (status == KILN_OK)
            status = kiln_file_verify(file, KILN_VERIFY_DEEP, NULL);
        assert_true(status == KILN_OK || status == KILN_NO_MEMORY);
        assert_int_equal(status != KILN_OK, counting.calls >= fail_at);
        kiln_file_close(file);
        assert_int_equal(0, counting.bytes);
    }
    kiln_buffer_fini(&image);
}

static void plan_of_another_name_is_refused(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"Plan/mine", NULL},
                                           {KILN_CLUSTERS_ASSET_NAME, "Plan/mine"}};
    for (size_t i = 0; i < 2; i++) {
        kiln_buffer image = file_with_plans(&storages[0], names[i][0], names[i][1], NULL);
        kiln_file *file = open_file(&image, KILN_VERIFY_DEEP, NULL);
        kiln_error error;
        assert_int_equal(KILN_K_NAME, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
        assert_int_equal(0, strncmp(error.path, "assets[", 7));
        kiln_file_close(file);
        kiln_buffer_fini(&image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_with_a_valid_plan_is_accepted),
        cmocka_unit_test(each_rule_of_plans_is_checked_at_the_deep_level),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(plan_of_another_name_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
