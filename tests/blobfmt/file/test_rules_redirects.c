/* Rules R1 to R4 on lists of redirects that are written by hand, and the lists that
 * kiln_redirects_finish writes. */
#include "failing_memory.h"
#include "verdict.h"

#include <kiln/redirects.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kiln_types *types, *builtin;

static int set_up(void **state)
{
    (void)state;
    return kiln_types_with_redirects(NULL, NULL, &types, NULL) != KILN_OK ||
           kiln_types_create_builtin(NULL, &builtin, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    kiln_types_destroy(builtin);
    return 0;
}

/* An entry, which is written unchanged. The id 0 means the hash of the name. */
typedef struct entry {
    const char *name, *target;
    kiln_id id;
} entry;

enum { ENTRIES_MAX = 3 };

typedef struct list_case {
    entry entries[ENTRIES_MAX];
    kiln_status status;
    const char *path;
} list_case;

static kiln_id id_of(const entry *e)
{
    return e->id ? e->id : kiln_asset_id(e->name, strlen(e->name));
}

static int by_id(const void *a, const void *b)
{
    kiln_id left = id_of(a), right = id_of(b);
    return (left > right) - (left < right);
}

static kiln_buffer make_list(const entry *entries, uint32_t count)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    def.types = types;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    kiln_redirects *root = kiln_builder_root(builder, sizeof *root, 4);
    kiln_redirect *made =
        kiln_builder_array(builder, &root->entries, count, sizeof *made, _Alignof(kiln_redirect));
    for (uint32_t i = 0; i < count; i++) {
        made[i].id = id_of(&entries[i]);
        kiln_builder_string(builder, &made[i].name, entries[i].name, strlen(entries[i].name));
        if (entries[i].target)
            kiln_builder_string(builder, &made[i].target, entries[i].target,
                                strlen(entries[i].target));
    }
    assert_int_equal(kiln_builder_finish(builder, kiln_types_find(types, KILN_REDIRECTS_TYPE_NAME),
                                         0, &blob, NULL),
                     KILN_OK);
    kiln_builder_destroy(builder);
    return blob;
}

/* A file with the assets Item/a and Item/b. */
static kiln_buffer make_file(void)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_buffer blob = make_list(NULL, 0), file = {0};
    uint32_t type = kiln_types_find(types, KILN_REDIRECTS_TYPE_NAME);
    def.types = types;
    assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
    const kiln_span span = {blob.data, blob.size};
    assert_int_equal(kiln_file_writer_add(writer, "Item/a", type, span, NULL), KILN_OK);
    assert_int_equal(kiln_file_writer_add(writer, "Item/b", type, span, NULL), KILN_OK);
    assert_int_equal(kiln_file_writer_finish_buffer(writer, &file, NULL), KILN_OK);
    kiln_file_writer_destroy(writer);
    kiln_buffer_fini(&blob);
    return file;
}

static void check_list(const list_case *c, bool is_sorted)
{
    entry entries[ENTRIES_MAX];
    uint32_t count = 0;
    while (count < ENTRIES_MAX && c->entries[count].name)
        count++;
    memcpy(entries, c->entries, sizeof entries);
    if (is_sorted)
        qsort(entries, count, sizeof *entries, by_id);
    kiln_buffer blob = make_list(entries, count), file = make_file();
    const kiln_index *index = NULL;
    assert_int_equal(kiln_index_check(builtin, NULL,
                                      &(kiln_file_head){file.data, file.size, file.size}, &index,
                                      NULL),
                     KILN_OK);
    const kiln_redirects *redirects = NULL;
    kiln_error error = {0};
    kiln_status status =
        kiln_redirects_read((kiln_span){blob.data, blob.size}, index, NULL, &redirects, &error);
    assert_int_equal(status, c->status);
    assert_int_equal(redirects != NULL, status == KILN_OK);
    if (status)
        assert_error(&error, c->status, 0, c->path);
    kiln_buffer_fini(&blob);
    kiln_buffer_fini(&file);
}

#define CHECK_LISTS(rows, is_sorted)                                                               \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                     \
    check_list(&(rows)[i], is_sorted)

static void valid_lists_are_accepted(void **state)
{
    (void)state;
    static const list_case rows[] = {
        {{{0}}, KILN_OK, NULL},
        {{{"Item/x", "Item/a", 0}}, KILN_OK, NULL},
        {{{"Item/x", NULL, 0}}, KILN_OK, NULL},
        {{{"Item/x", "Item/elsewhere", 0}, {"Item/y", "Item/a", 0}, {"Weapon/y", "Weapon/x", 0}},
         KILN_OK,
         NULL},
        {{{"Item/a/b", "Item/a", 0}, {"Item/c", "Item/a/c", 0}}, KILN_OK, NULL},
    };
    CHECK_LISTS(rows, true);
}

