/* Several threads give the same files, messages and exit codes as one, also if memory runs out. */
#include "failing_bake.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char schema[] =
    "kiln: 1\n"
    "importers: {copy: {command: [sh, -c, 'cat \"$0\" && cp in/fresh in/z.items.yaml'], output: "
    "yaml}}\n"
    "types:\n"
    "  Part: {union: {one: Other, none: null}, by: {key: type}}\n"
    "  Other: {struct: {n: u8, to: ref<Item>}}\n"
    "  Item: {asset: true, inherit: true, struct: {name: {type: string, default: none}, price: "
    "{type: u8, default: 1, was: cost}, parts: {type: \"Part[]\", default: [], inherit: merge}, "
    "next: {type: ref<Item>?, default: null}}}\n"
    "  Place: {component: true, struct: {x: f32, item: ref<Item>}}\n"
    "files:\n"
    "  - {match: \"*.items.yaml\", shape: map, type: Item}\n"
    "  - {match: \"*.scene.yaml\", shape: scene}\n"
    "  - {match: \"*.copied\", import: copy, shape: map, type: Item}\n";

typedef struct text_file {
    const char *path, *text;
} text_file;

static const text_file good[] = {
    {"in/a.items.yaml", "a: {name: A, parts: [{type: one, n: 1, to: b}, {type: none}]}\n"
                        "b: {parent: a, price: 4}\nc: {parent: b, next: a}\n"},
    {"in/b.items.yaml", "d: {parent: c, parts: [{type: one, n: 2, to: e}]}\ne: {next: f}\n"},
    {"in/c.items.yaml", "f: {parent: a}\ng: {parent: f, name: G}\nh: {next: g}\ni: {}\nj: {}\n"},
    {"in/d.scene.yaml", "entities: [{components: {Place: {x: 1, item: a}}}]\n"},
    {"in/e.items.yaml", "k: {parent: d}\nl: {next: k}\n"},
    {"in/f.items.yaml", ""},
};

/* One mistake of each kind that helpers leave to the main thread. */
static const text_file bad[] = {
    {"in/a.items.yaml", "a: {name: A, cost: 2, parts: [{type: one, n: 900, to: b}]}\n"
                        "b: {parent: a, price: 4}\nc: {parent: b, next: nobody}\n"},
    {"in/b.items.yaml", "d: {parent: c, unknown: 1}\ne: {next: f}\n"},
    {"in/c.items.yaml", "broken: [\n"},
    {"in/d.scene.yaml", "entities: [{components: {Place: {x: 1, item: q}}}]\n"},
    {"in/e.items.yaml", "k: {parent: d}\nk: {next: k}\n"},
    {"in/f.items.yaml", "e: {next: nobody}\nm: {next: nobody}\n"},
};

static void write_project(const text_file *files, size_t count)
{
    assert_int_equal(system("rm -rf in && mkdir in"), 0);
    fixture_write("s.yaml", schema);
    for (size_t i = 0; i < count; i++)
        fixture_write(files[i].path, files[i].text);
}

typedef struct outcome {
    int code;
    char *err, *file, *depfile;
    size_t size, depfile_size;
} outcome;

static outcome bake(int jobs, const char *options)
{
    char arguments[256];
    outcome made = {0};
    snprintf(arguments, sizeof arguments, "-j %d -s s.yaml -C in -o o.kiln -MD %s .", jobs,
             options);
    remove("o.kiln");
    remove("o.d");
    made.code = bake_code(arguments, &made.err);
    made.file = fixture_read("o.kiln", &made.size);
    made.depfile = fixture_read("o.d", &made.depfile_size);
    return made;
}

static void outcome_fini(outcome *of)
{
    free(of->err);
    free(of->file);
    free(of->depfile);
}

static bool is_same(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return !a == !b && a_size == b_size && (!a || memcmp(a, b, a_size) == 0);
}

static void compare(const char *options, int expected)
{
    static const int jobs[] = {2, 3, 8, 64};
    outcome one = bake(1, options);
    if (one.code != expected)
        fail_msg("%s: exit code %d\n%s", options, one.code, one.err);
    for (size_t i = 0; i < COUNT(jobs); i++) {
        outcome many = bake(jobs[i], options);
        assert_int_equal(many.code, one.code);
        assert_string_equal(many.err, one.err);
        if (!is_same(one.file, one.size, many.file, many.size) ||
            !is_same(one.depfile, one.depfile_size, many.depfile, many.depfile_size))
            fail_msg("%s: -j %d writes other bytes", options, jobs[i]);
        outcome_fini(&many);
    }
    outcome_fini(&one);
}

