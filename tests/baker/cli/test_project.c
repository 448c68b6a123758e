/* Projects without memory: whichever allocation fails, no output is wrong. */
#include "failing_bake.h"

#include <sys/stat.h>

static const char project_text[] =
    "kiln: 1\nschemas: [\"*.schema.yaml\"]\ninclude: [lib]\nbundles:\n"
    "  two: {sources: [\"data/*.yaml\", \"!data/one.yaml\"], output: out/two.kiln, externs: "
    "[one],\n"
    "        base: data, source_map: out/two.json,\n"
    "        budgets: {bundle: {disk: 1M}, assets: {\"*\": {load: 100}}}}\n"
    "  one: {sources: data/one.yaml, output: out/one.kiln}\n"
    "headers: {out/all.h: {prefix: all}}\n"
    "budgets: {warn: 1%, types: {\"*\": {resident: 1G}}}\n"
    "profiles: {p: {compress: 1, bundles: {two: {dictionary: none}}}}\ndefault_profile: p\n";

static void write_project(void)
{
    fixture_write("kiln.yaml", project_text);
    fixture_write("s.schema.yaml",
                  "kiln: 1\ntypes: {T: {struct: {n: u8, other: \"ref<T>?\"}, asset: true}}\n");
    assert_int_equal(mkdir("data", 0700), 0);
    fixture_write("data/one.yaml", "T: {a: {n: 1}}\n");
    fixture_write("data/two.yaml", "T: {b: {n: 1, other: a}}\n");
}

/* Fails each allocation of a run in turn. Each run ends with "out of memory", or as usual if it
 * does not need the memory. */
static void fail_each(const char *arguments, int usual)
{
    bool failed = true;
    size_t failures = 0;
    for (long n = failing_first(); failed; n += failing_every()) {
        int code;
        char *err;
        failed = failing_once(n, arguments, &code, &err);
        if (code != usual && (code != 2 || !strstr(err, "out of memory")))
            fail_msg("%s: allocation %ld: exit code %d: %s", arguments, n, code, err);
        failures += code == 2;
        free(err);
    }
    assert_true(failures >= test_share_of(4));
}

static void any_allocation_of_a_project_can_fail(void **state)
{
    static const char *const rows[] = {"check",
                                       "build --force",
                                       "build",
                                       "build two --profile p",
                                       "list-outputs",
                                       "why",
                                       "why one",
                                       "budget --force",
                                       "budget --history h --commit c",
                                       "budget --format csv",
                                       "budget --format json",
                                       "clean"};
    (void)state;
    write_project();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fail_each(rows[i], 0);
}

/* The contents of data/one.yaml before and after a change, and of data/three.yaml, which exists
 * where its text is not NULL. With `changes_data`, the data of a payload change, too. */
typedef struct partial_row {
    const char *more; /* settings of the bundle */
    const char *one[2], *three[2];
    const char *expected;
    bool changes_data;
} partial_row;

static const partial_row partial_rows[] = {
    {"",
     {"T: {a: {n: 100%ld, other: c}}\n", "T: {a: {n: 200%ld, other: c}}\n"},
     {NULL, NULL},
     "baked 2 of 3 assets, parsed 2 of 2 files\n",
     false},
    {", compress: 1",
     {"T: {a: {n: 100%ld, other: b}}\n", "T: {a: {n: 100%ld, other: c}}\n"},
     {"T: {d: {n: 1, abstract: true, other: b}}\n", NULL},
     "baked 2 of 3 assets, parsed 2 of 2 files\n",
     false},
    {"",
     {"T: {a: {n: 100%ld}}\n", "T: {a: {n: 100%ld}, f: {n: 3, parent: d}}\n"},
     {NULL, "T: {d: {n: 1, abstract: true, other: b}, e: {n: 2}}\n"},
     "baked 3 of 6 assets, parsed 2 of 3 files\n",
     false},
    {", source_map: x.map, no_share: true",
     {"T:\n  a: {n: 100%ld}\n  d: {n: 2, other: b}\n  e: {n: 1}\n",
      "T:\n  a: {n: 200%ld}\n\n  d: {n:  2, other: b}\n  e: {n: 1}\n"},
     {NULL, NULL},
     "baked 2 of 5 assets, parsed 2 of 2 files, mapped 1 asset again\n",
     false},
    {", dangling: warn, budgets: {warn: 1%, bundle: {disk: 9000}}",
     {"T: {a: {n: 100%ld, other: c, data: !file x.bin}}\n",
      "T: {a: {n: 200%ld, other: c}, g: {n: 1, data: !file x.bin}}\n"},
     {"renames: {T: {old: a}}\nT: {d: {n: 1, other: none}}\n",
      "renames: {T: {old: b}}\nT: {d: {n: 1, other: none}}\n"},
     "baked 4 of 5 assets, parsed 3 of 3 files\n",
     false},
    {"",
     {"T: {a: {n: 100%ld, data: !file x.bin}}\n", "T: {a: {n: 100%ld, data: !file x.bin}}\n"},
     {"T: {d: {n: 1, data: !file x.bin}}\n", "T: {d: {n: 1, data: !file x.bin}}\n"},
     "baked 2 of 4 assets, parsed 2 of 3 files\n",
     true},
};

