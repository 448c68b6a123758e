/* Passes damaged bytes to every public entry point that takes bytes. Each must return a status and
 * do no harm. Blocks have the exact size of their bytes, so that AddressSanitizer detects
 * overreads. */
#include "blob_patch.h"
#include "guarded.h"
#include "random_value.h"
#include "small_file.h"
#include "value_walk.h"
#include "verdict.h"
#include "whole_file.h"

#include <kiln/canonical.h>
#include <kiln/path.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <string.h>

static kiln_types *builtin;

static int set_up(void **state)
{
    (void)state;
    verdict_set_up(NULL);
    return kiln_types_create_builtin(NULL, &builtin, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(builtin);
    return verdict_tear_down(NULL);
}

static kiln_buffer small_blob(uint32_t type, uint64_t seed)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = verdict_types;
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    random_value_build(builder, verdict_types, type, seed, 0);
    assert_int_equal(kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, NULL), KILN_OK);
    kiln_builder_destroy(builder);
    return blob;
}

static kiln_status verify(const void *data, size_t size, uint32_t type, kiln_error *reterr)
{
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = type;
    return kiln_verify(&def, data, size, reterr);
}

static void every_truncation_of_a_blob_is_refused(void **state)
{
    (void)state;
    kiln_buffer blob = small_blob(T_ALL, 3);
    for (size_t size = 0; size < blob.size; size++) {
        kiln_error error;
        patched cut = patched_copy(blob.data, size);
        assert_int_equal(verify(cut.data, size, T_ALL, &error), KILN_H_TRUNCATED);
        assert_error(&error, KILN_H_TRUNCATED, size, "");
        patched_fini(&cut);
    }
    kiln_buffer_fini(&blob);
}

static void every_truncation_with_a_correct_header_is_refused_or_valid(void **state)
{
    (void)state;
    kiln_buffer blob = small_blob(T_ALL, 3);
    size_t payload_at = 1u << (blob.data[6] & 15);
    payload_at = payload_at > 32 ? payload_at : 32;
    size_t refusals = 0;
    for (size_t size = payload_at + 1; size < blob.size; size++) {
        patched cut = patched_copy(blob.data, size);
        patch_number(cut.data + 8, size - payload_at, 8);
        patched_rehash(cut.data);
        refusals += verify(cut.data, size, T_ALL, NULL) != KILN_OK;
        patched_fini(&cut);
    }
    assert_int_equal(refusals, blob.size - payload_at - 1);
    kiln_buffer_fini(&blob);
}

static void every_flipped_bit_of_a_blob_is_found(void **state)
{
    (void)state;
    kiln_buffer blob = small_blob(T_ALL, 5);
    patched bytes = patched_copy(blob.data, blob.size);
    for (size_t bit = 0; bit < blob.size * 8; bit++) {
        kiln_error error = {KILN_OK, 0, 0, ""};
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        kiln_status status = verify(bytes.data, bytes.size, T_ALL, &error);
        assert_int_not_equal(status, KILN_OK);
        assert_int_equal(error.status, status);
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    patched_fini(&bytes);
    kiln_buffer_fini(&blob);
}

static void every_flipped_bit_with_a_correct_hash_is_refused_or_safe_to_read(void **state)
{
    (void)state;
    kiln_buffer blob = small_blob(T_ALL, 7);
    size_t payload_at = 1u << (blob.data[6] & 15);
    payload_at = payload_at > 32 ? payload_at : 32;
    patched bytes = patched_copy(blob.data, blob.size);
    bytes.data[6] &= (unsigned char)~KILN_FLAG_CANONICAL;
    for (size_t bit = payload_at * 8; bit < blob.size * 8; bit++) {
        kiln_error error = {KILN_OK, 0, 0, ""};
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        patched_rehash(bytes.data);
        if (verify(bytes.data, bytes.size, T_ALL, &error) == KILN_OK) {
            kiln_buffer canonical;
            assert_int_equal(walk_verified(verdict_types, T_ALL, bytes.data + payload_at,
                                           bytes.size - payload_at),
                             KILN_OK);
            assert_int_equal(
                kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                         .type = T_ALL,
                                                         .blob = {bytes.data, bytes.size},
                                                         .allocator = NULL},
                                  &canonical, NULL),
                KILN_OK);
            assert_int_equal(verify(canonical.data, canonical.size, T_ALL, NULL), KILN_OK);
            kiln_buffer_fini(&canonical);
        } else {
            assert_true(error.offset < bytes.size);
            assert_true(*kiln_status_rule(error.status) == 'V');
        }
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    patched_fini(&bytes);
    kiln_buffer_fini(&blob);
}

