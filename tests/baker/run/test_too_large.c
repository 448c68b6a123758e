/* An asset that is too large is reported at its name. The test does not write 2 GiB. Instead, the
 * linker replaces a function of the file writer with one that reports this error for one asset. */
#include "bake_call.h"

#include <kiln/file_writer.h>

static const char *too_large;

kiln_status __real_kiln_file_writer_build(kiln_file_writer *writer, const char *name, uint32_t type,
                                          kiln_builder *builder, kiln_error *reterr);
kiln_status __wrap_kiln_file_writer_build(kiln_file_writer *writer, const char *name, uint32_t type,
                                          kiln_builder *builder, kiln_error *reterr);

kiln_status __wrap_kiln_file_writer_build(kiln_file_writer *writer, const char *name, uint32_t type,
                                          kiln_builder *builder, kiln_error *reterr)
{
    return strcmp(name, too_large) == 0
               ? KILN_TOO_LARGE
               : __real_kiln_file_writer_build(writer, name, type, builder, reterr);
}

static void an_asset_that_is_too_large_is_reported_at_its_name(void **state)
{
    static const struct {
        const char *name, *said;
    } rows[] = {
        {"Item/one", "a.yaml:2:3: error: Item/one: the asset has more than 2147483647 bytes"},
        {"Item/two", "a.yaml:3:3: error: Item/two: the asset has more than 2147483647 bytes"},
        /* The last asset of its input. */
        {"Item/six", "a.yaml:4:3: error: Item/six: the asset has more than 2147483647 bytes"},
    };
    (void)state;
    fixture_write("s.yaml", "kiln: 1\ntypes:\n  Item: {struct: {n: u8}, asset: true}\n");
    fixture_write("a.yaml", "Item:\n  one: {n: 1}\n  two: {n: 2}\n  six: {n: 3}\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out, *err;
        too_large = rows[i].name;
        assert_int_equal(bake_call("-q -s s.yaml -o o.kiln a.yaml", &out, &err), 1);
        if (strncmp(err, rows[i].said, strlen(rows[i].said)) != 0)
            fail_msg("%s", err);
        free(out);
        free(err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_asset_that_is_too_large_is_reported_at_its_name,
                                        fixture_enter, fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
