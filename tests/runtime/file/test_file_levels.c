#include "file_fixture.h"

#include <kiln/blob_header.h>
#include <stdio.h>
#include <string.h>

static const kiln_verify_level levels[] = {KILN_VERIFY_NONE, KILN_VERIFY_HASH, KILN_VERIFY_DEEP};

static kiln_root_type item_type, page_type;

static int make_root_types(void **state)
{
    (void)state;
    item_type = fixture_root_type("test.Item");
    page_type = fixture_root_type("test.Page");
    return 0;
}

/* The offset of an asset's member in an unchanged image. */
static uint64_t place_of(const kiln_buffer *image, const char *name)
{
    kiln_file *file = NULL;
    assert_int_equal(KILN_OK,
                     fixture_open(image->data, image->size, KILN_VERIFY_NONE, &file, NULL));
    uint64_t place = fixture_member(file, name)->place;
    kiln_file_close(file);
    return place;
}

static uint64_t table_place(const kiln_buffer *image)
{
    const kiln_index *index = (const void *)(image->data + KILN_HEADER_SIZE);
    return kiln_index_member_at(index, index->type_table - 1)->place;
}

static kiln_file *open_image(const kiln_buffer *image, kiln_verify_level level,
                             const kiln_buffer *types)
{
    kiln_file_def def = kiln_file_def_default();
    def.data = image->data;
    def.size = image->size;
    def.level = level;
    if (types)
        def.types = types->data, def.types_size = types->size;
    kiln_file *file = NULL;
    kiln_error error;
    if (kiln_file_open(&def, &file, &error) != KILN_OK)
        fail_msg("%s at %u", kiln_status_name(error.status), (unsigned)error.offset);
    return file;
}

static const kiln_root_type *type_of(const char *name)
{
    return name[0] == 'I' ? &item_type : &page_type;
}

static void expect_root(kiln_file *file, const char *name, kiln_status status)
{
    kiln_error error = {.status = KILN_OK};
    const void *root = kiln_file_root(file, kiln_file_find(file, name), type_of(name), &error);
    if (error.status != status)
        fail_msg("%s: %s, not %s", name, kiln_status_name(error.status), kiln_status_name(status));
    assert_int_equal(status == KILN_OK, root != NULL);
}

static void expect_verify(kiln_file *file, kiln_verify_level level, kiln_status status)
{
    kiln_error error = {.status = KILN_OK};
    kiln_status found = kiln_file_verify(file, level, &error);
    if (found != status)
        fail_msg("%s, not %s", kiln_status_name(found), kiln_status_name(status));
    assert_int_equal(status, error.status);
    assert_int_equal(status, kiln_file_verify(file, level, NULL));
}

typedef enum repair { REPAIR_NOTHING, REPAIR_HASH, REPAIR_CONTENT } repair;

