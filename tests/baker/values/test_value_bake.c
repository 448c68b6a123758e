#include "value_fixture.h"
#include "value_limits.h"

static const char types[] =
    "  Rarity: {enum: {common: 0, rare: {value: 1, was: [scarce]}, cursed: -1}}\n"
    "  Element: {flags: [fire, ice, air, \"a,b\"]}\n"
    "  Effect: {union: {damage: u32, burn: Burn, silence: , drain: {type: \"u8[]\", was: leech}}}\n"
    "  Burn: {struct: {seconds: f32, strength: {type: u8, default: 3, was: power}}}\n"
    "  Names: {wrap: \"string[]\"}\n"
    "  Percent: {wrap: {type: u8, range: [0, 100], default: 50}}\n"
    "  Optional: {wrap: u8?}\n"
    "  Node: {struct: {name: {type: string, default: n}, children: \"Node[]\"}}\n"
    "  Bag: {struct: {size: {type: u8, default: 1}, rest: {type: \"map<string, u8>\", rest: "
    "true}}}\n"
    "  Item: {struct: {a: u8}, asset: true}\n";

static void every_type_accepts_the_documented_values(void **state)
{
    static const row rows[] = {
        {"bool", "True", "1"},
        {"i8", "-128", "-128"},
        {"u64", "0xFFFFFFFFFFFFFFFF", "18446744073709551615"},
        {"i64", "-9223372036854775808", "-9223372036854775808"},
        {"u16", "'12'", "12"},
        {"u16", "!!int 12", "12"},
        {"f32", "1e3", "1000"},
        {"f64", "-.inf", "-inf"},
        {"f32", "!!float 3", "3"},
        {"string", "no", "'no'"},
        {"string", "1.10", "'1.10'"},
        {"string", "\"\"", "''"},
        {"string", "'~'", "'~'"},
        {"string", "!!str null", "'null'"},
        {"string", "!!str", "''"},
        {"bytes", "aGk=", "<6869>"},
        {"bytes", "[0, 0xff, 1]", "<00ff01>"},
        {"bytes", "[]", "<>"},
        {"bytes@64", "!!binary aGk=", "<6869>"},
        {"Rarity", "cursed", "cursed"},
        {"Rarity", "scarce", "rare"},
        {"Element", "fire", "1"},
        {"Element", "[fire, air]", "5"},
        {"Element", "fire, ice", "3"},
        {"Element", "ice|air", "6"},
        {"Element", "\"a,b\"", "8"},
        {"Element", "[]", "0"},
        {"Element", "[fire, fire]", "1"},
        {"u8[]", "[1, 2]", "[1 2]"},
        {"u8[]", "[]", "[]"},
        {"u8[]", "~", "[]"},
        {"u8[]", "-", "[]"},
        {"{type: \"u8[]\", default: [7]}", "-", "[7]"},
        {"{type: \"u8[]\", default: [7]}", "~", "[]"},
        {"{type: \"string[]\", single: true}", "one", "['one']"},
        {"{type: \"string[]\", single: true}", "[a, b]", "['a' 'b']"},
        {"u8[2][]", "[[1, 2], [3, 4]]", "[[1 2] [3 4]]"},
        {"u8[]@64", "[9]", "[9]"},
        {"u8?", "3", "3"},
        {"u8?", "~", "~"},
        {"u8?", "-", "~"},
        {"u8[]?", "[]", "[]"},
        {"Burn?", "{seconds: 1}", "{seconds:1 strength:3}"},
        {"Burn", "{seconds: 1, power: 9}", "{seconds:1 strength:9}"},
        {"Effect", "{damage: 3}", "damage 3"},
        {"Effect", "{burn: {seconds: 2}}", "burn {seconds:2 strength:3}"},
        {"Effect", "silence", "silence ~"},
        {"Effect", "{silence: }", "silence ~"},
        {"Effect", "{leech: [1]}", "drain [1]"},
        {"Effect", "{drain: ~}", "drain []"},
        {"Effect", "~", "~"},
        {"Effect", "-", "~"},
        {"map<u8, string>", "{2: b, 0x1: a}", "{1:'a' 2:'b'}"},
        {"map<i8, u8>", "{1: 1, -1: 2}", "{-1:2 1:1}"},
        {"map<string, u8>", "{b: 1, a: 2, null: 3, '': 4}", "{'':4 'a':2 'b':1 'null':3}"},
        {"map<bool, u8>", "{true: 1, false: 2}", "{0:2 1:1}"},
        {"map<Rarity, u8>", "{rare: 1, cursed: 2}", "{cursed:2 rare:1}"},
        {"map<i8[2], u8>", "{'1, -2': 3, \"-1,5\": 4}", "{[-1 5]:4 [1 -2]:3}"},
        {"map<f32, u8>", "{-0.0: 1, -.inf: 2}", "{-inf:2 0:1}"},
        {"map<string, map<u8, u8>>", "{a: {1: 2}, b: }", "{'a':{1:2} 'b':{}}"},
        {"Names", "[a]", "{value:['a']}"},
        {"Names", "-", "{value:[]}"},
        {"Names", "~", "{value:[]}"},
        {"Percent", "100", "{value:100}"},
        {"Percent", "-", "{value:50}"},
        {"Optional", "-", "{value:~}"},
        {"Optional", "3", "{value:3}"},
        {"Node[]", "[{children: [{name: b}]}]", "[{name:'n' children:[{name:'b' children:[]}]}]"},
        {"Bag", "{a: 1, size: 2, b: 3}", "{size:2 rest:{'a':1 'b':3}}"},
        {"Bag", "{rest: 4}", "{size:1 rest:{'rest':4}}"},
        {"Bag", "{}", "{size:1 rest:{}}"},
        {"f32[3]", "[1, 2, 3]", "[1 2 3]"},
        {"{type: \"u8?\", range: [0, 3]}", "3", "3"},
        {"{type: u8, default: 3, deprecated: true}", "4", "4"},
        {"{type: string, default: \"\"}", "-", "''"},
        {"{type: Burn, default: {seconds: 4}}", "-", "{seconds:4 strength:3}"},
        {"{type: Effect, default: {damage: 4}}", "-", "damage 4"},
        {"{type: Rarity, default: rare}", "-", "rare"},
        {"{type: f64, range: [0.5, null]}", "0.5", "0.5"},
        {"{type: i16, range: [-5, 5]}", "-5", "-5"},
        {"{type: f32, range: [0.7, 0.9]}", "0.7", "0.7"},
        {"{type: \"f32?\", range: [null, 0.1]}", "0.1", "0.1"},
        {"{type: \"u8[]\", single: true}", "!!int 3", "[3]"},
        {"Element", "[!!str ice]", "2"},
        {"bytes", "[!!int 1]", "<01>"},
        {"{type: string, range: [2, 2]}", "ab", "'ab'"},
    };
    (void)state;
    check_rows(types, rows, COUNT(rows), true);
}