static void rule_r1_ids_are_strictly_ascending(void **state)
{
    (void)state;
    const list_case rows[] = {
        {{{"Item/x", NULL, 0}, {"Item/x", NULL, 0}}, KILN_R_ORDER, "entries[1].id"},
    };
    CHECK_LISTS(rows, false);
    entry pair[2] = {{"Item/x", NULL, 0}, {"Item/y", NULL, 0}};
    qsort(pair, 2, sizeof *pair, by_id);
    const list_case reversed = {{pair[1], pair[0]}, KILN_R_ORDER, "entries[1].id"};
    check_list(&reversed, false);
}

static void rule_r2_names_match_ids_and_kinds(void **state)
{
    (void)state;
    static const list_case rows[] = {
        {{{"Item/x", NULL, 7}}, KILN_R_NAME, "entries[0].name"},
        {{{"Item", NULL, 0}}, KILN_R_NAME, "entries[0].name"},
        {{{"/x", NULL, 0}}, KILN_R_NAME, "entries[0].name"},
        {{{"Item/", NULL, 0}}, KILN_R_NAME, "entries[0].name"},
        {{{"Item/x", "Item", 0}}, KILN_R_NAME, "entries[0].target"},
        {{{"Item/x", "Item/", 0}}, KILN_R_NAME, "entries[0].target"},
        {{{"Item/x", "Items/a", 0}}, KILN_R_NAME, "entries[0].target"},
        {{{"Items/x", "Item/a", 0}}, KILN_R_NAME, "entries[0].target"},
        {{{"Item/x", "Weapon/a", 0}}, KILN_R_NAME, "entries[0].target"},
        {{{"Item/x", "Item/a\n", 0}}, KILN_R_NAME, "entries[0].target"},
        {{{"Item/x", "It/a", 0}}, KILN_R_NAME, "entries[0].target"},
        {{{"It/x", "Item/a", 0}}, KILN_R_NAME, "entries[0].target"},
    };
    CHECK_LISTS(rows, true);
}

static void rule_r3_no_entry_leads_to_another(void **state)
{
    (void)state;
    static const list_case rows[] = {
        {{{"Item/x", "Item/x", 0}}, KILN_R_CHAIN, "entries[0].target"},
        {{{"Item/x", "Item/y", 0}, {"Item/y", "Item/x", 0}}, KILN_R_CHAIN, "entries[0].target"},
    };
    CHECK_LISTS(rows, true);
    entry chain[2] = {{"Item/x", "Item/y", 0}, {"Item/y", NULL, 0}};
    bool is_first = id_of(&chain[0]) < id_of(&chain[1]);
    const list_case row = {
        {chain[0], chain[1]}, KILN_R_CHAIN, is_first ? "entries[0].target" : "entries[1].target"};
    check_list(&row, true);
}

static void rule_r4_no_asset_has_an_earlier_id(void **state)
{
    (void)state;
    static const list_case rows[] = {
        {{{"Item/a", "Item/b", 0}}, KILN_R_ASSET, "entries[0].id"},
        {{{"Item/b", NULL, 0}}, KILN_R_ASSET, "entries[0].id"},
    };
    CHECK_LISTS(rows, true);
    kiln_buffer blob = make_list(rows[0].entries, 1);
    const kiln_redirects *redirects = NULL;
    assert_int_equal(
        kiln_redirects_read((kiln_span){blob.data, blob.size}, NULL, NULL, &redirects, NULL),
        KILN_OK);
    kiln_buffer_fini(&blob);
}

static void every_truncation_and_another_layout_is_refused(void **state)
{
    (void)state;
    const entry entries[] = {{"Item/x", "Item/a", 0}};
    kiln_buffer blob = make_list(entries, 1);
    const kiln_redirects *redirects = NULL;
    kiln_error error = {0};
    for (size_t size = 0; size < blob.size; size++) {
        patched cut = patched_copy(blob.data, size);
        assert_int_equal(
            kiln_redirects_read((kiln_span){cut.data, size}, NULL, NULL, &redirects, &error),
            KILN_H_TRUNCATED);
        patched_fini(&cut);
    }
    patched other = patched_copy(blob.data, blob.size);
    other.data[16] ^= 1;
    patched_rehash(other.data);
    assert_int_equal(
        kiln_redirects_read((kiln_span){other.data, other.size}, NULL, NULL, &redirects, &error),
        KILN_H_LAYOUT);
    patched_fini(&other);
    assert_null(redirects);
    kiln_buffer_fini(&blob);
}

