/* The rules about imports, edges and dictionaries, of which small files have only a few. The index
 * is built field by field, so its numbers can have any value. */
#include "blob_patch.h"
#include "test_types.h"
#include "verdict.h"

#include "index_directory.h"

#include <kiln/builder.h>
#include <kiln/compression.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASSETS = 7, IMPORTS = 9, MEMBERS = 4, MEMBER_SIZE = 64, NAME_SIZE = 16 };

typedef struct named {
    char name[NAME_SIZE];
    kiln_id id;
} named;

static kiln_types *builtin;
static uint32_t index_type;
static kiln_buffer whole; /* valid */
static patched bytes;     /* a copy to change */
static named assets[ASSETS], imports[IMPORTS];
/* The assets and imports to which an asset refers. Imports are numbered after the assets. */
static bool refers[ASSETS][ASSETS + IMPORTS];

static int by_id(const void *a, const void *b)
{
    kiln_id left = ((const named *)a)->id, right = ((const named *)b)->id;
    return (left > right) - (left < right);
}

static void name_all(named *list, uint32_t count, const char *kind)
{
    for (uint32_t i = 0; i < count; i++) {
        snprintf(list[i].name, NAME_SIZE, "%s/%u", kind, i);
        list[i].id = kiln_asset_id(list[i].name, strlen(list[i].name));
    }
    qsort(list, count, sizeof *list, by_id);
}

static void *array(kiln_builder *builder, kiln_array *field, uint32_t count, uint32_t size)
{
    return kiln_builder_array(builder, field, count, size, size == 4 ? 4 : 8);
}

static void make_edges(kiln_builder *builder, kiln_index *index)
{
    uint32_t count = 0;
    uint32_t *starts = array(builder, &index->edge_starts, ASSETS + 1, 4);
    uint32_t *edges = array(builder, &index->edges, ASSETS * (ASSETS + IMPORTS) / 2, 4);
    for (uint32_t i = 0; i < ASSETS; i++) {
        starts[i] = count;
        for (uint32_t k = 0; k < ASSETS + IMPORTS; k++)
            if ((i + k) % 2 == 0) {
                refers[i][k] = true;
                edges[count++] = k;
            }
    }
    starts[ASSETS] = count;
    assert_int_equal(count, ASSETS * (ASSETS + IMPORTS) / 2);
}

static void make_assets(kiln_builder *builder, kiln_index *index)
{
    kiln_id *ids = array(builder, &index->ids, ASSETS, 8);
    kiln_index_asset *entries =
        kiln_builder_array(builder, &index->assets, ASSETS, sizeof *entries, 4);
    uint32_t *directory = array(builder, &index->directory, 9, 4);
    for (uint32_t i = 0; i < ASSETS; i++) {
        ids[i] = assets[i].id;
        kiln_builder_string(builder, &entries[i].name, assets[i].name, strlen(assets[i].name));
        entries[i].type = i % 2;
        entries[i].member = i == 0; /* the others are dictionaries */
    }
    kiln_index_directory_fill(directory, ids, ASSETS);
    kiln_index_import *others = array(builder, &index->imports, IMPORTS, sizeof(kiln_index_import));
    for (uint32_t i = 0; i < IMPORTS; i++) {
        others[i].id = imports[i].id;
        kiln_builder_string(builder, &others[i].name, imports[i].name, strlen(imports[i].name));
    }
}

static void make_lists(kiln_builder *builder, kiln_index *index)
{
    kiln_index_type *types = array(builder, &index->types, 2, sizeof(kiln_index_type));
    kiln_builder_string(builder, &types[0].name, "test.A", 6);
    kiln_builder_string(builder, &types[1].name, "test.B", 6);
    kiln_index_member *members =
        array(builder, &index->members, MEMBERS, sizeof(kiln_index_member));
    for (uint32_t i = 0; i < MEMBERS; i++) {
        members[i].size = members[i].stored_size = MEMBER_SIZE;
        members[i].align_log2 = 4;
    }
    uint32_t *dictionaries = array(builder, &index->dictionaries, 2, 4);
    dictionaries[0] = 2;
    dictionaries[1] = 3;
}

