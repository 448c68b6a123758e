/* The frame of an index, and entries that are checked one at a time. Entries accepted by the full
 * check must be accepted here, and accepted entries must be safe to use whatever the rest of the
 * index contains. */
#include "blob_patch.h"
#include "small_file.h"
#include "verdict.h"

#include <kiln/index.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"Item/sword", "Item/blade", "Link/in", "Link/out",
                                    "Page/squares"};
enum { NAMES = sizeof names / sizeof *names };

static kiln_types *builtin;
static uint32_t index_type;
static kiln_buffer file; /* valid */
static patched bytes;    /* a copy to change */

static int set_up(void **state)
{
    (void)state;
    verdict_set_up(NULL);
    if (kiln_types_create_builtin(NULL, &builtin, NULL))
        return 1;
    index_type = kiln_types_find(builtin, "kiln.Index");
    file = small_file(verdict_types, false);
    bytes = patched_copy(file.data, file.size);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    patched_fini(&bytes);
    kiln_buffer_fini(&file);
    kiln_types_destroy(builtin);
    return verdict_tear_down(NULL);
}

static kiln_status read_frame(kiln_index_frame *ret_frame, kiln_error *reterr)
{
    kiln_status status = kiln_index_frame_read(
        &(kiln_file_head){bytes.data, bytes.size, bytes.size}, true, ret_frame, reterr);
    return status ? status : kiln_index_check_entries(ret_frame, reterr);
}

static kiln_status check_whole(kiln_error *reterr)
{
    const kiln_index *index;
    return kiln_index_check(builtin, NULL, &(kiln_file_head){bytes.data, bytes.size, bytes.size},
                            &index, reterr);
}

/* Changes the four bytes at offset `at` in the value at `path` of a fresh copy. */
static void change(const char *path, size_t at, uint32_t number)
{
    size_t size;
    memcpy(bytes.data, file.data, file.size);
    patch_number(patch_find(bytes.data, builtin, index_type, path, &size) + at, number, 4);
    patched_rehash(bytes.data);
}

/* Offset and count of an array, or length of a string. */
enum { OFFSET = 0, COUNT = 4 };

static void an_invalid_frame_is_refused_as_by_the_full_check(void **state)
{
    (void)state;
    static const char *const lists[] = {"ids",         "assets",  "directory",
                                        "types",       "members", "imports",
                                        "edge_starts", "edges",   "dictionaries"};
    static const struct {
        size_t at;
        uint32_t number;
    } changes[] = {{OFFSET, 0},      {OFFSET, 1 << 20},    {OFFSET, UINT32_MAX},
                   {OFFSET, 98},     {OFFSET, 0x7ffffffe}, {COUNT, 0},
                   {COUNT, 1 << 20}, {COUNT, UINT32_MAX}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
            kiln_index_frame frame;
            kiln_error error = {KILN_OK, 0, 0, ""}, whole = {KILN_OK, 0, 0, ""};
            change(lists[i], changes[k].at, changes[k].number);
            bool is_empty = strcmp(lists[i], "dictionaries") == 0 && changes[k].number == 0;
            assert_int_equal(check_whole(&whole) == KILN_OK, is_empty);
            assert_int_equal(read_frame(&frame, &error), whole.status);
            assert_error(&error, whole.status, whole.offset, whole.path);
        }
    }
}

static void wrong_numbers_in_the_frame_are_refused_as_by_the_full_check(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t at;
        uint32_t number;
        kiln_status status;
        const char *where; /* NULL means `path` */
    } rows[] = {{"file_size", 0, 1, KILN_I_FILE_SIZE, NULL},
                {"ids", COUNT, 4, KILN_I_IDS, "assets"},
                {"assets", COUNT, 4, KILN_I_IDS, NULL},
                {"ids[2]", 4, 0xffffffff, KILN_I_IDS, "ids[3]"},
                {"assets[2].type", 0, 3, KILN_I_NUMBER, NULL},
                {"assets[2].member", 0, 5, KILN_I_NUMBER, NULL},
                {"directory", COUNT, 8, KILN_I_DIRECTORY, NULL},
                {"edge_starts", COUNT, 5, KILN_I_EDGES, NULL},
                {"type_table", 0, 6, KILN_I_NUMBER, NULL},
                {"type_table", 0, UINT32_MAX, KILN_I_NUMBER, NULL},
                {"reserved", 0, 1, KILN_I_NUMBER, NULL},
                {"types[1].name", OFFSET, 0, KILN_V_EMPTY, NULL},
                {"types[1].name", COUNT, 0, KILN_V_EMPTY, NULL},
                {"types[1].name", COUNT, 1 << 20, KILN_V_BOUNDS, NULL},
                {"types[1].name", OFFSET, 1 << 20, KILN_V_BOUNDS, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_index_frame frame;
        kiln_error error = {KILN_OK, 0, 0, ""};
        size_t size;
        const char *where = rows[i].where ? rows[i].where : rows[i].path;
        change(rows[i].path, rows[i].at, rows[i].number);
        const unsigned char *at = patch_find(bytes.data, builtin, index_type, where, &size);
        assert_int_equal(read_frame(&frame, &error), rows[i].status);
        assert_error(&error, rows[i].status, (uint64_t)(at - bytes.data), where);
        assert_true(check_whole(NULL) != KILN_OK);
    }
}