static void each_level_finds_its_errors(void **state)
{
    (void)state;
    enum { KIND = KILN_HEADER_SIZE + offsetof(test_item, kind), HASH = 24 };
    static const struct {
        size_t at; /* offset in the member */
        unsigned char flip;
        repair repair;
        kiln_status found[3]; /* by level */
        size_t found_at;
        const char *path;
    } rows[] = {
        {0, 1, REPAIR_NOTHING, {KILN_H_MAGIC, KILN_H_MAGIC, KILN_H_MAGIC}, 0, ""},
        {4, 1, REPAIR_NOTHING, {KILN_H_VERSION, KILN_H_VERSION, KILN_H_VERSION}, 4, ""},
        {6, 0x20, REPAIR_HASH, {KILN_H_KIND, KILN_H_KIND, KILN_H_KIND}, 6, ""},
        {6, 4, REPAIR_NOTHING, {KILN_H_FLAGS, KILN_H_FLAGS, KILN_H_FLAGS}, 6, ""},
        {11, 0x80, REPAIR_NOTHING, {KILN_H_SIZE, KILN_H_SIZE, KILN_H_SIZE}, 8, ""},
        {16, 1, REPAIR_HASH, {KILN_H_LAYOUT, KILN_H_LAYOUT, KILN_H_LAYOUT}, 16, ""},
        {HASH, 1, REPAIR_NOTHING, {KILN_OK, KILN_H_HASH, KILN_H_HASH}, HASH, ""},
        {7, 1, REPAIR_NOTHING, {KILN_OK, KILN_H_HASH, KILN_H_HASH}, HASH, ""},
        {KIND, 9, REPAIR_NOTHING, {KILN_OK, KILN_H_HASH, KILN_H_HASH}, HASH, ""},
        {KIND, 9, REPAIR_HASH, {KILN_OK, KILN_OK, KILN_V_ENUM}, KIND, "kind"},
        {KIND, 9, REPAIR_CONTENT, {KILN_OK, KILN_OK, KILN_V_ENUM}, KIND, "kind"},
        {KIND + 1, 2, REPAIR_CONTENT, {KILN_OK, KILN_OK, KILN_V_BOOL}, KIND + 1, "lucky"},
    };
    kiln_buffer image = fixture_file(false);
    uint64_t place = place_of(&image, "Item/lamp");
    unsigned char *saved = test_malloc(image.size);
    memcpy(saved, image.data, image.size);
    for (size_t i = 0; i < 3 * (sizeof rows / sizeof *rows); i++) {
        size_t row = i / 3, level = i % 3;
        memcpy(image.data, saved, image.size);
        image.data[place + rows[row].at] ^= rows[row].flip;
        if (rows[row].repair == REPAIR_HASH)
            fixture_rehash(image.data + place);
        else if (rows[row].repair == REPAIR_CONTENT)
            fixture_rehash_member(image.data, place);
        kiln_file *file = open_image(&image, levels[level], NULL);
        expect_root(file, "Item/oil", KILN_OK);
        /* From the second time on, the verdict is cached, and its offset is computed again. */
        for (int again = 0; again < 3; again++) {
            expect_root(file, "Item/lamp", rows[row].found[level]);
            kiln_error error = {.status = KILN_OK};
            kiln_file_root(file, kiln_file_find(file, "Item/lamp"), &item_type, &error);
            if (rows[row].found[level] == KILN_OK)
                continue;
            assert_int_equal(place + rows[row].found_at, error.offset);
            assert_string_equal(rows[row].path, error.path);
        }
        assert_null(kiln_file_root(file, kiln_file_find(file, "Item/lamp"), &page_type, NULL));
        expect_verify(file, KILN_VERIFY_NONE, rows[row].found[level]);
        expect_verify(file, KILN_VERIFY_DEEP, rows[row].found[2]);
        expect_root(file, "Item/lamp", rows[row].found[2]);
        kiln_file_close(file);
    }
    test_free(saved);
    kiln_buffer_fini(&image);
}

static void a_valid_file_passes_every_level_in_ascending_order(void **state)
{
    (void)state;
    kiln_buffer image = fixture_file(false), table = fixture_type_table(LAYOUT_NOW);
    for (int i = 0; i < 18; i++) {
        kiln_file *file = open_image(&image, levels[i % 3], i >= 9 ? &table : NULL);
        expect_root(file, "Item/lamp", KILN_OK);
        expect_verify(file, levels[i / 3 % 3], KILN_OK);
        expect_verify(file, KILN_VERIFY_DEEP, KILN_OK);
        expect_verify(file, KILN_VERIFY_NONE, KILN_OK);
        expect_root(file, "Page/intro", KILN_OK);
        kiln_file_close(file);
    }
    kiln_buffer_fini(&table);
    kiln_buffer_fini(&image);
}

static void a_verdict_is_cached(void **state)
{
    (void)state;
    kiln_buffer image = fixture_file(false);
    uint64_t place = place_of(&image, "Item/lamp");
    unsigned char *at = image.data + place + KILN_HEADER_SIZE + offsetof(test_item, kind);
    kiln_file *file = open_image(&image, KILN_VERIFY_DEEP, NULL);
    expect_root(file, "Item/lamp", KILN_OK);
    *at ^= 9;
    expect_root(file, "Item/lamp", KILN_OK);
    kiln_file_close(file);

    file = open_image(&image, KILN_VERIFY_DEEP, NULL);
    expect_root(file, "Item/lamp", KILN_H_HASH);
    *at ^= 9;
    kiln_error error;
    assert_null(kiln_file_root(file, kiln_file_find(file, "Item/lamp"), &item_type, &error));
    assert_int_equal(KILN_H_HASH, error.status);
    assert_int_equal(place, error.offset);
    kiln_file_close(file);
    kiln_buffer_fini(&image);
}

