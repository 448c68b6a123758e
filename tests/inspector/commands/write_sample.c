/* Writes a sample to a file, for the shell test: write_sample NUMBER FILE. */
#include "sample_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static int wanted;
static const char *path;

static void sample_is_written(void **state)
{
    kiln_buffer sample = sample_of_number(wanted);
    FILE *file = fopen(path, "wb");
    (void)state;
    assert_non_null(file);
    assert_int_equal(sample.size, fwrite(sample.data, 1, sample.size, file));
    assert_int_equal(0, fclose(file));
    kiln_buffer_fini(&sample);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sample_is_written)};
    if (argc != 3)
        return 2;
    wanted = atoi(argv[1]);
    path = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
