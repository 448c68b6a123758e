/* Every command shows a file with compressed members like the uncompressed file, except for sizes,
 * and reports errors in compressed members. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"
#include "test_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kiln_buffer packed, plain;

static int make_samples(void **state)
{
    (void)state;
    inspect_enter_folder();
    packed = sample_file(SAMPLE_PACKED);
    plain = sample_file(SAMPLE_UNPACKED);
    return 0;
}

static int remove_samples(void **state)
{
    (void)state;
    kiln_buffer_fini(&packed);
    kiln_buffer_fini(&plain);
    inspect_leave_folder();
    return 0;
}

static kiln_index *index_of(const kiln_buffer *sample)
{
    return (void *)(sample->data + KILN_HEADER_SIZE);
}

static kiln_index_member *entry_of(const kiln_buffer *sample, const char *name)
{
    const kiln_index *index = index_of(sample);
    uint32_t asset = kiln_index_find_name(index, name, strlen(name));
    const kiln_index_member *found =
        kiln_index_member_at(index, kiln_index_asset_at(index, asset)->member);
    volatile size_t at = (size_t)((const unsigned char *)found - sample->data);
    return (void *)(sample->data + at);
}

static void restate_index(kiln_buffer *sample)
{
    kiln_blob_header header;
    memcpy(&header, sample->data, sizeof header);
    kiln_header_write(sample->data,
                      (header.flags & ~KILN_FLAG_KIND_MASK) | kiln_kind_flags(KILN_BLOB_INDEX),
                      header.payload_size, header.layout);
}

static void values_are_shown_like_those_of_uncompressed_members(void **state)
{
    static const char *const commands[] = {
        "dump it",         "dump -f yaml it",
        "dump -f json it", "get it Item/sword.name",
        "get it Item/7",   "dump it Item/shield Item/11",
        "type it",         "get -f json it Item/sword.stats",
    };
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        inspect_write("it", plain.data, plain.size);
        inspect_result expected = inspect_call(commands[i]);
        inspect_write("it", packed.data, packed.size);
        inspect_result result = inspect_call(commands[i]);
        assert_string_equal(expected.out, result.out);
        assert_string_equal(expected.err, result.err);
        assert_int_equal(0, result.code);
        inspect_result_fini(&result);
        inspect_result_fini(&expected);
    }
}

static void verify_checks_compressed_members(void **state)
{
    (void)state;
    inspect_write("it", packed.data, packed.size);
    inspect_result result = inspect_call("verify it");
    assert_int_equal(0, result.code);
    assert_string_equal("it: ok (65 assets, 66 members)\n", result.out);
    inspect_result_fini(&result);
}

static void ls_shows_stored_bytes_and_the_ratio(void **state)
{
    char line[200];
    (void)state;
    const kiln_index_member *sword = entry_of(&packed, "Item/sword");
    assert_int_equal(KILN_COMPRESSION_ZSTD, sword->compression);
    inspect_write("it", packed.data, packed.size);
    inspect_result result = inspect_call("ls it Item/sword");
    snprintf(line, sizeof line,
             "Item/sword  game.Item  %10" PRIu64 "  %10" PRIu64 "  %6.2f  0x%08" PRIx64 "     2\n",
             sword->size, sword->stored_size, (double)sword->size / (double)sword->stored_size,
             sword->place);
    assert_string_equal(line, result.out);
    inspect_result_fini(&result);
    result = inspect_call("ls -f json it Item/sword");
    snprintf(line, sizeof line,
             "\"size\": %" PRIu64 ", \"stored\": %" PRIu64 ", \"compression\": \"zstd\", ",
             sword->size, sword->stored_size);
    assert_non_null(strstr(result.out, line));
    inspect_result_fini(&result);
}

static void info_summarizes_compression(void **state)
{
    char line[200];
    uint64_t size = 0, stored = 0;
    unsigned count = 0;
    (void)state;
    const kiln_index *index = index_of(&packed);
    for (uint32_t i = 0; i < index->members.count; i++) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        if (member->compression == KILN_COMPRESSION_NONE)
            continue;
        count++;
        size += member->size;
        stored += member->stored_size;
    }
    assert_int_equal(1, index->dictionaries.count);
    inspect_write("it", packed.data, packed.size);
    inspect_result result = inspect_call("info it");
    snprintf(line, sizeof line,
             "compressed  %u members, %u,%03u bytes stored as %u,%03u bytes, 1 dictionary\n", count,
             (unsigned)(size / 1000), (unsigned)(size % 1000), (unsigned)(stored / 1000),
             (unsigned)(stored % 1000));
    assert_non_null(strstr(result.out, line));
    assert_non_null(strstr(result.out, "integrity   index ok, "));
    inspect_result_fini(&result);
}

static void hex_labels_compressed_bytes(void **state)
{
    (void)state;
    inspect_write("it", packed.data, packed.size);
    inspect_result result = inspect_call("hex it Item/sword");
    assert_int_equal(0, result.code);
    assert_non_null(strstr(result.out, " 28 b5 2f fd "));
    assert_non_null(strstr(result.out, "zstd frame 1: magic"));
    inspect_result_fini(&result);
}

/* Joins the bytes of all rows of `hex` in JSON. Returns their number. */
static size_t bytes_of_rows(const char *json, unsigned char *ret_bytes)
{
    static const char key[] = "\"bytes\": \"";
    size_t count = 0;
    const char *at = json;
    while ((at = strstr(at, key)) != NULL) {
        unsigned byte;
        for (at += sizeof key - 1; *at != '"'; at += 2) {
            assert_int_equal(1, sscanf(at, "%2x", &byte));
            ret_bytes[count++] = (unsigned char)byte;
        }
    }
    return count;
}