static void an_id_of_zero_is_refused(void **state)
{
    (void)state;
    size_t size;
    kiln_index_frame frame;
    kiln_error error;
    memcpy(bytes.data, file.data, file.size);
    unsigned char *at = patch_find(bytes.data, builtin, index_type, "ids[0]", &size);
    patch_number(at, 0, 8);
    patched_rehash(bytes.data);
    assert_int_equal(read_frame(&frame, &error), KILN_I_IDS);
    assert_error(&error, KILN_I_IDS, (uint64_t)(at - bytes.data), "ids[0]");
}

/* Each half of a content hash, and a blob's own hash with a correct content hash. */
static void a_member_must_have_each_of_its_hashes(void **state)
{
    (void)state;
    static const char *const halves[] = {"members[2].content.low", "members[2].content.high"};
    kiln_index_frame frame;
    kiln_error error;
    for (int i = 0; i < 2; i++) {
        size_t size;
        memcpy(bytes.data, file.data, file.size);
        patch_find(bytes.data, builtin, index_type, halves[i], &size)[0] ^= 1;
        patched_rehash(bytes.data);
        assert_int_equal(read_frame(&frame, NULL), KILN_OK);
        uint64_t place = kiln_index_member_at(frame.index, 2)->place;
        assert_int_equal(kiln_index_check_member(frame.index, 2, bytes.data, true, &error),
                         KILN_I_CONTENT);
        assert_error(&error, KILN_I_CONTENT, place, "");
    }
    memcpy(bytes.data, file.data, file.size);
    const kiln_index_member *member = kiln_index_member_at(frame.index, 2);
    bytes.data[member->place + 24] ^= 1;
    kiln_hash128 content = kiln_content_hash(bytes.data + member->place, (size_t)member->size);
    patch_value(bytes.data, builtin, index_type, halves[0], content.low);
    patch_value(bytes.data, builtin, index_type, halves[1], content.high);
    assert_int_equal(kiln_index_check_member(frame.index, 2, bytes.data, true, &error),
                     KILN_H_HASH);
    assert_error(&error, KILN_H_HASH, member->place + 24, "");
}

/* If the length of a name is wrong, the error is at the byte that should be NUL. */
static void a_types_name_must_end_at_its_length(void **state)
{
    (void)state;
    size_t size;
    kiln_index_frame frame;
    kiln_error error;
    change("types[1].name", COUNT, 2);
    const unsigned char *field =
        patch_find(bytes.data, builtin, index_type, "types[1].name", &size);
    uint32_t offset;
    memcpy(&offset, field, 4);
    assert_int_equal(read_frame(&frame, &error), KILN_V_STRING_END);
    assert_error(&error, KILN_V_STRING_END, (uint64_t)(field - bytes.data) + offset + 2,
                 "types[1].name");
}

