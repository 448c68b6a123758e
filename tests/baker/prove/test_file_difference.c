/* Differences between two files, by asset and field. */
#include "bake_call.h"

#include "file_difference.h"

static const char schema_text[] =
    "kiln: 1\nnamespace: g\ntypes:\n"
    "  Kind: {enum: [ice, fire]}\n"
    "  Can: {flags: [run, swim]}\n"
    "  Part: {struct: {size: {type: u8, default: 0}, name: {type: string, default: \"\"}}}\n"
    "  Wrap: {wrap: i32}\n"
    "  Any: {union: {part: Part, number: f64}}\n"
    "  T:\n    asset: true\n    struct:\n"
    "      b: {type: bool, default: false}\n"
    "      i: {type: i16, default: 0}\n"
    "      u: {type: u64, default: 0}\n"
    "      f: {type: f32, default: 0}\n"
    "      d: {type: f64, default: 0}\n"
    "      k: {type: Kind, default: ice}\n"
    "      c: {type: Can, default: []}\n"
    "      s: {type: string, default: \"\"}\n"
    "      w: {type: Wrap, default: 0}\n"
    "      p: {type: Part, default: {}}\n"
    "      l: \"Part[]\"\n"
    "      t: {type: \"u8[2]\", default: [0, 0]}\n"
    "      m: \"map<string, Part>\"\n"
    "      n: \"map<i32, u8>\"\n"
    "      o: \"u8?\"\n"
    "      q: \"Part?\"\n"
    "      a: Any\n"
    "      r: \"ref<T>?\"\n"
    "  O: {asset: true, struct: {x: {type: u8, default: 0}}}\n"
    "  Place: {component: true, struct: {x: {type: f32, default: 0}, to: entity, \n"
    "    at: {type: ref<T>?}}}\n"
    "  Talk: {component: true, struct: {says: \"string[]\", n: {type: u8, default: 0}}}\n"
    "files: [{match: \"*.scene.yaml\", shape: scene}]\n";

typedef struct lines {
    char text[4096];
    size_t length, count, most;
} lines;

static bool found(void *ctx, const bake_file_difference *d)
{
    lines *l = ctx;
    size_t left = sizeof l->text - l->length;
    int length = snprintf(l->text + l->length, left, "%s|%s|%s|%s\n", d->asset ? d->asset : "-",
                          d->path, d->first, d->second ? d->second : "-");
    assert_true(length > 0 && (size_t)length < left);
    l->length += (size_t)length;
    return ++l->count < l->most;
}

static bake_result compare(lines *ret_lines, size_t most, bool is_kiln, bake_failure *ret_failure)
{
    *ret_lines = (lines){.most = most};
    *ret_failure = (bake_failure){BAKE_OK, ""};
    const bake_file_differences_def def = {.first = is_kiln ? "a.kiln" : "a",
                                           .second = is_kiln ? "b.kiln" : "b",
                                           .is_kiln = is_kiln,
                                           .found = found,
                                           .ctx = ret_lines};
    return bake_file_differences(&def, ret_failure);
}

static void bake_both(const char *a, const char *b, const char *options)
{
    char words[200];
    fixture_write("s.yaml", schema_text);
    fixture_write("a.yaml", a);
    fixture_write("b.yaml", b);
    snprintf(words, sizeof words, "-q -s s.yaml -o a.kiln %s a.yaml", options);
    bake_well(words);
    snprintf(words, sizeof words, "-q -s s.yaml -o b.kiln %s b.yaml", options);
    bake_well(words);
}

static void check(const char *a, const char *b, const char *options, const char *expected)
{
    lines l;
    bake_failure failure;
    bake_both(a, b, options);
    assert_int_equal(compare(&l, 100, true, &failure), BAKE_OK);
    assert_string_equal(l.text, expected);
}

