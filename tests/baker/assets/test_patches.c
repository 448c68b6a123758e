/* Compares assets that other files change or delete with the same assets written out. */
#include "failing_bake.h"
#include "same_bake.h"

static const char types[] =
    "  Vec: {struct: {x: {type: i32, default: 0}, y: {type: i32, default: 0}}}\n"
    "  Part: {union: {vec: Vec, none: }, by: {key: type}}\n"
    "  Item:\n"
    "    struct:\n"
    "      name: {type: string, default: thing}\n"
    "      size: {type: u8, default: 1}\n"
    "      own: {type: u8, default: 9, inherit: never}\n"
    "      all: {type: 'string[]', inherit: merge}\n"
    "      parts: {type: 'Part[]', inherit: merge}\n"
    "    asset: true\n"
    "    inherit: true\n"
    "  Plain: {struct: {a: {type: u8, default: 0}, at: {type: Vec, default: {}}}, asset: true}\n"
    "  Many: {wrap: 'u8[]', asset: true}\n";

#define LIST                                                                                       \
    "files:\n  - {match: 'p*', shape: list, by: type, patch: true}\n"                              \
    "  - {match: old.yaml, shape: renames, type: Item}\n"                                          \
    "  - {shape: list, by: type}\n"
#define KINDS "files:\n  - {match: 'p*', shape: kinds, patch: true}\n  - {shape: kinds}\n"
#define MAP                                                                                        \
    "files:\n  - {match: 'p*', shape: map, type: Plain, patch: true}\n"                            \
    "  - {shape: map, type: Plain}\n"

