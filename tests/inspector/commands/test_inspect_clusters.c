/* The command `clusters` on damaged files: it must show the valid parts, and exit with 0 or 1. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"
#include "sample_clusters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/blob_header.h>
#include <kiln/cluster_plan.h>
#include <kiln/index.h>
#include <string.h>

static const char *const commands[] = {
    "clusters --all it",  "clusters -f json it",           "clusters -f dot it",
    "clusters it Node/a", "clusters -f json it Node/lone", "verify it",
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const kiln_index_member *plan_of(const kiln_buffer *file)
{
    const kiln_index *index = (const void *)(file->data + KILN_HEADER_SIZE);
    uint32_t asset = kiln_cluster_plan_find(index);
    assert_int_not_equal(KILN_ASSET_NONE, asset);
    return kiln_index_member_at(index, kiln_index_asset_at(index, asset)->member);
}

static void every_truncation_is_survived_and_reported(void **state)
{
    kiln_buffer sample = sample_clusters(SAMPLE_CLUSTERS_FULL);
    size_t size;
    (void)state;
    for (size = 0; size < sample.size; size += size < 400 ? 7 : 41) {
        inspect_result result;
        inspect_all(commands, COMMANDS, sample.data, size);
        result = inspect_call("clusters it");
        assert_int_equal(1, result.code);
        assert_true(result.err_size > 0);
        inspect_result_fini(&result);
    }
    kiln_buffer_fini(&sample);
}

/* Every byte of the plan, and some of the other bytes of the file. */
static void every_changed_byte_is_survived_and_reported(void **state)
{
    static const unsigned char changes[] = {0x01, 0x40, 0xff};
    kiln_buffer sample = sample_clusters(SAMPLE_CLUSTERS_FULL);
    const kiln_index_member member = *plan_of(&sample);
    uint64_t at;
    (void)state;
    for (at = member.place; at < member.place + member.size; at++) {
        inspect_result result;
        sample.data[at] ^= changes[at % 3];
        inspect_all(commands, COMMANDS, sample.data, sample.size);
        result = inspect_call("clusters it");
        assert_int_equal(1, result.code);
        inspect_result_fini(&result);
        sample.data[at] ^= changes[at % 3];
    }
    for (at = 0; at < sample.size; at += 37) {
        sample.data[at] ^= 0x10;
        inspect_all(commands, COMMANDS, sample.data, sample.size);
        sample.data[at] ^= 0x10;
    }
    kiln_buffer_fini(&sample);
}

static void compressed_bytes_that_change_are_survived(void **state)
{
    kiln_buffer sample = sample_clusters(SAMPLE_CLUSTERS_PACKED);
    size_t at;
    (void)state;
    for (at = 0; at < sample.size; at += 23) {
        sample.data[at] ^= 0x21;
        inspect_all(commands, COMMANDS, sample.data, sample.size);
        sample.data[at] ^= 0x21;
    }
    kiln_buffer_fini(&sample);
}

/* All three samples have the same plan. */
static void compression_and_types_do_not_change_the_output(void **state)
{
    static const sample_clusters_kind kinds[] = {SAMPLE_CLUSTERS_PACKED, SAMPLE_CLUSTERS_UNTYPED};
    kiln_buffer sample = sample_clusters(SAMPLE_CLUSTERS_FULL);
    size_t i, k;
    (void)state;
    for (i = 0; i < 2; i++) {
        kiln_buffer other = sample_clusters(kinds[i]);
        for (k = 0; k + 1 < COMMANDS; k++) {
            inspect_result wanted, found;
            inspect_write("it", sample.data, sample.size);
            wanted = inspect_call(commands[k]);
            inspect_write("it", other.data, other.size);
            found = inspect_call(commands[k]);
            assert_int_equal(0, found.code);
            assert_string_equal(wanted.out, found.out);
            inspect_result_fini(&wanted);
            inspect_result_fini(&found);
        }
        kiln_buffer_fini(&other);
    }
    kiln_buffer_fini(&sample);
}

static void output_of_a_long_chain_is_limited(void **state)
{
    kiln_buffer sample = sample_clusters(SAMPLE_CLUSTERS_MANY);
    inspect_result result;
    (void)state;
    inspect_write("it", sample.data, sample.size);
    result = inspect_call("clusters --all --max-bytes 20000 it");
    assert_int_equal(1, result.code);
    assert_in_range(result.out_size, 20000, 20100);
    inspect_result_fini(&result);
    result = inspect_call("clusters -f json --max-bytes 0 it");
    assert_int_equal(0, result.code);
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_survived_and_reported),
        cmocka_unit_test(every_changed_byte_is_survived_and_reported),
        cmocka_unit_test(compressed_bytes_that_change_are_survived),
        cmocka_unit_test(compression_and_types_do_not_change_the_output),
        cmocka_unit_test(output_of_a_long_chain_is_limited),
    };
    return cmocka_run_group_tests_name("inspect_clusters", tests, inspect_setup, inspect_teardown);
}