static void verify_finds_a_wrong_content_hash(void **state)
{
    (void)state;
    kiln_buffer image = fixture_file(false);
    uint64_t place = place_of(&image, "Item/lamp");
    image.data[place + KILN_HEADER_SIZE + offsetof(test_item, hp)] ^= 1;
    fixture_rehash(image.data + place);
    for (int i = 0; i < 3; i++) {
        kiln_file *file = open_image(&image, levels[i], NULL);
        expect_root(file, "Item/lamp", KILN_OK);
        expect_verify(file, KILN_VERIFY_DEEP, KILN_I_CONTENT);
        expect_root(file, "Item/lamp", KILN_OK);
        kiln_file_close(file);
    }
    kiln_buffer_fini(&image);
}

static void verify_finds_a_byte_in_a_gap(void **state)
{
    (void)state;
    kiln_buffer image = fixture_file(false);
    const kiln_index *index = (const void *)(image.data + KILN_HEADER_SIZE);
    uint64_t gap = 0;
    for (uint32_t i = 1; i < index->members.count; i++) {
        const kiln_index_member *before = kiln_index_member_at(index, i - 1);
        if (before->place + before->stored_size < kiln_index_member_at(index, i)->place)
            gap = before->place + before->stored_size;
    }
    assert_true(gap != 0);
    image.data[gap] = 1;
    for (int i = 0; i < 3; i++) {
        kiln_file *file = open_image(&image, levels[i], NULL);
        expect_root(file, "Item/lamp", KILN_OK);
        expect_verify(file, KILN_VERIFY_NONE, KILN_I_GAP);
        kiln_error error;
        kiln_file_verify(file, KILN_VERIFY_DEEP, &error);
        assert_int_equal(gap, error.offset);
        kiln_file_close(file);
    }
    kiln_buffer_fini(&image);
}

static void verify_finds_a_reference_that_is_not_listed(void **state)
{
    (void)state;
    static const char *const others[] = {"Item/tar", "Item/lamp", "Page/intro", "Item/nowhere"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kiln_buffer image = fixture_file(false);
        uint64_t place = place_of(&image, "Item/lamp");
        const test_item *item = (const void *)(image.data + place + KILN_HEADER_SIZE);
        kiln_id *refs =
            (void *)fixture_writable(image.data, kiln_relative_get(&item->refs, item->refs.offset));
        refs[0] = kiln_asset_id(others[i], strlen(others[i]));
        fixture_rehash_member(image.data, place);
        kiln_file *file = open_image(&image, KILN_VERIFY_DEEP, NULL);
        expect_root(file, "Item/lamp", KILN_OK);
        expect_verify(file, KILN_VERIFY_HASH, KILN_I_REFS);
        kiln_error error;
        kiln_file_verify(file, KILN_VERIFY_DEEP, &error);
        assert_int_equal((unsigned char *)refs - image.data, error.offset);
        assert_string_equal("Item/lamp", error.path);
        kiln_file_close(file);
        kiln_buffer_fini(&image);
    }
}

static void verify_finds_a_reference_that_only_one_asset_of_a_member_lists(void **state)
{
    (void)state;
    static const char *const names[] = {"Item/cord", "Item/wick"};
    for (int i = 0; i < 2; i++) {
        kiln_buffer image = fixture_file(false);
        uint64_t place = place_of(&image, names[i]);
        const kiln_index *index = (const void *)(image.data + KILN_HEADER_SIZE);
        uint32_t number = kiln_index_find(index, kiln_asset_id(names[i], strlen(names[i])));
        uint32_t page = kiln_index_find(index, kiln_asset_id("Page/intro", 10)), count = 0;
        const uint32_t *edges = kiln_index_edges(index, number, &count);
        assert_int_equal(1, count);
        memcpy(fixture_writable(image.data, edges), &page, sizeof page);
        fixture_rehash(image.data);
        kiln_file *file = open_image(&image, KILN_VERIFY_DEEP, NULL);
        expect_root(file, names[i], KILN_OK);
        expect_verify(file, KILN_VERIFY_DEEP, KILN_I_REFS);
        kiln_error error;
        kiln_file_verify(file, KILN_VERIFY_DEEP, &error);
        const test_item *item = (const void *)(image.data + place + KILN_HEADER_SIZE);
        const unsigned char *ref = kiln_relative_get(&item->refs, item->refs.offset);
        assert_int_equal(ref - image.data, error.offset);
        assert_string_equal(names[i], error.path);
        kiln_file_close(file);
        kiln_buffer_fini(&image);
    }
}

