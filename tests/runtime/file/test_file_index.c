/* An index with one changed number and a correct hash: errors found by opening, by using one asset,
 * and only by the full check. */
#include "file_fixture.h"

#include <kiln/blob_header.h>
#include <kiln/builder.h>
#include <string.h>

static const kiln_verify_level levels[3] = {KILN_VERIFY_NONE, KILN_VERIFY_HASH, KILN_VERIFY_DEEP};

/* Offsets in the index of the fixture's file. */
typedef struct places {
    kiln_buffer image;
    uint32_t lamp; /* index of Item/lamp */
    unsigned char *id, *asset, *member, *directory, *edge, *import, *table;
} places;

static unsigned char *writable(places *p, const kiln_array *array, size_t at)
{
    return fixture_writable(p->image.data, (const unsigned char *)array + array->offset + at);
}

static places fresh(void)
{
    places p = {.image = fixture_file(false)};
    const kiln_index *index = (const void *)(p.image.data + KILN_HEADER_SIZE);
    p.lamp = kiln_index_find(index, kiln_asset_id("Item/lamp", 9));
    p.id = writable(&p, &index->ids, 8 * (size_t)p.lamp);
    p.asset = writable(&p, &index->assets, 16 * (size_t)p.lamp);
    p.member =
        writable(&p, &index->members, 64 * (size_t)kiln_index_asset_at(index, p.lamp)->member);
    p.directory = writable(&p, &index->directory, 0);
    p.edge = writable(&p, &index->edges, 0);
    p.import = writable(&p, &index->imports, 0);
    p.table = writable(&p, &index->members, 64 * (size_t)(index->type_table - 1));
    return p;
}

static kiln_root_type item_type;

static int set_up(void **state)
{
    (void)state;
    item_type = fixture_root_type("test.Item");
    return 0;
}

/* Opens the changed file and checks the verdicts on Item/lamp and on the whole file. */
static void expect(const places *p, kiln_verify_level level, kiln_status open, kiln_status root,
                   kiln_status whole)
{
    kiln_file *file = NULL;
    kiln_error error = {.status = KILN_OK};
    kiln_status verified = whole == KILN_OK ? root : whole;
    fixture_rehash(p->image.data);
    assert_int_equal(open, fixture_open(p->image.data, p->image.size, level, &file, &error));
    assert_int_equal(open, error.status);
    if (open != KILN_OK)
        return;
    kiln_asset lamp = kiln_file_asset_at(file, p->lamp);
    for (int again = 0; again < 2; again++) {
        error.status = KILN_OK;
        const void *found = kiln_file_root(file, lamp, &item_type, &error);
        assert_int_equal(root, error.status);
        assert_int_equal(root == KILN_OK, found != NULL);
        error.status = KILN_OK;
        assert_int_equal(whole == KILN_OK, kiln_file_index(file, &error) != NULL);
        assert_int_equal(whole, error.status);
        assert_int_equal(whole == KILN_OK, kiln_file_index(file, NULL) != NULL);
        assert_int_equal(verified, kiln_file_verify(file, level, &error));
    }
    kiln_file_close(file);
}

static void a_valid_file_passes_at_every_level(void **state)
{
    (void)state;
    places p = fresh();
    for (int level = 0; level < 3; level++)
        expect(&p, levels[level], KILN_OK, KILN_OK, KILN_OK);
    kiln_buffer_fini(&p.image);
}

static void invalid_entries_are_found_by_opening(void **state)
{
    (void)state;
    for (int row = 0; row < 3; row++) {
        for (int level = 0; level < 3; level++) {
            places p = fresh();
            if (row == 0)
                p.asset[11] = 1; /* type */
            else if (row == 1)
                p.asset[15] = 1; /* member */
            else
                memset(p.id, 0, 8);
            bool is_open = levels[level] == KILN_VERIFY_NONE;
            kiln_status rule = row == 2 ? KILN_I_IDS : KILN_I_NUMBER;
            expect(&p, levels[level], is_open ? KILN_OK : rule, row == 2 ? KILN_OK : KILN_NOT_FOUND,
                   rule);
            kiln_buffer_fini(&p.image);
        }
    }
}

