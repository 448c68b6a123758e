/* Rules of the index on a hand-made file with several imports, edges and a dictionary: three assets
 * in two members, the third member a dictionary, no type table. */
#include "blob_patch.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <stdlib.h>
#include <string.h>

enum { ASSETS = 3, IMPORTS = 3, MEMBERS = 3, MEMBER_SIZE = 48 };

typedef struct fixture {
    kiln_types *builtin;
    uint32_t index_type;
    patched good, bytes;
} fixture;

static int by_id(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    kiln_id x = kiln_asset_id(*left, 3), y = kiln_asset_id(*right, 3);
    return (x > y) - (x < y);
}

static void fill_assets(kiln_builder *b, kiln_index *index)
{
    static const char *names[ASSETS] = {"K/a", "K/b", "K/c"};
    static const uint32_t members[ASSETS] = {0, 1, 1};
    qsort(names, ASSETS, sizeof *names, by_id);
    kiln_id *ids = kiln_builder_array(b, &index->ids, ASSETS, 8, 8);
    kiln_index_asset *assets =
        kiln_builder_array(b, &index->assets, ASSETS, sizeof *assets, _Alignof(kiln_index_asset));
    uint32_t *directory = kiln_builder_array(b, &index->directory, 5, 4, 4);
    for (uint32_t i = 0; i < ASSETS; i++) {
        ids[i] = kiln_asset_id(names[i], 3);
        kiln_builder_string(b, &assets[i].name, names[i], 3);
        assets[i].member = members[i];
        for (uint32_t bucket = (uint32_t)(ids[i] >> 62) + 1; bucket < 5; bucket++)
            directory[bucket]++;
    }
}

static void fill_references(kiln_builder *b, kiln_index *index)
{
    static const char *names[IMPORTS] = {"K/x", "K/y", "K/z"};
    static const uint32_t starts[ASSETS + 1] = {0, 3, 3, 4}, edges[] = {1, 3, 5, 4};
    qsort(names, IMPORTS, sizeof *names, by_id);
    kiln_index_import *imports =
        kiln_builder_array(b, &index->imports, IMPORTS, sizeof *imports, 8);
    for (uint32_t i = 0; i < IMPORTS; i++) {
        imports[i].id = kiln_asset_id(names[i], 3);
        kiln_builder_string(b, &imports[i].name, names[i], 3);
    }
    memcpy(kiln_builder_array(b, &index->edge_starts, ASSETS + 1, 4, 4), starts, sizeof starts);
    memcpy(kiln_builder_array(b, &index->edges, 4, 4, 4), edges, sizeof edges);
}

static patched make_file(const kiln_types *builtin, uint32_t index_type)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *b = NULL;
    kiln_buffer blob = {0};
    def.types = builtin;
    assert_int_equal(kiln_builder_create(&def, &b), KILN_OK);
    kiln_index *index = kiln_builder_root(b, sizeof *index, 8);
    fill_assets(b, index);
    fill_references(b, index);
    kiln_index_type *types = kiln_builder_array(b, &index->types, 1, sizeof *types, 8);
    kiln_builder_string(b, &types->name, "T", 1);
    types->layout = 7;
    kiln_builder_array(b, &index->members, MEMBERS, sizeof(kiln_index_member), 8);
    *(uint32_t *)kiln_builder_array(b, &index->dictionaries, 1, 4, 4) = 2;
    assert_int_equal(
        kiln_builder_finish(b, index_type, kiln_kind_flags(KILN_BLOB_INDEX), &blob, NULL), KILN_OK);
    kiln_builder_destroy(b);

    size_t place = (blob.size + 15) / 16 * 16, size = place + MEMBERS * MEMBER_SIZE;
    unsigned char *all = calloc(size, 1);
    assert_non_null(all);
    memcpy(all, blob.data, blob.size);
    kiln_buffer_fini(&blob);
    patched file = patched_copy(all, size);
    free(all);
    index = (kiln_index *)(void *)(file.data + KILN_HEADER_SIZE);
    index->file_size = size;
    kiln_index_member *members =
        (kiln_index_member *)(void *)((unsigned char *)&index->members + index->members.offset);
    for (uint32_t i = 0; i < MEMBERS; i++, place += MEMBER_SIZE) {
        unsigned char *member = file.data + place;
        memset(member + KILN_HEADER_SIZE, 'a' + (int)i, MEMBER_SIZE - KILN_HEADER_SIZE);
        kiln_header_write(member,
                          4 | kiln_kind_flags(i == 2 ? KILN_BLOB_DICTIONARY : KILN_BLOB_ASSET),
                          MEMBER_SIZE - KILN_HEADER_SIZE, i == 2 ? 0 : 7);
        members[i].place = place;
        members[i].size = members[i].stored_size = MEMBER_SIZE;
        members[i].align_log2 = 4;
        members[i].content = kiln_content_hash(member, MEMBER_SIZE);
    }
    patched_rehash(file.data);
    return file;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f || kiln_types_create_builtin(NULL, &f->builtin, NULL))
        return 1;
    f->index_type = kiln_types_find(f->builtin, "kiln.Index");
    f->good = make_file(f->builtin, f->index_type);
    f->bytes = patched_copy(f->good.data, f->good.size);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    patched_fini(&f->good);
    patched_fini(&f->bytes);
    kiln_types_destroy(f->builtin);
    free(f);
    return 0;
}

