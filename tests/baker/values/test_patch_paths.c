/* Compares patches that change nested values by path with the same assets written out. */
#include "failing_bake.h"
#include "same_bake.h"

static const char types[] =
    "  Vec: {struct: {x: {type: i32, default: 0}, y: {type: i32, default: 0}}, tuple: true}\n"
    "  Tint: {struct: {r: u8, g: u8, b: u8}, colour: true}\n"
    "  Part: {union: {vec: Vec, lamp: Lamp, none: }, by: {key: type}}\n"
    "  Lamp: {struct: {on: {type: bool, default: false}, all: {type: 'string[]', inherit: "
    "merge}}}\n"
    "  Mood: {union: {angry: u8, at: Vec}, by: tag}\n"
    "  Wrapped: {wrap: Vec}\n"
    "  Item:\n"
    "    struct:\n"
    "      name: {type: string, default: thing, was: title}\n"
    "      at: {type: Vec, default: {x: 7, y: 8}}\n"
    "      home: {type: Wrapped, default: {x: 5}}\n"
    "      tint: {type: Tint, default: '#010203'}\n"
    "      own: {type: Vec, default: {x: 9}, inherit: never}\n"
    "      sum: {type: Vec, default: {x: 9}, inherit: merge}\n"
    "      all: {type: 'string[]', inherit: merge}\n"
    "      parts: {type: 'Part[]', inherit: merge}\n"
    "      plain: {type: 'Part[]', single: true}\n"
    "      moods: 'Mood[]'\n"
    "      mood: Mood\n"
    "      may: Vec?\n"
    "      three: {type: 'Vec[3]', default: [[1, 1], [2, 2], [3, 3]]}\n"
    "      prices: {type: 'map<string, Vec>', inherit: merge}\n"
    "      numbers: 'map<i8, u8[]>'\n"
    "      a.b: {type: u8, default: 0}\n"
    "    asset: true\n"
    "    inherit: true\n"
    "  Plain: {struct: {a: {type: u8, default: 0}, at: {type: Vec, default: {}}}, asset: true}\n"
    "  Many: {wrap: 'Vec[]', asset: true}\n";

#define LIST                                                                                       \
    "files:\n  - {match: 'p*', shape: list, by: type, patch: true, paths: true}\n"                 \
    "  - {match: 'q*', shape: list, by: type, patch: true}\n  - {shape: list, by: type}\n"
#define KINDS                                                                                      \
    "files:\n  - {match: 'p*', shape: kinds, patch: true, paths: true}\n  - {shape: kinds}\n"
#define APART                                                                                      \
    "files:\n"                                                                                     \
    "  - {match: 'p*', shape: list, type: Item, patch: {path: way, value: to, id: of}}\n"          \
    "  - {shape: kinds}\n"

