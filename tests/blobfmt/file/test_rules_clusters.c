/* Breaks each K rule in an otherwise valid cluster plan. The reader must report that rule at that
 * offset. */
#include "failing_memory.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/cluster_plan.h>
#include <kiln/file_writer.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file of the plan: asset 7 is the plan. */
enum { ASSETS = 8, IMPORTS = 2, CLUSTERS = 3 };

static kiln_types *types;
static uint32_t plan_type;
static kiln_buffer good;
static patched bytes;
static kiln_index of_file;

static void put(kiln_builder *b, kiln_array *field, const uint32_t *numbers, uint32_t count)
{
    uint32_t *to = kiln_builder_array(b, field, count, sizeof *to, sizeof *to);
    if (to)
        memcpy(to, numbers, count * sizeof *to);
}

#define PUT(field, ...)                                                                            \
    put(b, &plan->field, (const uint32_t[]){__VA_ARGS__},                                          \
        (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static kiln_builder *plan_builder(const kiln_types *of)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *b = NULL;
    def.types = of;
    assert_int_equal(kiln_builder_create(&def, &b), KILN_OK);
    kiln_cluster_plan *plan = kiln_builder_root(b, sizeof *plan, 4);
    PUT(roots, 1, 4, 6);
    PUT(member_starts, 0, 2, 3, 3);
    PUT(members, 0, 3, /**/ 5);
    PUT(mutable_starts, 0, 3, 3, 4);
    PUT(mutables, 2, 7, 8, /**/ /**/ 9);
    PUT(reference_starts, 0, 2, 2, 3);
    PUT(references, 1, 2, /**/ /**/ 0);
    return b;
}

static int set_up(void **state)
{
    (void)state;
    of_file.ids.count = of_file.assets.count = ASSETS;
    of_file.imports.count = IMPORTS;
    if (kiln_types_with_clusters(NULL, NULL, &types, NULL))
        return 1;
    plan_type = kiln_types_find(types, KILN_CLUSTERS_TYPE_NAME);
    kiln_builder *b = plan_builder(types);
    kiln_status status = kiln_builder_finish(b, plan_type, KILN_FLAG_CANONICAL, &good, NULL);
    kiln_builder_destroy(b);
    bytes = patched_copy(good.data, good.size);
    return status != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    patched_fini(&bytes);
    kiln_buffer_fini(&good);
    kiln_types_destroy(types);
    return 0;
}

static kiln_status read_bytes(const kiln_cluster_plan **ret_plan, kiln_error *reterr)
{
    return kiln_cluster_plan_read(&of_file, (kiln_span){bytes.data, bytes.size}, NULL, ret_plan,
                                  reterr);
}

static kiln_cluster_plan *plan_in(patched *blob)
{
    return (kiln_cluster_plan *)(void *)(blob->data + KILN_HEADER_SIZE);
}

/* ---- a valid plan ---- */

static void assert_numbers(kiln_cluster_numbers found, const uint32_t *wanted, uint32_t count)
{
    assert_int_equal(found.count, count);
    if (count)
        assert_memory_equal(found.numbers, wanted, count * sizeof *wanted);
    else
        assert_null(found.numbers);
}

static void plan_that_is_right_is_read(void **state)
{
    (void)state;
    static const struct {
        uint32_t root, members[2], member_count, mutables[3], mutable_count, references[2],
            reference_count;
    } wanted[CLUSTERS] = {{1, {0, 3}, 2, {2, 7, 8}, 3, {1, 2}, 2},
                          {4, {5}, 1, {0}, 0, {0}, 0},
                          {6, {0}, 0, {9}, 1, {0}, 1}};
    const kiln_cluster_plan *plan = NULL;
    memcpy(bytes.data, good.data, good.size);
    assert_int_equal(read_bytes(&plan, NULL), KILN_OK);
    assert_ptr_equal(plan, plan_in(&bytes));
    assert_int_equal(kiln_cluster_plan_count(plan), CLUSTERS);
    for (uint32_t i = 0; i < CLUSTERS; i++) {
        assert_int_equal(kiln_cluster_plan_root(plan, i), wanted[i].root);
        assert_numbers(kiln_cluster_plan_members(plan, i), wanted[i].members,
                       wanted[i].member_count);
        assert_numbers(kiln_cluster_plan_mutables(plan, i), wanted[i].mutables,
                       wanted[i].mutable_count);
        assert_numbers(kiln_cluster_plan_references(plan, i), wanted[i].references,
                       wanted[i].reference_count);
    }
}

static void plan_without_clusters_is_read(void **state)
{
    (void)state;
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *b = NULL;
    kiln_buffer blob = {0};
    const kiln_cluster_plan *read = NULL;
    kiln_index empty;
    memset(&empty, 0, sizeof empty);
    def.types = types;
    assert_int_equal(kiln_builder_create(&def, &b), KILN_OK);
    kiln_cluster_plan *plan = kiln_builder_root(b, sizeof *plan, 4);
    PUT(member_starts, 0);
    PUT(mutable_starts, 0);
    PUT(reference_starts, 0);
    assert_int_equal(kiln_builder_finish(b, plan_type, KILN_FLAG_CANONICAL, &blob, NULL), KILN_OK);
    kiln_span span = {blob.data, blob.size};
    assert_int_equal(kiln_cluster_plan_read(&empty, span, NULL, &read, NULL), KILN_OK);
    assert_int_equal(kiln_cluster_plan_count(read), 0);
    kiln_builder_destroy(b);
    kiln_buffer_fini(&blob);
}

/* ---- rules K2 to K6 ---- */

typedef struct number_case {
    const char *path;
    uint32_t number;
    const char *where; /* NULL: at `path` */
} number_case;

/* Changes one number of the plan, and reads it with and without its blob. */
static void check_case(const number_case *c, kiln_status status)
{
    const kiln_cluster_plan *plan = NULL;
    const char *where = c->where ? c->where : c->path;
    kiln_error error = {KILN_OK, 0, 0, ""};
    size_t size;
    memcpy(bytes.data, good.data, good.size);
    patch_value(bytes.data, types, plan_type, c->path, c->number);
    uint64_t at = (uint64_t)(patch_find(bytes.data, types, plan_type, where, &size) - bytes.data);
    read_bytes(&plan, &error);
    assert_error(&error, status, at, where);
    assert_null(plan);
    error.status = kiln_cluster_plan_check(plan_in(&bytes), &of_file, NULL, &error);
    assert_error(&error, status, at - KILN_HEADER_SIZE, where);
    assert_int_equal(kiln_cluster_plan_check(plan_in(&bytes), &of_file, NULL, NULL), status);
}

#define CHECK_CASES(cases, status)                                                                 \
    for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); i++)                                   \
    check_case(&(cases)[i], (status))