static void typed_access_stays_inside_for_any_bytes(void **state)
{
    (void)state;
    kiln_buffer blob = small_blob(T_ALL, 9);
    size_t payload_at = 1u << (blob.data[6] & 15);
    payload_at = payload_at > 32 ? payload_at : 32;
    size_t size = blob.size - payload_at;
    patched payload = patched_copy(blob.data + payload_at, size);
    uint64_t random = 1;
    for (size_t round = 0; round < 3000; round++) {
        for (int change = 0; change < 3; change++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            payload.data[(random >> 33) % size] = (unsigned char)(random >> 20);
        }
        walk_anything(verdict_types, T_ALL, payload.data, size, 4000);
        if (round % 10 == 9)
            memcpy(payload.data, blob.data + payload_at, size);
    }
    patched_fini(&payload);
    kiln_buffer_fini(&blob);
}

static void random_bytes_as_any_type_are_refused_or_safe(void **state)
{
    (void)state;
    uint64_t random = 99;
    for (uint32_t type = 0; type < TEST_TYPE_COUNT; type++) {
        for (size_t size = 1; size < 80; size++) {
            unsigned char bytes[80];
            for (size_t i = 0; i < size; i++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                bytes[i] = random >> 60 < 8 ? 0 : (unsigned char)(random >> 50 & 31);
            }
            patched exact = patched_copy(bytes, size);
            if (kiln_verify_image(verdict_types, type, (kiln_span){exact.data, size}, NULL, NULL) ==
                KILN_OK)
                assert_int_equal(walk_verified(verdict_types, type, exact.data, size), KILN_OK);
            else
                walk_anything(verdict_types, type, exact.data, size, 500);
            patched_fini(&exact);
        }
    }
}

static void every_truncation_of_a_file_is_refused(void **state)
{
    (void)state;
    kiln_buffer file = small_file(verdict_types, true);
    for (size_t size = 0; size < file.size; size++) {
        kiln_error error;
        patched cut = patched_copy(file.data, size);
        kiln_status status = whole_file_check(builtin, cut.data, size, &error);
        assert_true(status == KILN_H_TRUNCATED || status == KILN_I_FILE_SIZE);
        patched_fini(&cut);
    }
    kiln_buffer_fini(&file);
}

static void bytes_after_a_file_are_refused(void **state)
{
    (void)state;
    kiln_buffer file = small_file(verdict_types, true);
    for (size_t more = 1; more < 40; more++) {
        kiln_error error;
        unsigned char bytes[8192] = {0};
        memcpy(bytes, file.data, file.size);
        patched exact = patched_copy(bytes, file.size + more);
        assert_int_equal(whole_file_check(builtin, exact.data, exact.size, &error),
                         KILN_I_FILE_SIZE);
        assert_error(&error, KILN_I_FILE_SIZE, 32, "file_size");
        patched_fini(&exact);
    }
    kiln_buffer_fini(&file);
}

