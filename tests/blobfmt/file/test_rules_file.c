/* The rules I1 to I15 and I19 to I21 of FORMAT.md section 9, each on a small file with one number
 * of its index changed. */
#include "blob_patch.h"
#include "guarded.h"
#include "small_file.h"
#include "verdict.h"

#include <kiln/index.h>
#include <kiln/path.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    kiln_types *builtin;
    uint32_t index_type;
    kiln_buffer file; /* valid */
    patched bytes;    /* a copy to change */
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    verdict_set_up(NULL);
    if (!f || kiln_types_create_builtin(NULL, &f->builtin, NULL))
        return 1;
    f->index_type = kiln_types_find(f->builtin, "kiln.Index");
    f->file = small_file(verdict_types, false);
    f->bytes = patched_copy(f->file.data, f->file.size);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    patched_fini(&f->bytes);
    kiln_buffer_fini(&f->file);
    kiln_types_destroy(f->builtin);
    free(f);
    return verdict_tear_down(NULL);
}

static kiln_status check(const fixture *f, kiln_error *reterr)
{
    const kiln_index *index;
    return kiln_index_check(f->builtin, NULL,
                            &(kiln_file_head){f->bytes.data, f->bytes.size, f->bytes.size}, &index,
                            reterr);
}

static const kiln_index *index_of(const fixture *f)
{
    return (const kiln_index *)(const void *)(f->bytes.data + KILN_HEADER_SIZE);
}

/* Changes the number at `path` in a fresh copy's index, and returns its offset. */
static uint64_t change(fixture *f, const char *path, uint64_t number)
{
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    return patch_value(f->bytes.data, f->builtin, f->index_type, path, number);
}

/* Checks the verdict on a changed number. The error is at `where`; NULL means at the number. */
static void changed(fixture *f, const char *path, uint64_t number, kiln_status status,
                    const char *where)
{
    kiln_error error;
    uint64_t at = change(f, path, number);
    if (where) {
        size_t size;
        at = (uint64_t)(patch_find(f->bytes.data, f->builtin, f->index_type, where, &size) -
                        f->bytes.data);
    }
    assert_int_equal(check(f, &error), status);
    assert_error(&error, status, at, where ? where : path);
}

static void small_file_has_the_expected_contents(void **state)
{
    fixture *f = *state;
    kiln_error error = {KILN_OK, 0, 0, ""};
    check(f, &error);
    assert_error(&error, KILN_OK, 0, "");
    const kiln_index *index = index_of(f);
    assert_int_equal(kiln_index_asset_count(index), 5);
    assert_int_equal(index->members.count, 5);
    assert_int_equal(index->types.count, 3);
    assert_int_equal(index->imports.count, 1);
    assert_int_equal(index->edges.count, 2);
    assert_int_equal(index->directory.count, 9);
    assert_int_equal(index->type_table, 1);
    assert_int_equal(index->file_size, f->file.size);
    assert_int_equal(kiln_index_check_gaps(index, f->bytes.data, &error), KILN_OK);
    for (uint32_t i = 0; i < index->members.count; i++)
        assert_int_equal(kiln_index_check_member(index, i, f->bytes.data, true, &error), KILN_OK);
    static const char *const names[] = {"Item/sword", "Item/blade", "Link/in", "Link/out",
                                        "Page/squares"};
    uint32_t numbers[5];
    for (size_t i = 0; i < 5; i++) {
        numbers[i] = kiln_index_find(index, kiln_asset_id(names[i], strlen(names[i])));
        assert_true(numbers[i] < 5);
        assert_string_equal(kiln_string_get(&kiln_index_asset_at(index, numbers[i])->name),
                            names[i]);
    }
    /* Equal blobs share one member. */
    assert_int_equal(kiln_index_asset_at(index, numbers[0])->member,
                     kiln_index_asset_at(index, numbers[1])->member);
    assert_int_equal(kiln_index_find(index, kiln_asset_id("Item/none", 9)), KILN_ASSET_NONE);
    assert_true(kiln_index_has_edge(index, numbers[2], kiln_asset_id("Item/sword", 10)));
    assert_false(kiln_index_has_edge(index, numbers[2], kiln_asset_id("Item/blade", 10)));
    assert_true(kiln_index_has_edge(index, numbers[3], kiln_asset_id("Item/elsewhere", 14)));
    assert_false(kiln_index_has_edge(index, numbers[0], kiln_asset_id("Item/elsewhere", 14)));
}

