#include "failing_bake.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char schema_text[] = "kiln: 1\nnamespace: game\ninclude: [more.yaml]\ntypes:\n"
                                  "  Item:\n    struct:\n      name: string\n      price: {type: "
                                  "u32, default: 10, range: [0, 99]}\n"
                                  "      tags: {type: \"string[]\", default: [a]}\n      effect: "
                                  "Effect\n      upgrade: ref<Item>?\n"
                                  "      by: \"map<u8, f32>\"\n    asset: true\n"
                                  "  Effect: {union: {damage: u32, burn: Burn, silence: }}\n"
                                  "files:\n  - {match: \"*.items.yaml\", shape: map, type: Item}\n";
static const char more_text[] =
    "kiln: 1\nnamespace: game\ntypes:\n  Burn: {struct: {seconds: f32}}\n";
static const char items_text[] =
    "sword: &s {name: Sword, effect: {burn: {seconds: 1}}, upgrade: axe, by: {1: 2, 0x2: 3}}\n"
    "axe: {<<: *s, name: Axe, effect: silence, price: 3}\n";

static void write_inputs(void)
{
    fixture_write("s.yaml", schema_text);
    fixture_write("more.yaml", more_text);
    fixture_write("a.items.yaml", items_text);
}

static void usage_errors_take_one_line(void **state)
{
    static const struct {
        const char *arguments;
        int code;
        const char *said; /* part of standard error; NULL if there must be none */
    } rows[] = {
        {"", 2, "usage: kiln-bake"},
        {"--help", 0, NULL},
        {"help", 0, NULL},
        {"--version", 0, NULL},
        {"-s", 2, "-s needs an argument, FILE"},
        {"--outptu x", 2, "did you mean --output?"},
        {"-s s.yaml", 2, "no inputs"},
        {"-o out.kiln a.items.yaml", 2, "no schema"},
        {"-s s.yaml a.items.yaml", 2, "no output given"},
        {"-s s.yaml -o x --each d a.items.yaml", 2, "cannot be combined"},
        {"-s s.yaml -o x -o y a.items.yaml", 2, "given twice"},
        {"-s s.yaml -o x -MF d a.items.yaml", 2, "need -MD"},
        {"-s s.yaml --each . -MD a.items.yaml", 2, "needs -MF"},
        {"-s s.yaml -o - -MD a.items.yaml", 2, "needs -MF"},
        {"-s s.yaml -o x --max-errors 0 a.items.yaml", 2, "number above 0"},
        {"-s s.yaml -o x --max-errors=x a.items.yaml", 2, "number above 0"},
        {"-s s.yaml -o x --color=red a.items.yaml", 2, "auto, always or never"},
        {"-s s.yaml -o x --quiet=yes a.items.yaml", 2, "takes no argument"},
        {"header -s s.yaml -o x.h a.items.yaml", 2, "unexpected input 'a.items.yaml'"},
#ifndef BAKE_WITHOUT_INFER
        {"schema", 2, "schema needs a command: infer"},
        {"schema infre a.items.yaml", 2, "unknown command 'schema infre'; did you mean infer?"},
        {"schema everything", 2, "unknown command 'schema everything'; the commands are infer"},
        {"schema infer", 2, "no inputs"},
        {"schema infer -s s.yaml a.items.yaml", 2, "does not accept -s"},
        {"schema infer --each d a.items.yaml", 2, "schema infer does not accept --each"},
        {"-s s.yaml -o x --namespace n a.items.yaml", 2,
         "build does not accept --namespace; only schema infer does"},
        {"schema infer -f json a.items.yaml", 2, "schema infer does not accept -f"},
        {"schema infer --if-changed -o y --order id a.items.yaml", 2,
         "schema infer does not accept --order; only repack does"},
#endif
        {"chekc", 2, "'chekc' is neither a command nor a file; did you mean check?"},
        {"-s s.yaml biuld a.items.yaml -o x", 2, "did you mean build?"},
        {"repak a.kiln -o x", 2, "did you mean repack?"},
        {"-s s.yaml -o x -- chekc", 2, "cannot read chekc"},
        {"-s s.yaml -o x a.items.yaml chekc", 2, "cannot read chekc"},
        {"qqqqqq", 2, "no schema given"},
        {"header -s s.yaml", 2, "use -o FILE.h"},
        {"header -n -s s.yaml -o x", 2, "header does not accept -n"},
        {"header --compress 3 -s s.yaml -o x", 2, "header does not accept --compress"},
        {"header -x nothing.kiln -s s.yaml -o x", 2, "header does not accept -x"},
        {"check -s s.yaml -o x a.items.yaml", 2, "check does not accept -o"},
        {"check -s s.yaml -MD a.items.yaml", 2, "check does not accept -MD"},
        {"check -s s.yaml --each d a.items.yaml", 2,
         "check does not accept --each; only build does"},
        {"-s s.yaml --prefix p -o x a.items.yaml", 2,
         "build does not accept --prefix; only header"},
        {"-s s.yaml --root r -o x a.items.yaml", 2, "build does not accept --root"},
        {"-s s.yaml -f json -o x a.items.yaml", 2, "build does not accept -f"},
        {"schema check --durable -n s.yaml s.yaml", 2, "schema check does not accept -n"},
        {"schema jsonschema -s s.yaml -x a.kiln", 2, "schema jsonschema does not accept -x"},
        {"schema jsonschema -s s.yaml -MT x", 2, "need -MD"},
        {"help --order id", 0, NULL},
        {"-s nothing.yaml -o x a.items.yaml", 2, "cannot read nothing.yaml: No such file"},
        {"-s s.yaml -o x nothing.yaml", 2, "cannot read nothing.yaml: No such file"},
        {"-s s.yaml -o no/folder/x a.items.yaml", 2, "cannot write no/folder/x"},
        {"-s s.yaml -o . a.items.yaml", 2, "cannot write ."},
        {"-s s.yaml -o x -x nothing.kiln a.items.yaml", 2, "cannot read nothing.kiln"},
        {"@nothing", 2, "cannot read nothing"},
        {"-s s.yaml -o x.kiln -q a.items.yaml", 0, NULL},
        {"build -ss.yaml -ox.kiln -q -- a.items.yaml", 0, NULL},
        {"check --schema=s.yaml -q a.items.yaml", 0, NULL},
        {"-n -s s.yaml a.items.yaml", 0,
         "checked: 2 assets against 3 types of the schema, nothing written"},
        {"-s s.yaml -o x.kiln a.items.yaml", 0, "x.kiln: 2 assets of 1 type, "},
    };
    (void)state;
    write_inputs();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *out, *err;
        int code = bake_call(rows[i].arguments, &out, &err);
        if (code != rows[i].code || (rows[i].said ? !strstr(err, rows[i].said) : *err != '\0'))
            fail_msg("kiln-bake %s: %d, %s", rows[i].arguments, code, err);
        free(out);
        free(err);
    }
}