static void every_flipped_bit_of_a_file_is_found(void **state)
{
    (void)state;
    kiln_buffer file = small_file(verdict_types, true);
    patched bytes = patched_copy(file.data, file.size);
    for (size_t bit = 0; bit < file.size * 8; bit++) {
        kiln_error error = {KILN_OK, 0, 0, ""};
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        kiln_status status = whole_file_check(builtin, bytes.data, bytes.size, &error);
        assert_int_not_equal(status, KILN_OK);
        assert_int_equal(error.status, status);
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    patched_fini(&bytes);
    kiln_buffer_fini(&file);
}

/* Each 32-bit word of a blob is replaced with each of these, with a correct hash. */
static const uint32_t words[] = {0, 1, 4, 8, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};

static void every_word_of_an_index_may_be_wrong(void **state)
{
    (void)state;
    kiln_buffer file = small_file(verdict_types, true);
    patched bytes = patched_copy(file.data, file.size);
    uint64_t index_size = 32;
    for (int i = 0; i < 8; i++)
        index_size += (uint64_t)file.data[8 + i] << (8 * i);
    for (size_t at = 32; at + 4 <= index_size; at += 4) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            kiln_error error;
            patch_number(bytes.data + at, words[i], 4);
            patched_rehash(bytes.data);
            whole_file_check(builtin, bytes.data, bytes.size, &error);
        }
        memcpy(bytes.data, file.data, file.size);
    }
    assert_int_equal(whole_file_check(builtin, bytes.data, bytes.size, NULL), KILN_OK);
    patched_fini(&bytes);
    kiln_buffer_fini(&file);
}

static void every_word_of_a_type_table_may_be_wrong(void **state)
{
    (void)state;
    kiln_buffer table;
    assert_int_equal(kiln_type_table_write(NULL, builtin, &table, NULL), KILN_OK);
    patched bytes = patched_copy(table.data, table.size);
    bytes.data[6] &= (unsigned char)~KILN_FLAG_CANONICAL;
    for (size_t at = 32; at + 4 <= table.size; at += 4) {
        unsigned char kept[4];
        memcpy(kept, bytes.data + at, 4);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            kiln_types *types = NULL;
            patch_number(bytes.data + at, words[i], 4);
            patched_rehash(bytes.data);
            if (kiln_type_table_read(NULL, bytes.data, bytes.size, &types, NULL) == KILN_OK)
                kiln_types_destroy(types);
        }
        memcpy(bytes.data + at, kept, 4);
    }
    patched_fini(&bytes);
    kiln_buffer_fini(&table);
}

static void every_truncation_of_a_type_table_is_refused(void **state)
{
    (void)state;
    kiln_buffer table;
    assert_int_equal(kiln_type_table_write(NULL, builtin, &table, NULL), KILN_OK);
    for (size_t size = 0; size < table.size; size += size < 64 ? 1 : 13) {
        kiln_types *types = NULL;
        patched cut = patched_copy(table.data, size);
        assert_int_equal(kiln_type_table_read(NULL, cut.data, size, &types, NULL),
                         KILN_H_TRUNCATED);
        patched_fini(&cut);
    }
    kiln_buffer_fini(&table);
}

static void entry_points_refuse_bytes_that_are_not_a_blob(void **state)
{
    (void)state;
    static const char *const junk[] = {"", "K", "KILN", "KILN\0\1\4\0",
                                       "not a blob, but long enough to hold a header and more"};
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
        size_t size = i == 3 ? 8 : strlen(junk[i]);
        patched bytes = patched_copy(junk[i], size);
        kiln_blob_header header;
        kiln_types *types = NULL;
        kiln_buffer buffer = {0};
        const kiln_index *index = NULL;
        kiln_error error;
        assert_true(kiln_header_read(bytes.data, size, &header, &error) != KILN_OK);
        assert_true(verify(bytes.data, size, T_ALL, &error) != KILN_OK);
        assert_true(kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                             .type = T_ALL,
                                                             .blob = {bytes.data, size},
                                                             .allocator = NULL},
                                      &buffer, &error) != KILN_OK);
        assert_true(kiln_canonical_check(&(kiln_canonical_args){.types = verdict_types,
                                                                .type = T_ALL,
                                                                .blob = {bytes.data, size},
                                                                .allocator = NULL},
                                         &error) != KILN_OK);
        assert_true(kiln_type_table_read(NULL, bytes.data, size, &types, &error) != KILN_OK);
        assert_true(kiln_index_check(builtin, NULL, &(kiln_file_head){bytes.data, size, size},
                                     &index, &error) != KILN_OK);
        assert_null(types);
        assert_null(index);
        assert_null(buffer.data);
        patched_fini(&bytes);
    }
}

