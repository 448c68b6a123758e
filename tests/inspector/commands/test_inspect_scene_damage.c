/* The scene commands on truncated or changed files: they must print something, show the valid
 * parts, and exit with 0 or 1. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"
#include "sample_scene.h"
#include "test_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <kiln/scene.h>
#include <string.h>

static const char *const commands[] = {
    "scene it",
    "scene -f json --chunks it",
    "scene it Scene/harbour door 4 #10 8 0",
    "scene -f json it Scene/harbour door 4 #10 8 0",
    "forecast it",
    "dump -f yaml it",
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void every_command_survives(const void *data, size_t size)
{
    inspect_all(commands, COMMANDS, data, size);
}

static void every_truncation_is_survived_and_reported(void **state)
{
    kiln_buffer sample = sample_scene(SAMPLE_SCENE_SMALL);
    size_t size;
    (void)state;
    for (size = 0; size < sample.size; size += size < 600 ? 1 : 29) {
        if (!test_share_has(size))
            continue;
        inspect_result result;
        every_command_survives(sample.data, size);
        result = inspect_call("scene it");
        assert_int_equal(1, result.code);
        assert_true(result.err_size > 0);
        inspect_result_fini(&result);
    }
    kiln_buffer_fini(&sample);
}

/* The member of an asset. */
static const kiln_index_member *member_of(const kiln_buffer *file, const char *name)
{
    const kiln_index *index = (const void *)(file->data + KILN_HEADER_SIZE);
    uint32_t asset = kiln_index_find_name(index, name, strlen(name));
    return kiln_index_member_at(index, kiln_index_asset_at(index, asset)->member);
}

/* The first 2,048 bytes of each of the three blobs, and some of the other bytes of the file. */
static void every_changed_byte_is_survived_and_reported(void **state)
{
    static const char *const names[] = {"Scene/harbour", "SceneChunks/harbour",
                                        "SceneData/harbour"};
    static const unsigned char changes[] = {0x01, 0xff};
    kiln_buffer sample = sample_scene(SAMPLE_SCENE_SMALL);
    uint64_t at, k;
    (void)state;
    for (k = 0; k < 3; k++) {
        const kiln_index_member member = *member_of(&sample, names[k]);
        for (at = member.place; at < member.place + member.size; at++) {
            if (!test_share_has(at))
                continue;
            inspect_result result;
            sample.data[at] ^= changes[at / 4 % 2];
            every_command_survives(sample.data, sample.size);
            result = inspect_call("scene it");
            assert_int_equal(1, result.code);
            inspect_result_fini(&result);
            result = inspect_call("verify it");
            assert_int_equal(1, result.code);
            inspect_result_fini(&result);
            sample.data[at] ^= changes[at / 4 % 2];
            at += at >= member.place + 2048 ? 61 : 0;
        }
    }
    for (at = 0; at < sample.size; at += 61) {
        if (!test_share_has(at))
            continue;
        sample.data[at] ^= 0x10;
        every_command_survives(sample.data, sample.size);
        sample.data[at] ^= 0x10;
    }
    kiln_buffer_fini(&sample);
}

static void compressed_bytes_that_change_are_survived(void **state)
{
    kiln_buffer sample = sample_scene(SAMPLE_SCENE_PACKED);
    size_t at;
    (void)state;
    for (at = 0; at < sample.size; at += 101) {
        if (!test_share_has(at))
            continue;
        sample.data[at] ^= 0x21;
        every_command_survives(sample.data, sample.size);
        sample.data[at] ^= 0x21;
    }
    kiln_buffer_fini(&sample);
}

/* The offset of a blob's payload. */
static uint64_t payload_of(const kiln_buffer *file, uint64_t place)
{
    kiln_blob_header header;
    memcpy(&header, file->data + place, sizeof header);
    return place + kiln_header_payload_at(&header);
}

typedef struct damage_row {
    const char *name; /* of the asset */
    uint64_t place;   /* offset in its payload */
    const char *call;
    const char *message; /* on standard error */
    const char *shown;   /* on standard output, despite the error */
} damage_row;