static void hex_decompresses_the_blob_of_each_member(void **state)
{
    static const char *const names[] = {"Item/sword", "Item/7", "Names/first"};
    unsigned char *shown = malloc(packed.size);
    (void)state;
    assert_non_null(shown);
    inspect_write("it", packed.data, packed.size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const kiln_index_member *blob = entry_of(&plain, names[i]);
        char command[64];
        snprintf(command, sizeof command, "hex it -f json --decompress %s", names[i]);
        inspect_result result = inspect_call(command);
        assert_int_equal(0, result.code);
        assert_int_equal(blob->size, bytes_of_rows(result.out, shown));
        assert_memory_equal(plain.data + blob->place, shown, blob->size);
        inspect_result_fini(&result);
    }
    free(shown);
}

/* Changes the magic, the header and the first block of a frame to every third value. */
static void hex_shows_each_byte_of_a_broken_frame_once(void **state)
{
    enum { CHANGED = 12 };
    kiln_buffer changed = sample_file(SAMPLE_PACKED);
    kiln_index_member *sword = entry_of(&changed, "Item/sword");
    unsigned char *data = changed.data + sword->place, *shown = malloc(changed.size);
    size_t size = (size_t)sword->stored_size, broken = 0;
    (void)state;
    assert_non_null(shown);
    for (size_t at = 0; at < CHANGED; at++) {
        unsigned char before = data[at];
        for (unsigned value = 0; value < 256; value += 3) {
            data[at] = (unsigned char)value;
            inspect_write("it", changed.data, changed.size);
            inspect_result result = inspect_call("hex it -f json Item/sword");
            assert_in_range(result.code, 0, 1);
            broken += strstr(result.out, "not a zstd frame (I17)") != NULL;
            assert_int_equal(size, bytes_of_rows(result.out, shown));
            assert_memory_equal(data, shown, size);
            inspect_result_fini(&result);
            if (at < 4 && value != before) {
                result = inspect_call("hex it --decompress Item/sword");
                assert_int_equal(1, result.code);
                assert_non_null(strstr(result.err, "I17 at offset"));
                inspect_result_fini(&result);
            }
        }
        data[at] = before;
    }
    assert_in_range(broken, 400, CHANGED * 86);
    free(shown);
    kiln_buffer_fini(&changed);
}