static void rule_k2_starts_are_those_of_the_lists(void **state)
{
    (void)state;
    static const number_case cases[] = {
        {"member_starts[0]", 1, NULL},
        {"member_starts[1]", 4, "member_starts[2]"},
        {"member_starts[2]", 1, NULL},
        {"member_starts[3]", 4, NULL},
        {"member_starts[3]", 2, NULL},
        {"member_starts[2]", UINT32_MAX, "member_starts[3]"},
        {"mutable_starts[0]", 1, NULL},
        {"mutable_starts[3]", 3, NULL},
        {"mutable_starts[2]", 2, NULL},
        {"reference_starts[0]", 1, NULL},
        {"reference_starts[1]", 3, "reference_starts[2]"},
        {"reference_starts[3]", 4, NULL},
    };
    CHECK_CASES(cases, KILN_K_LISTS);
}

/* A list of starts is too short, too long or missing. The blob itself would be invalid. */
static void rule_k2_each_list_of_starts_has_one_more_number_than_roots(void **state)
{
    (void)state;
    static const struct {
        size_t field;
        const char *path;
    } lists[] = {{offsetof(kiln_cluster_plan, member_starts), "member_starts"},
                 {offsetof(kiln_cluster_plan, mutable_starts), "mutable_starts"},
                 {offsetof(kiln_cluster_plan, reference_starts), "reference_starts"}};
    static const uint32_t counts[] = {0, CLUSTERS, CLUSTERS + 2, UINT32_MAX};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
            kiln_error error = {KILN_OK, 0, 0, ""};
            memcpy(bytes.data, good.data, good.size);
            kiln_array *list =
                (kiln_array *)(void *)(bytes.data + KILN_HEADER_SIZE + lists[i].field);
            list->count = counts[n];
            error.status = kiln_cluster_plan_check(plan_in(&bytes), &of_file, NULL, &error);
            assert_error(&error, KILN_K_LISTS, lists[i].field, lists[i].path);
        }
    }
}

