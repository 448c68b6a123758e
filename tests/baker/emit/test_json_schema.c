/* kiln-bake schema jsonschema: the root and content of its output, and its exit codes.
 * tests/cli/json_schema.py compares the data that a JSON schema accepts with the data that the
 * baker accepts. */
#include "failing_bake.h"

static const char schema_text[] =
    "kiln: 1\nnamespace: game\ndoc: All of it.\ntypes:\n"
    "  Item:\n    struct:\n"
    "      name: {type: string, default: thing, doc: As shown.}\n"
    "      price: {type: u64, was: cost, deprecated: true, range: [0, 18446744073709551615]}\n"
    "      look: {type: Colour, default: {r: 1, g: 2, b: 3}}\n"
    "      u: U\n"
    "    asset: true\n    inherit: true\n"
    "  Colour: {struct: {r: u8, g: u8, b: u8}, colour: true, tuple: true}\n"
    "  U: {union: {a: u8, b: }, by: tag}\n"
    "files:\n  - {match: \"*.items.yaml\", shape: list, by: type}\n"
    "  - {match: \"*.scene.yaml\", shape: scene}\n";

static bool file_has(const char *path, const char *part)
{
    char *text = fixture_read(path, NULL);
    assert_non_null(text);
    bool has = strstr(text, part) != NULL;
    free(text);
    return has;
}

static void the_option_root_selects_the_type(void **state)
{
    static const char *const roots[][2] = {
        {"", "\"anyOf\": [\n  {\n   \"$ref\": \"#/definitions/files-1\""},
        {" --root *.scene.yaml", "\"allOf\": [\n  {\n   \"$ref\": \"#/definitions/files-2\""},
        {" --root kinds", "\"allOf\": [\n  {\n   \"$ref\": \"#/definitions/kinds\""},
        {" --root Item", "\"allOf\": [\n  {\n   \"$ref\": \"#/definitions/game.Item\""},
        {" --root game.U", "\"allOf\": [\n  {\n   \"$ref\": \"#/definitions/game.U\""},
    };
    char arguments[200], *said;
    (void)state;
    fixture_write("s.yaml", schema_text);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        snprintf(arguments, sizeof arguments, "schema jsonschema -s s.yaml -o s.json%s",
                 roots[i][0]);
        assert_int_equal(bake_code(arguments, NULL), 0);
        assert_true(file_has("s.json", roots[i][1]));
    }
    assert_int_equal(bake_code("schema jsonschema -s s.yaml -o n.json --root Thing", &said), 2);
    assert_non_null(strstr(said, "unknown or ambiguous name 'Thing'"));
    free(said);
    assert_null(fixture_read("n.json", NULL));
    assert_int_equal(bake_code("schema jsonschema -s s.yaml a.yaml", NULL), 2);
    assert_int_equal(bake_code("schema jsonschema", NULL), 2);
}

static void a_short_root_must_be_unique(void **state)
{
    (void)state;
    fixture_write("s.yaml", schema_text);
    fixture_write("t.yaml", "kiln: 1\nnamespace: other\ntypes:\n  Item: {struct: {a: u8}}\n");
    assert_int_equal(bake_code("schema jsonschema -s s.yaml -s t.yaml -o s.json --root Item", NULL),
                     2);
    assert_int_equal(
        bake_code("schema jsonschema -s s.yaml -s t.yaml -o s.json --root other.Item", NULL), 0);
    assert_true(file_has("s.json", "\"$ref\": \"#/definitions/other.Item\""));
}

static void the_output_has_docs_defaults_and_ranges(void **state)
{
    static const char *const parts[] = {
        "\"description\": \"All of it.\"",
        "\"description\": \"As shown.\"",
        "\"default\": \"thing\"",
        "\"maximum\": 18446744073709551615",
        "\"deprecated\": true",
        "Renamed to price.",
        "\"default\": {\n      \"r\": 1",
        "http://json-schema.org/draft-07/schema#",
    };
    (void)state;
    fixture_write("s.yaml", schema_text);
    assert_int_equal(bake_code("schema jsonschema -s s.yaml -o s.json", NULL), 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!file_has("s.json", parts[i]))
            fail_msg("missing from the output: %s", parts[i]);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    fixture_write("s.yaml", schema_text);
    bool failed = true;
    for (long n = 0; failed; n++) {
        char *said;
        int code;
        failed = failing_call(n, "schema jsonschema -s s.yaml -o s.json", &code, &said);
        free(said);
        assert_int_equal(code, failed ? 2 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_option_root_selects_the_type, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(a_short_root_must_be_unique, fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(the_output_has_docs_defaults_and_ranges, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(failing_allocations_are_reported, fixture_enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