static void write_partial(const partial_row *row, int after, long n)
{
    char text[120];
    snprintf(text, sizeof text, row->one[after], n);
    fixture_write("data/one.yaml", text);
    unlink("data/three.yaml");
    fixture_write("data/x.bin", row->changes_data && after ? "other data" : "data of a payload");
    if (row->three[after])
        fixture_write("data/three.yaml", row->three[after]);
}

/* The next bake is a partial one. Afterwards the outputs must be that of a complete bake. */
static void check_complete(bool has_map)
{
    static const char *const paths[] = {"x.kiln", "x.map"};
    char *before[2] = {NULL, NULL};
    size_t sizes[2], size, count = has_map ? 2 : 1;
    assert_int_equal(bake_code("build -q", NULL), 0);
    for (size_t i = 0; i < count; i++)
        before[i] = fixture_read(paths[i], &sizes[i]);
    assert_int_equal(bake_code("build -q --force", NULL), 0);
    for (size_t i = 0; i < count; i++) {
        char *after = fixture_read(paths[i], &size);
        assert_int_equal(sizes[i], size);
        assert_memory_equal(before[i], after, size);
        free(before[i]);
        free(after);
    }
}

static void fail_partial(const partial_row *row, const char *why)
{
    bool failed = true, failed_why = false, why_fails = true, hint_fails = true;
    for (long n = failing_first(); failed; n += failing_every()) {
        char *err;
        int code;
        write_partial(row, 0, n);
        assert_int_equal(bake_code("build -q --force", NULL), 0);
        write_partial(row, 1, n);
        /* A bake allocates more often than the other commands. */
        if (why_fails) {
            why_fails = failing_once(n, why, &code, &err);
            assert_true(code == 0 || (why_fails && strstr(err, "out of memory")));
            failed_why |= why_fails;
            free(err);
        }
        /* The suggestion needs the memo. */
        if (hint_fails) {
            hint_fails = failing_once(n, "why T/zz", &code, &err);
            assert_true(strstr(err, "neither an output") ||
                        (hint_fails && strstr(err, "out of memory")));
            free(err);
        }
        failed = failing_once(n, "build -v", &code, &err);
        assert_true(code == 0 || (failed && strstr(err, "out of memory")));
        if (!failed && !strstr(err, row->expected))
            fail_msg("%s is not in %s", row->expected, err);
        free(err);
        check_complete(strstr(row->more, "map") != NULL);
    }
    assert_true(failed_why);
}

/* After a change of some sources, the other assets are not baked again. Whichever allocation fails
 * then, the output is that of a complete bake. */
static void any_allocation_of_a_partial_bake_can_fail(void **state)
{
    char text[160];
    (void)state;
    fixture_write("s.yaml", "kiln: 1\ntypes: {T: {struct: {n: u32, other: \"ref<T>?\", data: "
                            "{type: \"payload?\", inherit: never, default: null}}, asset: true, "
                            "inherit: true}}\n");
    assert_int_equal(mkdir("data", 0700), 0);
    fixture_write("data/two.yaml", "T: {b: {n: 70000, other: c, parent: a}, c: {n: 3}}\n");
    for (size_t i = 0; i < sizeof partial_rows / sizeof *partial_rows; i++) {
        snprintf(
            text, sizeof text,
            "kiln: 1\nschemas: s.yaml\nbundles: {x: {sources: data/*.yaml, output: x.kiln%s}}\n",
            partial_rows[i].more);
        fixture_write("kiln.yaml", text);
        fail_partial(&partial_rows[i], "why T/a T/b T/c");
    }
}

/* The third file patches an asset of another file, and deletes one. */
static void any_allocation_of_a_partial_bake_with_patches_can_fail(void **state)
{
    static const partial_row row = {
        "",
        {"T: {a: {n: 100%ld}, d: {n: 5}}\n", "T: {a: {n: 100%ld}, d: {n: 5}}\n"},
        {"T: {b: {n: 7}, d: null}\n", "T: {b: {n: 8}, d: null}\n"},
        "baked 1 of 3 assets, parsed 3 of 3 files\n",
        false};
    (void)state;
    fixture_write("s.yaml", "kiln: 1\ntypes: {T: {struct: {n: u32}, asset: true, inherit: true}}\n"
                            "files: [{match: three.yaml, shape: kinds, patch: true}]\n");
    assert_int_equal(mkdir("data", 0700), 0);
    fixture_write("data/two.yaml", "T: {b: {n: 70000, parent: a}, c: {n: 3}}\n");
    fixture_write(
        "kiln.yaml",
        "kiln: 1\nschemas: s.yaml\nbundles: {x: {sources: data/*.yaml, output: x.kiln}}\n");
    fail_partial(&row, "why T/a T/b T/c");
}