static void rule_k3_roots_exist_and_ascend(void **state)
{
    (void)state;
    static const number_case cases[] = {
        {"roots[0]", 4, "roots[1]"}, {"roots[0]", 5, "roots[1]"}, {"roots[1]", 1, NULL},
        {"roots[1]", 6, "roots[2]"}, {"roots[2]", ASSETS, NULL},  {"roots[0]", UINT32_MAX, NULL},
        {"roots[2]", 0, NULL},
    };
    CHECK_CASES(cases, KILN_K_ROOT);
}

static void rule_k4_members_exist_ascend_and_have_one_owner(void **state)
{
    (void)state;
    static const number_case cases[] = {
        {"members[1]", ASSETS, NULL},
        {"members[1]", UINT32_MAX, NULL},
        {"members[0]", 3, "members[1]"},
        {"members[0]", 5, "members[1]"},
        {"members[1]", 0, NULL},
        {"members[2]", ASSETS, NULL},
        /* A member of another cluster, the cluster's root, another root. */
        {"members[2]", 3, NULL},
        {"members[2]", 0, NULL},
        {"members[0]", 1, NULL},
        {"members[1]", 4, NULL},
        {"members[2]", 4, NULL},
        {"members[2]", 6, NULL},
    };
    CHECK_CASES(cases, KILN_K_MEMBER);
}

static void rule_k5_mutables_exist_ascend_and_are_outside(void **state)
{
    (void)state;
    static const number_case cases[] = {
        {"mutables[2]", ASSETS + IMPORTS, NULL},
        {"mutables[3]", UINT32_MAX, NULL},
        {"mutables[1]", 2, NULL},
        {"mutables[1]", 9, "mutables[2]"},
        {"mutables[0]", 0, NULL},
        {"mutables[0]", 1, NULL},
        {"mutables[0]", 3, NULL},
        {"mutables[1]", 3, NULL},
        {"mutables[3]", 6, NULL},
    };
    CHECK_CASES(cases, KILN_K_MUTABLE);
}

static void rule_k6_references_exist_ascend_and_are_of_others(void **state)
{
    (void)state;
    static const number_case cases[] = {
        {"references[1]", CLUSTERS, NULL}, {"references[2]", UINT32_MAX, NULL},
        {"references[0]", 0, NULL},        {"references[0]", 2, "references[1]"},
        {"references[1]", 1, NULL},        {"references[2]", 2, NULL},
    };
    CHECK_CASES(cases, KILN_K_REFERENCE);
}