static void values_that_do_not_fit_are_refused_with_the_rule(void **state)
{
    static const row rows[] = {
        {"bool", "on", "[type]"},
        {"bool", "~", "[type]"},
        {"u8", "256", "[range]"},
        {"u8", "1.0", "[type]"},
        {"u8", "[1]", "[type]"},
        {"u8", "-", "[missing]"},
        {"string", "-", "[missing]"},
        {"Burn", "-", "[missing]"},
        {"string", "~", "[type]"},
        {"string", "", "[type]"},
        {"string", "\"a\\0\"", "[text]"},
        {"string", "!x a", "[tag]"},
        {"string", "!!int 3", "[tag]"},
        {"bytes", "a", "[base64]"},
        {"bytes", "~", "[type]"},
        {"bytes", "[256]", "[type]"},
        {"bytes", "[!x 1]", "[tag]"},
        {"Element", "[!x ice]", "[tag]"},
        {"Element", "!!seq ice", "[tag]"},
        {"bytes", "[[1]]", "[type]"},
        {"Rarity", "legendary", "[enum]"},
        {"Rarity", "0", "[enum]"},
        {"Element", "a,b,c", "[flags]"},
        {"Element", "\"\"", "[flags]"},
        {"Element", "~", "[type]"},
        {"u8[]", "3", "[type]"},
        {"u8[]", "{1: 2}", "[type]"},
        {"u8[]", "[1, ~]", "[type]"},
        {"u8[2]", "[1]", "[type]"},
        {"u8[2]", "~", "[type]"},
        {"{type: \"u8[]\", required: true}", "-", "[missing]"},
        {"{type: \"u8?\", required: true}", "-", "[missing]"},
        {"{type: \"u8?\", range: [0, 3]}", "4", "[range]"},
        {"{type: \"u8[]\", range: [1, null]}", "[]", "[range]"},
        {"{type: \"u8[]\", range: [1, null]}", "~", "[range]"},
        {"{type: \"map<u8, u8>\", range: [null, 1]}", "{1: 1, 2: 2}", "[range]"},
        {"{type: bytes, range: [2, 2]}", "[1]", "[range]"},
        {"{type: f64, range: [0.5, null]}", ".nan", "[range]"},
        {"{type: i16, range: [-5, 5]}", "-6", "[range]"},
        {"Percent", "101", "[range]"},
        {"Effect", "damage", "[union]"},
        {"Effect", "{damage: 1, silence: }", "[union]"},
        {"Effect", "{silence: 0}", "[union]"},
        {"Effect", "{heal: 1}", "[union]"},
        {"map<u8, u8>", "{16: 1, 0x10: 2}", "[duplicate]"},
        {"map<Rarity, u8>", "{rare: 1, scarce: 2}", "[duplicate]"},
        {"map<f32, u8>", "{0: 1, -0.0: 2}", "[duplicate]"},
        {"map<f32, u8>", "{.nan: 1}", "[key]"},
        {"map<ref<Item>, u8>", "{a: 1, Item/a: 2}", "[duplicate]"},
        {"map<i8[2], u8>", "{'1,2,3': 1}", "[type]"},
        {"map<u8, u8>", "{~: 1}", "[type]"},
        {"Burn", "{second: 1, strength: 3}", "[unknown-key]"},
        {"Burn", "{seconds: 1, power: 2, strength: 3}", "[duplicate]"},
        {"Burn", "3", "[type]"},
        {"Burn", "!!seq {seconds: 1}", "[tag]"},
        {"ref<Item>", "\"\"", "[reference]"},
        {"ref", "a", "[reference]"},
    };
    (void)state;
    check_rows(types, rows, COUNT(rows), false);
}

