/* The rules H1 to H11 of FORMAT.md section 9, each on a small valid blob with one change. */
#include "verdict.h"

#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

/* The blob of every test in this file: the string "abc". */
static patched small_blob(void)
{
    return patched_blob(verdict_types, T_ONE_STRING, 0,
                        "\x8\0\0\0\3\0\0\0"
                        "abc",
                        12);
}

static void refused(patched *blob, kiln_status status, uint64_t offset)
{
    assert_blob_refused(blob->data, blob->size, T_ONE_STRING, status, offset, "");
    patched_fini(blob);
}

static void rule_h1_less_than_header_and_payload_is_refused(void **state)
{
    (void)state;
    patched blob = small_blob();
    assert_blob_accepted(blob.data, blob.size, T_ONE_STRING);
    for (size_t size = 0; size < blob.size; size++)
        assert_blob_refused(blob.data, size, T_ONE_STRING, KILN_H_TRUNCATED, size, "");
    patched_fini(&blob);
}

static void rule_h2_another_magic_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        patched blob = small_blob();
        blob.data[i] ^= 0x20;
        patched_rehash(blob.data);
        refused(&blob, KILN_H_MAGIC, 0);
    }
}

static void rule_h3_another_major_version_is_refused(void **state)
{
    (void)state;
    patched blob = small_blob();
    blob.data[4] = 1;
    patched_rehash(blob.data);
    refused(&blob, KILN_H_VERSION, 4);
}

static void header_states_the_version_of_the_format(void **state)
{
    (void)state;
    patched blob = small_blob();
    assert_int_equal(blob.data[4], KILN_FORMAT_MAJOR);
    assert_int_equal(blob.data[5], KILN_FORMAT_MINOR);
    char text[16];
    snprintf(text, sizeof text, "%u.%u", (unsigned)blob.data[4], (unsigned)blob.data[5]);
    assert_string_equal(kiln_format_version(), text);
    assert_string_equal(kiln_format_version(), KILN_FORMAT_TEXT);
    assert_string_equal(kiln_version(), KILN_VERSION_TEXT);
    patched_fini(&blob);
}

static void newer_minor_version_is_read(void **state)
{
    (void)state;
    patched blob = small_blob();
    blob.data[5] = 255;
    patched_rehash(blob.data);
    assert_blob_accepted(blob.data, blob.size, T_ONE_STRING);
    patched_fini(&blob);
}

static void rule_h4_unknown_alignment_or_kind_is_refused(void **state)
{
    (void)state;
    static const unsigned char flags[] = {0x00, 0x03, 0x0d, 0x0f, 0x84, 0xa4, 0xe4};
    for (size_t i = 0; i < sizeof flags; i++) {
        patched blob = small_blob();
        blob.data[6] = flags[i];
        refused(&blob, KILN_H_FLAGS, 6);
    }
}

static void high_byte_of_flags_is_ignored(void **state)
{
    (void)state;
    patched blob = small_blob();
    blob.data[7] = 0xff;
    patched_rehash(blob.data);
    assert_blob_accepted(blob.data, blob.size, T_ONE_STRING);
    patched_fini(&blob);
}

static void rule_h5_impossible_payload_size_is_refused(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, UINT64_C(0x80000000), UINT64_C(0x100000000), UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        patched blob = small_blob();
        patch_number(blob.data + 8, sizes[i], 8);
        refused(&blob, KILN_H_SIZE, 8);
    }
    patched blob = small_blob();
    patch_number(blob.data + 8, KILN_PAYLOAD_MAX, 8);
    refused(&blob, KILN_H_TRUNCATED, 44);
}

static void rule_h6_bytes_after_the_payload_are_refused(void **state)
{
    (void)state;
    for (size_t more = 1; more <= 64; more++) {
        unsigned char bytes[32 + 12 + 64] = {0};
        patched blob = small_blob();
        memcpy(bytes, blob.data, blob.size);
        assert_blob_refused(bytes, blob.size + more, T_ONE_STRING, KILN_H_TRAILING, blob.size, "");
        patched_fini(&blob);
    }
}

static void rule_h7_header_at_a_misaligned_place_is_refused(void **state)
{
    (void)state;
    patched blob = small_blob();
    unsigned char block[16 + 44 + 16];
    unsigned char *aligned = block + (16 - (uintptr_t)block % 16) % 16;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ONE_STRING;
    for (size_t shift = 0; shift < 16; shift++) {
        kiln_error error;
        memcpy(aligned + shift, blob.data, blob.size);
        kiln_status status = kiln_verify(&def, aligned + shift, blob.size, &error);
        assert_int_equal(status, shift ? KILN_H_MISALIGNED : KILN_OK);
        if (shift)
            assert_error(&error, KILN_H_MISALIGNED, 0, "");
    }
    patched_fini(&blob);
}

static void rule_h7_root_with_more_alignment_than_the_blob_is_refused(void **state)
{
    (void)state;
    const kiln_member fields[] = {{.name = "x", .type = 0}};
    const kiln_type list[] = {{.kind = KILN_KIND_U32},
                              {.name = "Wide",
                               .kind = KILN_KIND_STRUCT,
                               .align_at = 64,
                               .members = fields,
                               .member_count = 1}};
    kiln_types *types;
    assert_int_equal(kiln_types_create(NULL, list, 2, &types, NULL), KILN_OK);
    unsigned char payload[64] = {0};
    patched blob = patched_blob(types, 1, 0, payload, sizeof payload);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = 1;
    kiln_error error;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, &error), KILN_OK);
    patched small = patched_copy(blob.data + 32, 96);
    kiln_header_write(small.data, 4, 64, kiln_types_get(types, 1)->layout);
    assert_int_equal(kiln_verify(&def, small.data, small.size, &error), KILN_H_MISALIGNED);
    assert_error(&error, KILN_H_MISALIGNED, 0, "");
    patched_fini(&small);
    patched_fini(&blob);
    kiln_types_destroy(types);
}