/* Changes the second byte of the name of type 1. */
static void names_of_types_are_text_in_order(void **state)
{
    (void)state;
    static const struct {
        unsigned char byte;
        kiln_status status;
        bool at_field;
    } rows[] = {{0xff, KILN_V_STRING_UTF8, false},
                {0, KILN_V_STRING_NUL, false},
                {'!', KILN_I_TYPES, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size;
        memcpy(bytes.data, file.data, file.size);
        unsigned char *field = patch_find(bytes.data, builtin, index_type, "types[1].name", &size);
        uint32_t offset;
        memcpy(&offset, field, 4);
        field[offset + 1] = rows[i].byte;
        patched_rehash(bytes.data);
        kiln_index_frame frame;
        kiln_error error;
        uint64_t at = (uint64_t)(field - bytes.data) + (rows[i].at_field ? 0 : offset + 1);
        assert_int_equal(read_frame(&frame, &error), rows[i].status);
        assert_error(&error, rows[i].status, at, "types[1].name");
    }
}

static void a_header_of_another_kind_of_blob_is_refused(void **state)
{
    (void)state;
    kiln_index_frame frame;
    kiln_error error;
    static const struct {
        size_t at;
        unsigned char flip;
        kiln_status status;
        uint64_t offset;
    } rows[] = {{0, 1, KILN_H_MAGIC, 0},    {4, 1, KILN_H_VERSION, 4}, {6, 0x60, KILN_H_KIND, 6},
                {16, 1, KILN_H_LAYOUT, 16}, {24, 1, KILN_H_HASH, 24},  {40, 1, KILN_H_HASH, 24}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bytes.data, file.data, file.size);
        bytes.data[rows[i].at] ^= rows[i].flip;
        assert_int_equal(read_frame(&frame, &error), rows[i].status);
        assert_error(&error, rows[i].status, rows[i].offset, "");
    }
    memcpy(bytes.data, file.data, file.size);
    for (size_t size = 0; size < 64; size++)
        assert_int_equal(
            kiln_index_frame_read(&(kiln_file_head){bytes.data, size, size}, true, &frame, &error),
            KILN_H_TRUNCATED);
    unsigned char *shifted = malloc(file.size + 16);
    unsigned char *odd = shifted + ((uintptr_t)shifted % 16 ? 16 - (uintptr_t)shifted % 16 : 0) + 8;
    memcpy(odd, file.data, file.size - 16);
    assert_int_equal(kiln_index_frame_read(&(kiln_file_head){odd, file.size - 16, file.size - 16},
                                           true, &frame, &error),
                     KILN_H_MISALIGNED);
    free(shifted);
    /* A payload too small for the root. */
    patch_number(bytes.data + 8, sizeof(kiln_index) - 1, 8);
    patched_rehash(bytes.data);
    assert_int_equal(read_frame(&frame, &error), KILN_V_ROOT);
    assert_error(&error, KILN_V_ROOT, 32, "");
}

static void the_hash_is_checked_on_request(void **state)
{
    (void)state;
    kiln_index_frame frame;
    memcpy(bytes.data, file.data, file.size);
    bytes.data[24] ^= 1;
    assert_int_equal(kiln_index_frame_read(&(kiln_file_head){bytes.data, bytes.size, bytes.size},
                                           true, &frame, NULL),
                     KILN_H_HASH);
    assert_int_equal(kiln_index_frame_read(&(kiln_file_head){bytes.data, bytes.size, bytes.size},
                                           false, &frame, NULL),
                     KILN_OK);
    assert_int_equal(frame.file_size, file.size);
    assert_int_equal(frame.index_size, 32 + ((const uint64_t *)(const void *)file.data)[1]);
    assert_ptr_equal(frame.index, bytes.data + 32);
}

/* Uses everything in an index with a valid frame. Returns how many assets have a valid name. */
static uint32_t use(const kiln_index_frame *frame)
{
    uint32_t shown = 0, found = 0;
    for (uint32_t i = 0; i < kiln_index_asset_count(frame->index); i++) {
        const char *name = kiln_index_asset_name(frame, i);
        uint32_t same = kiln_index_find(frame->index, kiln_index_id(frame->index, i));
        assert_true(same == i || same == KILN_ASSET_NONE);
        if (!name)
            continue;
        uint32_t named = kiln_index_find_name(frame->index, name, strlen(name));
        assert_true(named == i || named == KILN_ASSET_NONE);
        found += named == i && same == i;
        shown++;
    }
    for (uint32_t i = 0; i < frame->index->members.count; i++) {
        const kiln_index_member *member = kiln_index_member_at(frame->index, i);
        if (kiln_index_check_place(frame, i, NULL) == KILN_OK) {
            assert_true(member->place >= frame->index_size);
            assert_true(member->place <= bytes.size);
            assert_true(member->stored_size <= bytes.size - member->place);
        }
    }
    return found < shown ? found : shown;
}