/* Valid numbers at the limits. For example, a mutable may be a member of another cluster. */
static void numbers_at_the_limits_are_read(void **state)
{
    (void)state;
    static const number_case cases[] = {{"roots[2]", ASSETS - 1, NULL}, {"members[2]", 7, NULL},
                                        {"mutables[0]", 4, NULL},       {"mutables[0]", 5, NULL},
                                        {"mutables[2]", 9, NULL},       {"mutables[3]", 0, NULL},
                                        {"references[2]", 1, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kiln_cluster_plan *plan = NULL;
        memcpy(bytes.data, good.data, good.size);
        patch_value(bytes.data, types, plan_type, cases[i].path, cases[i].number);
        assert_int_equal(read_bytes(&plan, NULL), KILN_OK);
    }
}

/* ---- rule K1 ---- */

/* Writes a file with two assets of a type, one of them named `name`, and with a plan of that name
 * if `is_plan`. */
static kiln_buffer file_with(const char *name, bool is_plan)
{
    kiln_types *list = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_buffer file = {0};
    kiln_error error;
    static const kiln_member field[] = {{.name = "n", .type = 0}};
    static const kiln_type own[] = {{.kind = KILN_KIND_U32},
                                    {.kind = KILN_KIND_STRUCT,
                                     .name = "A",
                                     .members = field,
                                     .member_count = 1,
                                     .flags = KILN_TYPE_ASSET}};
    static const char *const others[] = {"A/b", "A/c", "A/d", "A/e"};
    assert_int_equal(kiln_types_create(NULL, own, 2, &list, NULL), KILN_OK);
    kiln_types *joined = NULL;
    assert_int_equal(kiln_types_with_clusters(list, NULL, &joined, NULL), KILN_OK);
    def.types = joined;
    assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
    for (size_t i = 0; i < 5; i++) {
        kiln_builder_def of_builder = kiln_builder_def_default();
        kiln_builder *b = NULL;
        bool makes_plan = i == 4 && is_plan;
        of_builder.types = joined;
        if (makes_plan) {
            b = plan_builder(joined);
        } else {
            assert_int_equal(kiln_builder_create(&of_builder, &b), KILN_OK);
            *(uint32_t *)kiln_builder_root(b, 4, 4) = (uint32_t)i;
        }
        uint32_t type = makes_plan ? kiln_types_find(joined, KILN_CLUSTERS_TYPE_NAME) : 1;
        assert_int_equal(kiln_file_writer_build(writer, i < 4 ? others[i] : name, type, b, &error),
                         KILN_OK);
        kiln_builder_destroy(b);
    }
    assert_int_equal(kiln_file_writer_finish_buffer(writer, &file, &error), KILN_OK);
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(joined);
    kiln_types_destroy(list);
    return file;
}

static const kiln_index *index_of(const kiln_types *builtin, const kiln_buffer *file)
{
    const kiln_index *index = NULL;
    kiln_file_head head = {file->data, file->size, file->size};
    assert_int_equal(kiln_index_check(builtin, NULL, &head, &index, NULL), KILN_OK);
    return index;
}

static void rule_k1_plan_has_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_plan, is_found;
        kiln_status status;
    } cases[] = {{"kiln.Clusters/plan", true, true, KILN_OK},
                 {"kiln.Clusters/plan", false, false, KILN_OK},
                 {"kiln.Clusters/plan2", true, false, KILN_K_NAME},
                 {"A/plan", true, false, KILN_K_NAME},
                 {"A/plan", false, false, KILN_OK}};
    kiln_types *builtin = NULL;
    assert_int_equal(kiln_types_create_builtin(NULL, &builtin, NULL), KILN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_buffer file = file_with(cases[i].name, cases[i].is_plan);
        const kiln_index *index = index_of(builtin, &file);
        uint32_t named = kiln_index_find_name(index, cases[i].name, strlen(cases[i].name));
        kiln_error error = {KILN_OK, 0, 0, ""};
        assert_int_equal(kiln_cluster_plan_find(index),
                         cases[i].is_found ? named : KILN_ASSET_NONE);
        assert_int_equal(kiln_cluster_plan_check_names(index, file.data, &error), cases[i].status);
        if (cases[i].status) {
            char path[32];
            const kiln_index_asset *asset = kiln_index_asset_at(index, named);
            snprintf(path, sizeof path, "assets[%u].name", (unsigned)named);
            assert_error(&error, KILN_K_NAME,
                         (uint64_t)((const unsigned char *)&asset->name - file.data), path);
        }
        kiln_buffer_fini(&file);
    }
    kiln_types_destroy(builtin);
}

/* A program may look for the plan when only the frame of the index has been checked. */
static void plan_of_a_type_or_member_that_does_not_exist_is_not_found(void **state)
{
    (void)state;
    kiln_types *builtin = NULL;
    kiln_buffer file = file_with(KILN_CLUSTERS_ASSET_NAME, true);
    assert_int_equal(kiln_types_create_builtin(NULL, &builtin, NULL), KILN_OK);
    const kiln_index *index = index_of(builtin, &file);
    uint32_t number = kiln_cluster_plan_find(index);
    kiln_index_asset *asset = (kiln_index_asset *)(uintptr_t)kiln_index_asset_at(index, number);
    for (int i = 0; i < 2; i++) {
        kiln_index_asset kept = *asset;
        *(i ? &asset->member : &asset->type) = 1000000;
        assert_int_equal(kiln_cluster_plan_find(index), KILN_ASSET_NONE);
        *asset = kept;
    }
    assert_int_equal(kiln_cluster_plan_find(index), number);
    kiln_types_destroy(builtin);
    kiln_buffer_fini(&file);
}

/* ---- hostile bytes ---- */

static void plan_of_wrong_layout_or_kind_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        kiln_status status;
    } cases[] = {{0, KILN_H_MAGIC}, {6, KILN_H_KIND}, {16, KILN_H_LAYOUT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kiln_cluster_plan *plan = NULL;
        kiln_error error = {KILN_OK, 0, 0, ""};
        memcpy(bytes.data, good.data, good.size);
        bytes.data[cases[i].at] ^= 0x20;
        assert_int_equal(read_bytes(&plan, &error), cases[i].status);
        assert_error(&error, cases[i].status, cases[i].at, "");
        assert_null(plan);
    }
}

static void every_truncation_of_a_plan_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < good.size; size++) {
        const kiln_cluster_plan *plan = NULL;
        patched cut = patched_copy(good.data, size);
        kiln_span span = {cut.data, size};
        assert_int_equal(kiln_cluster_plan_read(&of_file, span, NULL, &plan, NULL),
                         KILN_H_TRUNCATED);
        /* With a header that states the shorter size. */
        if (size > KILN_HEADER_SIZE) {
            patch_number(cut.data + 8, size - KILN_HEADER_SIZE, 8);
            patched_rehash(cut.data);
            assert_int_not_equal(kiln_cluster_plan_read(&of_file, span, NULL, &plan, NULL),
                                 KILN_OK);
        }
        assert_null(plan);
        patched_fini(&cut);
    }
}