static void help_and_version_go_to_standard_output(void **state)
{
    char *out, *err;
    (void)state;
    assert_int_equal(bake_call("--help", &out, &err), 0);
    assert_non_null(strstr(out, "usage: kiln-bake [build] [options] -s SCHEMA -o FILE INPUT..."));
    assert_non_null(strstr(out, "  -MQ TARGET"));
    free(out);
    free(err);
    assert_int_equal(bake_call("--version", &out, &err), 0);
    assert_non_null(strstr(out, "kiln-bake 0."));
    free(out);
    free(err);
}

static void messages_name_the_output(void **state)
{
    char *out, *err;
    (void)state;
    write_inputs();
    assert_int_equal(bake_call("-s s.yaml -o x.kiln a.items.yaml", &out, &err), 0);
    assert_int_equal(strncmp(err, "x.kiln: ", 8), 0);
    free(out);
    free(err);
    assert_int_equal(bake_call("-s s.yaml -o - a.items.yaml", &out, &err), 0);
    assert_int_equal(strncmp(err, "standard output: ", 17), 0);
    free(out);
    free(err);
}

/* Runs the command once for each of its allocations, and fails that allocation and all later ones.
 * Each run must either exit with code 2, print one line and keep the old output, or succeed and
 * write a new output. Sanitizers check for leaks. */