static void each_field_that_differs_is_reported(void **state)
{
    static const struct {
        const char *a, *b, *expected;
    } rows[] = {
        {"b: true", "", "b|true|false"},
        {"i: -3", "i: 4", "i|-3|4"},
        {"u: 18446744073709551615", "", "u|18446744073709551615|0"},
        {"f: 0.5", "f: -0.0", "f|0.5|-0"},
        {"d: 0.1", "d: 0.25", "d|0.10000000000000001|0.25"},
        {"k: fire", "", "k|fire|ice"},
        {"c: [run, swim]", "c: [swim]", "c|[run, swim]|[swim]"},
        {"s: \"a\\\"b\\n\"", "s: ü", "s|\"a\\\"b\\n\"|\"ü\""},
        {"w: 7", "w: -7", "w|7|-7"},
        {"p: {size: 1}", "p: {size: 2}", "p.size|1|2"},
        {"l: [{}, {name: x}]", "l: [{}, {name: y}]", "l[1].name|\"x\"|\"y\""},
        {"l: [{}, {}]", "l: [{}]", "l|2 elements|1 elements"},
        {"t: [1, 2]", "t: [1, 3]", "t[1]|2|3"},
        {"m: {\"a b\": {size: 1}}", "m: {\"a b\": {}}", "m[\"a b\"].size|1|0"},
        {"m: {x: {}}", "m: {y: {}}", "m|the key [\"x\"]|the key [\"y\"]"},
        {"n: {-5: 1, 5: 1}", "n: {-5: 1, 5: 2}", "n[5]|1|2"},
        {"o: 1", "", "o|1|null"},
        {"o: 1", "o: 2", "o|1|2"},
        {"q: {}", "", "q|a value|null"},
        {"a: {part: {}}", "a: {number: 1}", "a|part|number"},
        {"a: {part: {size: 1}}", "a: {part: {}}", "a.part.size|1|0"},
        {"r: x", "r: z", "r|T/x|T/z"},
        {"r: x", "", "r|T/x|null"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char a[300], b[300], expected[200];
        snprintf(a, sizeof a, "T: {z: {}, x: {%s}}\n", rows[i].a);
        snprintf(b, sizeof b, "T: {z: {}, x: {%s}}\n", rows[i].b);
        snprintf(expected, sizeof expected, "T/x|%s\n", rows[i].expected);
        check(a, b, "", expected);
        check(a, b, "--compress 19", expected);
        check(a, b, "--no-share", expected);
    }
}

static void entities_and_fields_of_scenes_are_reported(void **state)
{
    static const struct {
        const char *a, *b, *expected;
    } rows[] = {
        {"{name: oven, components: {Place: {x: 1}}}", "{name: oven, components: {Place: {x: 2}}}",
         "Scene/s|entity oven.g.Place.x|1|2\n"},
        {"{components: {Talk: {n: 1}}}, {components: {Talk: {n: 2}}}",
         "{components: {Talk: {n: 1}}}, {components: {Talk: {n: 3}}}",
         "Scene/s|entity 1.g.Talk.n|2|3\n"},
        {"{name: a, components: {Place: {to: a}}}, {name: b, components: {Place: {}}}",
         "{name: a, components: {Place: {to: b}}}, {name: b, components: {Place: {}}}",
         "Scene/s|entity a.g.Place.to|entity 0|entity 1\n"},
        {"{name: a, components: {Place: {to: a}}}", "{name: a, components: {Place: {}}}",
         "Scene/s|entity a.g.Place.to|entity 0|null\n"},
        {"{name: a, components: {Talk: {says: [x]}}}", "{name: a, components: {Talk: {says: [y]}}}",
         "SceneData/s|"},
        {"{name: a, components: {Talk: {says: [x]}}}", "{name: a, components: {Talk: {}}}",
         "Scene/s|entity a.g.Talk.says|element 0|empty\n"},
        {"{name: a}", "{name: b}", "Scene/s|names|the key [\"a\"]|the key [\"b\"]\n"},
        {"{name: a}", "{name: a}, {}", "Scene/s|archetypes[0].rows|1|2\n"},
    };
    (void)state;
    fixture_write("s.yaml", schema_text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int compressed = 0; compressed < 2; compressed++) {
            lines l;
            bake_failure failure;
            char text[300], words[200];
            for (int k = 0; k < 2; k++) {
                snprintf(text, sizeof text, "entities: [%s]\n", k ? rows[i].b : rows[i].a);
                fixture_write("s.scene.yaml", text);
                snprintf(words, sizeof words, "-q -s s.yaml -o %c.kiln %s s.scene.yaml", "ab"[k],
                         compressed ? "--compress 19" : "");
                bake_well(words);
            }
            assert_int_equal(compare(&l, 100, true, &failure), BAKE_OK);
            if (!strstr(l.text, rows[i].expected) || strstr(l.text, "hash"))
                fail_msg("%s: %s", rows[i].expected, l.text);
        }
}

static void several_fields_and_assets_are_reported(void **state)
{
    (void)state;
    check("T: {x: {i: 1, s: a, l: [{size: 1}, {size: 2}]}}\n",
          "T: {x: {i: 2, s: b, l: [{size: 3}, {size: 4}]}}\n", "",
          "T/x|i|1|2\nT/x|s|\"a\"|\"b\"\nT/x|l[0].size|1|3\nT/x|l[1].size|2|4\n");
    check("T: {x: {}, y: {}}\n", "T: {x: {}}\n", "", "T/y||the asset is missing|-\n");
    check("T: {x: {}}\n", "T: {x: {}}\nO: {y: {}}\n", "", "O/y||the asset is added|-\n");
}

static void nothing_more_is_reported_than_the_receiver_wants(void **state)
{
    lines l;
    bake_failure failure;
    (void)state;
    bake_both("T: {x: {i: 1, s: a}, y: {i: 1}, z: {}}\n", "T: {x: {i: 2, s: b}, y: {i: 3}}\n", "");
    for (size_t most = 1; most < 4; most++) {
        assert_int_equal(compare(&l, most, true, &failure), BAKE_OK);
        assert_int_equal(l.count, most);
    }
}

static void long_strings_are_shown_around_the_difference(void **state)
{
    char a[400], b[400], many[301];
    (void)state;
    memset(many, 'x', 300);
    many[300] = '\0';
    snprintf(a, sizeof a, "T: {x: {s: \"%s1\"}}\n", many);
    snprintf(b, sizeof b, "T: {x: {s: \"%s2\"}}\n", many);
    check(a, b, "", "T/x|s|...\"xxxxxxxxxxxxxxxxxxxx1\"|...\"xxxxxxxxxxxxxxxxxxxx2\"\n");
    lines l;
    bake_failure failure;
    snprintf(b, sizeof b, "T: {x: {s: \"2%s\"}}\n", many);
    bake_both(a, b, "");
    assert_int_equal(compare(&l, 1, true, &failure), BAKE_OK);
    assert_non_null(strstr(l.text, "xxx\"...\n"));
}

static void files_without_a_type_table_differ_by_asset(void **state)
{
    (void)state;
    check("T: {x: {b: true}}\n", "T: {x: {}}\n", "--no-types",
          "T/x||byte 0 of the payload differs|-\n");
}

static void equal_values_in_different_files_differ_by_byte(void **state)
{
    lines l;
    bake_failure failure;
    (void)state;
    bake_both("T: {x: {s: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}\n",
              "T: {x: {s: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}\n", "");
    bake_well("-q -s s.yaml -o b.kiln --compress 19 b.yaml");
    assert_int_equal(compare(&l, 100, true, &failure), BAKE_OK);
    assert_non_null(strstr(l.text, "-||byte "));
    assert_non_null(strstr(l.text, " of the file differs, but no value|-\n"));
    bake_well("-q -s s.yaml -o b.kiln --no-types b.yaml");
    assert_int_equal(compare(&l, 100, true, &failure), BAKE_OK);
    assert_string_equal(l.text, "-||the type table differs|-\n");
}

static void texts_differ_by_line(void **state)
{
    static const struct {
        const char *a, *b, *expected;
    } rows[] = {{"a\nb\nc\n", "a\nb\nd\n", "-||line 3 differs|-\n"},
                {"a\n", "a\nb\n", "-||line 2 differs|-\n"},
                {"", "a\n", "-||line 1 differs|-\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lines l;
        bake_failure failure;
        fixture_write("a", rows[i].a);
        fixture_write("b", rows[i].b);
        assert_int_equal(compare(&l, 100, false, &failure), BAKE_OK);
        assert_string_equal(l.text, rows[i].expected);
    }
}

static void every_truncation_is_rejected(void **state)
{
    lines l;
    size_t size = 0;
    bake_failure failure;
    (void)state;
    bake_both("T: {x: {b: true}}\n", "T: {x: {}}\n", "");
    char *data = fixture_read("b.kiln", &size);
    for (size_t i = 0; i < size; i += 7) {
        FILE *file = fopen("b.kiln", "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(data, 1, i, file), i);
        fclose(file);
        assert_int_equal(compare(&l, 100, true, &failure), BAKE_BUG);
    }
    free(data);
    remove("b.kiln");
    assert_int_equal(compare(&l, 100, true, &failure), BAKE_FAILED);
    assert_non_null(strstr(failure.text, "cannot read b.kiln"));
}

/* Both files have the same assets but for one byte of a row. */
static void every_failed_allocation_for_a_scene_is_reported(void **state)
{
    lines l;
    bake_failure failure;
    (void)state;
    fixture_write("s.yaml", schema_text);
    fixture_write("s.scene.yaml", "entities: [{components: {Talk: {n: 1}}}]\n");
    bake_well("-q -s s.yaml -o a.kiln --compress 19 s.scene.yaml");
    fixture_write("s.scene.yaml", "entities: [{components: {Talk: {n: 2}}}]\n");
    bake_well("-q -s s.yaml -o b.kiln --compress 19 s.scene.yaml");
    bool failed = true;
    for (long n = 0; failed; n++) {
        bake_memory_fail_at(n);
        bake_result result = compare(&l, 100, true, &failure);
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        if (result != BAKE_OK)
            assert_string_equal(failure.text, "out of memory");
    }
    assert_string_equal(l.text, "Scene/s|entity 0.g.Talk.n|1|2\n");
}

/* A difference may lose its field, because the receiver cannot do anything about memory. */
static void every_failed_allocation_is_reported(void **state)
{
    lines l;
    bake_failure failure;
    (void)state;
    bake_both("T: {x: {s: a}}\n", "T: {x: {s: b}}\n", "--compress 19");
    for (int once = 0; once < 2; once++) {
        bool failed = true;
        for (long n = 0; failed; n++) {
            (once ? bake_memory_fail_at : bake_memory_fail_after)(n);
            bake_result result = compare(&l, 100, true, &failure);
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            if (result != BAKE_OK)
                assert_string_equal(failure.text, "out of memory");
            else
                assert_int_equal(l.count, 1);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_field_that_differs_is_reported),
        TEST(entities_and_fields_of_scenes_are_reported),
        TEST(several_fields_and_assets_are_reported),
        TEST(nothing_more_is_reported_than_the_receiver_wants),
        TEST(long_strings_are_shown_around_the_difference),
        TEST(files_without_a_type_table_differ_by_asset),
        TEST(equal_values_in_different_files_differ_by_byte),
        TEST(texts_differ_by_line),
        TEST(every_truncation_is_rejected),
        TEST(every_failed_allocation_is_reported),
        TEST(every_failed_allocation_for_a_scene_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