/* Every value of every byte of the payload: a plan that is accepted is safe to read. */
static void every_changed_byte_is_refused_or_safe_to_read(void **state)
{
    (void)state;
    uint64_t sum = 0;
    for (size_t at = KILN_HEADER_SIZE; at < good.size; at++) {
        for (unsigned value = 0; value < 256; value++) {
            const kiln_cluster_plan *plan = NULL;
            memcpy(bytes.data, good.data, good.size);
            bytes.data[at] = (unsigned char)value;
            if (read_bytes(&plan, NULL))
                continue;
            for (uint32_t i = 0; i < kiln_cluster_plan_count(plan); i++) {
                kiln_cluster_numbers lists[] = {kiln_cluster_plan_members(plan, i),
                                                kiln_cluster_plan_mutables(plan, i),
                                                kiln_cluster_plan_references(plan, i)};
                sum += kiln_cluster_plan_root(plan, i);
                for (size_t n = 0; n < 3; n++)
                    for (uint32_t k = 0; k < lists[n].count; k++)
                        sum += lists[n].numbers[k];
            }
        }
    }
    assert_true(sum > 0);
}

/* ---- memory and types ---- */

static kiln_status read_with(const kiln_allocator *allocator, kiln_error *reterr)
{
    const kiln_cluster_plan *plan = NULL;
    kiln_span span = {good.data, good.size};
    kiln_status status = kiln_cluster_plan_read(&of_file, span, allocator, &plan, reterr);
    if (status)
        assert_null(plan);
    return status;
}

static kiln_status join_types(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *joined = NULL;
    kiln_status status = kiln_types_with_clusters(verdict_types, allocator, &joined, reterr);
    kiln_types_destroy(joined);
    return status;
}

static void memory_that_runs_out_is_reported(void **state)
{
    verdict_set_up(state);
    check_each_failure(read_with);
    check_each_failure(join_types);
    verdict_tear_down(state);
}

static void type_of_plans_is_added_once(void **state)
{
    (void)state;
    kiln_types *again = NULL, *clashing = NULL;
    static const kiln_member wrong[] = {{.name = "x", .type = 0}};
    static const kiln_type list[] = {
        {.kind = KILN_KIND_U8},
        {.kind = KILN_KIND_STRUCT, .name = "kiln.Clusters", .members = wrong, .member_count = 1}};
    kiln_error error;
    assert_int_equal(kiln_types_with_clusters(types, NULL, &again, NULL), KILN_OK);
    assert_int_equal(kiln_types_count(again), kiln_types_count(types));
    kiln_types_destroy(again);
    assert_int_equal(kiln_types_create(NULL, list, 2, &clashing, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_clusters(clashing, NULL, &again, &error), KILN_DUPLICATE);
    assert_error(&error, KILN_DUPLICATE, 0, "kiln.Clusters");
    kiln_types_destroy(clashing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_that_is_right_is_read),
        cmocka_unit_test(plan_without_clusters_is_read),
        cmocka_unit_test(rule_k1_plan_has_its_name),
        cmocka_unit_test(plan_of_a_type_or_member_that_does_not_exist_is_not_found),
        cmocka_unit_test(rule_k2_starts_are_those_of_the_lists),
        cmocka_unit_test(rule_k2_each_list_of_starts_has_one_more_number_than_roots),
        cmocka_unit_test(rule_k3_roots_exist_and_ascend),
        cmocka_unit_test(rule_k4_members_exist_ascend_and_have_one_owner),
        cmocka_unit_test(rule_k5_mutables_exist_ascend_and_are_outside),
        cmocka_unit_test(rule_k6_references_exist_ascend_and_are_of_others),
        cmocka_unit_test(numbers_at_the_limits_are_read),
        cmocka_unit_test(plan_of_wrong_layout_or_kind_is_refused),
        cmocka_unit_test(every_truncation_of_a_plan_is_refused),
        cmocka_unit_test(every_changed_byte_is_refused_or_safe_to_read),
        cmocka_unit_test(memory_that_runs_out_is_reported),
        cmocka_unit_test(type_of_plans_is_added_once),
    };
    return cmocka_run_group_tests_name("cluster plan rules", tests, set_up, tear_down);
}