static void every_bit_flip_of_an_index_is_refused_or_safe(void **state)
{
    (void)state;
    uint64_t payload_size;
    memcpy(&payload_size, file.data + 8, 8);
    unsigned whole = 0, framed = 0, refused = 0;
    for (size_t bit = 8 * 32; bit < 8 * (32 + payload_size); bit++) {
        memcpy(bytes.data, file.data, file.size);
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        patched_rehash(bytes.data);
        kiln_index_frame frame;
        bool has_frame = read_frame(&frame, NULL) == KILN_OK;
        bool is_right = check_whole(NULL) == KILN_OK;
        assert_true(has_frame || !is_right);
        uint32_t usable = has_frame ? use(&frame) : 0;
        if (is_right)
            assert_int_equal(usable, NAMES);
        whole += is_right;
        framed += has_frame && !is_right;
        refused += !has_frame;
    }
    assert_true(whole > 0 && framed > 100 && refused > 1000);
}

static void exactly_the_names_of_assets_find_assets(void **state)
{
    (void)state;
    kiln_index_frame frame;
    memcpy(bytes.data, file.data, file.size);
    assert_int_equal(read_frame(&frame, NULL), KILN_OK);
    for (size_t i = 0; i < NAMES; i++) {
        size_t length = strlen(names[i]);
        uint32_t number = kiln_index_find_name(frame.index, names[i], length);
        assert_true(number < NAMES);
        assert_string_equal(kiln_index_asset_name(&frame, number), names[i]);
        assert_int_equal(kiln_index_find_name(frame.index, names[i], length - 1), KILN_ASSET_NONE);
        assert_int_equal(kiln_index_find_name(frame.index, names[i], length + 1), KILN_ASSET_NONE);
    }
    assert_int_equal(kiln_index_find_name(frame.index, "", 0), KILN_ASSET_NONE);
}

/* An asset whose id is not the hash of its name. */
static void a_name_that_does_not_match_its_id_is_not_returned(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t at;
        uint32_t number;
    } rows[] = {{"name", COUNT, 9},  {"name", COUNT, 11},       {"name", COUNT, UINT32_MAX},
                {"name", OFFSET, 0}, {"name", OFFSET, 1 << 20}, {"name", OFFSET, UINT32_MAX}};
    kiln_index_frame frame;
    memcpy(bytes.data, file.data, file.size);
    assert_int_equal(read_frame(&frame, NULL), KILN_OK);
    uint32_t sword = kiln_index_find_name(frame.index, "Item/sword", 10);
    char path[32];
    snprintf(path, sizeof path, "assets[%u].name", sword);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        change(path, rows[i].at, rows[i].number);
        assert_int_equal(read_frame(&frame, NULL), KILN_OK);
        assert_int_equal(kiln_index_find_name(frame.index, "Item/sword", 10), sword);
        assert_null(kiln_index_asset_name(&frame, sword));
    }
    size_t size;
    memcpy(bytes.data, file.data, file.size);
    unsigned char *field = patch_find(bytes.data, builtin, index_type, path, &size);
    uint32_t offset;
    memcpy(&offset, field, 4);
    field[offset + 9] = 'D';
    assert_int_equal(kiln_index_find_name(frame.index, "Item/sworD", 10), KILN_ASSET_NONE);
    assert_null(kiln_index_asset_name(&frame, sword));
    field[offset + 9] = 'd';
    field[offset + 10] = 'x';
    assert_null(kiln_index_asset_name(&frame, sword));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_invalid_frame_is_refused_as_by_the_full_check),
        cmocka_unit_test(wrong_numbers_in_the_frame_are_refused_as_by_the_full_check),
        cmocka_unit_test(an_id_of_zero_is_refused),
        cmocka_unit_test(a_member_must_have_each_of_its_hashes),
        cmocka_unit_test(a_types_name_must_end_at_its_length),
        cmocka_unit_test(names_of_types_are_text_in_order),
        cmocka_unit_test(a_header_of_another_kind_of_blob_is_refused),
        cmocka_unit_test(the_hash_is_checked_on_request),
        cmocka_unit_test(every_bit_flip_of_an_index_is_refused_or_safe),
        cmocka_unit_test(exactly_the_names_of_assets_find_assets),
        cmocka_unit_test(a_name_that_does_not_match_its_id_is_not_returned),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