static void a_diagnostic_names_the_path_of_the_value(void **state)
{
    static const row rows[] = {
        {"Node[]", "[{children: [{}, {name: []}]}]",
         "Root/x.v[0].children[1].name: expected string"},
        {"map<string, u8[]>", "{\"a b\": [1, x]}", "Root/x.v[\"a b\"][1]: expected u8"},
        {"map<u16, u8>", "{7: x}", "Root/x.v[7]: expected u8"},
        {"Effect", "{burn: {seconds: x}}", "Root/x.v.burn.seconds: expected f32"},
        {"u8[2]?", "[1, x]", "Root/x.v[1]: expected u8"},
    };
    (void)state;
    check_rows(types, rows, COUNT(rows), false);
}

static void warnings_do_not_stop_a_bake(void **state)
{
    fixture_schema f;
    bool ok;
    (void)state;
    fixture_write("s.yaml",
                  "kiln: 1\ntypes:\n  Root: {struct: {v: {type: u8?, deprecated: true, was: old}},"
                  " asset: true}\n");
    fixture_schema_init(&f, "s.yaml");
    char *text = bake(&f, "old: 3\n", &ok);
    assert_true(ok);
    assert_string_equal(text, "{v:3}");
    assert_int_equal(bake_diagnostics_warnings(f.diagnostics), 2);
    free(text);
    fixture_schema_fini(&f);
}

/* The only field of each type has a default list of two values of the next type. Without sharing,
 * the asset would have about 2^20 objects. */
static void defaults_inside_defaults_are_shared_within_a_blob(void **state)
{
    char schema[4096];
    size_t at =
        (size_t)snprintf(schema, sizeof schema, "kiln: 1\ntypes:\n  T20: {struct: {n: u8}}\n");
    fixture_schema f;
    bool ok;
    (void)state;
    for (int i = 0; i < 20; i++)
        at += (size_t)snprintf(schema + at, sizeof schema - at,
                               "  T%d: {struct: {v: {type: \"T%d[]\", default: [%s, %s]}}}\n", i,
                               i + 1, i == 19 ? "{n: 1}" : "{}", i == 19 ? "{n: 1}" : "{}");
    snprintf(schema + at, sizeof schema - at, "  Root: {struct: {v: T0}, asset: true}\n");
    fixture_write("s.yaml", schema);
    fixture_schema_init(&f, "s.yaml");
    if (f.result)
        fail_msg("%s", fixture_said(&f));
    char *text = bake(&f, "v: {}\n", &ok);
    assert_true(ok);
    free(text);
    fixture_schema_fini(&f);
}

/* A row of 40 fields. Those in `written` have a value, and the others are omitted. */
static void check_row(fixture_schema *f, const char *text, const char *tail, const int written[40])
{
    char expected[2048];
    size_t at = (size_t)snprintf(expected, sizeof expected, "{v:[{");
    for (int i = 0; i < 40; i++)
        at += (size_t)snprintf(expected + at, sizeof expected - at, "%sf%d:%d", i ? " " : "", i,
                               written[i] ? written[i] : i + 1);
    snprintf(expected + at, sizeof expected - at, " some:~ percent:{value:50} %smore:{}}]}", tail);
    bool ok;
    char *baked = bake(f, text, &ok);
    assert_true(ok);
    assert_string_equal(baked, expected);
    free(baked);
}