static void rule_h8_hash_that_does_not_match_is_refused(void **state)
{
    (void)state;
    /* Every byte covered by the hash, and the hash itself. */
    static const size_t places[] = {5, 7, 24, 31, 32, 43};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        patched blob = small_blob();
        blob.data[places[i]] ^= 1;
        refused(&blob, KILN_H_HASH, 24);
    }
}

static void rule_h8_is_not_checked_if_disabled(void **state)
{
    (void)state;
    patched blob = small_blob();
    blob.data[24] ^= 1;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = T_ONE_STRING;
    def.skip_hash = true;
    assert_int_equal(kiln_verify(&def, blob.data, blob.size, NULL), KILN_OK);
    patched_fini(&blob);
}

static void rule_h9_gap_that_is_not_zero_is_refused(void **state)
{
    (void)state;
    for (size_t at = 32; at < 128; at += 19) {
        patched blob = patched_blob(verdict_types, T_ONE_BOOL, 7, "\1", 1);
        assert_int_equal(blob.size, 129);
        blob.data[at] = 1;
        patched_rehash(blob.data);
        assert_blob_refused(blob.data, blob.size, T_ONE_BOOL, KILN_H_GAP, at, "");
        patched_fini(&blob);
    }
}

static void rule_h10_another_layout_is_refused(void **state)
{
    (void)state;
    patched blob = small_blob();
    assert_blob_refused(blob.data, blob.size, T_ONE_BYTES, KILN_H_LAYOUT, 16, "");
    patched_fini(&blob);
}

static void rule_h11_another_kind_of_blob_is_refused(void **state)
{
    (void)state;
    for (unsigned kind = KILN_BLOB_INDEX; kind <= KILN_BLOB_DICTIONARY; kind++) {
        patched blob = small_blob();
        blob.data[6] = (unsigned char)(blob.data[6] | kind << KILN_FLAG_KIND_SHIFT);
        patched_rehash(blob.data);
        refused(&blob, KILN_H_KIND, 6);
    }
}

static void written_header_reads_back_field_by_field(void **state)
{
    (void)state;
    _Alignas(4096) static unsigned char bytes[4096 + 3];
    memset(bytes, 0xee, sizeof bytes);
    memset(bytes + 4096, 7, 3);
    kiln_header_write(bytes, 12 | KILN_FLAG_CANONICAL | 0xff00 | kiln_kind_flags(KILN_BLOB_INDEX),
                      3, 0x1122334455667788);
    static const unsigned char first[24] = {'K',  'I',  'L',  'N',  0,    5,    0x3c, 0,
                                            3,    0,    0,    0,    0,    0,    0,    0,
                                            0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    assert_memory_equal(bytes, first, sizeof first);
    uint64_t hash, written;
    memcpy(&written, bytes + 24, 8);
    patched_rehash(bytes);
    memcpy(&hash, bytes + 24, 8);
    assert_int_equal(hash, written);
    kiln_blob_header header;
    assert_int_equal(kiln_header_read(bytes, sizeof bytes, &header, NULL), KILN_OK);
    assert_int_equal(kiln_header_check_hash(bytes, &header, NULL), KILN_OK);
    assert_int_equal(kiln_header_align(&header), 4096);
    assert_int_equal(kiln_header_payload_at(&header), 4096);
    assert_int_equal(kiln_header_kind(&header), KILN_BLOB_INDEX);
    assert_int_equal(kiln_header_blob_size(&header), sizeof bytes);
}

static void failed_read_leaves_the_header_unchanged(void **state)
{
    (void)state;
    kiln_blob_header header, before;
    memset(&header, 0x5a, sizeof header);
    before = header;
    assert_int_equal(kiln_header_read("KILM", 4, &header, NULL), KILN_H_TRUNCATED);
    assert_memory_equal(&header, &before, sizeof header);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_h1_less_than_header_and_payload_is_refused),
        cmocka_unit_test(rule_h2_another_magic_is_refused),
        cmocka_unit_test(rule_h3_another_major_version_is_refused),
        cmocka_unit_test(header_states_the_version_of_the_format),
        cmocka_unit_test(newer_minor_version_is_read),
        cmocka_unit_test(rule_h4_unknown_alignment_or_kind_is_refused),
        cmocka_unit_test(high_byte_of_flags_is_ignored),
        cmocka_unit_test(rule_h5_impossible_payload_size_is_refused),
        cmocka_unit_test(rule_h6_bytes_after_the_payload_are_refused),
        cmocka_unit_test(rule_h7_header_at_a_misaligned_place_is_refused),
        cmocka_unit_test(rule_h7_root_with_more_alignment_than_the_blob_is_refused),
        cmocka_unit_test(rule_h8_hash_that_does_not_match_is_refused),
        cmocka_unit_test(rule_h8_is_not_checked_if_disabled),
        cmocka_unit_test(rule_h9_gap_that_is_not_zero_is_refused),
        cmocka_unit_test(rule_h10_another_layout_is_refused),
        cmocka_unit_test(rule_h11_another_kind_of_blob_is_refused),
        cmocka_unit_test(written_header_reads_back_field_by_field),
        cmocka_unit_test(failed_read_leaves_the_header_unchanged),
    };
    return cmocka_run_group_tests_name("header rules", tests, verdict_set_up, verdict_tear_down);
}