static kiln_index *index_of(unsigned char *file)
{
    return (void *)(file + KILN_HEADER_SIZE);
}

/* The index, with members of zeros, which its check does not read. */
static int set_up(void **state)
{
    (void)state;
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    if (kiln_types_create_builtin(NULL, &builtin, NULL))
        return 1;
    index_type = kiln_types_find(builtin, "kiln.Index");
    def.types = builtin;
    if (kiln_builder_create(&def, &builder))
        return 1;
    name_all(assets, ASSETS, "A");
    name_all(imports, IMPORTS, "I");
    kiln_index *index = kiln_builder_root(builder, sizeof *index, 8);
    make_assets(builder, index);
    make_lists(builder, index);
    make_edges(builder, index);
    if (kiln_builder_finish(builder, index_type,
                            KILN_FLAG_CANONICAL | kiln_kind_flags(KILN_BLOB_INDEX), &blob, NULL))
        return 1;
    kiln_builder_destroy(builder);
    size_t place = (blob.size + 15) / 16 * 16, size = place + MEMBERS * MEMBER_SIZE;
    whole.data = calloc(1, size);
    whole.size = size;
    memcpy(whole.data, blob.data, blob.size);
    kiln_buffer_fini(&blob);
    bytes = patched_copy(whole.data, size);
    patch_value(bytes.data, builtin, index_type, "file_size", size);
    for (unsigned i = 0; i < MEMBERS; i++) {
        char path[] = "members[0].place";
        path[8] = (char)('0' + i);
        patch_value(bytes.data, builtin, index_type, path, place + i * MEMBER_SIZE);
    }
    memcpy(whole.data, bytes.data, size);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    patched_fini(&bytes);
    free(whole.data);
    kiln_types_destroy(builtin);
    return 0;
}

static kiln_status check(kiln_error *reterr)
{
    const kiln_index *index;
    return kiln_index_check(builtin, NULL, &(kiln_file_head){bytes.data, bytes.size, bytes.size},
                            &index, reterr);
}

static void refused(kiln_status status, const char *path)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    size_t size;
    check(&error);
    uint64_t at = (uint64_t)(patch_find(bytes.data, builtin, index_type, path, &size) - bytes.data);
    assert_error(&error, status, at, path);
}

/* Changes the number at `path` in a valid file. The file must be refused at that number. */
static void changed(const char *path, uint64_t number, kiln_status status, const char *where)
{
    memcpy(bytes.data, whole.data, whole.size);
    patch_value(bytes.data, builtin, index_type, path, number);
    refused(status, where ? where : path);
}

static void the_index_is_correct(void **state)
{
    (void)state;
    kiln_error error = {KILN_OK, 0, 0, ""};
    memcpy(bytes.data, whole.data, whole.size);
    check(&error);
    assert_error(&error, KILN_OK, 0, "");
}

static void every_edge_is_found_and_no_other(void **state)
{
    (void)state;
    memcpy(bytes.data, whole.data, whole.size);
    const kiln_index *index = index_of(bytes.data);
    for (uint32_t i = 0; i < ASSETS; i++) {
        uint32_t count = 0, wanted = 0;
        for (uint32_t k = 0; k < ASSETS + IMPORTS; k++) {
            kiln_id id = k < ASSETS ? assets[k].id : imports[k - ASSETS].id;
            assert_int_equal(kiln_index_has_edge(index, i, id), refers[i][k]);
            assert_false(kiln_index_has_edge(index, i, id + 1));
            assert_false(kiln_index_has_edge(index, i, id - 1));
            wanted += refers[i][k];
        }
        assert_non_null(kiln_index_edges(index, i, &count));
        assert_int_equal(count, wanted);
    }
    assert_false(kiln_index_has_edge(index, 0, UINT64_MAX));
}