static void without_types_only_deep_checks_are_refused(void **state)
{
    (void)state;
    kiln_buffer image = fixture_file(true), table = fixture_type_table(LAYOUT_NOW);
    for (int i = 0; i < 3; i++) {
        kiln_status expected = i == 2 ? KILN_NO_TYPES : KILN_OK;
        kiln_file *file = open_image(&image, levels[i], NULL);
        expect_root(file, "Item/lamp", expected);
        expect_verify(file, KILN_VERIFY_HASH, expected);
        expect_verify(file, KILN_VERIFY_DEEP, KILN_NO_TYPES);
        expect_root(file, "Item/lamp", expected);
        kiln_error error = {.path = "test.Item"};
        kiln_file_root(file, kiln_file_find(file, "Item/lamp"), &item_type, &error);
        assert_string_equal("test.Item", error.path);
        kiln_file_close(file);

        file = open_image(&image, levels[i], &table);
        expect_root(file, "Item/lamp", KILN_OK);
        expect_verify(file, KILN_VERIFY_DEEP, KILN_OK);
        kiln_file_close(file);
    }
    kiln_buffer_fini(&table);
    kiln_buffer_fini(&image);
}

static void the_programs_types_take_precedence_over_the_files(void **state)
{
    (void)state;
    static const struct {
        fixture_layout layout;
        kiln_status item, page;
    } rows[] = {{LAYOUT_NOW, KILN_OK, KILN_OK},
                {LAYOUT_OLDER, KILN_NO_TYPES, KILN_OK},
                {LAYOUT_ITEMLESS, KILN_NO_TYPES, KILN_OK}};
    kiln_buffer image = fixture_file(false);
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        kiln_buffer table = fixture_type_table(rows[i / 2].layout);
        kiln_file *file = open_image(&image, KILN_VERIFY_DEEP, &table);
        /* If a program passes its own types, the file's type table has no effect. */
        if (i % 2)
            expect_verify(file, KILN_VERIFY_DEEP, KILN_OK);
        expect_root(file, "Item/lamp", rows[i / 2].item);
        expect_root(file, "Page/intro", rows[i / 2].page);
        expect_verify(file, KILN_VERIFY_DEEP, KILN_OK);
        kiln_file_close(file);
        kiln_buffer_fini(&table);
    }
    kiln_buffer_fini(&image);
}