static void only_the_value_at_the_path_changes(void **state)
{
    (void)state;
    static const same_row rows[] = {
        /* Fields of structs. A struct may be written as a mapping, in another form, as null, or not
         * at all. */
        {KINDS,
         {{"in/a.yaml", "Item: {a: {at: {x: 1, y: 2}}, b: {at: '1,2'}, c: {}, d: {at: ~}, e: {at: "
                        "[1]}, f: {tint: red}}\nPlain: {a: {a: 1, at: {x: 2, y: 3}}}\n"},
          {"in/p.yaml", "Item: {a: {at.x: 3}, b: {at.y: 4}, c: {at.y: 4, home.x: 6, home.y: 7}, d: "
                        "{at.x: 0}, e: {at.y: 3}, f: {tint.g: 9}}\nPlain: {a: {at.x: 5, a: 3}}\n"}},
         "Item: {a: {at: {x: 3, y: 2}}, b: {at: {x: 1, y: 4}}, c: {at: {x: 7, y: 4}, home: {x: 6, "
         "y: 7}}, d: {at: {x: 0, y: 8}}, e: {at: {x: 1, y: 3}}, f: {tint: {r: 255, g: 9, b: 0}}}\n"
         "Plain: {a: {a: 3, at: {x: 5, y: 3}}}\n"},
        /* Elements by index and by alternative, with or without the alternative's name in the path.
         */
        {KINDS,
         {{"in/a.yaml", "Item:\n  a: {plain: [{type: vec, x: 1}, none, {type: vec, x: 2}, {type: "
                        "lamp}], all: [a, b], moods: [angry: 1, !type:at {x: 3}]}\n"
                        "  b: {plain: {type: vec, x: 1}, mood: !type:at '3,4'}\n"
                        "Many: {m: [[1, 2], '3,4']}\n"},
          {"in/p.yaml", "Item:\n  a: {'plain[2].x': 5, 'plain[vec].vec.y': 6, 'plain[lamp].on': "
                        "true, 'plain[1]': {type: vec}, 'all[1]': c, 'moods[0].angry': 7, "
                        "'moods[at].y': 8}\n"
                        "  b: {'plain[0].y': 3, mood.x: 8}\n"
                        "Many: {m: {'[1].x': 5}}\n"}},
         "Item:\n  a: {plain: [vec: {x: 1, y: 6}, vec: {}, vec: {x: 5}, lamp: {on: true}], all: "
         "[a, c], moods: [angry: 7, at: {x: 3, y: 8}]}\n"
         "  b: {plain: [vec: {x: 1, y: 3}], mood: {at: {x: 8, y: 4}}}\n"
         "Many: {m: [{x: 1, y: 2}, {x: 5, y: 4}]}\n"},
        /* Map entries, fixed arrays, optionals, names with dots, and quotes. */
        {KINDS,
         {{"in/a.yaml", "Item: {a: {prices: {a: {x: 1}, 'b.c]': [2], '\"\\': {}}, numbers: {0x10: "
                        "[1, 2], -1: [3]}, may: {x: 1}, three: [[1, 2], [3, 4], [5, 6]]}}\n"},
          {"in/p.yaml", "Item: {a: {'prices[a].y': 2, 'prices[\"b.c]\"].x': 3, "
                        "'prices[\"\\\"\\\\\"].y': 4, 'numbers[16][1]': 5, 'numbers[-0x1]': [6], "
                        "may.y: 7, 'three[2].x': 8, a.b: 9, '\"at\".x': 0}}\n"}},
         "Item: {a: {prices: {a: {x: 1, y: 2}, 'b.c]': {x: 3}, '\"\\': {y: 4}}, numbers: {16: [1, "
         "5], -1: [6]}, may: {x: 1, y: 7}, three: [[1, 2], [3, 4], [8, 6]], a.b: 9, at: {x: 0, y: "
         "8}}}\n"},
        /* Paths and values under separate keys. The later of two changes to the same value wins. */
        {APART,
         {{"in/a.yaml", "Item: {a: {at: {x: 1}, all: [a]}, b: {}}\n"},
          {"in/p.yaml", "- {of: a, way: at.x, to: 2}\n- {of: a, way: at.x, to: 3}\n"
                        "- {of: a, way: at, to: {y: 4}}\n- {of: a, way: at.x, to: 5}\n"
                        "- {of: a, way: all, to: [b]}\n- {way: name, to: bee, of: b}\n"}},
         "Item: {a: {at: {x: 5, y: 4}, all: [b, a]}, b: {name: bee}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void paths_override_inherited_values(void **state)
{
    (void)state;
    static const same_row rows[] = {
        /* Indices refer to the merged list. Assets that inherit the list get the change, too. */
        {LIST,
         {{"in/a.yaml",
           "- {type: Item, id: a, all: [a], at: {x: 1}, own: {x: 2}, prices: {k: {x: 1}},\n"
           "   parts: [{type: lamp, all: [m]}, {type: vec, x: 1}]}\n"
           "- {type: Item, id: b, parent: a, all: [b], parts: [{type: vec, y: 2}]}\n"
           "- {type: Item, id: c, parent: b, at: {y: 9}}\n"},
          {"in/p.yaml", "- {type: Item, id: b, 'all[1]': z, at.y: 3, own.y: 4, 'parts[vec].x': 5, "
                        "'parts[1].on': true, 'parts[lamp].all': [n], 'prices[k].y': 6}\n"}},
         "Item:\n"
         "  a: {all: [a], at: {x: 1}, own: {x: 2}, prices: {k: {x: 1}}, parts: [lamp: {all: [m]}, "
         "vec: {x: 1}]}\n"
         "  b: {all: [b, z], at: {x: 1, y: 3}, own: {x: 9, y: 4}, prices: {k: {x: 1, y: 6}}, "
         "parts: [vec: {x: 5, y: 2}, lamp: {on: true, all: [n]}]}\n"
         "  c: {all: [b, z], at: {y: 9}, prices: {k: {x: 1, y: 6}}, parts: [vec: {x: 5, y: 2}, "
         "lamp: {on: true, all: [n]}]}\n"},
        /* A null hides the values that the parents of its asset have. */
        {LIST,
         {{"in/a.yaml", "- {type: Item, id: a, sum: {x: 1, y: 1}}\n"
                        "- {type: Item, id: b, parent: a, sum: ~}\n"
                        "- {type: Item, id: c, parent: b, sum: {y: 2}}\n"},
          {"in/p.yaml", "- {type: Item, id: c, sum.y: 3}\n"}},
         "Item: {a: {sum: {x: 1, y: 1}}, b: {sum: {x: 9}}, c: {sum: {x: 0, y: 3}}}\n"},
        /* An element without fields is inherited like one with fields. */
        {LIST,
         {{"in/a.yaml", "- {type: Item, id: a, parts: [lamp: {}]}\n"
                        "- {type: Item, id: b, parent: a, parts: [{type: lamp, all: [x]}]}\n"},
          {"in/p.yaml", "- {type: Item, id: b, 'parts[lamp].on': true, 'parts[0].all[0]': y}\n"}},
         "Item: {a: {parts: [lamp: {}]}, b: {parts: [lamp: {on: true, all: [y]}]}}\n"},
        /* Later patches override earlier ones, with or without paths. */
        {LIST,
         {{"in/a.yaml", "- {type: Item, id: a, at: {x: 1, y: 1}, all: [a]}\n"},
          {"in/p1.yaml", "- {type: Item, id: a, at.x: 2, 'all[0]': b}\n"},
          {"in/p3.yaml", "- {type: Item, id: a, at.y: 4, name: last, all: [c]}\n"},
          {"in/q1.yaml", "- {type: Item, id: a, name: first}\n"}},
         "Item: {a: {at: {x: 2, y: 4}, name: first, all: [b, a]}}\n"},
        {LIST,
         {{"in/a.yaml", "- {type: Item, id: a, at: {x: 1, y: 1}}\n"},
          {"in/p.yaml", "- {type: Item, id: a, at.x: 2}\n"},
          {"in/q.yaml", "- {type: Item, id: a, at: {y: 3}}\n"}},
         "Item: {a: {at: {y: 3}}}\n"},
        /* An abstract asset, a parent set by a patch, and an asset that a patch deletes. */
        {LIST,
         {{"in/a.yaml", "- {type: Item, id: a, abstract: true, at: {x: 1}}\n"
                        "- {type: Item, id: b}\n- {type: Item, id: c}\n"},
          {"in/p.yaml", "- {type: Item, id: a, at.y: 2}\n- {type: Item, id: b, parent: a, at.x: "
                        "3}\n- {type: Item, delete: c}\n"}},
         "Item: {b: {at: {x: 3, y: 2}}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void expect_error(const char *said)
{
    char *out, *err;
    assert_int_equal(bake_call("-q -s s.yaml -C in -o x.kiln .", &out, &err), 1);
    if (!strstr(err, said) || !strstr(err, "\n1 error\n"))
        fail_msg("expected only %s in\n%s", said, err);
    free(out);
    free(err);
}

/* The missing value could come from the unknown parent, so only the parent is reported. */
static void only_the_unknown_parent_is_reported(void **state)
{
    (void)state;
    static const same_row row = {
        LIST,
        {{"in/a.yaml", "- {type: Item, id: a, parent: gone, all: [x], mood: ~}\n"},
         {"in/p.yaml", "- {type: Item, id: a, 'all[3]': b, mood.x: 1, 'prices[k].x': 2, 'may.x': "
                       "3, 'parts[vec].x': 4}\n"}},
        NULL};
    same_write(types, &row);
    expect_error("in/a.yaml:1:31: error: Item/a: unknown Item \"gone\" [parent]");
}

/* An error in a value is reported, whether or not a path changes something inside. */
static void errors_in_a_changed_value_are_reported(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"mood: !foo {at: {x: 1}}", "error: Item/a.mood: unknown tag !foo"},
        {"parts: [!foo {type: vec, x: 1}]", "error: Item/a.parts[0].vec: unknown tag !foo"},
        {"three: !foo [[1], [2], [3]]", "error: Item/a.three: unknown tag !foo"},
        {"parts: [{type: vec, z: 1}]", "game.Vec has no field \"z\" [unknown-key]"},
        {"at: {x: 1, y: a}", "expected i32, found \"a\""},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char text[200];
        same_row row = {LIST,
                        {{"in/p.yaml", "- {type: Item, id: a, mood.x: 1, 'parts[0].x': 1, "
                                       "'three[0]': [7], at.x: 1}\n"}},
                        NULL};
        bool is_part = strncmp(wrong[i][0], "parts", 5) == 0;
        bool is_mood = strncmp(wrong[i][0], "mood", 4) == 0;
        same_write(types, &row);
        snprintf(text, sizeof text, "- {type: Item, id: a, %s%s%s}\n", wrong[i][0],
                 is_part ? "" : ", parts: [{type: vec}]", is_mood ? "" : ", mood: {at: {}}");
        fixture_write("in/a.yaml", text);
        expect_error(wrong[i][1]);
    }
}

/* An asset that inherits a patched value may itself lack the value at the path. */
static void a_change_that_does_not_fit_a_child_is_reported(void **state)
{
    (void)state;
    static const same_row row = {
        LIST,
        {{"in/a.yaml", "- {type: Item, id: a, mood: {at: {}}, parts: [{type: vec}]}\n"
                       "- {type: Item, id: b, parent: a, parts: [{type: lamp}]}\n"
                       "- {type: Item, id: c, parent: a, parts: [{type: none}]}\n"},
         {"in/p.yaml", "- {type: Item, id: a, 'parts[0].x': 1}\n"}},
        NULL};
    same_write(types, &row);
    expect_error(
        "in/p.yaml:1:33: error: Item/b.parts[0].lamp: game.Lamp has no field \"x\" [path]");
}

/* A scene reads the components of a prefab from the list as written, so no path may change the
 * list. */
static void components_of_prefabs_are_not_changed_by_path(void **state)
{
    (void)state;
    static const char *const patches[][2] = {
        {"shape: list, type: Thing, patch: {path: way, value: to, id: of}",
         "- {of: a, way: parts, to: []}\n"},
        {"shape: map, type: Thing, patch: true, paths: true", "a: {'parts[Lamp].on': true}\n"},
    };
    for (size_t i = 0; i < COUNT(patches); i++) {
        char schema[1000];
        snprintf(schema, sizeof schema,
                 "kiln: 1\ntypes:\n  Lamp: {struct: {on: bool}, component: row}\n"
                 "  Part: {union: {Lamp: Lamp}, by: {key: type}}\n"
                 "  Thing: {struct: {parts: 'Part[]'}, asset: true}\n"
                 "files:\n  - {match: p.yaml, %s}\n"
                 "  - {match: '*.scene.yaml', shape: scene, prefabs: Thing.parts}\n"
                 "  - {shape: map, type: Thing}\n",
                 patches[i][0]);
        assert_int_equal(system("rm -rf in && mkdir in"), 0);
        fixture_write("s.yaml", schema);
        fixture_write("in/a.yaml", "a: {parts: [{type: Lamp, on: false}]}\n");
        fixture_write("in/p.yaml", patches[i][1]);
        expect_error("error: Thing/a: a path cannot change components of a prefab [path]");
    }
}

static void a_path_of_very_many_steps_is_refused(void **state)
{
    enum { STEPS = 257 };
    char path[2 * STEPS + 1], text[2 * STEPS + 40];
    (void)state;
    same_row row = {KINDS, {{"in/a.yaml", "Item: {a: {}}\n"}}, NULL};
    same_write(types, &row);
    for (int i = 0; i < STEPS; i++)
        memcpy(path + (size_t)2 * (size_t)i, ".a", 3);
    snprintf(text, sizeof text, "Item: {a: {%s: 1}}\n", path + 1);
    fixture_write("in/p.yaml", text);
    expect_error("in/p.yaml:1:523: error: Item/a: the path has more than 256 steps [path]");
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    same_row row = {
        LIST,
        {{"in/a.yaml", "- {type: Item, id: a, all: [a], parts: [{type: vec}], prices: {k: {}}, "
                       "numbers: {1: [1]}, mood: !type:at {}, may: {}}\n"
                       "- {type: Item, id: b, parent: a, parts: [{type: vec, x: 1}]}\n"},
         {"in/p.yaml", "- {type: Item, id: b, 'all[0]': b, 'parts[vec].y': 3, 'prices[k].y': 4, "
                       "'numbers[1][0]': 5, mood.x: 1, may.x: 2, 'three[0].x': 3, at.x: 4, "
                       "'prices[\"k\"].x': 5, 'all[7]': x, 'prices[kk].x': 5}\n"}},
        NULL};
    same_write(types, &row);
    failing_bake("-q -s s.yaml -C in -o x.kiln --source-map x.map .", 1);
    same_row good = {LIST,
                     {{"in/a.yaml", "- {type: Item, id: a, all: [a], prices: {k: {}}}\n"},
                      {"in/p.yaml", "- {type: Item, id: a, 'all[0]': b, 'prices[k].y': 4}\n"}},
                     NULL};
    same_write(types, &good);
    failing_bake("-q -s s.yaml -C in -o x.kiln .", 0);
}

/* Very many paths into one list, one map and several alternatives are resolved in a single pass. */
static void the_work_for_many_paths_is_linear(void **state)
{
    enum { PATHS = 20000, MOODS = 200 };
    (void)state;
    char *out, *err;
    same_row row = {KINDS, {{"in/x.yaml", "Item: {}\n"}}, NULL};
    same_write(types, &row);
    FILE *data = fopen("in/x.yaml", "w"), *patch = fopen("in/p.yaml", "w");
    assert_true(data && patch);
    fputs("Item:\n  a:\n    all: [", data);
    fputs("Item:\n  a:\n", patch);
    for (int i = 0; i < PATHS; i++) {
        fprintf(data, "t%d,", i);
        fprintf(patch, "    all[%d]: u%d\n", i, i);
    }
    fputs("]\n    moods: [", data);
    for (int i = 0; i < MOODS; i++) {
        fputs("at: {x: 1},", data);
        fprintf(patch, "    moods[%d].at.y: %d\n", i, i);
    }
    fputs("]\n    prices:\n", data);
    for (int i = 0; i < PATHS; i++) {
        fprintf(data, "      k%d: {}\n", i);
        fprintf(patch, "    prices[k%d].x: %d\n    prices[k%d].y: 1\n", i, i, i);
    }
    assert_int_equal(fclose(data) + fclose(patch), 0);
    assert_int_equal(bake_call("-q -s s.yaml -C in -o x.kiln .", &out, &err), 0);
    free(out);
    free(err);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(only_the_value_at_the_path_changes),
        IN_FOLDER(paths_override_inherited_values),
        IN_FOLDER(only_the_unknown_parent_is_reported),
        IN_FOLDER(errors_in_a_changed_value_are_reported),
        IN_FOLDER(a_change_that_does_not_fit_a_child_is_reported),
        IN_FOLDER(components_of_prefabs_are_not_changed_by_path),
        IN_FOLDER(a_path_of_very_many_steps_is_refused),
        IN_FOLDER(no_failing_allocation_is_fatal),
        IN_FOLDER(the_work_for_many_paths_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