static void imports_out_of_order_are_refused(void **state)
{
    (void)state;
    kiln_error error;
    for (uint32_t i = 1; i < IMPORTS; i++) {
        char path[] = "imports[0]";
        path[8] = (char)('0' + i);
        memcpy(bytes.data, whole.data, whole.size);
        /* Exchanges two imports, which are valid except for their order. Their names stay at the
         * same offsets in the file, so the relative offsets grow or shrink. */
        kiln_index_import *both =
            (kiln_index_import *)(uintptr_t)kiln_index_import_at(index_of(bytes.data), i - 1);
        kiln_id id = both[0].id;
        uint32_t offset = both[0].name.offset, length = both[0].name.length;
        both[0].id = both[1].id;
        both[0].name.offset = both[1].name.offset + (uint32_t)sizeof *both;
        both[0].name.length = both[1].name.length;
        both[1].id = id;
        both[1].name.offset = offset - (uint32_t)sizeof *both;
        both[1].name.length = length;
        patched_rehash(bytes.data);
        assert_int_equal(check(&error), KILN_I_IMPORTS);
        refused(KILN_I_IMPORTS, path);
        /* The same import twice. */
        memcpy(bytes.data, whole.data, whole.size);
        both[1].id = both[0].id;
        both[1].name.offset = both[0].name.offset - (uint32_t)sizeof *both;
        memcpy(&both[1].name.length, &both[0].name.length, 4);
        patched_rehash(bytes.data);
        assert_true(check(&error) != KILN_OK);
    }
}

static void starts_of_edges_that_decrease_are_refused(void **state)
{
    (void)state;
    const kiln_index *index = index_of(whole.data);
    const uint32_t *starts = kiln_relative_get(&index->edge_starts, index->edge_starts.offset);
    changed("edge_starts[3]", starts[2] - 1, KILN_I_EDGES, NULL);
    changed("edge_starts[7]", starts[7] - 1, KILN_I_EDGES, NULL);
    changed("edge_starts[0]", 1, KILN_I_EDGES, NULL);
    changed("edges[0]", ASSETS + IMPORTS, KILN_I_EDGES, NULL);
    changed("edges[1]", 0, KILN_I_EDGES, NULL);
}

static void starts_without_edges_are_refused(void **state)
{
    (void)state;
    memcpy(bytes.data, whole.data, whole.size);
    kiln_index *index = index_of(bytes.data);
    kiln_array *lists[] = {&index->edge_starts, &index->edges};
    for (int i = 0; i < 2; i++)
        memset((char *)lists[i] + lists[i]->offset, 0, 4 * (size_t)lists[i]->count);
    memset(&index->edges, 0, sizeof index->edges);
    patched_rehash(bytes.data);
    refused(KILN_I_EDGES, "edge_starts");
}

static void dictionaries_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    changed("dictionaries[0]", MEMBERS, KILN_I_NUMBER, NULL);
    changed("dictionaries[1]", UINT32_MAX, KILN_I_NUMBER, NULL);
}

static void dictionaries_out_of_order_are_refused(void **state)
{
    (void)state;
    changed("dictionaries[0]", 3, KILN_I_NUMBER, "dictionaries[1]");
    changed("dictionaries[1]", 2, KILN_I_NUMBER, NULL);
    changed("dictionaries[1]", 0, KILN_I_NUMBER, NULL);
}

static void compressed_dictionaries_are_refused(void **state)
{
    (void)state;
    changed("members[2].compression", KILN_COMPRESSION_ZSTD, KILN_I_COMPRESSION, "members[2]");
    changed("members[3].compression", KILN_COMPRESSION_ZSTD, KILN_I_COMPRESSION, "members[3]");
}

/* Here an asset has the type table as its member, which no I rule forbids. */
static void a_compressed_type_table_is_refused(void **state)
{
    (void)state;
    memcpy(bytes.data, whole.data, whole.size);
    patch_value(bytes.data, builtin, index_type, "type_table", 2);
    assert_int_equal(check(NULL), KILN_OK);
    patch_value(bytes.data, builtin, index_type, "members[1].compression", KILN_COMPRESSION_ZSTD);
    refused(KILN_I_COMPRESSION, "members[1]");
    patch_value(bytes.data, builtin, index_type, "type_table", 1);
    assert_int_equal(check(NULL), KILN_OK);
}

static void unused_members_are_refused(void **state)
{
    (void)state;
    changed("dictionaries[0]", 1, KILN_I_UNUSED, "members[2]");
    changed("assets[0].member", 0, KILN_I_UNUSED, "members[1]");
}