/* Errors in one member are reported for that member; the others are shown. */
static void broken_members_are_reported_one_by_one(void **state)
{
    static const struct {
        size_t at; /* offset in the entry, or 100 plus the offset in the stored bytes */
        const char *rule;
    } rows[] = {{100, "I17"}, {24, "I12"}, {40, "I16"}, {16, "I17"}, {60, "I17"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer changed = sample_file(SAMPLE_PACKED);
        kiln_index_member *sword = entry_of(&changed, "Item/sword");
        if (rows[i].at >= 100)
            changed.data[sword->place + rows[i].at - 100] ^= 1;
        else if (rows[i].at == 60)
            sword->dictionary = 0;
        else
            ((unsigned char *)sword)[rows[i].at] ^= 1;
        restate_index(&changed);
        inspect_write("it", changed.data, changed.size);
        inspect_result result = inspect_call("verify it");
        assert_int_equal(1, result.code);
        if (!strstr(result.out, rows[i].rule))
            fail_msg("%s is missing from: %s", rows[i].rule, result.out);
        inspect_result_fini(&result);
        result = inspect_call("get it Item/7.name");
        assert_int_equal(0, result.code);
        inspect_result_fini(&result);
        result = inspect_call("dump it Item/sword");
        assert_int_equal(1, result.code);
        assert_true(result.err_size > 0);
        inspect_result_fini(&result);
        kiln_buffer_fini(&changed);
    }
}

static void a_broken_dictionary_is_reported(void **state)
{
    kiln_buffer changed = sample_file(SAMPLE_PACKED);
    const kiln_index *index = index_of(&changed);
    const uint32_t *numbers = kiln_relative_get(&index->dictionaries, index->dictionaries.offset);
    uint64_t place = kiln_index_member_at(index, numbers[0])->place;
    (void)state;
    memset(changed.data + place + KILN_HEADER_SIZE + 8, 0xff, 64);
    inspect_write("it", changed.data, changed.size);
    inspect_result result = inspect_call("verify it");
    assert_int_equal(1, result.code);
    assert_non_null(strstr(result.out, "I12"));
    /* An error in the dictionary itself is reported, whether or not a member needs it. */
    char text[64];
    snprintf(text, sizeof text, "I18 at offset 0x%llx (member ", (unsigned long long)place);
    assert_non_null(strstr(result.out, text));
    inspect_result_fini(&result);
    result = inspect_call("dump it");
    assert_int_equal(1, result.code);
    inspect_result_fini(&result);
    kiln_buffer_fini(&changed);
}

/* Changes every eleventh byte in turn, and corrects the index, so that reading continues. */
static void every_changed_byte_is_survived(void **state)
{
    static const char *const commands[] = {"verify it", "dump it", "info it"};
    kiln_buffer changed = sample_file(SAMPLE_PACKED);
    (void)state;
    for (size_t at = 24; at < changed.size; at += 11) {
        if (!test_share_has(at / 8))
            continue;
        unsigned char before = changed.data[at];
        changed.data[at] ^= at % 2 ? 0x01 : 0xff;
        restate_index(&changed);
        inspect_write("it", changed.data, changed.size);
        for (size_t i = 0; i < 3; i++) {
            if (i && at % 8)
                continue;
            inspect_result result = inspect_call(commands[i]);
            assert_in_range(result.code, 0, 1);
            inspect_result_fini(&result);
        }
        changed.data[at] = before;
    }
    kiln_buffer_fini(&changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_shown_like_those_of_uncompressed_members),
        cmocka_unit_test(verify_checks_compressed_members),
        cmocka_unit_test(ls_shows_stored_bytes_and_the_ratio),
        cmocka_unit_test(info_summarizes_compression),
        cmocka_unit_test(hex_labels_compressed_bytes),
        cmocka_unit_test(hex_decompresses_the_blob_of_each_member),
        cmocka_unit_test(hex_shows_each_byte_of_a_broken_frame_once),
        cmocka_unit_test(broken_members_are_reported_one_by_one),
        cmocka_unit_test(a_broken_dictionary_is_reported),
        cmocka_unit_test(every_changed_byte_is_survived),
    };
    return cmocka_run_group_tests(tests, make_samples, remove_samples);
}