static void patches_override_assets(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {LIST,
         {{"in/a.yaml", "- {type: Item, id: a, name: a, size: 2, own: 1, all: [a], parts: [{type: "
                        "vec, x: 1}]}\n"
                        "- {type: Item, id: b, parent: a}\n- {type: Item, id: c}\n"},
          {"in/p1.yaml", "- {type: Item, id: a, size: 3, own: 2, all: [b], parts: [{type: vec, y: "
                         "2}, none]}\n- {type: Item, delete: c}\n"},
          {"in/p2.yaml", "- {type: Item, id: a, size: 4}\n"}},
         "Item:\n"
         "  a: {name: a, size: 4, own: 2, all: [b, a], parts: [vec: {x: 1, y: 2}, none]}\n"
         "  b: {name: a, size: 4, all: [b, a], parts: [vec: {x: 1, y: 2}, none]}\n"},
        {MAP,
         {{"in/a.yaml", "a: {a: 1, at: {x: 1, y: 1}}\nb: {}\n"},
          {"in/p.yaml", "a: {at: {x: 2}}\nb: ~\n"}},
         "Plain: {a: {a: 1, at: {x: 2}}}\n"},
        /* A patch can replace parents and change whether an asset is abstract. */
        {KINDS,
         {{"in/z.yaml",
           "Item: {a: {size: 2}, b: {parent: a, own: 1}, c: {size: 3}, d: {parent: c}}\n"
           "Many: {m: [1, 2]}\n"},
          {"in/p.yaml", "Item: {b: {parent: c}, c: {abstract: true}}\nMany: {m: [3]}\nPlain: ~\n"}},
         "Item: {a: {size: 2}, b: {size: 3, own: 1}, d: {size: 3}}\nMany: {m: [3]}\n"},
        {KINDS,
         {{"in/z.yaml", "Item: {a: {abstract: true, size: 2}, b: {parent: a}}\n"},
          {"in/p.yaml", "Item: {a: {abstract: false, name: x}, b: {parent: ~, name: y}}\n"}},
         "Item: {a: {size: 2, name: x}, b: {name: y}}\n"},
        /* A patch may name the old id of a renamed asset. */
        {LIST,
         {{"in/a.yaml", "- {type: Item, id: new}\n"},
          {"in/old.yaml", "old: new\n"},
          {"in/p.yaml", "- {type: Item, id: old, size: 7}\n"}},
         "Item: {new: {size: 7}}\nrenames: {Item: {old: new}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

/* An input that contains only patches bakes to a file without assets. */
static void patches_change_assets_of_other_outputs(void **state)
{
    (void)state;
    static const same_row row = {LIST,
                                 {{"in/a.yaml", "- {type: Item, id: a, parent: b}\n"},
                                  {"in/b.yaml", "- {type: Item, id: b}\n"},
                                  {"in/p.yaml", "- {type: Item, id: b, size: 5}\n"}},
                                 NULL};
    static const same_row plain = {
        NULL,
        {{"in/a.yaml", "Item: {a: {size: 5}}\n"}, {"in/b.yaml", "Item: {b: {size: 5}}\n"}},
        NULL};
    static const char *const files[] = {"out/a.kiln", "out/b.kiln"};
    char *bytes[2];
    size_t sizes[2], size;
    assert_int_equal(system("mkdir out"), 0);
    same_write(types, &row);
    free(same_bytes("-q -s s.yaml -C in --each out .", "out/p.kiln", &size));
    for (int i = 0; i < 2; i++)
        bytes[i] = fixture_read(files[i], &sizes[i]);
    same_write(types, &plain);
    free(same_bytes("-q -s s.yaml -C in --each out .", "out/a.kiln", &size));
    for (int i = 0; i < 2; i++) {
        char *other = fixture_read(files[i], &size);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(other, bytes[i], size);
        free(other);
        free(bytes[i]);
    }
}

/* Each message has the location of its cause. */
static void errors_are_reported_at_the_patch(void **state)
{
    (void)state;
    static const same_row row = {
        LIST,
        {{"in/a.yaml", "- {type: Item, id: a, size: 300}\n- {type: Item, id: b, parent: a}\n"
                       "- {type: Item, id: gone}\n- {type: Item, id: c, parent: gone}\n"
                       "- {type: Item, id: d, parent: [never]}\n"},
         {"in/old.yaml", "was: a\nnever: ~\n"},
         {"in/p1.yaml", "- {type: Item, id: a, nme: x, own: 400}\n- {type: Item, delete: gone}\n"},
         {"in/p2.yaml", "- {type: Item, id: gone, size: 1}\n- {type: Item, delete: never}\n"
                        "- {type: Item, id: aa, size: 1}\n"}},
        NULL};
    static const char *const said[] = {
        "in/a.yaml:4:31: error: Item/c: the Item \"gone\" was deleted at in/p1.yaml:2:24 [parent]",
        "in/a.yaml:5:32: error: Item/d: the Item \"never\" was deleted at in/old.yaml:2:1 [parent]",
        "in/p1.yaml:1:23: error: Item/a: game.Item has no field \"nme\" [unknown-key]",
        "in/p1.yaml:1:36: error: Item/a.own: 400 exceeds 255 [range]",
        "in/p2.yaml:1:20: error: Item/gone: this asset was already deleted at in/p1.yaml:2:24 "
        "[patch]",
        "in/p2.yaml:2:24: error: Item/never: this asset was deleted at in/old.yaml:2:1, so it "
        "cannot be changed [patch]",
        "in/p2.yaml:3:20: error: Item/aa: the asset to change does not exist in any input",
        "did you mean \"a\"?",
        "\n8 errors\n",
    };
    char *out, *err;
    same_write(types, &row);
    assert_int_equal(bake_call("-q -s s.yaml -C in -o x.kiln .", &out, &err), 1);
    check_said(err, said, COUNT(said));
    free(out);
    free(err);
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    same_row row = {LIST,
                    {{"in/a.yaml", "- {type: Item, id: a, all: [a]}\n- {type: Item, id: c}\n"},
                     {"in/p.yaml", "- {type: Item, id: a, all: [b]}\n- {type: Item, delete: c}\n"
                                   "- {type: Item, id: b, all: [b]}\n"}},
                    NULL};
    same_write(types, &row);
    failing_bake("-q -s s.yaml -C in -o x.kiln .", 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(patches_override_assets),
        IN_FOLDER(patches_change_assets_of_other_outputs),
        IN_FOLDER(errors_are_reported_at_the_patch),
        IN_FOLDER(no_failing_allocation_is_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