static void same_calls_give_the_same_file(void **state)
{
    fixture *f = *state;
    kiln_buffer again = small_file(verdict_types, false);
    assert_int_equal(again.size, f->file.size);
    assert_memory_equal(again.data, f->file.data, again.size);
    kiln_buffer_fini(&again);
}

static void rule_i1_another_file_size_is_refused(void **state)
{
    fixture *f = *state;
    changed(f, "file_size", f->file.size + 1, KILN_I_FILE_SIZE, NULL);
    changed(f, "file_size", 0, KILN_I_FILE_SIZE, NULL);
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    const kiln_index *index;
    kiln_error error;
    for (uint64_t size = f->file.size - 3; size < f->file.size + 3; size++) {
        kiln_status status =
            kiln_index_check(f->builtin, NULL,
                             &(kiln_file_head){f->bytes.data, f->bytes.size, size}, &index, &error);
        assert_int_equal(status, size == f->file.size ? KILN_OK : KILN_I_FILE_SIZE);
        if (status)
            assert_error(&error, KILN_I_FILE_SIZE, 32, "file_size");
    }
}

static void rule_i2_ids_that_are_zero_or_not_ascending_are_refused(void **state)
{
    fixture *f = *state;
    changed(f, "ids[0]", 0, KILN_I_IDS, NULL);
    changed(f, "ids[3]", kiln_index_id(index_of(f), 2), KILN_I_IDS, NULL);
    changed(f, "ids[3]", 1, KILN_I_IDS, NULL);
    /* Lists of different lengths. */
    kiln_error error;
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    size_t size;
    unsigned char *ids = patch_find(f->bytes.data, f->builtin, f->index_type, "ids", &size);
    unsigned char *last = patch_find(f->bytes.data, f->builtin, f->index_type, "ids[4]", &size);
    memset(last, 0, 8);
    patch_number(ids + 4, 4, 4);
    patched_rehash(f->bytes.data);
    assert_int_equal(check(f, &error), KILN_I_IDS);
    assert_error(&error, KILN_I_IDS, 32 + 16, "assets");
}

static void rule_i3_name_that_is_malformed_or_does_not_hash_to_its_id_is_refused(void **state)
{
    fixture *f = *state;
    size_t size;
    kiln_error error;
    changed(f, "ids[4]", UINT64_MAX, KILN_I_NAME, "assets[4].name");
    /* "Item/sword" without its slash. */
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    unsigned char *field =
        patch_find(f->bytes.data, f->builtin, f->index_type, "assets[0].name", &size);
    uint32_t offset;
    memcpy(&offset, field, 4);
    *strchr((char *)field + offset, '/') = '-';
    patched_rehash(f->bytes.data);
    assert_int_equal(check(f, &error), KILN_I_NAME);
    assert_error(&error, KILN_I_NAME, (uint64_t)(field - f->bytes.data), "assets[0].name");
}