static void omitted_fields_have_their_defaults_at_any_position(void **state)
{
    static const char *const tails[][2] = {
        {"", ""},
        /* The default of a string is a separate object. */
        {"name: {type: string, default: n}, ", "name:'n' "},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(tails); i++) {
        char schema[4096];
        fixture_schema f;
        size_t at = (size_t)snprintf(schema, sizeof schema,
                                     "kiln: 1\ntypes:\n  Percent: {wrap: {type: u8, default: 50}}\n"
                                     "  Root: {struct: {v: \"Row[]\"}, asset: true}\n"
                                     "  Row: {struct: {");
        for (int n = 0; n < 40; n++)
            at +=
                (size_t)snprintf(schema + at, sizeof schema - at, "f%d: {type: %s, default: %d}, ",
                                 n, n % 3 ? "u8" : "u32", n + 1);
        snprintf(schema + at, sizeof schema - at,
                 "some: u8?, percent: Percent, %smore: {type: \"map<string, u8>\", rest: true}}}\n",
                 tails[i][0]);
        fixture_write("s.yaml", schema);
        fixture_schema_init(&f, "s.yaml");
        if (f.result)
            fail_msg("%s", fixture_said(&f));
        check_row(&f, "v: [{}]\n", tails[i][1], (int[40]){0});
        check_row(&f, "v: [{f0: 99}]\n", tails[i][1], (int[40]){[0] = 99});
        check_row(&f, "v: [{f39: 99, f1: 98, f2: 97, f17: 96}]\n", tails[i][1],
                  (int[40]){[39] = 99, [1] = 98, [2] = 97, [17] = 96});
        fixture_schema_fini(&f);
    }
}

static void an_asset_above_the_limit_is_reported_at_the_large_value(void **state)
{
    fixture_schema f;
    bool ok;
    (void)state;
    fixture_write("s.yaml",
                  "kiln: 1\ntypes:\n"
                  "  Root: {struct: {v: \"Row[]\"}, asset: true}\n"
                  "  Row: {struct: {x: u8?, gap: {type: Gap, default: {}}}}\n"
                  "  Gap: {struct: {a: {type: A, default: {}}, b: {type: A, default: {}}}}\n"
                  "  A: {struct: {x: u8?}, align: 4096}\n");
    fixture_schema_init(&f, "s.yaml");
    if (f.result)
        fail_msg("%s", fixture_said(&f));
    char *rows = malloc(800000);
    assert_non_null(rows);
    size_t at = (size_t)snprintf(rows, 800000, "v: [");
    for (int i = 0; i < 190000; i++)
        at += (size_t)snprintf(rows + at, 800000 - at, "{},");
    snprintf(rows + at, 800000 - at, "]\n");
    char *text = bake(&f, rows, &ok);
    assert_false(ok);
    if (!strstr(
            text,
            "Root/x.v: the value has 2334720000 bytes, more than the maximum of 2147483647 for an "
            "asset [size]"))
        fail_msg("%.300s", text);
    free(text);
    free(rows);
    fixture_schema_fini(&f);
}

/* A value as large as the largest payload makes the asset too large, which the builder reports. */
static void a_value_of_the_maximum_size_is_not_above_it(void **state)
{
    bake_values values;
    (void)state;
    memset(&values, 0, sizeof values);
    values.limits.largest_size = KILN_PAYLOAD_MAX;
    assert_true(bake_value_size_fits(&values, BAKE_NODE_NONE, NULL, KILN_PAYLOAD_MAX));
}

static void objects_nest_128_deep_and_no_deeper(void **state)
{
    (void)state;
    for (int depth = 127; depth <= 128; depth++) {
        char yaml[4096] = "v: ";
        fixture_schema f;
        bool ok;
        for (int i = 0; i < depth; i++)
            strcat(yaml, "[{n: ");
        strcat(yaml, "[]");
        for (int i = 0; i < depth; i++)
            strcat(yaml, "}]");
        fixture_write("s.yaml", "kiln: 1\ntypes:\n  Root: {struct: {v: \"N[]\"}, asset: true}\n"
                                "  N: {struct: {n: \"N[]\"}}\n");
        fixture_schema_init(&f, "s.yaml");
        char *text = bake(&f, yaml, &ok);
        assert_int_equal(ok, depth == 127);
        if (!ok)
            assert_non_null(strstr(text, "[depth]"));
        free(text);
        fixture_schema_fini(&f);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_type_accepts_the_documented_values),
        IN_FOLDER(values_that_do_not_fit_are_refused_with_the_rule),
        IN_FOLDER(a_diagnostic_names_the_path_of_the_value),
        IN_FOLDER(warnings_do_not_stop_a_bake),
        IN_FOLDER(defaults_inside_defaults_are_shared_within_a_blob),
        IN_FOLDER(omitted_fields_have_their_defaults_at_any_position),
        IN_FOLDER(an_asset_above_the_limit_is_reported_at_the_large_value),
        cmocka_unit_test(a_value_of_the_maximum_size_is_not_above_it),
        IN_FOLDER(objects_nest_128_deep_and_no_deeper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