/* Sizes of compressed members at the limits and just beyond them. */
static void sizes_of_compressed_members_are_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint64_t number;
        bool is_right;
    } rows[] = {{"members[1].size", 33, true},
                {"members[1].size", 32, false},
                {"members[1].size", 0, false},
                {"members[1].size", KILN_COMPRESSION_RATIO * MEMBER_SIZE, true},
                {"members[1].size", KILN_COMPRESSION_RATIO * MEMBER_SIZE + 1, false},
                {"members[1].size", UINT64_MAX, false},
                {"members[1].stored_size", 63, true},
                {"members[1].stored_size", 0, false},
                {"members[1].dictionary", 2, true},
                {"members[1].dictionary", 3, false},
                {"members[1].stored.low", 1, true},
                {"members[1].compression", 2, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bytes.data, whole.data, whole.size);
        patch_value(bytes.data, builtin, index_type, "members[1].compression",
                    KILN_COMPRESSION_ZSTD);
        patch_value(bytes.data, builtin, index_type, rows[i].path, rows[i].number);
        if (rows[i].is_right)
            assert_int_equal(check(NULL), KILN_OK);
        else
            refused(KILN_I_COMPRESSION, "members[1]");
    }
}

/* If enough bytes are stored, the size of the largest blob is the limit. */
static void compressed_members_are_no_larger_than_blobs(void **state)
{
    (void)state;
    enum { STORED = (0x80000000 + 4096) / KILN_COMPRESSION_RATIO, LAST = STORED - MEMBER_SIZE };
    unsigned char *room = calloc(1, whole.size + LAST);
    patched small = bytes;
    memcpy(room, whole.data, whole.size);
    bytes = patched_copy(room, whole.size + LAST);
    free(room);
    patch_value(bytes.data, builtin, index_type, "file_size", whole.size + LAST);
    patch_value(bytes.data, builtin, index_type, "members[1].compression", KILN_COMPRESSION_ZSTD);
    patch_value(bytes.data, builtin, index_type, "members[1].stored_size", STORED);
    for (uint32_t i = 2; i < MEMBERS; i++) {
        char path[32];
        snprintf(path, sizeof path, "members[%u].place", i);
        patch_value(bytes.data, builtin, index_type, path,
                    whole.size - (MEMBERS - i) * MEMBER_SIZE + LAST);
    }
    patch_value(bytes.data, builtin, index_type, "members[1].size", UINT64_C(0x7fffffff) + 4096);
    assert_int_equal(check(NULL), KILN_OK);
    patch_value(bytes.data, builtin, index_type, "members[1].size", UINT64_C(0x7fffffff) + 4097);
    refused(KILN_I_COMPRESSION, "members[1]");
    patched_fini(&bytes);
    bytes = small;
}

/* A member that is decompressed to other memory may begin at any byte. */
static void only_uncompressed_members_are_aligned(void **state)
{
    (void)state;
    memcpy(bytes.data, whole.data, whole.size);
    patch_value(bytes.data, builtin, index_type, "members[1].stored_size", MEMBER_SIZE - 1);
    patch_value(bytes.data, builtin, index_type, "members[1].compression", KILN_COMPRESSION_ZSTD);
    uint64_t place = kiln_index_member_at(index_of(bytes.data), 1)->place;
    patch_value(bytes.data, builtin, index_type, "members[1].place", place + 1);
    assert_int_equal(check(NULL), KILN_OK);
    patch_value(bytes.data, builtin, index_type, "members[1].compression", 0);
    patch_value(bytes.data, builtin, index_type, "members[1].size", MEMBER_SIZE - 1);
    refused(KILN_I_PLACE, "members[1].place");
}