/* A change at one offset, its message, and the remaining output. */
static void errors_are_reported_and_the_rest_is_shown(void **state)
{
    static const damage_row rows[] = {
        {"Scene/harbour", offsetof(kiln_scene, chunks_hash), "scene it", "S5 at offset",
         "archetypes"},
        {"Scene/harbour", offsetof(kiln_scene, chunks_hash), "scene it Scene/harbour door",
         "S5 at offset", "to: entity = #4 \"sign \\\"west\\\"\""},
        {"Scene/harbour", offsetof(kiln_scene, data_hash), "scene it Scene/harbour #4",
         "S5 at offset", "name: data<string> = \"West gate\""},
        {"Scene/harbour", offsetof(kiln_scene, entities), "scene it", "S3 at offset",
         "components: kiln.SceneComponent[] = 6 elements"},
        {"Scene/harbour", offsetof(kiln_scene, entities), "scene it Scene/harbour door",
         "the scene is broken, so entities cannot be found", ""},
        {"Scene/harbour", offsetof(kiln_scene, entities), "forecast it",
         "Scene/harbour is broken, so it has no forecast", ""},
        {"Scene/harbour", offsetof(kiln_scene, components) + 4, "scene it", "V17 at offset",
         "components: kiln.SceneComponent[]"},
        {"SceneChunks/harbour", offsetof(kiln_scene_chunks, tails) + 4, "scene it", "V2 at offset",
         "archetypes"},
        {"SceneChunks/harbour", offsetof(kiln_scene_chunks, tails) + 4,
         "scene it Scene/harbour door", "rows cannot be shown", ""},
        {"SceneData/harbour", 4, "scene it Scene/harbour #4", "H8 at offset", "game.Label"},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer sample = sample_scene(SAMPLE_SCENE_SMALL);
        uint64_t at = payload_of(&sample, member_of(&sample, rows[i].name)->place) + rows[i].place;
        inspect_result result;
        sample.data[at] ^= 1;
        inspect_write("it", sample.data, sample.size);
        kiln_buffer_fini(&sample);
        result = inspect_call(rows[i].call);
        assert_int_equal(1, result.code);
        if (!strstr(result.err, rows[i].message) || !strstr(result.out, rows[i].shown))
            fail_msg("row %u: %s\n%s", (unsigned)i, result.err, result.out);
        inspect_result_fini(&result);
    }
}

/* Scenes that share chunks are all shown, including the 200th, but the chunks are checked and
 * reported once. */
static void chunks_that_scenes_share_are_reported_once(void **state)
{
    static const char *const calls[] = {"scene it", "forecast it", "dump -f yaml it"};
    kiln_buffer sample = sample_scene(SAMPLE_SCENE_SHARED);
    const kiln_index_member *member = member_of(&sample, "SceneChunks/000");
    size_t i;
    (void)state;
    sample.data[member->place + member->size / 2] ^= 1;
    inspect_write("it", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        inspect_result result = inspect_call(calls[i]);
        const char *first = strstr(result.err, ": H8 at offset");
        assert_int_equal(1, result.code);
        assert_non_null(first);
        assert_null(strstr(first + 1, ": H8 at offset"));
        assert_non_null(strstr(result.out, "200"));
        inspect_result_fini(&result);
    }
}

/* Each word without a target is reported at its position in the row. */
static void dangling_words_are_reported_at_their_position(void **state)
{
    static const struct {
        unsigned before, place, value; /* bytes of the tail before the row, and in it */
        const char *call, *shown;
    } rows[] = {
        {0, 4, 200, "scene it Scene/harbour door", "to: entity = <S6: "},
        {0, 4, 200, "scene -f json it Scene/harbour door", "\"to\": {\"error\": \"S6\""},
        {0, 8, 9, "scene it Scene/harbour door", "to: entity = <S6: "},
        {0, 16, 9, "scene it Scene/harbour door", "key: ref<game.Coin> = <S7: "},
        {192, 0, 9, "scene it Scene/harbour 4", "name: data<string> = <S8: "},
        {192, 6, 9, "scene it Scene/harbour 4", "name: data<string> = <S8: "},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_buffer sample = sample_scene(SAMPLE_SCENE_SMALL);
        uint64_t at = payload_of(&sample, member_of(&sample, "SceneChunks/harbour")->place);
        kiln_array tails;
        inspect_result result;
        memcpy(&tails, sample.data + at + offsetof(kiln_scene_chunks, tails), sizeof tails);
        at += offsetof(kiln_scene_chunks, tails) + tails.offset + rows[i].before + rows[i].place;
        sample.data[at] = (unsigned char)rows[i].value;
        inspect_write("it", sample.data, sample.size);
        kiln_buffer_fini(&sample);
        result = inspect_call(rows[i].call);
        assert_int_equal(1, result.code);
        if (!strstr(result.out, rows[i].shown))
            fail_msg("row %u: %s\n%s", (unsigned)i, result.out, result.err);
        assert_non_null(strstr(result.err, "1 broken value;"));
        inspect_result_fini(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_survived_and_reported),
        cmocka_unit_test(every_changed_byte_is_survived_and_reported),
        cmocka_unit_test(compressed_bytes_that_change_are_survived),
        cmocka_unit_test(errors_are_reported_and_the_rest_is_shown),
        cmocka_unit_test(chunks_that_scenes_share_are_reported_once),
        cmocka_unit_test(dangling_words_are_reported_at_their_position),
    };
    int failed;
    inspect_enter_folder();
    failed = cmocka_run_group_tests_name("inspect_scene_damage", tests, NULL, NULL);
    inspect_leave_folder();
    return failed;
}