static void every_number_of_threads_gives_the_same_file_and_messages(void **state)
{
    static const char *const options[] = {"",           "-v",          "--dangling warn",
                                          "--no-share", "--no-types",  "--source-map o.map",
                                          "-n",         "--compress 3"};
    (void)state;
    write_project(good, COUNT(good));
    for (size_t i = 0; i < COUNT(options); i++)
        compare(options[i], 0);
    write_project(bad, COUNT(bad));
    for (size_t i = 0; i < COUNT(options); i++)
        compare(options[i], 1);
    compare("--max-errors 2", 1);
    compare("--diagnostics json", 1);
}

/* More assets, and more bytes, than threads may be ahead while one of them bakes a scene. */
static void threads_wait_for_their_turn(void **state)
{
    enum { ASSETS = 5000, ENTITIES = 2000, NAME = 450 };
    (void)state;
    write_project(good, COUNT(good));
    FILE *items = fopen("in/y.items.yaml", "w"), *scene = fopen("in/y.scene.yaml", "w");
    assert_true(items && scene);
    for (int i = 0; i < ASSETS; i++)
        fprintf(items, "y%d: {price: %d, name: \"%0*d\"}\n", i, i % 200, NAME, i);
    fputs("entities:\n", scene);
    for (int i = 0; i < ENTITIES; i++)
        fprintf(scene, "- {components: {Place: {x: %d, item: y%d}}}\n", i, i);
    assert_int_equal(fclose(items), 0);
    assert_int_equal(fclose(scene), 0);
    compare("", 0);
}

static void files_that_cannot_be_read_fail_in_order(void **state)
{
    (void)state;
    write_project(good, COUNT(good));
    compare("b1.items.yaml", 2);
    char large[3000];
    memset(large, '#', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    fixture_write("in/c1.items.yaml", large);
    compare("", 0);
    compare("--max-input 2500", 2);
    compare("--max-input 2500 b1.items.yaml", 2);
}

static void assets_that_need_files_are_the_same(void **state)
{
    (void)state;
    write_project(good, COUNT(good));
    fixture_write("in/g.items.yaml",
                  "n: {name: !file n.txt}\no: {name: !file n.txt}\np: {next: n}\n");
    fixture_write("in/n.txt", "from a file");
    compare("", 0);
    fixture_write("in/n.txt", "not UTF-8: \xff");
    compare("", 1);
}

/* The importer of m.copied replaces z.items.yaml, which is read later. */
static void no_input_is_read_before_an_earlier_importer_ends(void **state)
{
    (void)state;
    for (int jobs = 1; jobs <= 8; jobs++) {
        write_project(good, COUNT(good));
        fixture_write("in/m.copied", "m: {}\n");
        fixture_write("in/z.items.yaml", "z: {name: stale}\n");
        fixture_write("in/fresh", "z: {name: fresh}\n");
        char arguments[128];
        snprintf(arguments, sizeof arguments, "-q -j %d -s s.yaml -o o.kiln in", jobs);
        bake_well(arguments);
        size_t size = 0;
        char *file = fixture_read("o.kiln", &size);
        assert_non_null(file);
        bool is_fresh = false, is_stale = false;
        for (size_t i = 0; i + 5 <= size; i++) {
            is_fresh |= memcmp(file + i, "fresh", 5) == 0;
            is_stale |= memcmp(file + i, "stale", 5) == 0;
        }
        free(file);
        assert_true(is_fresh);
        assert_false(is_stale);
    }
}

static void every_failing_allocation_of_several_threads_is_reported(void **state)
{
    (void)state;
    write_project(good, COUNT(good));
    failing_bake("-q -j 3 -s s.yaml -C in -o o.kiln .", 0);
    write_project(bad, COUNT(bad));
    failing_bake("-q -j 3 -s s.yaml -C in -o o.kiln .", 1);
}

static void a_wrong_number_of_threads_is_an_error(void **state)
{
    static const char *const wrong[] = {"0", "65", "-1", "x", "2x", "99999999999999999999"};
    (void)state;
    write_project(good, COUNT(good));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char arguments[128], expected[128], *err;
        snprintf(arguments, sizeof arguments, "check -j %s -s s.yaml in", wrong[i]);
        snprintf(expected, sizeof expected,
                 "kiln-bake: --jobs takes a number from 1 to 64, not '%s'\n", wrong[i]);
        assert_int_equal(bake_code(arguments, &err), 2);
        assert_string_equal(err, expected);
        free(err);
    }
    bake_well("check -q -j64 -s s.yaml -C in .");
    bake_well("check -q --jobs=1 -s s.yaml -C in .");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)
    const struct CMUnitTest tests[] = {
        TEST(every_number_of_threads_gives_the_same_file_and_messages),
        TEST(threads_wait_for_their_turn),
        TEST(files_that_cannot_be_read_fail_in_order),
        TEST(assets_that_need_files_are_the_same),
        TEST(no_input_is_read_before_an_earlier_importer_ends),
        TEST(every_failing_allocation_of_several_threads_is_reported),
        TEST(a_wrong_number_of_threads_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