static kiln_status check(const fixture *f, const kiln_index **ret_index, kiln_error *reterr)
{
    return kiln_index_check(f->builtin, NULL,
                            &(kiln_file_head){f->bytes.data, f->bytes.size, f->bytes.size},
                            ret_index, reterr);
}

static void restore(fixture *f)
{
    memcpy(f->bytes.data, f->good.data, f->good.size);
}

static void patch(fixture *f, const char *path, uint64_t number)
{
    patch_value(f->bytes.data, f->builtin, f->index_type, path, number);
}

static void file_made_by_hand_is_valid(void **state)
{
    fixture *f = *state;
    const kiln_index *index = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    restore(f);
    check(f, &index, &error);
    assert_error(&error, KILN_OK, 0, "");
    for (uint32_t i = 0; i < MEMBERS; i++)
        assert_int_equal(kiln_index_check_member(index, i, f->bytes.data, true, &error), KILN_OK);
}

static void rule_i15_each_edge_is_found_and_no_other(void **state)
{
    fixture *f = *state;
    const kiln_index *index = NULL;
    static const bool edges[ASSETS][ASSETS + IMPORTS] = {
        {0, 1, 0, 1, 0, 1}, {0}, {0, 0, 0, 0, 1, 0}};
    restore(f);
    assert_int_equal(check(f, &index, NULL), KILN_OK);
    for (uint32_t from = 0; from < ASSETS; from++) {
        for (uint32_t to = 0; to < ASSETS + IMPORTS; to++) {
            kiln_id id = to < ASSETS ? kiln_index_id(index, to)
                                     : kiln_index_import_at(index, to - ASSETS)->id;
            assert_int_equal(kiln_index_has_edge(index, from, id), edges[from][to]);
            /* Ids close to an existing one are not found either. */
            assert_false(kiln_index_has_edge(index, from, id - 1));
            assert_false(kiln_index_has_edge(index, from, id + 1));
        }
        assert_false(kiln_index_has_edge(index, from, 1));
        assert_false(kiln_index_has_edge(index, from, UINT64_MAX));
    }
}