static void a_bad_type_table_affects_only_checks_that_need_it(void **state)
{
    (void)state;
    kiln_buffer image = fixture_file(false), table = fixture_type_table(LAYOUT_NOW);
    uint64_t place = table_place(&image);
    image.data[place + KILN_HEADER_SIZE + 8] ^= 1;
    static const kiln_status by_level[] = {KILN_OK, KILN_OK, KILN_H_HASH};
    for (int i = 0; i < 3; i++) {
        kiln_file *file = open_image(&image, levels[i], NULL);
        expect_root(file, "Item/lamp", by_level[i]);
        expect_root(file, "Page/intro", by_level[i]);
        expect_verify(file, KILN_VERIFY_NONE, i == 0 ? KILN_OK : KILN_H_HASH);
        kiln_error error;
        assert_int_equal(KILN_H_HASH, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
        assert_int_equal(place + 24, error.offset);
        expect_root(file, "Item/lamp", by_level[i]);
        kiln_file_close(file);
    }
    kiln_file *file = open_image(&image, KILN_VERIFY_DEEP, &table);
    expect_root(file, "Item/lamp", KILN_OK);
    kiln_file_close(file);
    kiln_buffer_fini(&table);
    kiln_buffer_fini(&image);
}

/* The table's header and hashes are valid, and so are the dictionaries, which are checked after the
 * table. */
static void a_broken_type_table_is_found_even_if_it_is_not_needed(void **state)
{
    (void)state;
    kiln_buffer table = fixture_type_table(LAYOUT_NOW);
    for (int i = 0; i < 2; i++) {
        kiln_buffer image = i == 0 ? fixture_file(false) : fixture_dictionary_file();
        const kiln_index *index = (const void *)(image.data + KILN_HEADER_SIZE);
        assert_int_equal(i, index->dictionaries.count);
        uint64_t place = table_place(&image);
        uint32_t none = 0;
        /* The list of types becomes empty. */
        memcpy(image.data + place + KILN_HEADER_SIZE + offsetof(kiln_array, count), &none, 4);
        fixture_rehash_member(image.data, place);
        kiln_file *file = open_image(&image, KILN_VERIFY_DEEP, &table);
        expect_root(file, "Item/lamp", KILN_OK);
        expect_verify(file, KILN_VERIFY_DEEP, KILN_V_EMPTY);
        expect_root(file, "Item/lamp", KILN_OK);
        kiln_file_close(file);
        kiln_buffer_fini(&image);
    }
    kiln_buffer_fini(&table);
}

static void a_failure_is_reported_again_without_types(void **state)
{
    (void)state;
    kiln_buffer image = fixture_file(true);
    kiln_file *file = open_image(&image, KILN_VERIFY_NONE, NULL);
    uint64_t place = fixture_member(file, "Item/lamp")->place;
    kiln_file_close(file);
    image.data[place + KILN_HEADER_SIZE] ^= 1;
    file = open_image(&image, KILN_VERIFY_HASH, NULL);
    for (int again = 0; again < 3; again++) {
        kiln_error error = {.status = KILN_OK};
        assert_null(kiln_file_root(file, kiln_file_find(file, "Item/lamp"), &item_type, &error));
        assert_int_equal(KILN_H_HASH, error.status);
        assert_int_equal(place + 24, error.offset);
    }
    kiln_file_close(file);
    kiln_buffer_fini(&image);
}

static void a_type_table_of_another_layout_is_found(void **state)
{
    (void)state;
    static const char *const items[] = {"Item/lamp", "Item/oil"};
    kiln_buffer image = fixture_file(false);
    uint64_t places[2] = {place_of(&image, items[0]), place_of(&image, items[1])};
    const kiln_index *index = (const void *)(image.data + KILN_HEADER_SIZE);
    kiln_root_type forged = {"test.Item", item_type.layout ^ 1};
    for (int i = 0; i < 2; i++) {
        memcpy(image.data + places[i] + 16, &forged.layout, 8);
        fixture_rehash_member(image.data, places[i]);
    }
    const kiln_index_type *type = kiln_index_type_at(index, 0);
    assert_string_equal("test.Item", kiln_string_get(&type->name));
    memcpy(fixture_writable(image.data, &type->layout), &forged.layout, 8);
    fixture_rehash(image.data);
    static const kiln_status by_level[] = {KILN_OK, KILN_OK, KILN_I_TYPES};
    for (int i = 0; i < 3; i++) {
        kiln_file *file = open_image(&image, levels[i], NULL);
        kiln_error error = {.status = KILN_OK};
        kiln_file_root(file, kiln_file_find(file, "Item/lamp"), &forged, &error);
        assert_int_equal(by_level[i], error.status);
        expect_root(file, "Item/lamp", KILN_TYPE_MISMATCH);
        expect_verify(file, KILN_VERIFY_DEEP, KILN_I_TYPES);
        kiln_file_close(file);
    }
    kiln_buffer_fini(&image);
}

static void a_shared_member_has_one_type(void **state)
{
    (void)state;
    kiln_buffer image = fixture_file(false);
    const kiln_index *index = (const void *)(image.data + KILN_HEADER_SIZE);
    uint32_t tar = kiln_index_find(index, kiln_asset_id("Item/tar", 8));
    const kiln_index_asset *entry = kiln_index_asset_at(index, tar);
    *fixture_writable(image.data, &entry->type) = 1; /* test.Page */
    fixture_rehash(image.data);
    for (int i = 0; i < 6; i++) {
        kiln_file *file = open_image(&image, levels[i / 2], NULL);
        kiln_asset asset = kiln_file_find(file, "Item/tar");
        kiln_error error;
        if (i % 2)
            expect_root(file, "Item/oil", KILN_OK);
        for (int again = 0; again < 2; again++) {
            assert_null(kiln_file_root(file, asset, &page_type, &error));
            assert_int_equal(KILN_H_LAYOUT, error.status);
        }
        expect_root(file, "Item/oil", KILN_OK);
        expect_verify(file, KILN_VERIFY_NONE, KILN_H_LAYOUT);
        expect_root(file, "Item/oil", KILN_OK);
        kiln_file_close(file);
    }
    kiln_buffer_fini(&image);
}

static void every_bit_flip_is_refused_or_harmless(void **state)
{
    (void)state;
    kiln_buffer image = fixture_small_file();
    for (size_t bit = 0; bit < image.size * 8; bit++) {
        image.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        kiln_verify_level level = bit / 8 % 8 == bit % 8 ? KILN_VERIFY_HASH : KILN_VERIFY_DEEP;
        if (fixture_reads_well(image.data, image.size, level))
            fail_msg("the change of bit %u is not detected", (unsigned)bit);
        image.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    kiln_buffer_fini(&image);
}

/* Corrects every hash after a change at `at`. Returns false if the header no longer determines the
 * hashed range. */
static bool repair_hashes(unsigned char *image, size_t size, size_t at, uint64_t table,
                          uint64_t solo)
{
    uint64_t begin = at < table ? 0 : at < solo ? table : solo;
    uint64_t end = at < table ? table : at < solo ? solo : size;
    kiln_blob_header header;
    if (kiln_header_read(image + begin, (size_t)(end - begin), &header, NULL) != KILN_OK)
        return false;
    if (begin == 0)
        fixture_rehash(image);
    else
        fixture_rehash_member(image, begin);
    return true;
}

/* The same, but only value rules can detect the change. */
static void every_bit_flip_with_right_hashes_is_refused_or_harmless(void **state)
{
    (void)state;
    kiln_buffer image = fixture_small_file();
    uint64_t solo = place_of(&image, "Item/solo"), table = table_place(&image);
    unsigned char *room = test_malloc(image.size + 64);
    unsigned char *changed = room + (64 - (uintptr_t)room % 64);
    unsigned accepted = 0, refused = 0;
    for (size_t bit = 8 * KILN_HEADER_SIZE; bit < image.size * 8; bit++) {
        memcpy(changed, image.data, image.size);
        changed[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (!repair_hashes(changed, image.size, bit / 8, table, solo))
            continue;
        bool good = fixture_reads_well(changed, image.size, KILN_VERIFY_DEEP);
        accepted += good;
        refused += !good;
    }
    assert_true(accepted > 0 && refused > accepted);
    test_free(room);
    kiln_buffer_fini(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_finds_its_errors),
        cmocka_unit_test(a_valid_file_passes_every_level_in_ascending_order),
        cmocka_unit_test(a_verdict_is_cached),
        cmocka_unit_test(verify_finds_a_wrong_content_hash),
        cmocka_unit_test(verify_finds_a_byte_in_a_gap),
        cmocka_unit_test(verify_finds_a_reference_that_is_not_listed),
        cmocka_unit_test(verify_finds_a_reference_that_only_one_asset_of_a_member_lists),
        cmocka_unit_test(without_types_only_deep_checks_are_refused),
        cmocka_unit_test(the_programs_types_take_precedence_over_the_files),
        cmocka_unit_test(a_bad_type_table_affects_only_checks_that_need_it),
        cmocka_unit_test(a_broken_type_table_is_found_even_if_it_is_not_needed),
        cmocka_unit_test(a_failure_is_reported_again_without_types),
        cmocka_unit_test(a_type_table_of_another_layout_is_found),
        cmocka_unit_test(a_shared_member_has_one_type),
        cmocka_unit_test(every_bit_flip_is_refused_or_harmless),
        cmocka_unit_test(every_bit_flip_with_right_hashes_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, make_root_types, NULL);
}
