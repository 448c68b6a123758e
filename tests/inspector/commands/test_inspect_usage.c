/* The parts that `du` prints add up to the size of the file, whatever the file contains. */
#include "inspect_call.h"
#include "sample_clusters.h"
#include "sample_scene.h"
#include "test_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Adds the numbers of the object or list that begins at `key`, each after the word `name` and a
 * colon; NULL: after any word. */
static uint64_t sum_of(const char *json, const char *key, const char *name, char end)
{
    const char *at = strstr(json, key);
    uint64_t sum = 0;
    assert_non_null(at);
    for (at += strlen(key); *at && *at != end; at++) {
        if (name && strncmp(at, name, strlen(name)) != 0)
            continue;
        if (name)
            at += strlen(name) - 1;
        if (*at == ':')
            sum += strtoull(at + 1, NULL, 10);
    }
    assert_int_equal(end, *at);
    return sum;
}

static uint64_t number_after(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    assert_non_null(at);
    return strtoull(at + strlen(key), NULL, 10);
}

static void the_parts_add_up(const void *data, size_t size)
{
    inspect_result result;
    inspect_write("it", data, size);
    result = inspect_call("du -f json it");
    assert_in_range(result.code, 0, 1);
    assert_int_equal(size, number_after(result.out, "\"size\": "));
    assert_int_equal(size, sum_of(result.out, "\"parts\": {", NULL, '}'));
    assert_true(sum_of(result.out, "\"assets\": [", "\"bytes\":", ']') <= size);
    assert_int_equal(sum_of(result.out, "\"types\": [", "\"bytes\":", ']'),
                     sum_of(result.out, "\"assets\": [", "\"bytes\":", ']'));
    inspect_result_fini(&result);
}

static void the_parts_of_every_sample_add_up(void **state)
{
    int number;
    (void)state;
    for (number = SAMPLE_FULL; number <= SAMPLE_UNSHARED; number++) {
        kiln_buffer sample = sample_file((sample_kind)number);
        the_parts_add_up(sample.data, sample.size);
        kiln_buffer_fini(&sample);
    }
    for (number = SAMPLE_SCENE_FULL; number <= SAMPLE_SCENE_ORDERED; number++) {
        kiln_buffer sample = sample_scene((sample_scene_kind)number);
        the_parts_add_up(sample.data, sample.size);
        kiln_buffer_fini(&sample);
    }
}

/* Each byte of an uncompressed file with types belongs to a field, or to a part without fields. */
static void fields_add_up_to_values_and_strings(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    inspect_result result;
    uint64_t values;
    (void)state;
    inspect_write("it", sample.data, sample.size);
    result = inspect_call("du -f json it");
    values = number_after(result.out, "\"values\": ") + number_after(result.out, "\"strings\": ") +
             number_after(result.out, "\"shared\": ");
    assert_int_equal(values, sum_of(result.out, "\"fields\": [", "\"bytes\":", ']'));
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

static void the_parts_of_every_truncation_add_up(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    size_t size;
    (void)state;
    for (size = 0; size < sample.size; size += 1 + size / 200)
        if (test_share_has(size))
            the_parts_add_up(sample.data, size);
    kiln_buffer_fini(&sample);
}

static void the_parts_of_changed_files_add_up(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_SMALL);
    size_t at;
    (void)state;
    for (at = 0; at < sample.size; at++) {
        if (!test_share_has(at))
            continue;
        sample.data[at] ^= 0xff;
        the_parts_add_up(sample.data, sample.size);
        sample.data[at] ^= 0xff;
    }
    kiln_buffer_fini(&sample);
}

static void a_comparison_prints_what_changed(void **state)
{
    kiln_buffer before = sample_file(SAMPLE_FULL), after = sample_file(SAMPLE_PACKED);
    inspect_result result;
    (void)state;
    inspect_write("before", before.data, before.size);
    inspect_write("after", after.data, after.size);
    result = inspect_call("du after --compare before --all");
    assert_int_equal(0, result.code);
    assert_non_null(strstr(result.out, "compressed                                   0"));
    assert_non_null(strstr(result.out, "Item/sword"));
    inspect_result_fini(&result);
    result = inspect_call("du after -f json --compare before");
    assert_int_equal(0, result.code);
    assert_non_null(strstr(result.out, "\"dictionaries\": {\"before\": 0, \"after\": "));
    inspect_result_fini(&result);
    result = inspect_call("du after --compare none");
    assert_int_equal(2, result.code);
    assert_string_equal("", result.out);
    inspect_result_fini(&result);
    kiln_buffer_fini(&before);
    kiln_buffer_fini(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_every_sample_add_up),
        cmocka_unit_test(fields_add_up_to_values_and_strings),
        cmocka_unit_test(the_parts_of_every_truncation_add_up),
        cmocka_unit_test(the_parts_of_changed_files_add_up),
        cmocka_unit_test(a_comparison_prints_what_changed),
    };
    int failed;
    inspect_enter_folder();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    inspect_leave_folder();
    return failed;
}
