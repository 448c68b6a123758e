#include "failing_memory.h"

#include "counting_allocator.h"
#include "verdict.h"

/* Fails allocation `at`, and all later ones unless `alone`. Returns false if there were fewer
 * allocations. */
static bool fails_at(memory_attempt *try, size_t at, bool alone)
{
    counting_allocator counter = {0};
    *(alone ? &counter.fail_at : &counter.fail_from) = at;
    kiln_allocator allocator = counting_allocator_of(&counter);
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status = try(&allocator, &error);
    bool has_failed = counter.calls >= at;
    assert_int_equal(counter.live_bytes, 0);
    assert_int_equal(counter.live_blocks, 0);
    assert_false(counter.wrong_free);
    assert_string_equal(kiln_status_name(status), has_failed ? "NO_MEMORY" : "OK");
    assert_error(&error, has_failed ? KILN_NO_MEMORY : KILN_OK, 0, "");
    return has_failed;
}

size_t check_each_lone_failure(memory_attempt *try)
{
    size_t failures = 0;
    while (fails_at(try, failures + 1, true))
        failures++;
    return failures;
}

size_t check_each_failure(memory_attempt *try)
{
    size_t failures = check_each_lone_failure(try);
    for (size_t at = 1; fails_at(try, at, false); at++)
        failures++;
    assert_true(failures > 0);
    return failures;
}