static void check_failing_allocations(const char *arguments, const char *output)
{
    char *err;
    int code;
    bool failed = true;
    long n = 0;
    write_inputs();
    for (; failed; n++) {
        fixture_write(output, "old");
        failed = failing_call(n, arguments, &code, &err);
        char *left = fixture_read(output, NULL);
        if (code == 2 && (!failed || !strstr(err, "out of memory") || strcmp(left, "old") != 0 ||
                          strchr(err, '\n') != strrchr(err, '\n')))
            fail_msg("allocation %ld: output %.10s, %s", n, left, err);
        if (code != 2 && (code != 0 || strcmp(left, "old") == 0))
            fail_msg("allocation %ld: code %d, output %.10s, %s", n, code, left, err);
        free(left);
        free(err);
    }
    assert_true(n > 21);
}

static void no_failing_allocation_is_fatal_to_a_bake(void **state)
{
    (void)state;
    check_failing_allocations("-s s.yaml -o x.kiln -q a.items.yaml", "x.kiln");
}

static void no_failing_allocation_is_fatal_to_a_header(void **state)
{
    (void)state;
    check_failing_allocations("header -s s.yaml -o x.h -q", "x.h");
}

static void no_failing_allocation_is_fatal_with_everything_on(void **state)
{
    char *out, *err;
    (void)state;
    write_inputs();
    fixture_write("b.items.yaml", "bow: {name: Bow, upgrade: stick}\n");
    fixture_write("c.items.yaml", "stick: {name: Stick}\n");
    assert_int_equal(bake_call("-s s.yaml -o c.kiln -q c.items.yaml", &out, &err), 0);
    free(out);
    free(err);
    check_failing_allocations(
        "-s s.yaml --each . -x c.kiln -MD -MF x.d -MP -q a.items.yaml b.items.yaml",
        "b.items.kiln");
}

/* If memory runs out while an input error is reported, the message may be lost, but the run must
 * not succeed. */
static void check_bad_input_stays_bad(const char *arguments)
{
    char *err;
    int code;
    bool failed = true;
    write_inputs();
    fixture_write("a.items.yaml", "sword: {name: Sword, price: 300, upgrade: axxe, prise: 1}\n"
                                  "sword: {}\n"
                                  "axe: {name: ~, effect: {burn: x}}\n");
    for (long n = 0; failed; n++) {
        failed = failing_call(n, arguments, &code, &err);
        if ((code != 1 && code != 2) || !*err)
            fail_msg("allocation %ld: code %d, %s", n, code, err);
        free(err);
    }
    assert_int_not_equal(access("x.kiln", F_OK), 0);
}

/* Runs importers for a rule and for two fields, once for each allocation, which fails with all
 * later ones. The exit code must be 2 or `expected`, which is 1 if the importer `value` fails, else
 * 0. */
static void check_importers(const char *value, int expected)
{
    char *err, text[200];
    int code;
    bool failed = true;
    fixture_write(
        "imports.yaml",
        "kiln: 1\n"
        "types: {Page: {struct: {s: string, b: {type: bytes, default: \"\"}}, asset: true}}\n"
        "importers:\n"
        "  as: {command: [cat], output: yaml}\n"
        "  of: {command: [cat], output: bytes}\n"
        "  no: {command: [sh, -c, 'cat \"$0\" >&2; exit 3'], output: bytes}\n"
        "files: [{match: '*.in', import: as, shape: map, type: Page}]\n");
    snprintf(text, sizeof text, "a: {s: !import:%s text, b: !import:of text}\n", value);
    fixture_write("a.in", text);
    fixture_write("text", "some\ntext");
    for (long n = 0; failed; n++) {
        failed = failing_call(n, "-q -s imports.yaml -o x.kiln a.in", &code, &err);
        if ((code != expected && code != 2) || (code != 0 && !*err) || (!failed && code == 2))
            fail_msg("allocation %ld: code %d, %s", n, code, err);
        free(err);
    }
    assert_int_equal(access("x.kiln", F_OK), expected ? -1 : 0);
    unlink("x.kiln");
}

