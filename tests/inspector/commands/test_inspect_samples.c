/* `stats` of numbers at the limits of floating point. */
#include "inspect_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets the weight of an item in the sample, which is 0 or, of Item/sword, 0.1. */
static void set_weight(kiln_buffer *sample, const char *find, const char *path, double weight)
{
    inspect_result found;
    const char *at;
    size_t offset;
    inspect_write("it", sample->data, sample->size);
    found = inspect_call(find);
    assert_int_equal(0, found.code);
    at = strstr(found.out, path);
    assert_non_null(at);
    at = strstr(at, "\"offset\": ");
    assert_non_null(at);
    offset = (size_t)strtoull(at + strlen("\"offset\": "), NULL, 10);
    assert_in_range(offset, 1, sample->size - sizeof weight);
    memcpy(sample->data + offset, &weight, sizeof weight);
    inspect_result_fini(&found);
    inspect_write("it", sample->data, sample->size);
}

static void a_range_below_the_smallest_width_has_no_histogram(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    inspect_result result;
    (void)state;
    set_weight(&sample, "find it -f json 0.1 Item/sword", "Item/sword.weight",
               DBL_MIN * DBL_EPSILON);
    result = inspect_call("stats it game.Item.weight");
    assert_int_equal(0, result.code);
    assert_non_null(strstr(result.out, "0.0 .. 5.0e-324"));
    assert_null(strstr(result.out, "histogram"));
    inspect_result_fini(&result);
    result = inspect_call("stats it -f json game.Item.weight");
    assert_int_equal(0, result.code);
    assert_non_null(strstr(result.out, "\"histogram\": []"));
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

static void the_mean_of_both_infinities_is_nan(void **state)
{
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    inspect_result result;
    (void)state;
    set_weight(&sample, "find it -f json 0.1 Item/sword", "Item/sword.weight", INFINITY);
    set_weight(&sample, "find it -f json 0.0 Item/shield", "Item/shield.weight", -INFINITY);
    result = inspect_call("stats it game.Item.weight");
    assert_int_equal(0, result.code);
    assert_non_null(strstr(result.out, "-inf .. inf, mean NaN"));
    inspect_result_fini(&result);
    kiln_buffer_fini(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_below_the_smallest_width_has_no_histogram),
        cmocka_unit_test(the_mean_of_both_infinities_is_nan),
    };
    int failed;
    inspect_enter_folder();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    inspect_leave_folder();
    return failed;
}