static void a_type_that_is_not_a_struct_does_not_match_the_index(void **state)
{
    (void)state;
    static const kiln_member values[] = {{.name = "one", .value = 1}};
    const kiln_type list[] = {{.name = "test.A",
                               .kind = KILN_KIND_ENUM,
                               .base = KILN_KIND_U8,
                               .element = KILN_TYPE_NONE,
                               .key = KILN_TYPE_NONE,
                               .members = values,
                               .member_count = 1}};
    kiln_types *types = NULL;
    kiln_error error;
    assert_int_equal(kiln_types_create(NULL, list, 1, &types, NULL), KILN_OK);
    memcpy(bytes.data, whole.data, whole.size);
    patch_value(bytes.data, builtin, index_type, "types[0].layout",
                kiln_types_get(types, 0)->layout);
    assert_int_equal(kiln_index_check_types(index_of(bytes.data), types, &error), KILN_I_TYPES);
    assert_error(&error, KILN_I_TYPES, 0, "test.A");
    kiln_types_destroy(types);
}

/* The file is so long that a member can begin at a multiple of more than the largest alignment. */
static void alignments_above_the_largest_are_refused(void **state)
{
    (void)state;
    enum { PLACE = 1 << (KILN_ALIGN_LOG2_MAX + 1), SIZE = PLACE + MEMBER_SIZE };
    unsigned char *room = calloc(1, SIZE);
    patched small = bytes;
    memcpy(room, whole.data, whole.size);
    bytes = patched_copy(room, SIZE);
    free(room);
    patch_value(bytes.data, builtin, index_type, "file_size", SIZE);
    patch_value(bytes.data, builtin, index_type, "members[3].place", PLACE);
    for (unsigned log2 = 0; log2 < 16; log2++) {
        bool is_right = log2 >= KILN_ALIGN_LOG2_MIN && log2 <= KILN_ALIGN_LOG2_MAX;
        patch_value(bytes.data, builtin, index_type, "members[3].align_log2", log2);
        if (is_right)
            assert_int_equal(check(NULL), KILN_OK);
        else
            refused(KILN_I_PLACE, "members[3].place");
    }
    patched_fini(&bytes);
    bytes = small;
}

/* A string that hashes to its id but is not a valid asset name. */
static void a_malformed_name_is_refused_although_its_id_matches(void **state)
{
    (void)state;
    for (unsigned c = 1; c < 128; c++) {
        memcpy(bytes.data, whole.data, whole.size);
        kiln_index *index = index_of(bytes.data);
        char *text = (char *)(uintptr_t)kiln_string_get(&kiln_index_asset_at(index, 3)->name);
        kiln_id *ids = (kiln_id *)(void *)((char *)&index->ids + index->ids.offset);
        text[1] = (char)c;
        ids[3] = kiln_asset_id(text, 3);
        if (c == '/' || ids[3] <= ids[2] || ids[3] >= ids[4])
            continue;
        kiln_index_directory_fill(
            (uint32_t *)(void *)((char *)&index->directory + index->directory.offset), ids, ASSETS);
        patched_rehash(bytes.data);
        refused(KILN_I_NAME, "assets[3].name");
        kiln_index_frame frame;
        assert_int_equal(
            kiln_index_frame_read(&(kiln_file_head){bytes.data, bytes.size, bytes.size}, true,
                                  &frame, NULL),
            KILN_OK);
        assert_null(kiln_index_asset_name(&frame, 3));
        return;
    }
    fail_msg("no byte gives a suitable id");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_is_correct),
        cmocka_unit_test(every_edge_is_found_and_no_other),
        cmocka_unit_test(imports_out_of_order_are_refused),
        cmocka_unit_test(starts_of_edges_that_decrease_are_refused),
        cmocka_unit_test(starts_without_edges_are_refused),
        cmocka_unit_test(dictionaries_that_do_not_exist_are_refused),
        cmocka_unit_test(unused_members_are_refused),
        cmocka_unit_test(sizes_of_compressed_members_are_bounded),
        cmocka_unit_test(compressed_members_are_no_larger_than_blobs),
        cmocka_unit_test(only_uncompressed_members_are_aligned),
        cmocka_unit_test(dictionaries_out_of_order_are_refused),
        cmocka_unit_test(compressed_dictionaries_are_refused),
        cmocka_unit_test(a_compressed_type_table_is_refused),
        cmocka_unit_test(a_type_that_is_not_a_struct_does_not_match_the_index),
        cmocka_unit_test(alignments_above_the_largest_are_refused),
        cmocka_unit_test(a_malformed_name_is_refused_although_its_id_matches),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