static void only_structs_can_be_roots(void **state)
{
    (void)state;
    kiln_buffer blob = small_blob(T_ITEM, 1);
    kiln_error error;
    static const uint32_t bad[] = {T_U32, T_COLOR, TEST_TYPE_COUNT, KILN_TYPE_NONE};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kiln_buffer out = {0};
        assert_int_equal(verify(blob.data, blob.size, bad[i], &error), KILN_BAD_ARGUMENT);
        assert_int_equal(kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                                  .type = bad[i],
                                                                  .blob = {blob.data, blob.size},
                                                                  .allocator = NULL},
                                           &out, &error),
                         KILN_BAD_ARGUMENT);
    }
    kiln_value value;
    assert_int_equal(kiln_value_root(verdict_types, TEST_TYPE_COUNT, blob.data, blob.size, &value),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_value_root(verdict_types, T_ITEM, blob.data, 15, &value), KILN_V_ROOT);
    assert_int_equal(
        kiln_verify_image(verdict_types, TEST_TYPE_COUNT, (kiln_span){blob.data, 15}, NULL, &error),
        KILN_BAD_ARGUMENT);
    assert_int_equal(
        kiln_verify_image(verdict_types, T_ITEM, (kiln_span){blob.data, 0}, NULL, &error),
        KILN_BAD_ARGUMENT);
    kiln_buffer_fini(&blob);
}

/* One kilobyte of objects that refer to each other in layers: few objects, but 2^40 paths. */
static void shared_layers_are_visited_once(void **state)
{
    (void)state;
    enum { LAYERS = 40, LAYER = 32 };
    unsigned char payload[16 + LAYERS * LAYER] = {0};
    /* A node with two children, which both have the next two nodes as children. */
    for (uint32_t layer = 0; layer <= LAYERS; layer++) {
        uint32_t nodes = layer == 0 ? 1 : 2, at = layer == 0 ? 0 : 16 + (layer - 1) * LAYER;
        for (uint32_t i = 0; i < nodes && layer < LAYERS; i++) {
            patch_number(payload + at + i * 16 + 4,
                         (layer == 0 ? 16 : at + LAYER) - (at + i * 16 + 4), 4);
            patch_number(payload + at + i * 16 + 8, 2, 4);
        }
    }
    assert_payload_accepted(T_NODE, payload, sizeof payload);
    patched blob = patched_blob(verdict_types, T_NODE, 0, payload, sizeof payload);
    kiln_buffer out;
    assert_int_equal(kiln_canonicalize(&(kiln_canonical_args){.types = verdict_types,
                                                              .type = T_NODE,
                                                              .blob = {blob.data, blob.size},
                                                              .allocator = NULL},
                                       &out, NULL),
                     KILN_OK);
    assert_int_equal(verify(out.data, out.size, T_NODE, NULL), KILN_OK);
    kiln_buffer_fini(&out);
    patched_fini(&blob);
}