static void names_of_assets_are_kind_and_id(void **state)
{
    (void)state;
    static const char *const good[] = {"a/b", "Kind-1.x_/any id \xc3\xa4", "K//", "K/\x7f"};
    static const char *const bad[] = {"",      "/",          "a",    "a/",     "/b",
                                      "a b/c", "\xc3\xa4/b", "a/\n", "a/\xff", "a[/b",
                                      "a@/b",  "a{/b",       "a`/b", "a:/b"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(kiln_asset_name_is_valid(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(kiln_asset_name_is_valid(bad[i], strlen(bad[i])));
    assert_false(kiln_asset_name_is_valid("a/b\0c", 5));
    /* Tries each byte at each position of ids of some length. */
    for (size_t length = 3; length < 24; length++) {
        for (unsigned c = 0; c < 128 * (length - 2); c++) {
            char name[] = "a/bcdefghijklmnopqrstuvwxyz";
            name[2 + c / 128] = (char)(c % 128);
            assert_int_equal(kiln_asset_name_is_valid(name, length), c % 128 >= 0x20);
        }
    }
    /* A truncated code point is not completed by the bytes after the name. */
    assert_false(kiln_asset_name_is_valid("a/\xc3\xa4", 3));
    assert_false(kiln_asset_name_is_valid("a/\xf0\x9f\x98\x80", 5));
}

static void nothing_after_a_name_is_read(void **state)
{
    (void)state;
    static const char text[] = "a/bcdefghijklmnopqrstuvwxyz\xc3\xa4\xf0\x9f\x98\x80";
    for (size_t length = 0; length < sizeof text; length++) {
        guarded name = guarded_copy(text, length);
        bool cut = length == 28 || (length > 29 && length < 33);
        assert_int_equal(kiln_asset_name_is_valid((const char *)name.data, length),
                         length > 2 && length < sizeof text && !cut);
        guarded_fini(&name);
    }
}

static void rule_i4_wrong_lookup_table_is_refused(void **state)
{
    fixture *f = *state;
    for (unsigned i = 0; i < 9; i++) {
        char path[] = "directory[0]";
        path[10] = (char)('0' + i);
        changed(f, path, 6, KILN_I_DIRECTORY, NULL);
    }
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    size_t size;
    kiln_error error;
    unsigned char *last =
        patch_find(f->bytes.data, f->builtin, f->index_type, "directory[8]", &size);
    unsigned char *field = patch_find(f->bytes.data, f->builtin, f->index_type, "directory", &size);
    memset(last, 0, 4);
    patch_number(field + 4, 8, 4);
    patched_rehash(f->bytes.data);
    assert_int_equal(check(f, &error), KILN_I_DIRECTORY);
    assert_error(&error, KILN_I_DIRECTORY, (uint64_t)(field - f->bytes.data), "directory");
}

static void rule_i5_numbers_out_of_range_are_refused(void **state)
{
    fixture *f = *state;
    changed(f, "assets[2].type", 3, KILN_I_NUMBER, NULL);
    changed(f, "assets[2].member", 5, KILN_I_NUMBER, NULL);
    changed(f, "type_table", 6, KILN_I_NUMBER, NULL);
    changed(f, "type_table", UINT32_MAX, KILN_I_NUMBER, NULL);
    changed(f, "reserved", 1, KILN_I_NUMBER, NULL);
}

static void rule_i6_misplaced_members_are_refused(void **state)
{
    fixture *f = *state;
    const kiln_index *index = index_of(f);
    uint64_t first = kiln_index_member_at(index, 0)->place,
             second = kiln_index_member_at(index, 1)->place;
    changed(f, "members[0].place", 0, KILN_I_PLACE, NULL);
    changed(f, "members[0].place", first - 16, KILN_I_PLACE, NULL);
    changed(f, "members[1].place", second + 8, KILN_I_PLACE, NULL);
    changed(f, "members[1].place", first, KILN_I_PLACE, NULL);
    changed(f, "members[4].place", f->file.size + 64, KILN_I_PLACE, NULL);
    changed(f, "members[4].place", UINT64_MAX - 63, KILN_I_PLACE, NULL);
    changed(f, "members[4].place", kiln_index_member_at(index, 4)->place + 64, KILN_I_PLACE, NULL);
    changed(f, "members[0].align_log2", 3, KILN_I_PLACE, "members[0].place");
    changed(f, "members[0].align_log2", 13, KILN_I_PLACE, "members[0].place");
    changed(f, "members[0].align_log2", 255, KILN_I_PLACE, "members[0].place");
}

static void rule_i6_file_longer_than_its_last_member_is_refused(void **state)
{
    fixture *f = *state;
    kiln_error error;
    const kiln_index *index;
    uint64_t at = change(f, "file_size", f->file.size + 1);
    assert_int_equal(
        kiln_index_check(f->builtin, NULL,
                         &(kiln_file_head){f->bytes.data, f->bytes.size, f->file.size + 1}, &index,
                         &error),
        KILN_I_PLACE);
    assert_error(&error, KILN_I_PLACE, at, "file_size");
}

static void rule_i7_impossible_sizes_and_compression_are_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *path;
        uint64_t number;
    } rows[] = {{"members[2].compression", 2}, {"members[2].size", 0},
                {"members[2].size", 32},       {"members[2].size", UINT64_MAX},
                {"members[2].stored_size", 0}, {"members[2].stored_size", 33},
                {"members[2].stored.low", 1},  {"members[2].stored.high", 1},
                {"members[2].dictionary", 1},  {"members[2].reserved", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        changed(f, rows[i].path, rows[i].number, KILN_I_COMPRESSION, "members[2]");
}

static void rule_i7_dictionary_that_does_not_exist_is_refused(void **state)
{
    fixture *f = *state;
    kiln_error error;
    change(f, "members[2].compression", KILN_COMPRESSION_ZSTD);
    assert_int_equal(check(f, &error), KILN_OK);
    /* The bytes of a compressed member are not a blob. */
    assert_int_equal(kiln_index_check_member(index_of(f), 2, f->bytes.data, true, &error),
                     KILN_BAD_ARGUMENT);
    patch_value(f->bytes.data, f->builtin, f->index_type, "members[2].dictionary", 1);
    assert_int_equal(check(f, &error), KILN_I_COMPRESSION);
}

static void rule_i8_gap_that_is_not_zero_is_refused(void **state)
{
    fixture *f = *state;
    kiln_error error;
    uint64_t page = kiln_index_member_at(index_of(f), 4)->place;
    assert_int_equal(f->bytes.data[page - 1], 0);
    f->bytes.data[page - 1] = 1;
    assert_int_equal(kiln_index_check_gaps(index_of(f), f->bytes.data, &error), KILN_I_GAP);
    assert_error(&error, KILN_I_GAP, page - 1, "");
}

static void rule_i9_import_whose_id_does_not_match_its_name_is_refused(void **state)
{
    fixture *f = *state;
    changed(f, "imports[0].id", 0, KILN_I_IMPORTS, "imports[0]");
    changed(f, "imports[0].id", 1, KILN_I_IMPORTS, "imports[0]");
    size_t size;
    kiln_error error;
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    unsigned char *field =
        patch_find(f->bytes.data, f->builtin, f->index_type, "imports[0].name", &size);
    uint32_t offset;
    memcpy(&offset, field, 4);
    field[offset] = 'J';
    patched_rehash(f->bytes.data);
    assert_int_equal(check(f, &error), KILN_I_IMPORTS);
    assert_error(&error, KILN_I_IMPORTS, (uint64_t)(field - 8 - f->bytes.data), "imports[0]");
}

static void rule_i10_edges_out_of_range_or_order_are_refused(void **state)
{
    fixture *f = *state;
    changed(f, "edges[0]", 6, KILN_I_EDGES, NULL);
    changed(f, "edges[1]", UINT32_MAX, KILN_I_EDGES, NULL);
    changed(f, "edge_starts[0]", 1, KILN_I_EDGES, NULL);
    changed(f, "edge_starts[5]", 1, KILN_I_EDGES, NULL);
    changed(f, "edge_starts[5]", 3, KILN_I_EDGES, NULL);
    changed(f, "edge_starts[3]", UINT32_MAX, KILN_I_EDGES, NULL);
    /* Both edges refer to the same asset, so the second is not greater than the first. */
    kiln_error error;
    const kiln_index *index = index_of(f);
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    const uint32_t *starts = kiln_relative_get(&index->edge_starts, index->edge_starts.offset);
    const uint32_t *edges = kiln_relative_get(&index->edges, index->edges.offset);
    uint32_t larger = edges[0] > edges[1] ? edges[0] : edges[1];
    for (uint32_t i = 0; i < 6; i++)
        patch_number((unsigned char *)(uintptr_t)&starts[i], i == 0 ? 0 : 2, 4);
    patch_number((unsigned char *)(uintptr_t)&edges[0], larger, 4);
    patch_number((unsigned char *)(uintptr_t)&edges[1], larger, 4);
    patched_rehash(f->bytes.data);
    assert_int_equal(check(f, &error), KILN_I_EDGES);
    assert_error(&error, KILN_I_EDGES, (uint64_t)((const unsigned char *)&edges[1] - f->bytes.data),
                 "edges[1]");
}

static void rule_i11_member_whose_header_disagrees_is_refused(void **state)
{
    fixture *f = *state;
    kiln_error error;
    uint64_t place = kiln_index_member_at(index_of(f), 4)->place;
    /* The index states alignment 16 for the page. */
    change(f, "members[4].align_log2", 4);
    assert_int_equal(kiln_index_check_member(index_of(f), 4, f->bytes.data, false, &error),
                     KILN_I_MEMBER);
    assert_error(&error, KILN_I_MEMBER, place, "");
    /* The header of the page states a shorter payload. */
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    f->bytes.data[place + 8] -= 4;
    assert_int_equal(kiln_index_check_member(index_of(f), 4, f->bytes.data, false, &error),
                     KILN_I_MEMBER);
    assert_error(&error, KILN_I_MEMBER, place, "");
}

static void header_rules_of_members_report_offsets_in_the_file(void **state)
{
    fixture *f = *state;
    kiln_error error;
    uint64_t place = kiln_index_member_at(index_of(f), 2)->place;
    f->bytes.data[place] = 'X';
    assert_int_equal(kiln_index_check_member(index_of(f), 2, f->bytes.data, false, &error),
                     KILN_H_MAGIC);
    assert_error(&error, KILN_H_MAGIC, place, "");
    memcpy(f->bytes.data, f->file.data, f->bytes.size);
    f->bytes.data[place + 6] |= KILN_BLOB_TYPE_TABLE << KILN_FLAG_KIND_SHIFT;
    assert_int_equal(kiln_index_check_member(index_of(f), 2, f->bytes.data, false, &error),
                     KILN_H_KIND);
    assert_error(&error, KILN_H_KIND, place + 6, "");
}

static void rule_i12_content_hash_that_does_not_match_is_refused(void **state)
{
    fixture *f = *state;
    kiln_error error;
    for (uint32_t i = 0; i < 5; i++) {
        const kiln_index_member *member = kiln_index_member_at(index_of(f), i);
        f->bytes.data[member->place + member->size - 1] ^= 1;
        assert_int_equal(kiln_index_check_member(index_of(f), i, f->bytes.data, false, &error),
                         KILN_OK);
        assert_int_equal(kiln_index_check_member(index_of(f), i, f->bytes.data, true, &error),
                         KILN_I_CONTENT);
        assert_error(&error, KILN_I_CONTENT, member->place, "");
        f->bytes.data[member->place + member->size - 1] ^= 1;
    }
}

static void rule_i13_types_that_disagree_with_the_table_are_refused(void **state)
{
    fixture *f = *state;
    kiln_error error;
    const kiln_index *index = index_of(f);
    const kiln_index_member *table = kiln_index_member_at(index, 0);
    kiln_types *types = NULL;
    assert_int_equal(
        kiln_type_table_read(NULL, f->bytes.data + table->place, table->size, &types, NULL),
        KILN_OK);
    assert_int_equal(kiln_index_check_types(index, types, &error), KILN_OK);
    /* A different layout hash, and a list without any of the types. */
    change(f, "types[1].layout", 1);
    assert_int_equal(kiln_index_check_types(index, types, &error), KILN_I_TYPES);
    assert_error(&error, KILN_I_TYPES, 0, kiln_string_get(&kiln_index_type_at(index, 1)->name));
    assert_int_equal(kiln_index_check_types(index, f->builtin, &error), KILN_I_TYPES);
    assert_error(&error, KILN_I_TYPES, 0, "test.Item");
    kiln_types_destroy(types);
}

static void rule_i13_types_of_the_index_not_ascending_are_refused(void **state)
{
    fixture *f = *state;
    kiln_error error;
    size_t size;
    unsigned char *field =
        patch_find(f->bytes.data, f->builtin, f->index_type, "types[0].name", &size);
    uint32_t offset;
    memcpy(&offset, field, 4);
    memcpy(field + offset, "zzzz", 4);
    patched_rehash(f->bytes.data);
    assert_int_equal(check(f, &error), KILN_I_TYPES);
    assert_error(&error, KILN_I_TYPES, (uint64_t)(field - f->bytes.data) + 16, "types[1].name");
}

static void rule_i14_member_without_a_use_is_refused(void **state)
{
    fixture *f = *state;
    changed(f, "type_table", 0, KILN_I_UNUSED, "members[0]");
    uint32_t sword = kiln_index_find(index_of(f), kiln_asset_id("Link/in", 7));
    char path[] = "assets[0].member";
    path[7] = (char)('0' + sword);
    uint32_t member = kiln_index_asset_at(index_of(f), sword)->member;
    char where[] = "members[0]";
    where[8] = (char)('0' + member);
    changed(f, path, 0, KILN_I_UNUSED, where);
}

typedef struct edge_check {
    const kiln_index *index;
    uint32_t asset;
    uint64_t missing_at; /* offset of the first reference without an edge */
} edge_check;

static void note_ref(void *ctx, kiln_id id, uint64_t offset)
{
    edge_check *check_of = ctx;
    if (!kiln_index_has_edge(check_of->index, check_of->asset, id) && !check_of->missing_at)
        check_of->missing_at = offset;
}

static void rule_i15_reference_that_no_edge_states_is_found(void **state)
{
    fixture *f = *state;
    const kiln_index *index = index_of(f);
    uint32_t link = kiln_index_find(index, kiln_asset_id("Link/in", 7)), count;
    const kiln_index_member *member =
        kiln_index_member_at(index, kiln_index_asset_at(index, link)->member);
    edge_check ctx = {index, link, 0};
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ONE_REF;
    def.on_ref = note_ref;
    def.on_ref_ctx = &ctx;
    assert_int_equal(kiln_verify(&def, f->bytes.data + member->place, member->size, NULL), KILN_OK);
    assert_int_equal(ctx.missing_at, 0);
    /* The edge now leads to a different asset. */
    const uint32_t *edges = kiln_index_edges(index, link, &count);
    assert_int_equal(count, 1);
    patch_number((unsigned char *)(uintptr_t)edges, (edges[0] + 1) % 5, 4);
    assert_int_equal(kiln_verify(&def, f->bytes.data + member->place, member->size, NULL), KILN_OK);
    assert_int_equal(ctx.missing_at, 32);
    assert_string_equal(kiln_status_rule(KILN_I_REFS), "I15");
}

/* Finds the edge to the only import, and the edge to an asset of the file. */
static void find_edges(const kiln_index *index, uint32_t *ret_to_import, uint32_t *ret_to_asset)
{
    const uint32_t *edges = kiln_relative_get(&index->edges, index->edges.offset);
    *ret_to_import = edges[0] < 5 ? 1 : 0;
    *ret_to_asset = 1 - *ret_to_import;
    assert_int_equal(edges[*ret_to_import], 5);
    assert_true(edges[*ret_to_asset] < 5);
}

static void rule_i19_import_that_no_edge_leads_to_is_refused(void **state)
{
    fixture *f = *state;
    uint32_t to_import, to_asset;
    char path[] = "edges[0]";
    find_edges(index_of(f), &to_import, &to_asset);
    path[6] = (char)('0' + to_import);
    changed(f, path, 0, KILN_I_IMPORT_UNUSED, "imports[0]");
    /* Any edge to the import suffices. */
    path[6] = (char)('0' + to_asset);
    patch_value(f->bytes.data, f->builtin, f->index_type, path, 5);
    assert_int_equal(check(f, NULL), KILN_OK);
}

/* The import is replaced by each asset of the file in turn, while the edge still leads to it. */
static void rule_i19_import_that_is_an_asset_of_the_file_is_refused(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 5; i++) {
        kiln_error error;
        memcpy(f->bytes.data, f->file.data, f->bytes.size);
        const kiln_index *index = index_of(f);
        const kiln_string *name = &kiln_index_asset_at(index, i)->name;
        kiln_index_import *import = (void *)(uintptr_t)kiln_index_import_at(index, 0);
        const char *text = kiln_string_get(name);
        import->id = kiln_index_id(index, i);
        import->name.offset = (uint32_t)(text - (const char *)&import->name);
        import->name.length = name->length;
        /* Nothing refers to the former name of the import, so its bytes must be zero. */
        const kiln_index *whole = (const void *)(f->file.data + KILN_HEADER_SIZE);
        const char *old = kiln_string_get(&kiln_index_import_at(whole, 0)->name);
        memset(f->bytes.data + ((const unsigned char *)old - f->file.data), 0, strlen(old));
        patched_rehash(f->bytes.data);
        assert_int_equal(check(f, &error), KILN_I_IMPORT_UNUSED);
        assert_error(&error, KILN_I_IMPORT_UNUSED,
                     (uint64_t)((const unsigned char *)import - f->bytes.data), "imports[0]");
    }
}

static void rule_i20_type_that_no_asset_has_is_refused(void **state)
{
    fixture *f = *state;
    uint32_t page = kiln_index_find(index_of(f), kiln_asset_id("Page/squares", 12));
    uint32_t link = kiln_index_find(index_of(f), kiln_asset_id("Link/in", 7));
    uint32_t type = kiln_index_asset_at(index_of(f), page)->type;
    uint32_t other = kiln_index_asset_at(index_of(f), link)->type;
    char path[] = "assets[0].type", where[] = "types[0]";
    path[7] = (char)('0' + page);
    where[6] = (char)('0' + type);
    changed(f, path, other, KILN_I_TYPE_UNUSED, where);
    /* The type is used again, by a different asset. */
    path[7] = (char)('0' + link);
    change(f, path, type);
    assert_int_equal(check(f, NULL), KILN_OK);
}

static void rule_i21_edge_that_no_reference_needs_is_found(void **state)
{
    fixture *f = *state;
    const kiln_index *index = index_of(f);
    kiln_id ids[] = {kiln_asset_id("Item/sword", 10), kiln_asset_id("Item/elsewhere", 14)};
    if (ids[0] > ids[1]) {
        kiln_id first = ids[0];
        ids[0] = ids[1];
        ids[1] = first;
    }
    static const struct {
        const char *asset;
        const char *refers_to;
    } rows[] = {{"Link/in", "Item/sword"}, {"Link/out", "Item/elsewhere"}};
    for (int i = 0; i < 2; i++) {
        uint32_t number = kiln_index_find(index, kiln_asset_id(rows[i].asset, 7 + (size_t)i));
        kiln_id id = kiln_asset_id(rows[i].refers_to, strlen(rows[i].refers_to));
        kiln_id others[] = {id - 1, id + 1};
        kiln_error error;
        uint32_t count;
        const uint32_t *edge = kiln_index_edges(index, number, &count);
        const uint32_t *all = kiln_relative_get(&index->edges, index->edges.offset);
        char path[] = "edges[0]";
        path[6] = (char)('0' + (edge - all));
        assert_int_equal(count, 1);
        assert_int_equal(kiln_index_edge_id(index, *edge), id);
        assert_int_equal(kiln_index_check_edges_used(index, f->bytes.data, number,
                                                     (kiln_id_span){&id, 1}, &error),
                         KILN_OK);
        assert_int_equal(kiln_index_check_edges_used(index, f->bytes.data, number,
                                                     (kiln_id_span){ids, 2}, &error),
                         KILN_OK);
        for (size_t k = 0; k <= 2; k++) {
            assert_int_equal(kiln_index_check_edges_used(index, f->bytes.data, number,
                                                         (kiln_id_span){others, k}, &error),
                             KILN_I_EDGE_UNUSED);
            assert_error(&error, KILN_I_EDGE_UNUSED,
                         (uint64_t)((const unsigned char *)edge - f->bytes.data), path);
        }
    }
    uint32_t sword = kiln_index_find(index, kiln_asset_id("Item/sword", 10));
    assert_int_equal(
        kiln_index_check_edges_used(index, f->bytes.data, sword, (kiln_id_span){NULL, 0}, NULL),
        KILN_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(small_file_has_the_expected_contents),
        TEST(same_calls_give_the_same_file),
        TEST(rule_i1_another_file_size_is_refused),
        TEST(rule_i2_ids_that_are_zero_or_not_ascending_are_refused),
        TEST(rule_i3_name_that_is_malformed_or_does_not_hash_to_its_id_is_refused),
        TEST(names_of_assets_are_kind_and_id),
        TEST(nothing_after_a_name_is_read),
        TEST(rule_i4_wrong_lookup_table_is_refused),
        TEST(rule_i5_numbers_out_of_range_are_refused),
        TEST(rule_i6_misplaced_members_are_refused),
        TEST(rule_i6_file_longer_than_its_last_member_is_refused),
        TEST(rule_i7_impossible_sizes_and_compression_are_refused),
        TEST(rule_i7_dictionary_that_does_not_exist_is_refused),
        TEST(rule_i8_gap_that_is_not_zero_is_refused),
        TEST(rule_i9_import_whose_id_does_not_match_its_name_is_refused),
        TEST(rule_i10_edges_out_of_range_or_order_are_refused),
        TEST(rule_i11_member_whose_header_disagrees_is_refused),
        TEST(header_rules_of_members_report_offsets_in_the_file),
        TEST(rule_i12_content_hash_that_does_not_match_is_refused),
        TEST(rule_i13_types_that_disagree_with_the_table_are_refused),
        TEST(rule_i13_types_of_the_index_not_ascending_are_refused),
        TEST(rule_i14_member_without_a_use_is_refused),
        TEST(rule_i15_reference_that_no_edge_states_is_found),
        TEST(rule_i19_import_that_no_edge_leads_to_is_refused),
        TEST(rule_i19_import_that_is_an_asset_of_the_file_is_refused),
        TEST(rule_i20_type_that_no_asset_has_is_refused),
        TEST(rule_i21_edge_that_no_reference_needs_is_found),
    };
    return cmocka_run_group_tests_name("file rules", tests, NULL, NULL);
}