/* The level `none` does not check entries when opening, so using the asset fails. */
static void invalid_entries_give_no_root(void **state)
{
    (void)state;
    for (int row = 0; row < 2; row++) {
        places p = fresh();
        p.asset[row ? 15 : 11] = 1; /* member or type */
        fixture_rehash(p.image.data);
        kiln_file *file = NULL;
        assert_int_equal(KILN_OK,
                         fixture_open(p.image.data, p.image.size, KILN_VERIFY_NONE, &file, NULL));
        assert_int_equal(0, kiln_file_asset_at(file, p.lamp).number);
        kiln_id id = kiln_asset_id("Item/lamp", 9);
        assert_int_equal(0, kiln_file_find_id(file, id).number);
        const kiln_asset by_hand = {p.lamp + 1};
        kiln_error error;
        assert_null(kiln_file_asset_name(file, by_hand));
        assert_null(kiln_file_asset_type(file, by_hand));
        assert_int_equal(0, kiln_file_asset_id(file, by_hand));
        assert_null(kiln_file_root(file, by_hand, &item_type, &error));
        assert_int_equal(KILN_NOT_FOUND, error.status);
        kiln_file_close(file);
        kiln_buffer_fini(&p.image);
    }
}

static void a_misplaced_member_gives_no_root(void **state)
{
    (void)state;
    static const struct {
        size_t at; /* offset in the member's entry */
        unsigned char number;
        kiln_status status;
    } rows[] = {{7, 0xff, KILN_I_PLACE},     {0, 8, KILN_I_PLACE},
                {15, 1, KILN_I_COMPRESSION}, {8, 1, KILN_I_COMPRESSION},
                {23, 1, KILN_I_COMPRESSION}, {56, 2, KILN_I_COMPRESSION},
                {57, 3, KILN_I_PLACE},       {57, 255, KILN_I_PLACE},
                {58, 1, KILN_I_COMPRESSION}, {60, 1, KILN_I_COMPRESSION}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int level = 0; level < 3; level++) {
            places p = fresh();
            p.member[rows[i].at] = rows[i].number;
            expect(&p, levels[level], KILN_OK, rows[i].status, rows[i].status);
            kiln_buffer_fini(&p.image);
        }
    }
    /* The member begins before all others, inside the index itself. */
    places p = fresh();
    memset(p.member, 0, 8);
    expect(&p, KILN_VERIFY_DEEP, KILN_OK, KILN_I_PLACE, KILN_I_PLACE);
    kiln_buffer_fini(&p.image);
}

static void a_misplaced_type_table_is_not_read(void **state)
{
    (void)state;
    places p = fresh();
    p.table[7] = 0xff;
    expect(&p, KILN_VERIFY_DEEP, KILN_OK, KILN_I_PLACE, KILN_I_PLACE);
    expect(&p, KILN_VERIFY_HASH, KILN_OK, KILN_OK, KILN_I_PLACE);
    kiln_buffer_fini(&p.image);
}

/* The level `none` does not check the hash, which would report the change first. */
static void a_header_that_disagrees_with_the_index_gives_no_root(void **state)
{
    (void)state;
    for (int row = 0; row < 2; row++) {
        places p = fresh();
        uint64_t place, size;
        memcpy(&place, p.member, 8);
        unsigned char *header = p.image.data + place;
        memcpy(&size, header + 8, 8);
        size--;
        if (row == 0)
            memcpy(header + 8, &size, 8);
        else
            header[6]++; /* doubles the alignment */
        expect(&p, KILN_VERIFY_NONE, KILN_OK, KILN_I_MEMBER, KILN_OK);
        kiln_buffer_fini(&p.image);
    }
}

