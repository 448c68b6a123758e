/* A source map has at most as many bytes as kiln-inspect reads. The test does not write 4 GiB,
 * but sets the count of bytes already written. */
#include "origin_record.h"

#include <errno.h>
#include <kiln/limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool count(void *ctx, const void *data, size_t size)
{
    (void)data;
    *(size_t *)ctx += size;
    return true;
}

/* Writes the line that binds a map to its file when `before` bytes are already written. Returns the
 * result and counts the bytes written. */
static bake_origins_end_result bind_behind(uint64_t before, size_t *ret_size)
{
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    *ret_size = 0;
    bake_origins *origins = bake_origins_create(diagnostics, count, ret_size);
    assert_non_null(origins);
    origins->written = before;
    errno = 0;
    bake_origins_end_result result = bake_origins_bind(origins, 1);
    bake_origins_destroy(origins);
    bake_diagnostics_destroy(diagnostics);
    return result;
}

static void a_map_larger_than_the_inspector_reads_is_refused(void **state)
{
    (void)state;
    size_t size, last;
    assert_int_equal(bind_behind(0, &size), BAKE_ORIGINS_OK);
    assert_true(size > 0);
    assert_int_equal(bind_behind(KILN_SOURCE_MAP_MAX - size, &last), BAKE_ORIGINS_OK);
    assert_int_equal(last, size);
    assert_int_equal(bind_behind(KILN_SOURCE_MAP_MAX - size + 1, &last), BAKE_ORIGINS_IO);
    assert_int_equal(errno, EFBIG);
    assert_int_equal(last, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_larger_than_the_inspector_reads_is_refused),
    };
    return cmocka_run_group_tests_name("source maps", tests, NULL, NULL);
}