/* Changes one or two numbers of a valid file. */
static void rules_of_lists_hold_for_each_number(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *path;
        uint64_t number;
        const char *more_path;
        uint64_t more;
        kiln_status status;
        const char *where;
    } rows[] = {
        {"members[0].stored_size", 0, "members[0].compression", 1, KILN_I_COMPRESSION,
         "members[0]"},
        {"members[0].size", 32, "members[0].compression", 1, KILN_I_COMPRESSION, "members[0]"},
        {"members[0].size", 0x80000fff + UINT64_C(1), "members[0].compression", 1,
         KILN_I_COMPRESSION, "members[0]"},
        {"members[0].align_log2", 3, NULL, 0, KILN_I_PLACE, "members[0].place"},
        {"members[0].align_log2", 13, NULL, 0, KILN_I_PLACE, "members[0].place"},
        {"members[0].align_log2", 64, NULL, 0, KILN_I_PLACE, "members[0].place"},
        /* A sum that wraps to zero. */
        {"members[0].stored_size", UINT64_MAX, "members[0].compression", 1, KILN_I_PLACE,
         "members[0].place"},
        {"dictionaries[0]", 3, NULL, 0, KILN_I_NUMBER, "dictionaries[0]"},
        {"dictionaries[0]", UINT32_MAX, NULL, 0, KILN_I_NUMBER, "dictionaries[0]"},
        {"dictionaries[0]", 0, NULL, 0, KILN_I_UNUSED, "members[2]"},
        {"imports[0].id", 0, NULL, 0, KILN_I_IMPORTS, "imports[0]"},
        {"imports[1].id", 1, NULL, 0, KILN_I_IMPORTS, "imports[1]"},
        {"imports[2].id", UINT64_MAX, NULL, 0, KILN_I_IMPORTS, "imports[2]"},
        {"edge_starts[1]", 5, NULL, 0, KILN_I_EDGES, "edge_starts[1]"},
        {"edge_starts[2]", 2, NULL, 0, KILN_I_EDGES, "edge_starts[2]"},
        {"edge_starts[3]", 3, NULL, 0, KILN_I_EDGES, "edge_starts[3]"},
        {"edge_starts[0]", 1, NULL, 0, KILN_I_EDGES, "edge_starts[0]"},
        {"edges[1]", 1, NULL, 0, KILN_I_EDGES, "edges[1]"},
        {"edges[3]", 6, NULL, 0, KILN_I_EDGES, "edges[3]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_error error = {KILN_OK, 0, 0, ""};
        const kiln_index *index = NULL;
        restore(f);
        patch(f, rows[i].path, rows[i].number);
        if (rows[i].more_path)
            patch(f, rows[i].more_path, rows[i].more);
        kiln_status status = check(f, &index, &error);
        assert_string_equal(error.path, rows[i].where);
        assert_string_equal(kiln_status_name(status), kiln_status_name(rows[i].status));
        assert_null(index);
    }
}

static void rule_i9_imports_in_the_wrong_order_are_refused(void **state)
{
    fixture *f = *state;
    kiln_error error;
    const kiln_index *index = NULL;
    restore(f);
    size_t size;
    unsigned char *first =
        patch_find(f->bytes.data, f->builtin, f->index_type, "imports[0]", &size);
    /* Exchanges the imports, and adjusts the relative offsets so that each keeps its name. */
    kiln_index_import one, two;
    memcpy(&one, first, sizeof one);
    memcpy(&two, first + size, sizeof two);
    one.name.offset -= (uint32_t)size;
    two.name.offset += (uint32_t)size;
    memcpy(first, &two, sizeof two);
    memcpy(first + size, &one, sizeof one);
    patched_rehash(f->bytes.data);
    assert_int_equal(check(f, &index, &error), KILN_I_IMPORTS);
    assert_string_equal(error.path, "imports[1]");
}

/* A string without a slash whose id sorts at the same position as the correct one. */
static kiln_id malformed_name(kiln_id above, kiln_id below, unsigned bucket_bits, kiln_id like,
                              char *text)
{
    for (unsigned i = 0; i < 1u << 16; i++) {
        text[0] = 'K';
        text[1] = (char)('A' + i % 26);
        text[2] = (char)('0' + i / 26 % 75);
        kiln_id id = kiln_asset_id(text, 3);
        bool fits = bucket_bits == 0 || id >> (64 - bucket_bits) == like >> (64 - bucket_bits);
        if (id > above && id < below && fits)
            return id;
    }
    fail_msg("no name found");
    return 0;
}

static void rename_in_place(fixture *f, const char *path, const char *text)
{
    size_t size;
    uint32_t offset;
    unsigned char *field = patch_find(f->bytes.data, f->builtin, f->index_type, path, &size);
    memcpy(&offset, field, sizeof offset);
    memcpy(field + offset, text, 3);
}