/* A small table that refers to one long string thousands of times. */
static void tables_that_unfold_to_too_much_are_refused(void **state)
{
    (void)state;
    enum { TYPES = 3000, TEXT = 400000 };
    static char text[TEXT + 1];
    static char names[TYPES][8];
    static kiln_type list[TYPES];
    kiln_types *types = NULL, *read = NULL;
    kiln_buffer table;
    const kiln_member field[] = {{.name = "a", .type = 0}};
    memset(text, 'x', TEXT);
    list[0].kind = KILN_KIND_U8;
    /* Only two types are written with the long string. The others are then changed to share it. */
    for (uint32_t i = 1; i < TYPES; i++) {
        names[i][0] = 'T';
        for (uint32_t n = i, at = 1; at < 6; at++, n /= 10)
            names[i][at] = (char)('0' + n % 10);
        list[i].name = names[i];
        list[i].kind = KILN_KIND_STRUCT;
        list[i].members = field;
        list[i].member_count = 1;
        list[i].doc = i < 3 ? text : "x";
    }
    assert_int_equal(kiln_types_create(NULL, list, TYPES, &types, NULL), KILN_OK);
    assert_int_equal(kiln_type_table_write(NULL, types, &table, NULL), KILN_OK);
    assert_int_equal(kiln_type_table_read(NULL, table.data, table.size, &read, NULL), KILN_OK);
    kiln_types_destroy(read);
    table.data[6] &= (unsigned char)~KILN_FLAG_CANONICAL;
    uint32_t root = kiln_types_find(builtin, "kiln.TypeTable");
    size_t size;
    unsigned char *shared = patch_find(table.data, builtin, root, "types[1].doc", &size);
    uint32_t offset;
    memcpy(&offset, shared, 4);
    unsigned char *first = patch_find(table.data, builtin, root, "types[0]", &size);
    for (uint32_t i = 3; i < TYPES; i++) {
        unsigned char *doc = first + i * size + 8;
        patch_number(doc, (uint64_t)(shared + offset - doc), 4);
        patch_number(doc + 4, TEXT, 4);
    }
    /* The short strings are no longer used, so their bytes are padding, which must be zero. */
    kiln_error error;
    patched_rehash(table.data);
    kiln_status status = kiln_type_table_read(NULL, table.data, table.size, &read, &error);
    if (status == KILN_V_PADDING) {
        table.data[error.offset] = 0;
        patched_rehash(table.data);
        status = kiln_type_table_read(NULL, table.data, table.size, &read, &error);
    }
    assert_int_equal(status, KILN_L_UNFOLDED);
    kiln_buffer_fini(&table);
    kiln_types_destroy(types);
}

/* The search for unowned bytes works in words, and must not read beyond the payload either. */
static void nothing_after_a_blob_is_read(void **state)
{
    (void)state;
    static const uint32_t types[] = {
        T_ITEM, T_NODE, T_ONE_STRING_ARRAY, T_ONE_MAP_STRING_U32, T_ONE_U64_ARRAY, T_ONE_EFFECT};
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    for (uint64_t seed = 0; seed < 60; seed++) {
        def.type = types[seed % (sizeof types / sizeof *types)];
        kiln_buffer blob = small_blob(def.type, seed);
        size_t payload = blob.size - KILN_HEADER_SIZE, padded = (payload + 15) / 16 * 16;
        guarded g = guarded_copy(NULL, KILN_HEADER_SIZE + padded);
        memcpy(g.data, blob.data, blob.size);
        g.data[6] &= (unsigned char)~KILN_FLAG_CANONICAL;
        patch_number(g.data + 8, padded, 8);
        patched_rehash(g.data);
        assert_int_equal(kiln_verify(&def, g.data, g.size, NULL), KILN_OK);
        assert_int_equal(walk_verified(verdict_types, def.type, g.data + KILN_HEADER_SIZE, padded),
                         KILN_OK);
        guarded_fini(&g);
        kiln_buffer_fini(&blob);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_of_a_blob_is_refused),
        cmocka_unit_test(every_truncation_with_a_correct_header_is_refused_or_valid),
        cmocka_unit_test(every_flipped_bit_of_a_blob_is_found),
        cmocka_unit_test(every_flipped_bit_with_a_correct_hash_is_refused_or_safe_to_read),
        cmocka_unit_test(typed_access_stays_inside_for_any_bytes),
        cmocka_unit_test(random_bytes_as_any_type_are_refused_or_safe),
        cmocka_unit_test(every_truncation_of_a_file_is_refused),
        cmocka_unit_test(bytes_after_a_file_are_refused),
        cmocka_unit_test(every_flipped_bit_of_a_file_is_found),
        cmocka_unit_test(every_word_of_an_index_may_be_wrong),
        cmocka_unit_test(every_word_of_a_type_table_may_be_wrong),
        cmocka_unit_test(every_truncation_of_a_type_table_is_refused),
        cmocka_unit_test(entry_points_refuse_bytes_that_are_not_a_blob),
        cmocka_unit_test(only_structs_can_be_roots),
        cmocka_unit_test(shared_layers_are_visited_once),
        cmocka_unit_test(nothing_after_a_blob_is_read),
        cmocka_unit_test(tables_that_unfold_to_too_much_are_refused),
    };
    return cmocka_run_group_tests_name("hostile bytes", tests, set_up, tear_down);
}