/* The memory after the list contains an entry with the id. */
static void ids_are_found_only_in_the_list(void **state)
{
    (void)state;
    struct {
        KILN_ALIGNAS(8) kiln_redirects list;
        kiln_redirect entries[3];
    } made = {.entries = {{.id = 3}, {.id = 5}, {.id = 9}}};
    made.list.entries.offset =
        (uint32_t)((unsigned char *)made.entries - (unsigned char *)&made.list.entries);
    for (uint32_t count = 0; count <= 3; count++) {
        made.list.entries.count = count;
        for (kiln_id id = 0; id <= 10; id++) {
            const kiln_redirect *expected = NULL;
            for (uint32_t i = 0; i < count; i++)
                if (made.entries[i].id == id)
                    expected = &made.entries[i];
            assert_ptr_equal(expected, kiln_redirects_find(&made.list, id));
        }
    }
    const kiln_redirects empty = {{0, 0}};
    assert_null(kiln_redirects_find(&empty, 3));
}

/* ---- writing ---- */

static kiln_status write_with(const kiln_rename *renames, uint32_t count,
                              const kiln_allocator *allocator, kiln_buffer *ret_file,
                              kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    def.types = types;
    def.allocator = allocator;
    kiln_status status = kiln_file_writer_create(&def, &writer, reterr);
    const kiln_redirects_finish_args args = {renames, count, types, writer, allocator};
    if (!status)
        status = kiln_redirects_finish(&args, reterr);
    if (!status)
        status = kiln_file_writer_finish_buffer(writer, ret_file, reterr);
    kiln_file_writer_destroy(writer);
    return status;
}

static const kiln_rename sample[] = {
    {"Item/foil", "Item/sword"}, {"Item/sabre", "Item/sword"}, {"Item/stick", NULL}};

static void written_lists_are_found_again_in_any_order(void **state)
{
    (void)state;
    kiln_rename turned[3] = {sample[2], sample[0], sample[1]};
    kiln_buffer file = {0}, again = {0};
    assert_int_equal(write_with(sample, 3, NULL, &file, NULL), KILN_OK);
    assert_int_equal(write_with(turned, 3, NULL, &again, NULL), KILN_OK);
    assert_same_bytes(&file, &again);
    const kiln_index *index = NULL;
    assert_int_equal(kiln_index_check(builtin, NULL,
                                      &(kiln_file_head){file.data, file.size, file.size}, &index,
                                      NULL),
                     KILN_OK);
    assert_int_equal(kiln_index_asset_count(index), 1);
    assert_string_equal(kiln_string_get(&kiln_index_asset_at(index, 0)->name), KILN_REDIRECTS_NAME);
    const kiln_index_member *member = kiln_index_member_at(index, 1);
    const kiln_redirects *redirects = NULL;
    const kiln_span blob = {(const unsigned char *)file.data + member->place, (size_t)member->size};
    assert_int_equal(kiln_redirects_read(blob, index, NULL, &redirects, NULL), KILN_OK);
    for (size_t i = 0; i < 3; i++) {
        const kiln_redirect *found =
            kiln_redirects_find(redirects, kiln_asset_id(sample[i].name, strlen(sample[i].name)));
        assert_non_null(found);
        assert_string_equal(kiln_string_get(&found->name), sample[i].name);
        assert_string_equal(kiln_string_get(&found->target),
                            sample[i].target ? sample[i].target : "");
    }
    assert_null(kiln_redirects_find(redirects, 1));
    kiln_buffer_fini(&file);
    kiln_buffer_fini(&again);
}