static void a_compressed_type_table_is_not_read(void **state)
{
    (void)state;
    places p = fresh();
    p.table[56] = KILN_COMPRESSION_ZSTD;
    expect(&p, KILN_VERIFY_DEEP, KILN_OK, KILN_I_COMPRESSION, KILN_I_COMPRESSION);
    kiln_buffer_fini(&p.image);
}

static void the_result_of_reading_the_type_table_is_cached(void **state)
{
    (void)state;
    places p = fresh();
    uint64_t place;
    memcpy(&place, p.table, 8);
    p.image.data[place + 24] ^= 1;
    kiln_file *file = NULL;
    assert_int_equal(KILN_OK,
                     fixture_open(p.image.data, p.image.size, KILN_VERIFY_DEEP, &file, NULL));
    for (int again = 0; again < 3; again++) {
        kiln_error error;
        assert_null(kiln_file_root(file, kiln_file_asset_at(file, p.lamp), &item_type, &error));
        assert_int_equal(KILN_H_HASH, error.status);
        assert_int_equal(place + 24, error.offset);
        /* From now on the bytes are valid. */
        if (again == 1)
            p.image.data[place + 24] ^= 1;
    }
    kiln_file_close(file);
    kiln_buffer_fini(&p.image);
}

static void the_full_check_finds_errors_that_look_ups_ignore(void **state)
{
    (void)state;
    for (int row = 0; row < 4; row++) {
        for (int level = 0; level < 3; level++) {
            places p = fresh();
            if (row == 0)
                p.directory[0] = 1;
            else if (row == 1)
                p.edge[3] = 1;
            else if (row == 2)
                memset(p.import, 0, 8);
            else
                p.asset[4]++; /* length of the name */
            static const kiln_status rules[] = {KILN_I_DIRECTORY, KILN_I_EDGES, KILN_I_IMPORTS,
                                                KILN_V_STRING_END};
            expect(&p, levels[level], KILN_OK, KILN_OK, rules[row]);
            kiln_buffer_fini(&p.image);
        }
    }
}

/* A file with one item that refers to assets of other files. */
enum { ELSEWHERE = 9 };
static kiln_buffer file_of_imports(void)
{
    kiln_types *types = fixture_types(LAYOUT_NOW);
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    builder_def.types = def.types = types;
    uint32_t type = kiln_types_find(types, "test.Item");
    assert_int_equal(KILN_OK, kiln_builder_create(&builder_def, &builder));
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    test_item *item = kiln_builder_root(builder, sizeof *item, _Alignof(test_item));
    kiln_id *refs = kiln_builder_array(builder, &item->refs, ELSEWHERE, sizeof *refs, 8);
    item->kind = 1;
    for (int i = 0; i < ELSEWHERE; i++) {
        char name[] = "Item/0";
        name[5] = (char)('0' + i);
        refs[i] = kiln_asset_id(name, 6);
        assert_int_equal(KILN_OK, kiln_file_writer_import(writer, name));
    }
    kiln_buffer blob = {0}, image = {0};
    assert_int_equal(KILN_OK, kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_add(writer, "Item/lamp", type,
                                                   (kiln_span){blob.data, blob.size}, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &image, NULL));
    kiln_buffer_fini(&blob);
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
    return image;
}