static void rules_i3_and_i9_refuse_a_malformed_name_with_its_own_id(void **state)
{
    fixture *f = *state;
    kiln_error error;
    const kiln_index *index = NULL;
    char text[3];
    restore(f);
    assert_int_equal(check(f, &index, NULL), KILN_OK);
    const kiln_index_import *imports = kiln_index_import_at(index, 0);
    kiln_id id = malformed_name(imports[0].id, imports[2].id, 0, 0, text);
    rename_in_place(f, "imports[1].name", text);
    patch(f, "imports[1].id", id);
    assert_int_equal(check(f, &index, &error), KILN_I_IMPORTS);
    assert_string_equal(error.path, "imports[1]");
    restore(f);
    kiln_id above = kiln_index_id(index, 0), like = kiln_index_id(index, 1);
    id = malformed_name(above, kiln_index_id(index, 2), 2, like, text);
    rename_in_place(f, "assets[1].name", text);
    patch(f, "ids[1]", id);
    assert_int_equal(check(f, &index, &error), KILN_I_NAME);
    assert_string_equal(error.path, "assets[1].name");
}

static void rule_i13_type_that_is_not_a_struct_is_refused(void **state)
{
    fixture *f = *state;
    static const kiln_member value[] = {{.name = "a"}}, field[] = {{.name = "a", .type = 0}};
    static const kiln_type no_struct[] = {{.kind = KILN_KIND_U8},
                                          {.name = "T",
                                           .kind = KILN_KIND_ENUM,
                                           .base = KILN_KIND_U8,
                                           .members = value,
                                           .member_count = 1}},
                           a_struct[] = {{.kind = KILN_KIND_U8},
                                         {.name = "T",
                                          .kind = KILN_KIND_STRUCT,
                                          .members = field,
                                          .member_count = 1}};
    for (int i = 0; i < 2; i++) {
        kiln_types *types = NULL;
        const kiln_index *index = NULL;
        kiln_error error;
        assert_int_equal(kiln_types_create(NULL, i ? a_struct : no_struct, 2, &types, NULL),
                         KILN_OK);
        restore(f);
        patch(f, "types[0].layout", kiln_types_get(types, 1)->layout);
        assert_int_equal(check(f, &index, NULL), KILN_OK);
        assert_int_equal(kiln_index_check_types(index, types, &error), i ? KILN_OK : KILN_I_TYPES);
        kiln_types_destroy(types);
    }
}

static void rule_i12_each_half_of_a_content_hash_counts(void **state)
{
    fixture *f = *state;
    static const char *const halves[] = {"members[1].content.low", "members[1].content.high"};
    for (size_t i = 0; i < 2; i++) {
        kiln_error error;
        const kiln_index *index = NULL;
        restore(f);
        patch(f, halves[i], 12345);
        assert_int_equal(check(f, &index, NULL), KILN_OK);
        assert_int_equal(kiln_index_check_member(index, 1, f->bytes.data, true, &error),
                         KILN_I_CONTENT);
        assert_int_equal(error.offset, kiln_index_member_at(index, 1)->place);
    }
}

/* The content hash comes from the index, the header's hash from the blob. Both must match. */
static void rule_h8_holds_for_a_member_with_a_correct_content_hash(void **state)
{
    fixture *f = *state;
    kiln_error error;
    const kiln_index *index = NULL;
    restore(f);
    assert_int_equal(check(f, &index, NULL), KILN_OK);
    unsigned char *member = f->bytes.data + kiln_index_member_at(index, 1)->place;
    member[24] ^= 1;
    kiln_hash128 content = kiln_content_hash(member, MEMBER_SIZE);
    patch(f, "members[1].content.low", content.low);
    patch(f, "members[1].content.high", content.high);
    assert_int_equal(check(f, &index, NULL), KILN_OK);
    assert_int_equal(kiln_index_check_member(index, 1, f->bytes.data, true, &error), KILN_H_HASH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_made_by_hand_is_valid),
        cmocka_unit_test(rule_i15_each_edge_is_found_and_no_other),
        cmocka_unit_test(rules_of_lists_hold_for_each_number),
        cmocka_unit_test(rule_i9_imports_in_the_wrong_order_are_refused),
        cmocka_unit_test(rules_i3_and_i9_refuse_a_malformed_name_with_its_own_id),
        cmocka_unit_test(rule_i13_type_that_is_not_a_struct_is_refused),
        cmocka_unit_test(rule_i12_each_half_of_a_content_hash_counts),
        cmocka_unit_test(rule_h8_holds_for_a_member_with_a_correct_content_hash),
    };
    return cmocka_run_group_tests_name("index list rules", tests, set_up, tear_down);
}