static const partial_row scene_rows[] = {
    {"",
     {"Scene: {a: {entities: [{base: p, components: {C: {n: 100%ld}}}]}}\n",
      "Scene: {a: {entities: [{base: p, components: {C: {n: 200%ld, label: y}}}]}}\n"},
     {NULL, NULL},
     "baked 2 of 4 assets, parsed 3 of 3 files\n",
     false},
    {", source_map: x.map",
     {"T: {d: {n: %ld}}\nScene:\n  a: {entities: [{name: e, base: p}]}\n",
      "T: {d: {n: 2%ld}}\n\nScene:\n  a: {entities:  [{name: e, base: p}]}\n"},
     {NULL, "Scene: {v: {entities: [{components: {C: {n: 3, to: \"a#e\"}}}]}}\n"},
     "baked 2 of 6 assets, parsed 4 of 4 files, mapped 2 assets again\n",
     false},
};

static void any_allocation_of_a_partial_bake_of_scenes_can_fail(void **state)
{
    char text[160];
    (void)state;
    fixture_write("s.yaml", "kiln: 1\ntypes:\n"
                            "  T: {struct: {n: u32, other: \"ref<T>?\"}, asset: true}\n"
                            "  C: {struct: {n: u32, label: {type: string, default: x}, to: "
                            "entity}, component: true}\n"
                            "files:\n  - {match: \"*.scene.yaml\", shape: scene}\n"
                            "  - {match: \"*.prefabs.yaml\", shape: prefabs}\n");
    assert_int_equal(mkdir("data", 0700), 0);
    fixture_write("data/two.yaml", "T: {c: {n: 3}}\nScene: {s: {scenes: [{scene: a}]}, u: "
                                   "{entities: [{name: e, components: {C: {n: 1}}}]}}\n");
    fixture_write("data/x.prefabs.yaml", "p: {components: {C: {n: 1}}}\n");
    for (size_t i = 0; i < sizeof scene_rows / sizeof *scene_rows; i++) {
        snprintf(
            text, sizeof text,
            "kiln: 1\nschemas: s.yaml\nbundles: {x: {sources: data/*.yaml, output: x.kiln%s}}\n",
            scene_rows[i].more);
        fixture_write("kiln.yaml", text);
        fail_partial(&scene_rows[i], "why Scene/s Scene/u");
    }
}

static void any_allocation_of_a_broken_project_can_fail(void **state)
{
    static const char *const rows[] = {
        "kiln: 1\nbundles: {a: {sorces: x, output: ./x, compress: 99, dictionary: tpye}}\n",
        "kiln: 1\nbudgets: {asets: {}, types: {a: {disc: 1, disk: 1x}}, warn: 0%}\n",
        "kiln: 1\nschemas: s.yaml\nbundles: {a: {sources: \"*\", output: x, externs: b}, b: "
        "{sources: "
        "y, output: x, externs: [a, c]}}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture_write("kiln.yaml", rows[i]);
        fail_each("check", 1);
    }
}

/* Either the whole example is written or none of its files. */
static void any_allocation_of_init_can_fail(void **state)
{
    bool failed = true;
    (void)state;
    for (long n = failing_first(); failed; n += failing_every()) {
        char arguments[40], path[80], *err;
        int code;
        snprintf(arguments, sizeof arguments, "init d%ld", n);
        failed = failing_once(n, arguments, &code, &err);
        if (code != 0 && (code != 2 || !strstr(err, "out of memory")))
            fail_msg("allocation %ld: exit code %d: %s", n, code, err);
        free(err);
        snprintf(path, sizeof path, "d%ld/schemas/game.schema.yaml", n);
        assert_int_equal(access(path, F_OK) == 0, code == 0);
        snprintf(path, sizeof path, "d%ld/kiln.yaml", n);
        assert_int_equal(access(path, F_OK) == 0, code == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_allocation_of_a_project_can_fail, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(any_allocation_of_a_partial_bake_can_fail, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(any_allocation_of_a_partial_bake_with_patches_can_fail,
                                        fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(any_allocation_of_a_partial_bake_of_scenes_can_fail,
                                        fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(any_allocation_of_init_can_fail, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(any_allocation_of_a_broken_project_can_fail, fixture_enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