/* The output of a failed importer is unknown, so no asset is reported as missing. */
static void nothing_is_reported_missing_after_a_failed_importer(void **state)
{
    (void)state;
    char *err;
    fixture_write("imports.yaml", "kiln: 1\n"
                                  "types: {Page: {struct: {next: ref<Page>}, asset: true}}\n"
                                  "importers: {no: {command: [sh, -c, 'exit 3'], output: yaml}}\n"
                                  "files:\n"
                                  "  - {match: '*.in', import: no, shape: map, type: Page}\n"
                                  "  - {match: '*.yaml', shape: map, type: Page}\n");
    fixture_write("b.in", "text");
    fixture_write("c.yaml", "c: {next: b}\n");
    assert_int_equal(bake_code("-q -s imports.yaml -o x.kiln b.in c.yaml", &err), 1);
    assert_non_null(strstr(err, "[import]"));
    if (strstr(err, "[reference]"))
        fail_msg("%s", err);
    free(err);
}

static void every_failing_allocation_of_an_importer_run_is_reported(void **state)
{
    (void)state;
    check_importers("of", 0);
    check_importers("no", 1);
}

static void bad_input_fails_whichever_allocation_fails(void **state)
{
    (void)state;
    check_bad_input_stays_bad("-s s.yaml -o x.kiln a.items.yaml");
    check_bad_input_stays_bad("-s s.yaml -o x.kiln a.items.yaml --diagnostics json");
    check_bad_input_stays_bad("-s s.yaml -o x.kiln a.items.yaml --diagnostics sarif");
    check_bad_input_stays_bad(
        "-s s.yaml -o x.kiln a.items.yaml --diagnostics json --diagnostics-file log");
}

/* The first file lacks an asset because of a mistake in the second. */
static void an_inherited_mistake_of_a_later_output_is_reported_there(void **state)
{
    static const char *const expected[] = {"b.items.yaml:1:11: error: Item/b.look:", "1 error"};
    char *err;
    (void)state;
    fixture_write("s.yaml", "kiln: 1\n"
                            "types:\n"
                            "  Path: {wrap: string, path: .}\n"
                            "  Item: {asset: true, inherit: true, struct: {look: Path?, next: "
                            "\"ref<Item>?\"}}\n"
                            "files: [{match: \"*.items.yaml\", shape: map, type: Item}]\n");
    fixture_write("a.items.yaml", "a: {parent: b}\nc: {next: a}\n");
    fixture_write("b.items.yaml", "b: {look: gone.png}\n");
    assert_int_equal(bake_code("-s s.yaml --each . a.items.yaml b.items.yaml", &err), 1);
    check_said(err, expected, sizeof expected / sizeof *expected);
    free(err);
    assert_int_not_equal(access("a.items.kiln", F_OK), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(usage_errors_take_one_line),
        IN_FOLDER(help_and_version_go_to_standard_output),
        IN_FOLDER(messages_name_the_output),
        IN_FOLDER(an_inherited_mistake_of_a_later_output_is_reported_there),
        IN_FOLDER(no_failing_allocation_is_fatal_to_a_bake),
        IN_FOLDER(no_failing_allocation_is_fatal_to_a_header),
        IN_FOLDER(no_failing_allocation_is_fatal_with_everything_on),
        IN_FOLDER(bad_input_fails_whichever_allocation_fails),
        IN_FOLDER(nothing_is_reported_missing_after_a_failed_importer),
        IN_FOLDER(every_failing_allocation_of_an_importer_run_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