static void each_reference_to_another_file_must_be_an_import(void **state)
{
    (void)state;
    kiln_buffer image = file_of_imports();
    kiln_file *file = NULL;
    assert_int_equal(KILN_OK, fixture_open(image.data, image.size, KILN_VERIFY_DEEP, &file, NULL));
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
    uint64_t place = fixture_member(file, "Item/lamp")->place;
    const test_item *item = (const void *)(image.data + place + KILN_HEADER_SIZE);
    assert_int_equal(ELSEWHERE, item->refs.count);
    unsigned char *refs =
        fixture_writable(image.data, (const char *)&item->refs + item->refs.offset);
    kiln_file_close(file);
    for (int i = 0; i < 2 * ELSEWHERE; i++) {
        kiln_id id, other;
        memcpy(&id, refs + i / 2 * 8, 8);
        other = i % 2 ? id + 1 : id - 1;
        memcpy(refs + i / 2 * 8, &other, 8);
        fixture_rehash_member(image.data, place);
        kiln_error error;
        assert_int_equal(KILN_OK,
                         fixture_open(image.data, image.size, KILN_VERIFY_DEEP, &file, NULL));
        assert_int_equal(KILN_I_REFS, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
        assert_int_equal((uint64_t)(refs - image.data) + (uint64_t)(i / 2 * 8), error.offset);
        assert_string_equal("Item/lamp", error.path);
        kiln_file_close(file);
        memcpy(refs + i / 2 * 8, &id, 8);
    }
    kiln_buffer_fini(&image);
}

static void an_invalid_name_is_empty(void **state)
{
    (void)state;
    places p = fresh();
    uint32_t offset;
    memcpy(&offset, p.asset, 4);
    p.asset[offset] = 'J';
    fixture_rehash(p.image.data);
    kiln_file *file = NULL;
    assert_int_equal(KILN_OK,
                     fixture_open(p.image.data, p.image.size, KILN_VERIFY_DEEP, &file, NULL));
    kiln_asset lamp = kiln_file_asset_at(file, p.lamp);
    assert_string_equal("", kiln_file_asset_name(file, lamp));
    assert_string_equal("test.Item", kiln_file_asset_type(file, lamp));
    assert_int_equal(lamp.number, kiln_file_find(file, "Item/lamp").number);
    assert_int_equal(0, kiln_file_find(file, "Jtem/lamp").number);
    kiln_error error;
    assert_null(kiln_file_index(file, &error));
    assert_int_equal(KILN_I_NAME, error.status);
    kiln_root_type other = {"test.Other", 1};
    assert_null(kiln_file_root(file, lamp, &other, &error));
    assert_int_equal(KILN_TYPE_MISMATCH, error.status);
    assert_string_equal("", error.path);
    kiln_file_close(file);
    kiln_buffer_fini(&p.image);
}

static void a_wrong_index_hash_is_found_unless_the_file_is_trusted(void **state)
{
    (void)state;
    places p = fresh();
    p.image.data[24] ^= 1;
    for (int level = 0; level < 3; level++) {
        kiln_file *file = NULL;
        kiln_status status = fixture_open(p.image.data, p.image.size, levels[level], &file, NULL);
        assert_int_equal(levels[level] == KILN_VERIFY_NONE ? KILN_OK : KILN_H_HASH, status);
        if (file)
            assert_int_equal(KILN_H_HASH, kiln_file_verify(file, KILN_VERIFY_NONE, NULL));
        kiln_file_close(file);
    }
    kiln_buffer_fini(&p.image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_valid_file_passes_at_every_level),
        cmocka_unit_test(invalid_entries_are_found_by_opening),
        cmocka_unit_test(invalid_entries_give_no_root),
        cmocka_unit_test(a_misplaced_member_gives_no_root),
        cmocka_unit_test(a_misplaced_type_table_is_not_read),
        cmocka_unit_test(a_header_that_disagrees_with_the_index_gives_no_root),
        cmocka_unit_test(a_compressed_type_table_is_not_read),
        cmocka_unit_test(the_result_of_reading_the_type_table_is_cached),
        cmocka_unit_test(the_full_check_finds_errors_that_look_ups_ignore),
        cmocka_unit_test(each_reference_to_another_file_must_be_an_import),
        cmocka_unit_test(an_invalid_name_is_empty),
        cmocka_unit_test(a_wrong_index_hash_is_found_unless_the_file_is_trusted),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