static void what_breaks_a_rule_is_not_written(void **state)
{
    (void)state;
    static const struct {
        kiln_rename renames[2];
        uint32_t count;
        kiln_status status;
        const char *path;
    } rows[] = {
        {{{"Item", NULL}}, 1, KILN_R_NAME, "Item"},
        {{{"Item/x", "Items/y"}}, 1, KILN_R_NAME, "Item/x"},
        {{{"Item/x", "y"}}, 1, KILN_R_NAME, "Item/x"},
        {{{"Item/x", "Item/x"}}, 1, KILN_R_CHAIN, "Item/x"},
        {{{"Item/x", "Item/y"}, {"Item/y", NULL}}, 2, KILN_R_CHAIN, "Item/x"},
        {{{"Item/x", "Item/y"}, {"Item/x", NULL}}, 2, KILN_DUPLICATE, "Item/x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer file = {0};
        kiln_error error = {0};
        assert_int_equal(write_with(rows[i].renames, rows[i].count, NULL, &file, &error),
                         rows[i].status);
        assert_error(&error, rows[i].status, 0, rows[i].path);
    }
}

static void refuse_types(const kiln_types *of)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_error error = {0};
    def.types = of;
    assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
    /* The list breaks a rule, too, to show that the types are checked first. */
    const kiln_rename wrong = {"Item", NULL};
    const kiln_redirects_finish_args args = {&wrong, 1, of, writer, NULL};
    assert_int_equal(kiln_redirects_finish(&args, &error), KILN_BAD_ARGUMENT);
    assert_error(&error, KILN_BAD_ARGUMENT, 0, "");
    kiln_file_writer_destroy(writer);
}

static void types_without_redirects_are_refused(void **state)
{
    (void)state;
    const kiln_member fields[] = {{.name = "entries", .type = 0}};
    const kiln_type other[] = {{.kind = KILN_KIND_U64},
                               {.kind = KILN_KIND_STRUCT,
                                .name = KILN_REDIRECTS_TYPE_NAME,
                                .flags = KILN_TYPE_ASSET,
                                .members = fields,
                                .member_count = 1}};
    kiln_types *made = NULL, *joined = NULL;
    kiln_error error = {0};
    refuse_types(verdict_types);
    assert_int_equal(kiln_types_create(NULL, other, 2, &made, NULL), KILN_OK);
    refuse_types(made);
    assert_int_equal(kiln_types_with_redirects(made, NULL, &joined, &error), KILN_DUPLICATE);
    assert_error(&error, KILN_DUPLICATE, 0, KILN_REDIRECTS_TYPE_NAME);
    assert_null(joined);
    kiln_types_destroy(made);
}

/* Fills all memory with copies of an id. */
static kiln_id fill_with;

static void *alloc_filled(void *ctx, size_t size, size_t align)
{
    const kiln_allocator heap = kiln_allocator_default();
    unsigned char *memory = heap.alloc(ctx, size, align);
    for (size_t at = 0; memory && at + sizeof fill_with <= size; at += sizeof fill_with)
        memcpy(memory + at, &fill_with, sizeof fill_with);
    return memory;
}

static void a_target_is_searched_only_among_the_renames(void **state)
{
    (void)state;
    static const kiln_rename renames[] = {{"Item/foil", "Item/sword"}};
    kiln_allocator allocator = kiln_allocator_default();
    kiln_buffer file = {0};
    allocator.alloc = alloc_filled;
    fill_with = kiln_asset_id("Item/sword", 10);
    assert_true(kiln_asset_id("Item/foil", 9) < fill_with);
    assert_int_equal(write_with(renames, 1, &allocator, &file, NULL), KILN_OK);
    kiln_buffer_fini(&file);
}

static kiln_status write_and_read(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer file = {0};
    kiln_status status = write_with(sample, 3, allocator, &file, reterr);
    const kiln_index *index = NULL;
    const kiln_redirects *redirects = NULL;
    if (status)
        return status;
    status = kiln_index_check(builtin, allocator,
                              &(kiln_file_head){file.data, file.size, file.size}, &index, reterr);
    if (!status) {
        const kiln_index_member *member = kiln_index_member_at(index, 1);
        status = kiln_redirects_read(
            (kiln_span){(const unsigned char *)file.data + member->place, (size_t)member->size},
            index, allocator, &redirects, reterr);
    }
    kiln_buffer_fini(&file);
    return status;
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    check_each_failure(write_and_read);
}

static int set_up_all(void **state)
{
    return verdict_set_up(state) || set_up(state);
}

static int tear_down_all(void **state)
{
    return verdict_tear_down(state) || tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_lists_are_accepted),
        cmocka_unit_test(rule_r1_ids_are_strictly_ascending),
        cmocka_unit_test(rule_r2_names_match_ids_and_kinds),
        cmocka_unit_test(rule_r3_no_entry_leads_to_another),
        cmocka_unit_test(rule_r4_no_asset_has_an_earlier_id),
        cmocka_unit_test(every_truncation_and_another_layout_is_refused),
        cmocka_unit_test(ids_are_found_only_in_the_list),
        cmocka_unit_test(written_lists_are_found_again_in_any_order),
        cmocka_unit_test(what_breaks_a_rule_is_not_written),
        cmocka_unit_test(types_without_redirects_are_refused),
        cmocka_unit_test(a_target_is_searched_only_among_the_renames),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
